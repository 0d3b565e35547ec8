//! Files of a release: Parquet, CSV and XLSX, written portion by portion and read back.
//!
//! A [`FileWriter`] takes rows of typed columns; [`TableWriter`] gives it the cells of a table in cell order, so that no table
//! need be in memory as a whole, and [`read_table`] hands them back in the same way.

mod csv_file;
mod parquet_file;
mod rows;
mod same;
mod table_reader;
mod table_writer;
mod writer;
mod xlsx_file;
mod xlsx_reader;

pub use table_reader::{Portion, read_counts, read_table};
pub use table_writer::{Layout, TableWriter, Tables, Values, write_table};
pub use writer::FileWriter;

pub(crate) use parquet_file::metadata_of;
pub(crate) use rows::{Cell, Cells, Field, Kind};
pub(crate) use same::same_contents;
pub(crate) use xlsx_file::{LARGEST_NUMBER, LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS};

use declare::{Domain, Problem};
use std::fs::File;
use std::path::Path;

/// The format of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
    /// A workbook of Excel, LibreOffice and others.
    Xlsx,
}

impl Format {
    /// The extension, which is also the name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Xlsx => "xlsx",
        }
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Result<Format, Problem> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "parquet" => Ok(Format::Parquet),
            "csv" => Ok(Format::Csv),
            "xlsx" => Ok(Format::Xlsx),
            _ => Err(Problem::bad(format!("cannot tell the format of `{}`", path.display()))
                .hint("the name must end in .parquet, .csv or .xlsx")),
        }
    }
}

/// The columns between which 90 % of the noise puts the true count.
pub(crate) const INTERVAL: [&str; 2] = ["lower90", "upper90"];

/// The columns of a table file: the dimensions, then `value`, then the interval if there is one.
pub(crate) fn column_names(domain: &Domain, intervals: bool) -> Vec<String> {
    let dimensions = domain.columns();
    let mut names: Vec<String> = dimensions.iter().map(|column| column.name.to_string()).collect();
    names.push("value".to_string());
    if intervals {
        names.extend(INTERVAL.map(str::to_string));
    }
    names
}

/// SHA-256 of a file, in hexadecimal.
pub(crate) fn hash(path: &Path) -> Result<String, Problem> {
    let file = File::open(path).map_err(|error| cannot("read", path, error))?;
    certify::sha256_of(file).map_err(|error| cannot("read", path, error))
}

pub(crate) fn cannot(what: &str, path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::system(format!("cannot {what} `{}`: {error}", path.display()))
}
