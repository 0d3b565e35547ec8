//! `Schema`: the declared dimensions, their values and their levels.
//!
//! The domain is declared, never learnt from the data. The order of the dimensions is the cell
//! order, the last one running fastest. How a field of the data file becomes a declared value,
//! where it is not written exactly like one, is declared too, public, and a function of that field
//! alone.

use crate::dates::{DateFormat, Period};
use crate::hierarchy::Levels;

/// The declared dimensions, in cell order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// The dimensions; the last one runs fastest.
    pub dimensions: Vec<Dimension>,
}

/// One dimension: its name, the column of the data file it is read from, and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The name used in the spec and in the release.
    pub name: String,
    /// The column of the data file; of measures, which have one column each, the name of the
    /// dimension.
    pub column: String,
    /// The declared values.
    pub values: Values,
    /// How a field of the file becomes one of them.
    pub cleaning: Cleaning,
}

/// The declared values of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// A list of labels, unordered.
    List(Vec<String>),
    /// All integers from the first to the last, both included.
    Integers {
        /// The smallest value.
        first: i64,
        /// The largest value.
        last: i64,
    },
    /// Half-open bins `[edge, next edge)`; with `open` the last edge starts one more bin without an
    /// end.
    Bins {
        /// The edges, strictly increasing; at least two, or one when `open`.
        edges: Vec<i64>,
        /// Whether everything from the last edge up is a bin.
        open: bool,
    },
    /// Leaves with their ancestors.
    Hierarchy(Levels),
    /// Several columns of counts: every row of the data file gives a count to each of them.
    Measures {
        /// The columns, which are also the labels.
        columns: Vec<String>,
        /// In how many of them one record may be counted.
        record: Record,
    },
}

/// In how many measures of its place one record may be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// In every one, once.
    Any,
    /// In one: the measures exclude each other.
    One,
}

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
    /// Integers, or numbers in bins; the values are their labels, and the unknown one.
    Numbers(Values),
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

impl Values {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Values::List(labels) => labels.len(),
            Values::Integers { first, last } => (last - first + 1) as usize,
            Values::Bins { edges, open } => edges.len() - 1 + usize::from(*open),
            Values::Hierarchy(levels) => levels.keys.len(),
            Values::Measures { columns, .. } => columns.len(),
        }
    }

    /// Whether there are no values (a validated declaration has none such).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the values are written in tables and messages, in the order of their codes.
    pub fn labels(&self) -> impl Iterator<Item = String> {
        (0..self.len()).map(|code| self.label(code))
    }

    /// How the value with this code is written in tables and messages. Of a hierarchy: the key.
    pub fn label(&self, code: usize) -> String {
        match self {
            Values::List(labels) => labels[code].clone(),
            Values::Integers { first, .. } => (first + code as i64).to_string(),
            Values::Bins { edges, .. } => match edges.get(code + 1) {
                Some(end) => format!("[{},{})", edges[code], end),
                None => format!("{}+", edges[code]),
            },
            Values::Hierarchy(levels) => levels.keys[code].clone(),
            Values::Measures { columns, .. } => columns[code].clone(),
        }
    }
}

impl Schema {
    /// The names of the dimensions.
    pub(crate) fn own_names(&self) -> Vec<&str> {
        self.dimensions.iter().map(|dimension| dimension.name.as_str()).collect()
    }

    /// The number of combinations of values, structural zeros included; `None` when it does not fit
    /// a machine word.
    pub fn combinations(&self) -> Option<usize> {
        self.dimensions.iter().try_fold(1usize, |product, d| product.checked_mul(d.values.len()))
    }

    /// The position of the dimension with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|d| d.name == name)
    }

    /// The dimension and, if the name is a level of a hierarchy, the level:
    /// `(dimension, Some(level))`. The name of a hierarchical dimension itself means its leaves:
    /// `(dimension, None)`.
    pub fn resolve(&self, name: &str) -> Option<(usize, Option<usize>)> {
        if let Some(position) = self.position(name) {
            return Some((position, None));
        }
        self.dimensions.iter().enumerate().find_map(|(position, d)| match &d.values {
            Values::Hierarchy(levels) => levels.names.iter().position(|n| n == name).map(|l| (position, Some(l))),
            _ => None,
        })
    }

    /// The position of the dimension of measures, its columns and what one record may be counted
    /// in.
    pub fn measures(&self) -> Option<(usize, &[String], Record)> {
        self.dimensions.iter().enumerate().find_map(|(position, dimension)| match &dimension.values {
            Values::Measures { columns, record } => Some((position, columns.as_slice(), *record)),
            _ => None,
        })
    }

    /// The label of a code under a name of `by`: of a level, that of the node above the leaf.
    pub(crate) fn label(&self, (dimension, level): (usize, Option<usize>), code: usize) -> String {
        match (&self.dimensions[dimension].values, level) {
            (Values::Hierarchy(levels), Some(level)) => levels.label(level, code).to_string(),
            (values, _) => values.label(code),
        }
    }

    /// Every name that `by` and predicates may use: the dimensions and the levels, in order, each
    /// once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for dimension in &self.dimensions {
            names.push(&dimension.name);
            if let Values::Hierarchy(levels) = &dimension.values {
                names.extend(levels.names.iter().map(String::as_str).filter(|name| *name != dimension.name));
            }
        }
        names
    }

    /// The number of values of every dimension.
    pub fn sizes(&self) -> Vec<usize> {
        self.dimensions.iter().map(|dimension| dimension.values.len()).collect()
    }
}
