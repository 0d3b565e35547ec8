//! `TopDown`: from the root to the leaves, non-negative least squares for the children of each parent, then rounding.

use analyse::{Demand, Fibre};
use declare::Problem;

/// A fibre and levels of groups of its cells, made ready.
#[derive(Debug)]
pub struct TopDown {
    measured: usize,
}

impl TopDown {
    /// `levels`: for every level above the cells, from coarse to fine, the group of every cell, by its place in the fibre. Each
    /// level refines the one before; the cells themselves are the implied last level. `weights` as for [`crate::Projector::new`].
    ///
    /// # Errors
    /// Bad when levels do not fit the fibre or do not refine each other, or a weight is missing or not a positive number.
    pub fn new(fibre: &Fibre, weights: &[f64], levels: &[Vec<u32>]) -> Result<TopDown, Problem> {
        let _ = (weights, levels);
        let noisy = fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. })).count();
        Ok(TopDown { measured: noisy + if fibre.noise_on_cells { fibre.cells.len() } else { 0 } })
    }

    /// How many numbers are measured, as for [`crate::Projector::measured`].
    pub fn measured(&self) -> usize {
        self.measured
    }

    /// A table of integers of the fibre, checked in integers.
    ///
    /// # Errors
    /// Infeasible when no table keeps all totals, bounds and rules, or when values that were fixed at a coarse level leave none at
    /// a finer one; refused when a solver does not reach an optimum.
    pub fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        let _ = measured;
        Err(Problem::not_yet("topdown"))
    }
}
