//! `Table`: the confidential counts, which no message and no log can print.

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
pub struct Tabulated {
    /// The table.
    pub table: Table,
    /// Rows below the header.
    pub rows_read: u64,
    /// Rows that the `where` of `[data]` left out.
    pub rows_filtered: u64,
    /// Rows left out because a value was missing.
    pub rows_dropped_missing: u64,
    /// Rows left out because a value was outside the declared domain.
    pub rows_dropped_outside: u64,
    /// Rows left out because their unit owns more rows than are counted.
    pub rows_dropped_beyond: u64,
    /// Rows with a count below zero, which was counted as zero.
    pub rows_negative: u64,
}

impl Tabulated {
    pub(crate) fn new(table: Table, tally: RowTally) -> Self {
        Tabulated {
            table,
            rows_read: tally.read,
            rows_filtered: tally.filtered,
            rows_dropped_missing: tally.dropped_missing,
            rows_dropped_outside: tally.dropped_outside,
            rows_dropped_beyond: tally.dropped_beyond,
            rows_negative: tally.negative,
        }
    }
}

impl fmt::Debug for Tabulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tabulated").field("table", &self.table).finish_non_exhaustive()
    }
}
