//! Events of a release that may tell two neighbouring tables apart: a statistic, and a threshold
//! that it passes or not.

use std::fmt;

/// A number that a release has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statistic {
    /// The value of a cell.
    Cell(usize),
    /// The sum over the cells where the second table has more.
    Rising,
    /// The sum over the cells where the second table has less.
    Falling,
    /// `Σ (x'_i − x_i)·y_i`: how far it lies in the direction from the first table to the second.
    /// What the likelihood ratio of Gaussian noise depends on.
    Direction,
    /// `Σ (|y_i − x_i| − |y_i − x'_i|)`: the log likelihood ratio of double geometric noise, up to
    /// its scale.
    Nearer,
    /// How many of the cells where the tables differ are zero.
    Zeros,
}

impl Statistic {
    /// All that are looked at for this pair: every cell where the tables differ, up to `most_cells`
    /// of the others, and the statistics of the whole difference.
    pub fn of_pair(first: &[i64], second: &[i64], most_cells: usize) -> Vec<Statistic> {
        let differs = |cell: &usize| first[*cell] != second[*cell];
        let cells = first.len().min(second.len());
        let different: Vec<usize> = (0..cells).filter(differs).take(most_cells).collect();
        let others = (0..cells).filter(|cell| !differs(cell)).take(most_cells.saturating_sub(different.len()));
        let cells = different.iter().copied().chain(others).map(Statistic::Cell);
        let whole = [Statistic::Rising, Statistic::Falling, Statistic::Direction, Statistic::Nearer, Statistic::Zeros];
        whole.into_iter().chain(cells).collect()
    }

    /// The value for a release of one of the two tables.
    pub fn of(&self, first: &[i64], second: &[i64], released: &[i64]) -> i128 {
        let wide = |((x, z), y): ((&i64, &i64), &i64)| (i128::from(*x), i128::from(*z), i128::from(*y));
        let triples = || first.iter().zip(second).zip(released).map(wide);
        match self {
            Statistic::Cell(cell) => released.get(*cell).copied().map_or(0, i128::from),
            Statistic::Rising => triples().filter(|(x, z, _)| z > x).map(|(_, _, y)| y).sum(),
            Statistic::Falling => triples().filter(|(x, z, _)| z < x).map(|(_, _, y)| y).sum(),
            Statistic::Direction => triples().map(|(x, z, y)| (z - x) * y).sum(),
            Statistic::Nearer => triples().map(|(x, z, y)| (y - x).abs() - (y - z).abs()).sum(),
            Statistic::Zeros => triples().filter(|(x, z, y)| x != z && *y == 0).count() as i128,
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Cell(cell) => write!(f, "cell {cell}"),
            Statistic::Rising => f.write_str("the sum of the cells that rise"),
            Statistic::Falling => f.write_str("the sum of the cells that fall"),
            Statistic::Direction => f.write_str("the position between the tables"),
            Statistic::Nearer => f.write_str("the distance from the first table less that from the second"),
            Statistic::Zeros => f.write_str("the number of zeros where the tables differ"),
        }
    }
}

/// Whether a statistic reaches a threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What is looked at.
    pub statistic: Statistic,
    /// The threshold, which is part of the event.
    pub threshold: i128,
    /// Whether the event is at or above the threshold; otherwise at or below.
    pub above: bool,
}

impl Event {
    /// Whether a value of the statistic is in the event.
    pub fn holds(&self, value: i128) -> bool {
        if self.above { value >= self.threshold } else { value <= self.threshold }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = if self.above { "at least" } else { "at most" };
        write!(f, "{} is {relation} {}", self.statistic, self.threshold)
    }
}
