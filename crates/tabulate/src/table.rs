//! `Table`: the confidential counts, which no message and no log can print.

use std::fmt;

/// The confidential counts, one per live cell, in cell order.
///
/// Its `Debug` shows only the number of cells. The counts are overwritten when it is dropped, as well as safe code can.
pub struct Table {
    counts: Vec<i64>,
}

impl Table {
    pub(crate) fn new(counts: Vec<i64>) -> Self {
        Table { counts }
    }

    /// Adds to the count of a cell. The reader bounds the sum of all counts, so no cell can overflow.
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

/// A table and what became of the rows of its file. The numbers of rows depend on the data: for the curator only.
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
}

impl fmt::Debug for Tabulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tabulated").field("table", &self.table).finish_non_exhaustive()
    }
}
