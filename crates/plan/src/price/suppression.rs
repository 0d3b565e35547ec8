//! The price of publishing the exact totals and nothing else: none.

use super::nearest::Pair;
use super::{Attained, words};
use crate::loss::{Definition, Loss, NearestLoss, Norm, Theorem};
use analyse::Moves;
use exact::Rational;

/// The loss between tables with the same totals when nothing but these is published: the release is the same, so ε = 0.
/// Proof: `crates/certify/proofs/suppression.md`.
pub(crate) fn suppressed(moves: &Moves) -> Loss {
    let zero = Rational::integer(0);
    Loss {
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
        nearest: NearestLoss { epsilon: Some(zero), others: false, ..Pair::new(moves).pair() },
        estimated: None,
    }
}
