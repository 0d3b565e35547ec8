//! `DataFile`: what reading the rows of a file needs, whatever its format.

use crate::fault::Fault;
use crate::parquet_file::ParquetFile;
use crate::source::Source;
use csv::ByteRecord;
use declare::{Problem, nearest};
use std::fs::File;
use std::io;
use std::path::Path;

/// An open data file, read row by row as fields of text.
pub(crate) trait DataFile {
    /// The names of the columns.
    fn header(&mut self, record: &mut ByteRecord) -> Result<Vec<String>, Problem>;

    /// Says which columns are used; fields of others may be empty from now on.
    fn select(&mut self, columns: &[usize]) -> Result<(), Problem>;

    /// Reads the next row; `false` at the end of the file. The byte of its position tells it from all other rows.
    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Problem>;

    /// Checks that the file ends as it should.
    fn check_end(&self) -> Result<(), Problem>;

    /// The number of bytes whose rows have been read.
    fn bytes_read(&self) -> u64;

    /// A fault of this row as a problem with a place.
    fn problem(&self, record: &ByteRecord, fault: Fault) -> Problem;
}

/// Opens the file at `path`, called `name` in messages; its extension tells the format.
pub(crate) fn open(path: &Path, name: &str) -> Result<Box<dyn DataFile>, Problem> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    let file = || open_regular(path, name);
    match extension.as_str() {
        "csv" => Ok(Box::new(Source::new(file()?, path, name, b','))),
        "tsv" => Ok(Box::new(Source::new(file()?, path, name, b'\t'))),
        "parquet" => Ok(Box::new(ParquetFile::new(file()?, name)?)),
        "arrow" | "feather" | "ipc" | "gz" | "zst" => Err(Problem::not_yet(format!("reading `{name}` (.{extension})"))
            .hint("convert it to Parquet, CSV or TSV, for now")),
        _ => Err(Problem::bad(format!("the format of `{name}` is not known from its extension"))
            .hint("name the file .csv (fields separated by commas), .tsv (by tabs) or .parquet")),
    }
}

fn open_regular(path: &Path, name: &str) -> Result<File, Problem> {
    let file = File::open(path).map_err(|error| cannot_open(path, name, &error))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(Problem::bad(format!("`{name}` is a directory, not a data file"))
            .hint("`path` in [data] names one CSV, TSV or Parquet file")),
        Ok(metadata) if !metadata.is_file() => Err(Problem::bad(format!("`{name}` is not a regular file"))
            .hint("write the data to a file first: errors are explained by reading the row again")),
        Ok(_) => Ok(file),
        Err(error) => Err(cannot_open(path, name, &error)),
    }
}

fn cannot_open(path: &Path, name: &str, error: &io::Error) -> Problem {
    if error.kind() != io::ErrorKind::NotFound {
        return Problem::system(format!("cannot open the data file `{name}`: {error}"));
    }
    let problem = Problem::system(format!("there is no data file `{name}`"));
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let wanted = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
    match nearest(wanted, names.iter().map(String::as_str)) {
        Some(neighbour) => problem.hint(format!("did you mean `{neighbour}`, in the same directory?")),
        None => problem.hint("`path` in [data] is relative to the directory of the spec"),
    }
}
