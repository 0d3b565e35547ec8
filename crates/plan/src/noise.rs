//! From the declared strength to the noise law, and the strengths that machine integers cannot
//! hold.

use crate::registry::registry;
use analyse::Block;
use declare::{Mechanism, Noise, Per, Problem, Strength};
use draw::{Growth, LawFamily, NoiseLaw};
use exact::Rational;
use loss::over_root_down;

/// ε or ρ, as declared.
pub(crate) fn strength_of(mechanism: &Mechanism) -> &Rational {
    match &mechanism.strength {
        Strength::Epsilon(value) | Strength::Rho(value) => value,
    }
}

/// The law of the noise in one cell, where the normaliser does not depend on the table.
///
/// With ε per unit of ℓ₁ distance the parameter is ε itself; a replaced record is distance 2 in
/// each of the measures it may be counted in, so it is ε/2m per record. With ρ at ℓ₂ distance 1,
/// σ² = 1/(2ρ); a replaced record is ℓ₂ distance √(2m), so σ² = m/ρ. Lattice Laplace noise has ε
/// per unit of ℓ₂ distance, ε/√(2m) per record.
pub(crate) fn noise_law(mechanism: &Mechanism, measures: u64) -> Result<NoiseLaw, Problem> {
    let strength = strength_of(mechanism);
    if !strength.is_positive() {
        return Err(Problem::bad(format!("the privacy loss must be above zero, found {strength}")));
    }
    let footprint = match mechanism.per {
        Per::Unit => 1,
        Per::Record => 2 * measures,
    };
    let family = family_of(mechanism.noise)?;
    let parameter = match (family.growth, &mechanism.strength) {
        (Growth::Absolute | Growth::Other, Strength::Epsilon(value)) => value / &Rational::integer(footprint),
        (Growth::Square, Strength::Rho(value)) => &Rational::integer(footprint) / &(&Rational::integer(2) * value),
        (Growth::Norm, Strength::Epsilon(value)) => norm_rate(value, mechanism.per, footprint),
        (Growth::Square, Strength::Epsilon(_)) => {
            return Err(Problem::bad(format!("{} noise takes `rho`, not `epsilon`", family.name))
                .hint("write rho = …, or noise = \"double-geometric\" for pure privacy"));
        }
        (_, Strength::Rho(_)) => {
            return Err(Problem::bad(format!("{} noise takes `epsilon`, not `rho`", family.name))
                .hint("write epsilon = …, or noise = \"discrete-gaussian\" for zCDP"));
        }
    };
    Ok(NoiseLaw::new(family, parameter))
}

/// ε' of the ℓ₂ norm: a replaced record is ℓ₂ distance √(2m). Rounded down, so that what is stated
/// is not too little.
pub(crate) fn norm_rate(epsilon: &Rational, per: Per, footprint: u64) -> Rational {
    match per {
        Per::Unit => epsilon.clone(),
        Per::Record => over_root_down(epsilon, footprint),
    }
}

/// The family that a spec names.
pub(crate) fn family_of(noise: Noise) -> Result<&'static LawFamily, Problem> {
    let unknown = || Problem::bad(format!("no noise law is called `{}`", noise.name));
    registry().law(noise.name).ok_or_else(unknown)
}

/// Noise beyond this many scales has probability below 2⁻⁹⁰: such a draw never happens in practice.
const SCALES: u32 = 64;

/// Refuses noise so large that sums over a block could leave 62-bit integers in practice.
pub(crate) fn check_magnitude(law: &NoiseLaw, blocks: &[Block]) -> Result<(), Problem> {
    let largest = blocks.iter().map(|block| block.size).max().unwrap_or(0);
    let reach = Rational::integer(largest as u64) * Rational::integer(SCALES);
    let limit = Rational::integer(1u64 << 62);
    let too_large = match law.growth() {
        Growth::Square => &(&reach * &reach) * law.parameter() > &limit * &limit,
        Growth::Absolute | Growth::Norm | Growth::Other => reach > &limit * law.parameter(),
    };
    if too_large {
        return Err(Problem::refused(format!(
            "the noise is too large: sums over the largest block, {largest} cells, could leave 62-bit integers"
        ))
        .hint("ask for a larger epsilon or rho"));
    }
    Ok(())
}
