//! `Invariant`: what is exactly true in the release, as the spec says it.

use crate::predicate::Expression;

/// Sums that are exact in the release: one for every combination of `by`, or one for every row of a
/// matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Invariant {
    /// Names of dimensions or levels; empty: one grand total.
    pub by: Vec<String>,
    /// Which cells are summed, and how many times each.
    pub sums: Sums,
    /// Public values in the order of the groups, when they do not come from the table.
    pub pinned: Option<Vec<PinnedValue>>,
}

/// Which cells an invariant sums, and how many times each.
#[derive(Debug, Clone, PartialEq)]
pub enum Sums {
    /// Once every cell that satisfies the predicate; without one, every cell.
    Cells(Option<Expression>),
    /// Every cell as many times as the terms whose predicate it satisfies add up to.
    Terms(Vec<Term>),
    /// Rows of coefficients, each an invariant of its own.
    Matrix(Vec<MatrixRow>),
}

/// A sum of cells and how many times it is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Only these cells; `None`: all.
    pub filter: Option<Expression>,
    /// How many times; never zero.
    pub times: i64,
}

/// One row of a matrix of coefficients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// How the file calls it.
    pub name: String,
    /// Its coefficients other than zero, each cell at most once.
    pub entries: Vec<MatrixEntry>,
}

/// One coefficient of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixEntry {
    /// The codes of the cell, one per dimension.
    pub codes: Vec<usize>,
    /// Its coefficient, never zero.
    pub times: i64,
}

/// The public value of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedValue {
    /// The labels of the group, one for every name of `by`.
    pub labels: Vec<String>,
    /// The value its sum has in the release.
    pub value: i64,
}

impl Invariant {
    /// Totals by these names, over the cells that satisfy the predicate, with values from the
    /// table.
    pub fn totals(by: Vec<String>, filter: Option<Expression>) -> Self {
        Invariant { by, sums: Sums::Cells(filter), pinned: None }
    }
}
