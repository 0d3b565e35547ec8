//! Projections: what noisy measurements of a block are projected onto, and the solver for it, from
//! public values alone.
//!
//! All that is here is made of the plan. A projection therefore is one fixed function of the
//! measurements for all tables between which the release promises anything: theorem G7,
//! `crates/certify/proofs/G7.md`.

pub(crate) mod operators;

use analyse::Fibre;
use declare::Problem;
use draw::{Around, BlockQuantities, PlannedWork, Prospect, Ready};
use exact::Rational;
use std::fmt::Debug;

/// What the measurements of a block are projected onto, and how.
#[derive(Debug, Clone)]
pub struct PlannedProjection {
    /// What it says of itself.
    pub prospect: Prospect,
    /// What makes the solver of the block ready.
    pub solve: Solve,
    /// The tables of the block that keep what the release keeps.
    pub fibre: Fibre,
    /// For every query how much its measurements count: one over their variance, up to a common
    /// factor. Empty when cells are measured, which all count the same.
    pub weights: Vec<f64>,
    /// The levels above the cells that `topdown` descends, coarse to fine: for each the group of
    /// every cell of the block.
    pub levels: Vec<Vec<u32>>,
    /// What messages call the rows of the block.
    pub names: Vec<String>,
}

/// How the solver of a block is made ready.
///
/// # Errors
/// When no table keeps what must hold, or when the solver does not take the block.
pub type Solve = fn(&PlannedProjection) -> Result<Box<dyn Projection>, Problem>;

/// A solver that is ready to project the measurements of one block.
pub trait Projection: Debug + Send + Sync {
    /// This solver, whose searches tell so many cases apart before they are given up.
    fn limited_to(self: Box<Self>, most_cases: u64) -> Box<dyn Projection>;

    /// The nearest table of integers.
    ///
    /// # Errors
    /// Refused when the solver does not reach an optimum, and when `topdown` has fixed coarse sums
    /// that no finer table has.
    fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem>;

    /// The nearest table of reals, for research; never certified.
    ///
    /// # Errors
    /// When the solver does not reach an optimum; refused where integers alone are made.
    fn real(&self, measured: &[f64]) -> Result<Vec<f64>, Problem>;
}

impl PlannedWork for PlannedProjection {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn ready<'a>(&'a self, _around: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Err(Problem::refused("a projection is made of noisy measurements, not drawn"))
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        let reason = "they are projected, and the error of a projection has no known law";
        Ok(BlockQuantities::without(cells, reason))
    }
}

/// The weights of queries whose noise has these rates. Double geometric noise of rate r has the
/// variance 1/(2·sinh²(r/2)).
///
/// Any weights would do for the guarantee: they are public. Those far below the largest are kept
/// within what solvers can take.
pub(crate) fn weights(rates: &[Rational]) -> Vec<f64> {
    const LEAST: f64 = 1e-9;
    let logarithm = |rate: &Rational| {
        let half = rate.to_f64() / 2.0;
        // ln sinh(h) without overflow.
        2.0 * (half + (-(-2.0 * half).exp_m1()).ln())
    };
    let logarithms: Vec<f64> = rates.iter().map(logarithm).collect();
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logarithms.iter().map(|logarithm| (logarithm - largest).exp().max(LEAST)).collect()
}

#[cfg(test)]
mod tests {
    use super::weights;
    use exact::Rational;

    #[test]
    fn weights_are_one_over_variances_up_to_a_factor() {
        let rates: Vec<Rational> = ["1/10", "1/2", "2"].map(|rate| rate.parse().unwrap()).to_vec();
        let found = weights(&rates);
        let variance = |rate: f64| 2.0 * (-rate).exp() / (1.0 - (-rate).exp()).powi(2);
        for (weight, rate) in found.iter().zip([0.1, 0.5, 2.0]) {
            assert!((weight * variance(rate) / variance(2.0) - 1.0).abs() < 1e-12, "{weight}");
        }
        let extreme: Vec<Rational> = ["1e-6", "100000"].map(|rate| rate.parse().unwrap()).to_vec();
        assert_eq!(weights(&extreme), [1e-9, 1.0]);
    }
}
