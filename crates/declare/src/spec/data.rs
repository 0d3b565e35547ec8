//! The `[data]` section: where the table comes from and how its rows are read.

use super::formats;
use super::keys;
use super::predicates;
use super::reader::{Node, Section};
use crate::dates::{DateFormat, ambiguous};
use crate::declaration::{Data, Duplicates, Encoding, Negative, Policy};
use crate::problem::Problem;
use crate::schema::{Dimension, Schema, Values};

/// The most rows that one privacy unit may be declared to own: the loss is multiplied by it, so
/// more is a mistake.
pub const MOST_ROWS_PER_UNIT: u64 = 1 << 20;

pub(super) fn read(section: &Section) -> Result<Data, Problem> {
    section.only(&keys::DATA)?;
    let (path, frame) = source(section)?;
    let count = section.text("count")?;
    let public = section.get("public").map_or(Ok(false), |node| node.flag())?;
    let filter = section.get("where").map(|node| predicates::over_rows(&node)).transpose()?;
    let policy = |key: &str| section.choice(key, &Policy::ALL, Policy::name, Policy::Error);
    let outside = policy("outside")?;
    let missing = policy("missing")?;
    let duplicates = section.choice("duplicates", &Duplicates::ALL, Duplicates::name, Duplicates::Error)?;
    let negative = section.choice("negative", &Negative::ALL, Negative::name, Negative::Error)?;
    let (unit, rows_per_unit) = unit(section)?;
    let beyond = policy("beyond")?;
    if beyond == Policy::Drop && unit.is_none() {
        let problem = section.bad_key("beyond", "`beyond` needs `unit`", "whose rows?");
        return Err(problem.hint("name the column of the privacy unit: unit = \"person_id\""));
    }
    let encoding = encoding(section, &path)?;
    let date_formats = date_formats(section)?;
    Ok(Data {
        path,
        frame,
        count,
        public,
        filter,
        outside,
        missing,
        duplicates,
        negative,
        unit,
        rows_per_unit,
        beyond,
        encoding,
        date_formats,
    })
}

/// The file of the rows, or what rows in memory are called: one of the two.
fn source(section: &Section) -> Result<(String, Option<String>), Problem> {
    let Some(frame) = section.get("frame") else {
        let path = section.need("path", "name the file: path = \"table.csv\"")?;
        formats::of(&path)?;
        return Ok((path.text()?.to_string(), None));
    };
    if section.get("path").is_some() {
        let problem = section.bad_key("frame", "`frame` and `path` cannot both be given", "from where?");
        return Err(problem.hint("keep `path` for a file, or `frame` for rows that a program hands over in memory"));
    }
    Ok((String::new(), Some(frame.nonempty()?.to_string())))
}

/// How the bytes of a text file are letters.
fn encoding(section: &Section, path: &str) -> Result<Encoding, Problem> {
    let Some(node) = section.get("encoding") else { return Ok(Encoding::Utf8) };
    let lower = node.text()?.to_ascii_lowercase();
    if ["latin-1", "latin1", "iso-8859-1", "iso8859-1", "cp1252", "ansi"].contains(&lower.as_str()) {
        return Err(node
            .bad(format!("`encoding` cannot be `{}`", node.text()?), "not a choice here")
            .hint("write encoding = \"windows-1252\": it has every letter of Latin-1 at the same place"));
    }
    let encoding = node.choice(&Encoding::ALL, Encoding::name)?;
    if encoding != Encoding::Utf8 && !formats::is_text(path) {
        return Err(node
            .bad("`encoding` is for text files, and other files say themselves how they are written", "no meaning here")
            .hint("leave it out"));
    }
    Ok(encoding)
}

/// How the files write dates: one format, or several that no text has in common.
fn date_formats(section: &Section) -> Result<Vec<DateFormat>, Problem> {
    let Some(node) = section.get("date_format") else { return Ok(vec![DateFormat::iso()]) };
    let written = match node.text() {
        Ok(text) => vec![(text, node.clone())],
        Err(_) => node.texts()?,
    };
    if written.is_empty() {
        return Err(node.bad("`date_format` has no format", "empty").hint("leave it out for dates like 2024-04-01"));
    }
    let mut formats: Vec<DateFormat> = Vec::new();
    for (text, node) in written {
        let Some(format) = DateFormat::new(text) else {
            return Err(node
                .bad(format!("`{text}` is no format of dates"), "not a format")
                .hint("write YYYY, MM and DD once each, with -, /, . or nothing between them: \"MM/DD/YYYY\""));
        };
        let clash = formats.iter().find_map(|known| Some((known, ambiguous(known, &format)?)));
        if let Some((known, example)) = clash {
            let message = format!("`{example}` is another day as `{}` than as `{text}`", known.as_str());
            return Err(node
                .bad(message, "which is meant cannot be told")
                .hint("a file has one of them: leave the other out"));
        }
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    Ok(formats)
}

/// How fields are read where their dimension does not say it.
pub(super) fn defaults(section: &Section, data: &Data) -> Result<Defaults, Problem> {
    let trim = section.get("trim").map_or(Ok(false), |node| node.flag())?;
    let ignore_case = section.get("case").map_or(Ok(false), |node| case(&node))?;
    Ok(Defaults { trim, ignore_case, date_formats: data.date_formats.clone() })
}

/// How fields are read where their dimension does not say it.
#[derive(Debug, Clone)]
pub(super) struct Defaults {
    pub(super) trim: bool,
    pub(super) ignore_case: bool,
    pub(super) date_formats: Vec<DateFormat>,
}

/// Whether small and capital letters are the same.
pub(super) fn case(node: &Node) -> Result<bool, Problem> {
    node.choice(&[false, true], |ignore| if ignore { "ignore" } else { "exact" })
}

/// The column of the privacy unit and the most rows that one unit owns.
fn unit(section: &Section) -> Result<(Option<String>, u64), Problem> {
    let unit = section.text("unit")?;
    let Some(node) = section.get("rows_per_unit") else { return Ok((unit, 1)) };
    let rows = node.integer()?;
    if rows < 1 || rows.unsigned_abs() > MOST_ROWS_PER_UNIT {
        let message = format!("`rows_per_unit` must be between 1 and {MOST_ROWS_PER_UNIT}");
        return Err(node
            .bad(message, "out of range")
            .hint("it is the most rows that one unit may own, and the loss is multiplied by it"));
    }
    if rows > 1 && unit.is_none() {
        return Err(node
            .bad("`rows_per_unit` above 1 needs `unit`", "more rows than one")
            .hint("name the column of the privacy unit: unit = \"person_id\""));
    }
    Ok((unit, rows.unsigned_abs()))
}

/// A column of counts must not also be a dimension nor choose rows, counts stand in one column or
/// in measures, and without records there are no rows that a unit could own.
pub(super) fn check_counts(section: &Section, dimensions: &Section, schema: &Schema) -> Result<(), Problem> {
    let counts = match schema.measures() {
        Some((measure, ..)) => Some(format!("in the measures of `{}`", schema.dimensions[measure].name)),
        None => section.get("count").is_some().then(|| "in the column of `count`".to_string()),
    };
    if let Some(counts) = counts
        && section.get("unit").is_some()
    {
        let message = "`unit` needs a file of records, one per row";
        return Err(section
            .bad_key("unit", message, "whose rows?")
            .hint(format!("the counts {counts} do not tell how many of them one unit owns: leave `unit` out")));
    }
    let shared = |column: &str| {
        let other =
            |dimension: &&Dimension| !matches!(dimension.values, Values::Measures { .. }) && dimension.column == column;
        schema.dimensions.iter().find(other)
    };
    let both = |column: &str| format!("the column `{column}` is both a count and a dimension");
    let Some((measure, columns, _)) = schema.measures() else {
        let Some(node) = section.get("count") else { return Ok(()) };
        let column = node.text()?;
        return match shared(column) {
            None => check_filter(section, &[column]),
            Some(dimension) => Err(node
                .bad(both(column), format!("also read by the dimension `{}`", dimension.name))
                .hint("leave `count` out when every row is one record")),
        };
    };
    let measure = &schema.dimensions[measure].name;
    if section.get("count").is_some() {
        let message = format!("the counts stand in `count` and in the measures of `{measure}`");
        return Err(section
            .bad_key("count", message, "the second place of counts")
            .hint(format!("leave `count` out: every column of `{measure}` holds counts")));
    }
    match columns.iter().find_map(|column| Some((column, shared(column)?))) {
        None => check_filter(section, &columns.iter().map(String::as_str).collect::<Vec<_>>()),
        Some((column, dimension)) => {
            Err(dimensions.bad_key(measure, both(column), &format!("also read by the dimension `{}`", dimension.name)))
        }
    }
}

/// Rows are not chosen by their counts.
fn check_filter(section: &Section, counts: &[&str]) -> Result<(), Problem> {
    section.get("where").map_or(Ok(()), |node| predicates::no_counts(&node, counts))
}
