//! `Table`: the confidential counts, which no message and no log can print.

use crate::counts::LARGEST;
use declare::{Domain, Problem};
use std::fmt;

/// The confidential counts, one per live cell, in cell order.
///
/// Its `Debug` shows only the number of cells. The counts are overwritten when it is dropped, as
/// well as safe code can.
pub struct Table {
    counts: Vec<i64>,
}

impl Table {
    pub(crate) fn new(counts: Vec<i64>) -> Self {
        Table { counts }
    }

    /// Adds to the count of a cell. The reader bounds the sum of all counts, so no cell can
    /// overflow.
    pub(crate) fn add(&mut self, cell: usize, count: i64) {
        self.counts[cell] += count;
    }

    /// Zeros for this many cells.
    pub(crate) fn reset(&mut self, cells: usize) {
        self.counts.fill(0);
        self.counts.resize(cells, 0);
    }

    /// The counts, to be changed in place.
    pub(crate) fn counts_mut(&mut self) -> &mut [i64] {
        &mut self.counts
    }

    /// The counts, one per live cell, in cell order: confidential.
    pub fn counts(&self) -> &[i64] {
        &self.counts
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} cells, redacted)", self.counts.len())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.counts.fill(0);
        // Without a use after the fill the compiler may leave it out.
        std::hint::black_box(&self.counts);
    }
}

/// What became of the rows of the data files. The numbers depend on the data: for the curator only.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct RowTally {
    /// Rows below the header.
    pub read: u64,
    /// Rows that the `where` of `[data]` left out.
    pub filtered: u64,
    /// Rows left out because a value was missing.
    pub dropped_missing: u64,
    /// Rows left out because a value was outside the declared domain.
    pub dropped_outside: u64,
    /// Rows left out because their unit owns more rows than are counted.
    pub dropped_beyond: u64,
    /// Rows with a count below zero, which was counted as zero.
    pub negative: u64,
}

impl RowTally {
    pub(crate) fn add(&mut self, more: &RowTally) {
        self.read += more.read;
        self.filtered += more.filtered;
        self.dropped_missing += more.dropped_missing;
        self.dropped_outside += more.dropped_outside;
        self.dropped_beyond += more.dropped_beyond;
        self.negative += more.negative;
    }
}

impl fmt::Debug for RowTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowTally(redacted)")
    }
}

/// A table and what became of the rows of its files. The numbers of rows depend on the data: for
/// the curator only.
#[derive(Debug)]
pub struct Tabulated {
    /// The table.
    pub table: Table,
    /// What became of the rows.
    pub rows: RowTally,
}

impl Tabulated {
    /// The table with these counts, one per live cell in cell order; they are public.
    ///
    /// # Errors
    /// Bad when there are more or fewer of them, or one is below zero or beyond 2^53.
    pub(crate) fn of_counts(domain: &Domain, counts: &[i64]) -> Result<Tabulated, Problem> {
        if counts.len() != domain.len() {
            let message = format!("the table has {} cells, and {} counts were handed over", domain.len(), counts.len());
            return Err(Problem::bad(message).hint("one count per cell; the last dimension changes fastest"));
        }
        if let Some(cell) = counts.iter().position(|count| !(0..=LARGEST).contains(count)) {
            let (what, count) = (domain.describe(cell), counts[cell]);
            return Err(
                Problem::bad(format!("the count of {what} is {count}")).hint("counts are whole numbers from 0 to 2^53")
            );
        }
        Ok(Tabulated { table: Table::new(counts.to_vec()), rows: RowTally::default() })
    }
}
