//! Files of a release: Parquet, CSV and XLSX, written portion by portion and read back.
//!
//! A [`FileWriter`] takes rows of typed columns; [`TableWriter`] gives it the cells of a table in
//! cell order, so that no table need be in memory as a whole, and [`read_table`] hands them back in
//! the same way.

mod csv_file;
mod examples;
mod format;
#[cfg(test)]
#[path = "../tests/formats/json_lines.rs"]
mod json_lines;
mod parquet_file;
mod rows;
mod same;
mod table_reader;
mod table_writer;
mod writer;
#[cfg(feature = "xlsx")]
mod xlsx_file;
mod xlsx_format;
#[cfg(feature = "xlsx")]
mod xlsx_reader;

pub use table_reader::{Portion, Portions, read_counts, read_table};
pub use table_writer::{Layout, TableWriter, Tables, Values, write_table};
pub use writer::FileWriter;

pub use examples::{Example, quoted};
pub use format::{Format, RowWriter, TableFormat};
pub use rows::{Cell, Cells, ColumnKind, Field};
pub use same::same_contents;
pub use xlsx_format::{LARGEST_NUMBER, LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS};

use certify::changed;
use declare::{Column, Domain, Problem};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Every format, in the order in which they are named to users: a new one is a file, and two lines
/// here.
const FORMATS: &[&dyn TableFormat] = &[
    &parquet_file::Parquet,
    &csv_file::Csv,
    &xlsx_format::Xlsx,
    #[cfg(test)]
    &json_lines::JsonLines,
];

/// The columns between which 90 % of the noise puts the true count.
pub const INTERVAL: [&str; 2] = ["lower90", "upper90"];

/// The columns of a table file: the dimensions, then `value`, then the interval if there is one.
pub fn column_names(domain: &Domain, intervals: bool) -> Vec<String> {
    let names = domain.columns().into_iter().map(|column| column.name).chain(["value"]);
    names.chain(INTERVAL.into_iter().filter(|_| intervals)).map(str::to_string).collect()
}

/// SHA-256 of a file, in hexadecimal.
pub fn hash(path: &Path) -> Result<String, Problem> {
    hash_within(path, u64::MAX)
}

/// SHA-256 of a file of at most so many bytes, in hexadecimal.
pub fn hash_within(path: &Path, most: u64) -> Result<String, Problem> {
    certify::sha256_of(open_within(path, most)?).map_err(|error| cannot("read", path, error))
}

/// Opens a file that anybody may have made: a file of bytes, and of at most so many. A pipe would
/// keep its reader waiting for ever, a device would never end, and a file may say that it is larger
/// than any disk. A link may lead anywhere: what is checked here may not be what others read there.
pub fn open_within(path: &Path, most: u64) -> Result<File, Problem> {
    let check = |found: Metadata| match () {
        () if found.is_symlink() => {
            Err(changed(format!("`{}` is a link; a release holds its files itself", path.display())))
        }
        () if !found.is_file() => Err(changed(format!("`{}` is not a file of bytes", path.display()))),
        () if found.len() > most => {
            let (size, path) = (found.len(), path.display());
            Err(changed(format!("`{path}` has {size} bytes, and such a file has at most {most}")))
        }
        () => Ok(()),
    };
    let failed = |error: io::Error| cannot("read", path, error);
    check(fs::symlink_metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    check(file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// The bytes of a file that anybody may have made, of at most so many.
pub fn read_within(path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    // One byte more would tell of a file that grows while it is read.
    let mut reader = open_within(path, most)?.take(most.saturating_add(1));
    reader.read_to_end(&mut bytes).map_err(|error| cannot("read", path, error))?;
    match bytes.len() as u64 > most {
        true => Err(changed(format!("`{}` grows while it is read", path.display()))),
        false => Ok(bytes),
    }
}

/// The most bytes that a table of a release, or a file made of it, can need: more is not read.
pub fn largest_file(domain: &Domain) -> u64 {
    // Labels may be escaped character by character, wide tables repeat them, and every format has a
    // frame around its rows.
    let longest = |column: &Column<'_>| -> u64 {
        let codes = domain.schema.dimensions[column.dimension].values.len();
        (0..codes).map(|code| column.text(code).len() as u64).max().unwrap_or(0)
    };
    let columns = domain.columns();
    let row: u64 = columns.iter().map(|column| 8 * longest(column) + 128).sum::<u64>() + 1024;
    row.saturating_mul(domain.len() as u64 + 1).saturating_mul(4).saturating_add(1 << 26)
}

/// The folder that a file or folder is in.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The problem of a file or a folder with which something cannot be done.
pub fn cannot(what: &str, path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::system(format!("cannot {what} `{}`: {error}", path.display()))
}
