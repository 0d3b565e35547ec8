//! `DataFile`: what reading a file needs, whatever its format.

use crate::batch::Batch;
use crate::columnar::{ArrowFile, KnownEntries, ParquetFile};
use crate::fault::Fault;
use crate::files::{Format, cannot_open, format_of};
use crate::judge::Judge;
use crate::text::{Block, TextFile};
use crate::workbook::WorkbookFile;
use csv::ByteRecord;
use declare::{Encoding, Problem};
use std::fs::File;
use std::path::Path;

/// An open data file, read in pieces.
pub(crate) trait DataFile: Sync {
    /// How messages call it.
    fn name(&self) -> &str;

    /// Its size in bytes, as it is stored.
    fn size(&self) -> u64;

    /// What messages call a thing of its kind.
    fn kind(&self) -> &'static str {
        "file"
    }

    /// The names of the columns.
    fn header(&self) -> &[String];

    /// What kind of values a column holds; `None` for text files, which do not say.
    fn class(&self, column: usize) -> Option<Class>;

    /// What a column holds that is not read, if so.
    fn unreadable(&self, _column: usize) -> Option<&'static str> {
        None
    }

    /// Says which columns are used, in increasing order; fields of others may be empty from now on.
    fn select(&mut self, columns: &[usize]) -> Result<(), Problem>;

    /// The pieces of the file, from its beginning.
    fn pieces(&self) -> Result<Box<dyn Pieces + '_>, Problem>;

    /// Turns a piece to batches, in order, until `emit` says to stop. A batch with a stop is the last.
    fn work(&self, piece: Piece, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool);

    /// Hands the rows of a piece on as text.
    fn rows(&self, piece: Piece, row: &mut dyn FnMut(&ByteRecord) -> Result<(), Problem>) -> Result<(), Problem>;

    /// A fault of the header as a problem with a place.
    fn header_problem(&self, fault: Fault) -> Problem;

    /// A fault of the row at this place as a problem with a place.
    fn problem(&self, place: u64, fault: Fault) -> Problem;

    /// How messages refer to the row at this place: `on line 3`, `in row 2`.
    fn whereabouts(&self, place: u64) -> String;
}

/// The pieces of a file, in order.
pub(crate) trait Pieces: Send {
    /// The next piece; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<Piece>, Problem>;

    /// For how many threads there is work.
    fn worth(&mut self) -> usize;
}

/// A part of a file that one worker turns to batches.
pub(crate) enum Piece {
    /// Whole rows of a text file.
    Text(Block),
    /// The row group, the record batch or the rows with this number.
    Part(usize),
}

/// What a worker keeps from one piece to the next.
#[derive(Default)]
pub(crate) struct Worker {
    pub known: KnownEntries,
    pub record: ByteRecord,
}

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Text,
    Whole,
    Real,
    Flag,
    Date,
    /// Nothing but missing values.
    Nothing,
}

/// Opens the file at `path`, called `name` in messages; its extension tells the format. Texts are in this encoding.
pub(crate) fn open(path: &Path, name: &str, encoding: Encoding) -> Result<Box<dyn DataFile>, Problem> {
    if path.is_dir() {
        return Err(Problem::bad(format!("`{name}` is a directory, not a data file"))
            .hint(format!("`path` in [data] names a file, or several by a pattern such as {name}/*.parquet")));
    }
    let format = format_of(path, name)?;
    let size = regular_size(path, name)?;
    Ok(match format {
        Format::Text { delimiter, packing } => {
            Box::new(TextFile::open(path, name, size, delimiter, (packing, encoding))?)
        }
        Format::Parquet => Box::new(ParquetFile::open(path, name, size)?),
        Format::Arrow => Box::new(ArrowFile::open(path, name, size)?),
        Format::Workbook => Box::new(WorkbookFile::open(path, name, size)?),
    })
}

fn regular_size(path: &Path, name: &str) -> Result<u64, Problem> {
    let metadata = File::open(path).and_then(|file| file.metadata());
    match metadata {
        Ok(metadata) if !metadata.is_file() => Err(Problem::bad(format!("`{name}` is not a regular file"))
            .hint("write the data to a file first: errors are explained by reading the row again")),
        Ok(metadata) => Ok(metadata.len()),
        Err(error) => Err(cannot_open(path, name, &error)),
    }
}
