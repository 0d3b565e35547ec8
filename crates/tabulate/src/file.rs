//! `InputFormat` and `DataFile`: what reading needs of a format, and of a file in it.

use crate::batch::Batch;
use crate::columnar::KnownEntries;
use crate::fault::Fault;
use crate::header::{Class, Header};
use crate::judge::Judge;
use crate::names::Names;
use crate::source::Source;
use csv::ByteRecord;
use declare::Problem;

/// A format of input files. One file each in `formats`, and one line in its list.
pub(crate) trait InputFormat: Sync {
    /// How the names of its files end, in small letters and without the dot.
    fn endings(&self) -> &'static [&'static str];

    /// Whether its files are rows of text, which have an encoding and may be packed as a whole.
    fn is_text(&self) -> bool {
        false
    }

    /// Opens a file, and reads the names of its columns.
    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem>;
}

/// An open data file, read in pieces.
pub(crate) trait DataFile: Sync {
    /// How messages call it and its columns.
    fn names(&self) -> &Names;

    /// Its size in bytes, as it is stored.
    fn size(&self) -> u64;

    /// How messages call it.
    fn name(&self) -> &str {
        &self.names().file
    }

    /// The names of the columns.
    fn header(&self) -> Header<'_> {
        self.names().header()
    }

    /// What kind of values a column holds; `None` for those of text, which do not say.
    fn class(&self, _column: usize) -> Option<Class> {
        None
    }

    /// What a column holds that is not read, if so.
    fn unreadable(&self, _column: usize) -> Option<&'static str> {
        None
    }

    /// Says which columns are used, in increasing order; fields of others may be empty from now on.
    fn select(&mut self, columns: &[usize]) -> Result<(), Problem>;

    /// The pieces of the file, from its beginning.
    fn pieces(&self) -> Result<Pieces<'_>, Problem>;

    /// A fault of the header as a problem with a place.
    fn header_problem(&self, fault: Fault) -> Problem {
        self.names().header_problem(fault)
    }

    /// A fault of the row at this place as a problem with a place.
    fn problem(&self, place: u64, fault: Fault) -> Problem;

    /// How messages refer to the row at this place: `on line 3`, `in row 2`.
    fn whereabouts(&self, place: u64) -> String;
}

/// A piece, or why there is none.
pub(crate) type NextPiece<'a> = Result<Box<dyn Piece + 'a>, Problem>;

/// The pieces of a file, in order.
pub(crate) struct Pieces<'a> {
    /// Every piece, until there is none.
    pub rest: Box<dyn Iterator<Item = NextPiece<'a>> + Send + 'a>,
    /// For how many threads there is work.
    pub worth: usize,
}

/// A part of a file that one worker turns to batches.
pub(crate) trait Piece: Send {
    /// Turns it to batches, in order, until `emit` says to stop. A batch with a stop is the last.
    fn work(&self, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool);

    /// Hands its rows on as text.
    fn rows(&self, row: &mut RowTaker<'_>) -> Result<(), Problem>;
}

/// Takes a row as text.
pub(crate) type RowTaker<'a> = dyn FnMut(&ByteRecord) -> Result<(), Problem> + 'a;

/// What a worker keeps from one piece to the next.
#[derive(Default)]
pub(crate) struct Worker {
    pub known: KnownEntries,
    pub record: ByteRecord,
}
