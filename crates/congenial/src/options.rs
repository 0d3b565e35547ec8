//! What a release is asked to look like, and whether its formats can hold it: refused before anything is drawn.

use declare::{Column, Domain, OutputRows, Problem, Values, nearest};
use pay::Paying;
use publish::{Format, INTERVAL, LARGEST_NUMBER, LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS};
use std::path::PathBuf;

/// The formats and files of a release, and who pays for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The format of its tables.
    pub format: Format,
    /// Whether there is a wide table too.
    pub wide: Option<Wide>,
    /// How a confidential release is paid for.
    pub paying: Paying,
    /// The secret key that signs the certificate, a PEM file.
    pub sign: Option<PathBuf>,
}

/// Which dimension a wide table spreads over columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wide {
    /// The measures, or else the last dimension.
    Automatic,
    /// The one with this name.
    Dimension(String),
}

impl From<Format> for Options {
    fn from(format: Format) -> Options {
        Options { format, wide: None, paying: Paying::default(), sign: None }
    }
}

impl Options {
    /// Whether the release can be written portion by portion: wide tables and workbooks are made of whole tables.
    pub(crate) fn streams(&self) -> bool {
        self.wide.is_none() && self.format != Format::Xlsx
    }

    /// The position of the dimension that the wide table spreads; checks that the formats hold what is asked of them.
    pub(crate) fn check(&self, domain: &Domain, outputs: &[OutputRows]) -> Result<Option<usize>, Problem> {
        let wide = match &self.wide {
            None => None,
            Some(wide) => Some(spread(wide, domain)?),
        };
        if wide.is_some()
            && let Some(output) = outputs.iter().find(|output| ["wide", "table-wide"].contains(&output.name.as_str()))
        {
            return Err(Problem::bad(format!("`{}` is the name of the wide table", output.name))
                .hint("give the [[output]] another name, or leave out --wide"));
        }
        if let Some(column) = domain.columns().iter().find(|column| INTERVAL.contains(&column.name)) {
            return Err(Problem::bad(format!("`{}` cannot be the name of a dimension", column.name))
                .hint("the released table has a column of that name: call the dimension otherwise"));
        }
        if self.format == Format::Xlsx {
            check_workbook(domain, outputs)?;
        }
        Ok(wide)
    }

    /// Refuses formats that totals alone are not written in.
    pub(crate) fn check_suppressed(&self) -> Result<(), Problem> {
        let refused = |what: &str, hint: &str| Err(Problem::refused(what).hint(hint));
        match (&self.wide, self.format) {
            (Some(_), _) => {
                refused("a suppressed release has no counts that a wide table could spread", "leave out --wide")
            }
            (None, Format::Xlsx) => {
                refused("a suppressed release is not written as a workbook", "use --format csv or --format parquet")
            }
            (None, Format::Csv | Format::Parquet) => Ok(()),
        }
    }
}

fn spread(wide: &Wide, domain: &Domain) -> Result<usize, Problem> {
    let schema = &domain.schema;
    let last = schema.dimensions.len().saturating_sub(1);
    let position = match wide {
        Wide::Automatic => schema.measures().map_or(last, |(position, ..)| position),
        Wide::Dimension(name) => schema.position(name).ok_or_else(|| {
            let names: Vec<&str> = schema.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? Declared: {}", names.join(", ")),
                None => format!("declared: {}", names.join(", ")),
            };
            Problem::bad(format!("--wide names `{name}`, which is no dimension")).hint(hint)
        })?,
    };
    let dimension = &schema.dimensions[position];
    let others = domain.columns().iter().filter(|column| column.dimension != position).count();
    if dimension.values.len() + others > MOST_COLUMNS {
        return Err(Problem::refused(format!(
            "the wide table would have {} columns, more than {MOST_COLUMNS}: `{}` has {} values",
            dimension.values.len() + others,
            dimension.name,
            dimension.values.len()
        ))
        .hint("spread a dimension with fewer values: --wide=DIM"));
    }
    Ok(position)
}

fn check_workbook(domain: &Domain, outputs: &[OutputRows]) -> Result<(), Problem> {
    let largest = outputs.iter().map(|output| output.labels.len()).fold(domain.len(), usize::max);
    if largest >= MOST_ROWS {
        return Err(Problem::refused(format!(
            "a sheet of a workbook holds at most {} rows, and the table has {largest}",
            MOST_ROWS - 1
        ))
        .hint("use --format parquet or --format csv"));
    }
    let columns = domain.columns();
    if columns.len() + 1 + INTERVAL.len() > MOST_COLUMNS {
        return Err(Problem::refused(format!("a sheet of a workbook holds at most {MOST_COLUMNS} columns"))
            .hint("use --format parquet or --format csv"));
    }
    columns.iter().try_for_each(|column| check_labels(column, &domain.schema.dimensions[column.dimension].values))
}

/// What a workbook would not give back as it was.
fn check_labels(column: &Column<'_>, values: &Values) -> Result<(), Problem> {
    let refused = |what: String| {
        Problem::refused(format!("`{}` {what}", column.name)).hint("use --format parquet or --format csv")
    };
    if let Values::Integers { first, last } = values {
        let large = [first, last].into_iter().find(|value| value.unsigned_abs() > LARGEST_NUMBER);
        return match large {
            Some(large) => Err(refused(format!("has the value {large}, which a spreadsheet would round"))),
            None => Ok(()),
        };
    }
    for code in 0..values.len() {
        let text = column.text(code);
        if text.encode_utf16().count() > LONGEST_TEXT {
            let start: String = text.chars().take(40).collect();
            return Err(refused(format!(
                "has a value of more than {LONGEST_TEXT} characters, too long for a spreadsheet: `{start}…`"
            )));
        }
        let strange =
            |letter: char| (letter.is_control() && !"\n\t".contains(letter)) || "\u{fffe}\u{ffff}".contains(letter);
        if text.contains(strange) || has_escape(&text) {
            return Err(refused(format!(
                "has the value `{}`, with characters that a spreadsheet cannot hold",
                text.escape_debug()
            )));
        }
    }
    Ok(())
}

/// Whether a text contains what workbooks read as the number of a character: `_x000D_`.
fn has_escape(text: &str) -> bool {
    text.match_indices("_x").any(|(place, _)| {
        let rest = text.as_bytes().get(place + 2..place + 7);
        rest.is_some_and(|rest| rest[..4].iter().all(u8::is_ascii_hexdigit) && rest[4] == b'_')
    })
}
