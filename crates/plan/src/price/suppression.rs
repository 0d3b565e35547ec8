//! The price of publishing the exact totals and nothing else: none.

use super::{Attained, words};
use crate::loss::{Definition, Loss, NearestLoss, Norm, Theorem};
use analyse::Moves;
use declare::Problem;
use exact::Rational;

/// The loss between tables with the same totals when nothing but these is published: the release is the same, so ε = 0.
/// Proof: `crates/certify/proofs/suppression.md`.
///
/// # Errors
/// Refused when no two tables with the same totals are known: there would be nothing that the release protects.
pub(crate) fn suppressed(moves: &Moves) -> Result<Loss, Problem> {
    let zero = Rational::integer(0);
    let Some(nearest) = moves.nearest.first() else {
        return Err(Problem::refused("no two tables with the same totals are known").hint(
            "where only one table has the totals, publishing them protects nothing; keep fewer or coarser totals",
        ));
    };
    Ok(Loss {
        definition: Definition::Pure,
        epsilon: Some(zero.clone()),
        delta: Some(zero.clone()),
        rho: None,
        epsilon_at_delta: None,
        unit: "replaced record",
        norm: Norm::L1,
        footprint: 2 * moves.measures,
        owner: None,
        gamma: zero.clone(),
        plain: None,
        theorem: Theorem::Suppression,
        because: words::SUPPRESSED.to_owned(),
        attained: Attained::Reached,
        by_records: false,
        rounding: zero.clone(),
        nearest: NearestLoss {
            distance: nearest.length,
            epsilon: Some(zero),
            rho: None,
            epsilon_at_delta: None,
            step: words::step(nearest),
        },
        estimated: None,
    })
}
