//! `Cleaning`: how a field of the data file becomes a declared value, where it is not written
//! exactly like one.
//!
//! All of it is declared in the spec, public, and a function of one field: which value a row gets
//! depends on nothing but that row.

use crate::dates::{DateFormat, Period};

/// How the fields of a dimension's column are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleaning {
    /// Whether spaces around a field are ignored.
    pub trim: bool,
    /// Whether small and capital letters are the same.
    pub ignore_case: bool,
    /// What stands in the file, and what it is read as; an empty text is a missing value.
    pub recode: Vec<(String, String)>,
    /// The value that missing fields, and those outside the domain, are counted under.
    pub unknown: Option<String>,
    /// Numbers from here on are outside the domain, also of an open bin.
    pub below: Option<i64>,
    /// What the fields hold, where the values were made from something else than labels.
    pub holds: Holds,
}

/// What the fields of a column hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Holds {
    /// What the values of the dimension say: labels, or numbers.
    #[default]
    Values,
    /// Integers from the first to the last; the values are their labels, and the unknown one.
    Integers {
        /// The smallest.
        first: i64,
        /// The largest.
        last: i64,
    },
    /// Numbers in bins; the values are the labels of the bins, and the unknown one.
    Bins {
        /// The edges.
        edges: Vec<i64>,
        /// Whether everything from the last edge up is a bin.
        open: bool,
    },
    /// Dates; the values are the labels of periods and, if there is one, the unknown one.
    Dates {
        /// What they are counted in.
        period: Period,
        /// The number of the first period.
        first: i64,
        /// The number of the last period.
        last: i64,
        /// How the file writes them.
        formats: Vec<DateFormat>,
    },
}

impl Cleaning {
    /// Whether fields are read as they are written.
    pub fn is_plain(&self) -> bool {
        *self == Cleaning::default()
    }
}
