//! `Base`: a base measure, public information that is not exact, as a factor of the weights of
//! cells.

use crate::sums::Factor;
use std::sync::Arc;

/// A factor for every cell that has one. Values are equal when they weigh every table alike and are
/// told in the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    factors: Arc<[Factor]>,
    of_cell: Vec<Option<u32>>,
    words: String,
}

impl Base {
    /// The factors of cells by their numbers in a list, and what the whole is called.
    ///
    /// # Panics
    /// When a number is not in the list.
    pub fn new(factors: Vec<Factor>, of_cell: Vec<Option<u32>>, words: String) -> Base {
        let known = |factor: &Option<u32>| factor.is_none_or(|factor| (factor as usize) < factors.len());
        assert!(of_cell.iter().all(known), "every factor is listed");
        Base { factors: factors.into(), of_cell, words }
    }

    /// All factors.
    pub fn factors(&self) -> &Arc<[Factor]> {
        &self.factors
    }

    /// The number of the factor of a cell, if it has one.
    pub fn factor_of(&self, cell: u32) -> Option<u32> {
        self.of_cell.get(cell as usize).copied().flatten()
    }

    /// How many cells have a factor.
    pub fn cells(&self) -> usize {
        self.of_cell.iter().flatten().count()
    }

    /// Whether some counts have no weight at all, so that there may be no table.
    pub fn has_zeros(&self) -> bool {
        self.factors.iter().any(Factor::has_zeros)
    }

    /// What it is, in words that follow `weighted by`.
    pub fn in_words(&self) -> &str {
        &self.words
    }
}
