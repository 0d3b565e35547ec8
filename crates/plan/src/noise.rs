//! From the declared strength to the noise law, and the strengths that machine integers cannot hold.

use crate::rounding::over_root_down;
use analyse::Block;
use declare::{Mechanism, Noise, Per, Problem, Strength};
use draw::NoiseLaw;
use exact::Rational;

/// ε or ρ, as declared.
pub(crate) fn strength_of(mechanism: &Mechanism) -> &Rational {
    match &mechanism.strength {
        Strength::Epsilon(value) | Strength::Rho(value) => value,
    }
}

/// The law of the noise in one cell, where the normaliser does not depend on the table.
///
/// With ε per unit of ℓ₁ distance the parameter is ε itself; a replaced record is distance 2 in each of the measures it may
/// be counted in, so it is ε/2m per record. With ρ at ℓ₂ distance 1, σ² = 1/(2ρ); a replaced record is ℓ₂ distance √(2m),
/// so σ² = m/ρ. Lattice Laplace noise has ε per unit of ℓ₂ distance, ε/√(2m) per record.
pub(crate) fn noise_law(mechanism: &Mechanism, measures: u64) -> Result<NoiseLaw, Problem> {
    let two = Rational::integer(2);
    let footprint = 2 * measures;
    let measures = Rational::integer(measures);
    let strength = strength_of(mechanism);
    if !strength.is_positive() {
        return Err(Problem::bad(format!("the privacy loss must be above zero, found {strength}")));
    }
    let epsilon = |value: &Rational| match mechanism.per {
        Per::Unit => value.clone(),
        Per::Record => value / &(&two * &measures),
    };
    let variance = |value: &Rational| match mechanism.per {
        Per::Unit => &Rational::integer(1) / &(&two * value),
        Per::Record => &measures / value,
    };
    match (mechanism.noise, &mechanism.strength) {
        (Noise::DoubleGeometric, Strength::Epsilon(value)) => Ok(NoiseLaw::DoubleGeometric { epsilon: epsilon(value) }),
        (Noise::Laplace, Strength::Epsilon(value)) => Ok(NoiseLaw::Laplace { epsilon: epsilon(value) }),
        (Noise::DiscreteGaussian, Strength::Rho(value)) => Ok(NoiseLaw::DiscreteGaussian { variance: variance(value) }),
        (Noise::Gaussian, Strength::Rho(value)) => Ok(NoiseLaw::Gaussian { variance: variance(value) }),
        (Noise::LatticeLaplace, Strength::Epsilon(value)) => {
            Ok(NoiseLaw::LatticeLaplace { epsilon: norm_rate(value, mechanism.per, footprint) })
        }
        (Noise::DoubleGeometric | Noise::LatticeLaplace | Noise::Laplace, Strength::Rho(_)) => {
            Err(Problem::bad(format!("{} takes `epsilon`, not `rho`", law_name(mechanism.noise)))
                .hint("write epsilon = …, or noise = \"discrete-gaussian\" for zCDP"))
        }
        (Noise::DiscreteGaussian | Noise::Gaussian, Strength::Epsilon(_)) => {
            Err(Problem::bad(format!("{} takes `rho`, not `epsilon`", law_name(mechanism.noise)))
                .hint("write rho = …, or noise = \"double-geometric\" for pure privacy"))
        }
    }
}

/// ε' of the ℓ₂ norm: a replaced record is ℓ₂ distance √(2m). Rounded down, so that what is stated is not too little.
pub(crate) fn norm_rate(epsilon: &Rational, per: Per, footprint: u64) -> Rational {
    match per {
        Per::Unit => epsilon.clone(),
        Per::Record => over_root_down(epsilon, footprint),
    }
}

fn law_name(noise: Noise) -> &'static str {
    match noise {
        Noise::DoubleGeometric => "double-geometric noise",
        Noise::DiscreteGaussian => "discrete-gaussian noise",
        Noise::LatticeLaplace => "lattice-laplace noise",
        Noise::Laplace => "laplace noise",
        Noise::Gaussian => "gaussian noise",
    }
}

/// Noise beyond this many scales has probability below 2⁻⁹⁰: such a draw never happens in practice.
const SCALES: u32 = 64;

/// Refuses noise so large that sums over a block could leave 62-bit integers in practice.
pub(crate) fn check_magnitude(law: &NoiseLaw, blocks: &[Block]) -> Result<(), Problem> {
    let largest = blocks.iter().map(|block| block.size).max().unwrap_or(0);
    let reach = Rational::integer(largest as u64) * Rational::integer(SCALES);
    let limit = Rational::integer(1u64 << 62);
    let too_large = match law {
        NoiseLaw::DoubleGeometric { epsilon }
        | NoiseLaw::LatticeLaplace { epsilon }
        | NoiseLaw::Laplace { epsilon } => reach > &limit * epsilon,
        NoiseLaw::DiscreteGaussian { variance } | NoiseLaw::Gaussian { variance } => {
            &(&reach * &reach) * variance > &limit * &limit
        }
    };
    if too_large {
        return Err(Problem::refused(format!(
            "the noise is too large: sums over the largest block, {largest} cells, could leave 62-bit integers"
        ))
        .hint("ask for a larger epsilon or rho"));
    }
    Ok(())
}
