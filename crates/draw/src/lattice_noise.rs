//! `LatticeNoise`: the sampler of a lattice for the law that is asked for, and what it costs.

use crate::klein::Klein;
use crate::law::{Growth, NoiseLaw};
use crate::mixture::Mixture;
use crate::thin::Thin;
use analyse::Lattice;
use declare::Problem;
use exact::Entropy;

/// Larger blocks are not made a lattice of.
pub(crate) const MOST_CELLS: usize = 65_536;

/// One coefficient of an attempt: around a centre that is known, and each factor of the centre.
const COEFFICIENT_SECONDS: f64 = 0.15e-6;

/// One coefficient where the noise is wide.
const WIDE_SECONDS: f64 = 0.3e-6;

/// Noise on a lattice: for every integer law the sampler that draws it.
#[derive(Debug)]
pub(crate) enum LatticeNoise {
    Klein(Klein),
    Mixture(Mixture),
    Thin(Thin),
}

impl LatticeNoise {
    /// Noise of this law on the lattice of a block with this many cells.
    ///
    /// # Errors
    /// Refused when no sampler draws the law there.
    pub(crate) fn new(cells: usize, lattice: &Lattice, law: &NoiseLaw) -> Result<LatticeNoise, Problem> {
        let basis = lattice.basis();
        let parameter = law.parameter();
        Ok(match law.growth() {
            Growth::Square if law.is_integer() => LatticeNoise::Klein(Klein::new(cells, basis, parameter)?),
            Growth::Norm if law.is_integer() => {
                LatticeNoise::Mixture(Mixture::new(cells, basis, &(parameter * parameter))?)
            }
            Growth::Absolute if law.is_integer() => LatticeNoise::Thin(Thin::new(cells, basis, parameter)?),
            _ => {
                return Err(Problem::refused("noise on a lattice is integer-valued, and its law is one that is known"));
            }
        })
    }

    /// The predicted seconds of a draw on this many dimensions: all that is prepared was prepared
    /// to predict them.
    pub(crate) fn seconds(&self, dimension: usize) -> f64 {
        let (each, acceptance) = match self {
            LatticeNoise::Klein(sampler) => (COEFFICIENT_SECONDS, sampler.expected_acceptance()),
            LatticeNoise::Mixture(sampler) => (WIDE_SECONDS, sampler.expected_acceptance()),
            LatticeNoise::Thin(sampler) => (WIDE_SECONDS, sampler.expected_acceptance()),
        };
        (each * dimension as f64 + 5e-6) / acceptance.max(f64::MIN_POSITIVE)
    }
    /// Draws the noise of all cells.
    ///
    /// # Errors
    /// Refused when the noise does not fit 64-bit counts.
    pub(crate) fn draw<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> Result<(), Problem> {
        match self {
            LatticeNoise::Klein(sampler) => sampler.draw(entropy, noise),
            LatticeNoise::Mixture(sampler) => sampler.draw(entropy, noise),
            LatticeNoise::Thin(sampler) => sampler.draw(entropy, noise),
        }
    }
}
