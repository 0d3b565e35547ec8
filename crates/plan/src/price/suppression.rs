//! The price of publishing the exact totals and nothing else: none.

use super::nearest::PairLoss;
use super::words;
use analyse::Moves;
use exact::Rational;
use loss::{Amount, Attained, Loss, NearestLoss, Norm, Theorem, Unit};

/// The loss between tables with the same totals when nothing but these is published: the release is
/// the same, so ε = 0. Proof: `crates/certify/proofs/suppression.md`.
pub(crate) fn suppressed(moves: &Moves) -> Loss {
    let zero = Rational::integer(0);
    Loss {
        amount: Amount::Pure { epsilon: zero.clone() },
        implied: None,
        unit: Unit::Record,
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
        nearest: NearestLoss { others: false, ..PairLoss::new(moves).losing(Amount::Pure { epsilon: zero }) },
        walked: None,
    }
}
