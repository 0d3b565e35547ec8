//! Theorem G13: where discrete Gaussian noise is conditioned on bounds and rules and gets its ρ at
//! integer orders.
//!
//! Everything bounded or noisy must be a difference of potentials (`analyse::potentials`). Proof:
//! `crates/certify/proofs/G13.md`.

use crate::blocks::block_in_words;
use crate::planned::ReleaseMethod;
use analyse::{Analysis, potentials};
use declare::{Conditions, Mechanism, Noise, Problem};

/// Whether a mechanism gets its ρ by this theorem: discrete Gaussian noise in every cell,
/// conditioned on inequalities.
///
/// # Errors
/// Refused when the theorem does not cover some block.
pub(crate) fn is_at_integer_orders(
    method: &ReleaseMethod,
    mechanism: &Mechanism,
    conditions: &Conditions,
    analysis: &Analysis,
) -> Result<bool, Problem> {
    let asked = mechanism.noise == Noise::DISCRETE_GAUSSIAN
        && method.conditions
        && conditions.has_inequalities()
        && conditions.queries.is_empty()
        && !analysis.moves.pinned;
    if !asked {
        return Ok(false);
    }
    for block in &analysis.blocks {
        if let Err(reason) = potentials(conditions, block) {
            return Err(Problem::refused(format!(
                "`rho` cannot be certified for {} with these bounds and rules (theorem G13): {}",
                block_in_words(block),
                reason.in_words()
            ))
            .hint(
                "write noise = \"double-geometric\" with epsilon, whose loss theorem G3 proves; or nonnegative = false and no rule, \
                 where theorem G2 holds; or keep totals that nest",
            ));
        }
    }
    Ok(true)
}
