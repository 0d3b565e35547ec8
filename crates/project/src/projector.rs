//! `Projector`: a fibre made ready, so that many noisy tables can be projected onto it.

use crate::norm::Norm;
use analyse::{Demand, Fibre};
use declare::Problem;

/// A fibre made ready: what can be factorised once is, so that many noisy tables can be projected.
#[derive(Debug)]
pub struct Projector {
    measured: usize,
}

impl Projector {
    /// `weights`: one per query (1/variance), by the number of the query; empty when noise is on the cells (each weighs 1).
    ///
    /// # Errors
    /// Bad when a weight is missing or not a positive number.
    pub fn new(fibre: &Fibre, weights: &[f64], norm: Norm) -> Result<Projector, Problem> {
        let _ = (weights, norm);
        let noisy = fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. })).count();
        Ok(Projector { measured: noisy + if fibre.noise_on_cells { fibre.cells.len() } else { 0 } })
    }

    /// How many numbers are measured: the cells if noise is on the cells, then the noisy rows.
    pub fn measured(&self) -> usize {
        self.measured
    }

    /// The nearest table of real numbers, in the order of the fibre's cells. L2 keeps the equalities alone and may be negative.
    /// Equalities hold to the last digits of machine numbers.
    ///
    /// # Errors
    /// Infeasible when no table keeps all totals, bounds and rules; refused when the solver does not reach an optimum.
    pub fn real(&self, measured: &[f64]) -> Result<Vec<f64>, Problem> {
        let _ = measured;
        Err(Problem::not_yet("projections"))
    }

    /// A table of integers in the fibre: for L1 the nearest itself, for the others the nearest real one, rounded as by
    /// [`crate::round`]. It was checked in integers: all totals, bounds and rules; for L2, which ignores the others, all totals.
    ///
    /// # Errors
    /// As for [`Projector::real`]; refused also when no integers near the real table were found.
    pub fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        let _ = measured;
        Err(Problem::not_yet("projections"))
    }
}
