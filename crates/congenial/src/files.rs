//! Tables on disk: Parquet and CSV, written cell by cell in cell order and read back.

mod csv_file;
mod parquet_file;

use declare::{Domain, Problem};
use std::path::Path;

/// The format of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

impl Format {
    /// The extension, which is also the name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
        }
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Result<Format, Problem> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "parquet" => Ok(Format::Parquet),
            "csv" => Ok(Format::Csv),
            "xlsx" => Err(Problem::not_yet("writing .xlsx").hint("write .parquet or .csv")),
            _ => Err(Problem::bad(format!("cannot tell the format of `{}`", path.display()))
                .hint("the name must end in .parquet or .csv")),
        }
    }
}

/// The values of a table: one per live cell.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Counts.
    Counts(&'a [i64]),
    /// Real numbers, for research.
    Reals(&'a [f64]),
}

/// Hands tables, one after another, to the writer it is given.
pub type Tables<'a> = dyn FnMut(&mut dyn FnMut(Values<'_>) -> Result<(), Problem>) -> Result<(), Problem> + 'a;

/// The columns of a table file: the dimensions, then `draw` for simulations, then `value`.
pub(crate) fn column_names(domain: &Domain, draws: bool) -> Vec<String> {
    let dimensions = domain.columns();
    let mut names: Vec<String> = dimensions.iter().map(|column| column.name.to_string()).collect();
    if draws {
        names.push("draw".to_string());
    }
    names.push("value".to_string());
    names
}

/// Writes one or several tables over the same domain. Several tables (`numbered`) get a column `draw`, from 0.
pub fn write_table(
    path: &Path,
    format: Format,
    domain: &Domain,
    numbered: bool,
    metadata: &[(&str, String)],
    tables: &mut Tables<'_>,
) -> Result<(), Problem> {
    match format {
        Format::Parquet => parquet_file::write(path, domain, numbered, metadata, tables),
        Format::Csv => csv_file::write(path, domain, numbered, tables),
    }
}

/// Reads the counts of a released table back, checking that its rows are exactly the live cells in cell order.
pub fn read_counts(path: &Path, format: Format, domain: &Domain) -> Result<Vec<i64>, Problem> {
    match format {
        Format::Parquet => parquet_file::read(path, domain),
        Format::Csv => csv_file::read(path, domain),
    }
}

pub(crate) fn cannot(what: &str, path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::system(format!("cannot {what} `{}`: {error}", path.display()))
}
