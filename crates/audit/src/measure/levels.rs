//! `LevelErrors`: how far sums of cells are from the truth, level by level of a table.

use super::partition::IN_NO_TOTAL;
use super::summary::Summary;

/// Sums of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// How messages call it.
    pub name: String,
    /// How many sums there are.
    pub sums: usize,
    /// The sum of every cell, or [`IN_NO_TOTAL`].
    pub sum_of: Vec<u32>,
}

/// The errors of the sums of a level after some releases.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelErrors {
    level: Level,
    absolute: Summary,
    squared: Summary,
}

impl LevelErrors {
    /// Nothing yet.
    pub fn new(level: Level) -> Self {
        LevelErrors { level, absolute: Summary::default(), squared: Summary::default() }
    }

    /// One more release of this table.
    pub fn add(&mut self, truth: &[i64], released: &[f64]) {
        let mut errors = vec![0.0; self.level.sums];
        for (sum, (truth, released)) in self.level.sum_of.iter().zip(truth.iter().zip(released)) {
            if *sum != IN_NO_TOTAL {
                errors[*sum as usize] += released - *truth as f64;
            }
        }
        let sums = self.level.sums.max(1) as f64;
        self.absolute.push(errors.iter().map(|error: &f64| error.abs()).sum::<f64>() / sums);
        self.squared.push(errors.iter().map(|error| error * error).sum::<f64>() / sums);
    }

    /// The level.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// The mean absolute error of a sum: one number for every release.
    pub fn absolute(&self) -> &Summary {
        &self.absolute
    }

    /// The mean squared error of a sum: one number for every release.
    pub fn squared(&self) -> &Summary {
        &self.squared
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, LevelErrors};
    use crate::measure::IN_NO_TOTAL;

    #[test]
    fn errors_of_sums_are_those_of_their_cells_together() {
        let level = Level { name: "by county".to_owned(), sums: 2, sum_of: vec![0, 0, 1, IN_NO_TOTAL] };
        let mut errors = LevelErrors::new(level);
        errors.add(&[5, 5, 5, 5], &[7.0, 4.0, 2.0, 90.0]);
        assert_eq!((errors.absolute().mean(), errors.squared().mean()), (2.0, 5.0));
        errors.add(&[5, 5, 5, 5], &[5.0; 4]);
        assert_eq!((errors.absolute().mean(), errors.squared().count()), (1.0, 2));
    }
}
