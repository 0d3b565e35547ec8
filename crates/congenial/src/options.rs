//! What a release is asked to look like, and whether its formats can hold it: refused before
//! anything is drawn.

use declare::{Domain, OutputRows, Problem, nearest};
use pay::Paying;
use publish::{Format, INTERVAL, MOST_COLUMNS, STREAM_ABOVE};
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
    /// A table of more combinations of values is never in memory whole, if it can be streamed.
    pub stream_above: usize,
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
        Options { format, wide: None, paying: Paying::default(), sign: None, stream_above: STREAM_ABOVE }
    }
}

impl Options {
    /// Whether the release can be written portion by portion: wide tables and workbooks are made of
    /// whole tables.
    pub(crate) fn streams(&self) -> bool {
        self.wide.is_none() && !self.format.is_workbook()
    }

    /// The position of the dimension that the wide table spreads; checks that the formats hold what
    /// is asked of them.
    pub(crate) fn check(&self, domain: &Domain, outputs: &[OutputRows]) -> Result<Option<usize>, Problem> {
        let wide = self.wide.as_ref().map(|wide| spread(wide, domain)).transpose()?;
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
        self.format.check_tables(domain, outputs)?;
        Ok(wide)
    }

    /// Refuses formats that totals alone are not written in.
    pub(crate) fn check_suppressed(&self) -> Result<(), Problem> {
        match &self.wide {
            Some(_) => Err(Problem::refused("a suppressed release has no counts that a wide table could spread")
                .hint("leave out --wide")),
            None => self.format.check_totals(),
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
