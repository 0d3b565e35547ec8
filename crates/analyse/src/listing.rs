//! `Listed`: all tables of a fibre that has few, from totals, bounds and rules alone; or why they
//! are not listed.
//!
//! A search gives one cell after another a value and narrows the ranges of the others by every row.
//! A range is narrowed only by values that no table has, and every value of a range is tried, so
//! the list is complete; every table in it was checked against the rows as they came in. Ranges are
//! finite before the search begins: by rows, or by linear programs that are checked in whole
//! numbers. All arithmetic is of whole numbers, and limits count work, not time: the same fibre
//! gives the same answer anywhere. Proof: `proofs/listing.md`.

mod ranges;
mod relations;
mod search;

use crate::fibre::Fibre;

pub(crate) use ranges::{hold_every_direction, implied};

/// All tables of a fibre, in increasing order of their first cell, then of the second, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    cells: usize,
    values: Vec<i64>,
}

/// How much may be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListLimits {
    /// The most cells of a table.
    pub cells: usize,
    /// The most tables.
    pub tables: usize,
    /// The most values: cells times tables.
    pub values: usize,
    /// The most entries of rows that are looked at.
    pub work: u64,
}

/// Why the tables of a fibre are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotListed {
    /// More cells than are looked at.
    TooWide {
        /// The limit.
        most: usize,
    },
    /// A direction leads through tables without end.
    Endless,
    /// Nothing proves that there are finitely many.
    NotKnown,
    /// More tables than the limit.
    TooMany {
        /// The limit.
        most: usize,
    },
    /// The search was given up after the work that is allowed.
    TooMuchWork,
}

impl NotListed {
    /// In words that follow `because`.
    pub fn in_words(&self) -> String {
        match self {
            NotListed::TooWide { most } => format!("tables of more than {most} cells are not listed"),
            NotListed::Endless => "totals, bounds and rules leave tables without end".to_owned(),
            NotListed::NotKnown => "nothing proves that totals, bounds and rules leave finitely many tables".to_owned(),
            NotListed::TooMany { most } => format!("totals, bounds and rules leave more than {most} tables"),
            NotListed::TooMuchWork => {
                "the search for all tables was given up after the work that is allowed".to_owned()
            }
        }
    }
}

impl Listed {
    /// The number of tables.
    pub fn len(&self) -> usize {
        self.values.len() / self.cells.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A table, by its place in the list: values in the order of the fibre's cells.
    pub fn table(&self, place: usize) -> &[i64] {
        &self.values[place * self.cells..(place + 1) * self.cells]
    }

    /// All tables, in order.
    pub fn tables(&self) -> impl Iterator<Item = &[i64]> {
        self.values.chunks_exact(self.cells.max(1))
    }

    /// The bytes that the list holds.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<i64>()
    }
}

impl Fibre {
    /// All tables of the fibre, if there are few.
    ///
    /// # Errors
    /// Why they are not listed.
    pub fn listed(&self, limits: &ListLimits) -> Result<Listed, NotListed> {
        let cells = self.cells.len();
        if cells > limits.cells {
            return Err(NotListed::TooWide { most: limits.cells });
        }
        let Some(ranges) = ranges::proved(self)? else { return Ok(Listed { cells, values: Vec::new() }) };
        let mut tables = search::tables(self, ranges, limits)?;
        tables.sort_unstable();
        Ok(Listed { cells, values: tables.concat() })
    }
}
