//! `Demand`: what is asked of a sum, over the cells of a fibre or the classes of a network.

use crate::program::Interval;
use declare::Relation;

/// A sum over cells and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FibreRow {
    /// Places of cells with their coefficients, none zero.
    pub entries: Vec<(u32, i64)>,
    /// What is asked of the sum.
    pub demand: Demand,
}

/// Cells with the same coefficients in every row, the same bounds and the same noise.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkClass {
    /// The cells, by their number in the table.
    pub cells: Vec<u32>,
    /// The least value of a cell.
    pub low: Option<i64>,
    /// The largest value of a cell.
    pub high: Option<i64>,
    /// Which noise sits on every cell itself.
    pub noise: CellNoise,
}

/// The noise on a cell itself: the queries whose groups are single cells, or the noise that every
/// cell gets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CellNoise {
    /// The noise law of the plan.
    Law,
    /// The queries with these numbers, together; none: no noise.
    Queries(Vec<u32>),
}

/// A sum over classes and what is asked of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRow {
    /// Classes with their coefficients, none zero.
    pub entries: Vec<(u32, i64)>,
    /// What is asked of the sum.
    pub demand: Demand,
}

/// What is asked of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// It has this value.
    Equal(i64),
    /// It is at least this.
    AtLeast(i64),
    /// It is at most this.
    AtMost(i64),
    /// It carries noise around its value in the confidential table.
    Noisy {
        /// The number of the query.
        query: u32,
        /// The group of the query.
        group: u32,
        /// What cells outside the block, whose values are fixed, add to the query's sum.
        fixed: i64,
    },
}

impl Demand {
    /// The interval that it confines a sum to; a noisy sum is confined to none.
    pub(crate) fn interval(self) -> Option<Interval> {
        match self {
            Demand::Equal(value) => Some((Some(i128::from(value)), Some(i128::from(value)))),
            Demand::AtLeast(bound) => Some((Some(i128::from(bound)), None)),
            Demand::AtMost(bound) => Some((None, Some(i128::from(bound)))),
            Demand::Noisy { .. } => None,
        }
    }
    /// That a sum compares with a bound like this.
    pub(crate) fn of(relation: Relation, bound: i64) -> Demand {
        match relation {
            Relation::AtMost => Demand::AtMost(bound),
            Relation::AtLeast => Demand::AtLeast(bound),
            Relation::Equal => Demand::Equal(bound),
        }
    }
}

/// For every place the numbers of the rows that it is in, with its coefficients there.
pub(crate) fn columns<'a>(places: usize, rows: impl Iterator<Item = &'a [(u32, i64)]>) -> Vec<Vec<(u32, i64)>> {
    let mut columns = vec![Vec::new(); places];
    for (number, row) in rows.enumerate() {
        row.iter().for_each(|(place, times)| columns[*place as usize].push((number as u32, *times)));
    }
    columns
}
