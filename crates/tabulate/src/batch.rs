//! `Batch`: rows of a file as cells and counts, with all that must be known of them later.

use crate::fault::Fault;
use crate::table::RowTally;
use declare::Problem;

/// The most wrong rows that are told beside the first.
const MOST_MORE: usize = 9;

/// Consecutive rows of a file, turned to cells by a worker.
#[derive(Default)]
pub(crate) struct Batch {
    /// The place of the first row: the byte at which it starts in a text file, its number in
    /// others.
    pub first: u64,
    /// The cells that the rows count in, in the order of the rows.
    pub cells: Vec<u64>,
    /// What they count there; empty: 1 each.
    pub counts: Vec<i64>,
    /// How far the row of each cell is from the first; empty: as far as the cell.
    pub offsets: Vec<u32>,
    /// The unit that owns each row; empty without units.
    pub units: Vec<u128>,
    /// The place after the last row.
    pub end: u64,
    /// What became of the rows.
    pub tally: RowTally,
    /// The first structural zero, in declared order, that a row fell into.
    pub broken: Option<usize>,
    /// How many bytes of the file are done with these rows.
    pub reached: u64,
    /// Why reading ends after these rows.
    pub stop: Option<Stop>,
}

/// Why reading ends.
pub(crate) enum Stop {
    /// The row at this place is wrong, and so are those at the other places.
    Fault(u64, Box<Fault>, Vec<u64>),
    /// The file cannot be read on.
    Problem(Problem),
}

impl Batch {
    /// No rows, from this place on.
    pub fn new(first: u64) -> Self {
        Batch { first, ..Batch::default() }
    }

    /// A batch that only says why reading ends.
    pub fn stopped(problem: Problem) -> Self {
        Batch { stop: Some(Stop::Problem(problem)), ..Batch::default() }
    }

    /// Notes that the row at this place is wrong; whether others are looked at for more.
    pub fn note(&mut self, place: u64, fault: Box<Fault>) -> bool {
        match &mut self.stop {
            None => {
                self.stop = Some(Stop::Fault(place, fault, Vec::new()));
                true
            }
            Some(Stop::Fault(_, _, more)) => {
                more.push(place);
                more.len() < MOST_MORE
            }
            Some(Stop::Problem(_)) => false,
        }
    }

    /// This batch without its rows, with all that is known of where reading ends.
    pub fn emptied(&mut self) -> Self {
        let Batch { first, end, reached, .. } = *self;
        Batch { first, end, reached, stop: self.stop.take(), ..Batch::default() }
    }

    /// How far the row of an entry is from the first.
    pub fn offset(&self, entry: usize) -> u32 {
        self.offsets.get(entry).copied().unwrap_or(entry as u32)
    }

    /// The place of the row of an entry.
    pub fn place(&self, entry: usize) -> u64 {
        self.first + u64::from(self.offset(entry))
    }
}
