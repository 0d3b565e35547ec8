//! The `[data]` section: where the table comes from and how its rows are read.

use super::predicates;
use super::reader::{Node, Section};
use super::refusals::{Refusals, not_yet};
use crate::declaration::{Data, Duplicates, Negative, Policy};
use crate::problem::Problem;
use crate::schema::{Dimension, Schema, Values};

const KEYS: [&str; 9] =
    ["path", "count", "public", "where", "outside", "missing", "duplicates", "unit", "rows_per_unit"];

pub(super) fn read(section: &Section, refusals: &mut Refusals) -> Result<Data, Problem> {
    section.only(&KEYS)?;
    let path = section.need("path", "name the file: path = \"table.csv\"")?;
    if let Some(problem) = check_table_format(&path)? {
        refusals.add(path.span.start, problem);
    }
    let count = match section.get("count") {
        Some(node) => Some(node.nonempty()?.to_string()),
        None => None,
    };
    let public = section.get("public").map_or(Ok(false), |node| node.flag())?;
    let filter = match section.get("where") {
        Some(node) => Some(predicates::over_rows(&node)?),
        None => None,
    };
    let policy = |key: &str| match section.get(key) {
        Some(node) => node.choice(&Policy::ALL, Policy::name),
        None => Ok(Policy::Error),
    };
    let outside = policy("outside")?;
    let missing = policy("missing")?;
    let duplicates = match section.get("duplicates") {
        Some(node) => node.choice(&Duplicates::ALL, Duplicates::name)?,
        None => Duplicates::Error,
    };
    read_unit(section, refusals)?;
    let path = path.text()?.to_string();
    let (negative, unit, rows_per_unit) = (Negative::Error, None, 1);
    Ok(Data { path, count, public, filter, outside, missing, duplicates, negative, unit, rows_per_unit })
}

fn read_unit(section: &Section, refusals: &mut Refusals) -> Result<(), Problem> {
    let unit = section.get("unit");
    if let Some(node) = &unit {
        node.nonempty()?;
        refusals.not_yet(
            node.source,
            section.key_span("unit"),
            "a privacy unit that owns several rows (`unit`)",
            "leave `unit` out when every row is one unit; otherwise count rows per unit first",
        );
    }
    if let Some(node) = section.get("rows_per_unit") {
        let rows = node.integer()?;
        if rows < 1 {
            return Err(node.bad("`rows_per_unit` must be at least 1", "below 1"));
        }
        if rows > 1 && unit.is_none() {
            return Err(node
                .bad("`rows_per_unit` above 1 needs `unit`", "more rows than one")
                .hint("name the column of the privacy unit: unit = \"person_id\""));
        }
        if rows > 1 {
            refusals.not_yet(
                node.source,
                node.span.clone(),
                "several rows per privacy unit (`rows_per_unit`)",
                "write rows_per_unit = 1 and reduce the file to one row per unit",
            );
        }
    }
    Ok(())
}

/// What a file is, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Fields between commas.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Apache Parquet: read for the table, not for the public files of a spec.
    Parquet,
    /// Known to the grammar and not read by this version.
    Later,
    /// Anything else.
    Unknown,
}

/// The format of a file by the end of its name.
pub(super) fn format(path: &str) -> Format {
    let name = path.to_ascii_lowercase();
    let packed = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end));
    let plain = packed.unwrap_or(&name);
    let ends = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    match (packed, ends(&[".csv"]), ends(&[".tsv"]), ends(&[".parquet"])) {
        (None, true, _, _) => Format::Csv,
        (None, _, true, _) => Format::Tsv,
        (None, _, _, true) => Format::Parquet,
        (_, false, false, false) if !ends(&[".arrow", ".ipc", ".feather"]) => Format::Unknown,
        _ => Format::Later,
    }
}

/// Checks that the name of a public file tells its format; returns the refusal of one that a later version will read.
pub(super) fn check_format(node: &Node) -> Result<Option<Problem>, Problem> {
    let readable = |format| matches!(format, Format::Csv | Format::Tsv);
    check(node, readable, ".csv or .tsv")
}

/// The same for the file of the table.
fn check_table_format(node: &Node) -> Result<Option<Problem>, Problem> {
    let readable = |format| matches!(format, Format::Csv | Format::Tsv | Format::Parquet);
    check(node, readable, ".csv, .tsv or .parquet")
}

fn check(node: &Node, readable: fn(Format) -> bool, endings: &str) -> Result<Option<Problem>, Problem> {
    let path = node.nonempty()?;
    match format(path) {
        format if readable(format) => Ok(None),
        Format::Unknown => Err(node
            .bad(format!("the name `{path}` does not tell its format"), "unknown extension")
            .hint(format!("use a file that ends in {endings}"))),
        _ => {
            let what = format!("reading `{path}`");
            Ok(Some(not_yet(node.source, node.span.clone(), &what, &format!("save it as {endings}"))))
        }
    }
}

/// A column of counts must not also be a dimension, and counts stand in one column or in measures.
pub(super) fn check_counts(section: &Section, dimensions: &Section, schema: &Schema) -> Result<(), Problem> {
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
            None => Ok(()),
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
        None => Ok(()),
        Some((column, dimension)) => {
            Err(dimensions.bad_key(measure, both(column), &format!("also read by the dimension `{}`", dimension.name)))
        }
    }
}
