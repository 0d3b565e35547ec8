//! The loss of the nearest pair of tables, or of a pair as near as none is known to be.
//!
//! Where the distance is that of the shortest kinds of steps the pair differs by one of them, and
//! the worst of these is charged: a sum of several steps would be longer. Otherwise rules or bounds
//! keep the shortest steps out of the fibre, or the kinds are not known, and every unit of the
//! distance is charged at the loss per unit. Proof: `crates/certify/proofs/nearest.md`.

use super::step::{Charge, dearest};
use super::words;
use analyse::{Element, Moves};
use exact::Rational;
use loss::{Amount, NearestLoss, rounded_up};

/// A pair of tables that is spoken of.
pub(crate) struct PairLoss {
    /// The kinds of steps that it may differ by, if they are known.
    kinds: Vec<Element>,
    pub(crate) distance: u64,
    at_least: u64,
    known: bool,
    /// The square of its ℓ₂ distance: of a pair that is known its own, otherwise at most.
    pub(crate) squared: u64,
}

impl PairLoss {
    pub(crate) fn new(moves: &Moves) -> PairLoss {
        let distance = moves.pair.distance();
        let kinds: Vec<Element> = moves.nearest.iter().filter(|element| element.length == distance).cloned().collect();
        let of_kinds = kinds.iter().map(|element| element.squared).max();
        let of_pair = moves.pair.found.map(|found| found.l2_squared);
        // The root of a sum of squares is at most the sum.
        let squared = of_kinds.max(of_pair).unwrap_or(distance.saturating_mul(distance));
        PairLoss { kinds, distance, at_least: moves.pair.at_least, known: moves.pair.found.is_some(), squared }
    }

    /// The pair with what it loses.
    pub(crate) fn losing(&self, amount: Amount) -> NearestLoss {
        NearestLoss {
            distance: self.distance,
            at_least: self.at_least,
            known: self.known,
            others: self.known && self.kinds.is_empty(),
            amount,
            implied: None,
            noise: None,
            step: match self.kinds.iter().max_by_key(|element| element.squared) {
                Some(kind) => words::step(kind),
                None => words::apart(self.distance),
            },
        }
    }

    /// The pair with its pure loss, where one unit of ℓ₁ distance costs `per_unit`.
    pub(super) fn pure(&self, rates: &[Rational], charge: Charge, per_unit: &Rational) -> NearestLoss {
        if self.kinds.is_empty() {
            let loss = per_unit * &Rational::integer(self.distance);
            // So much is lost at the most by any pair at this distance.
            let amount = Amount::Pure { epsilon: rounded_up(&loss) };
            return NearestLoss { others: false, ..self.losing(amount) };
        }
        let worst = dearest(&self.kinds, rates, charge);
        let amount = Amount::Pure { epsilon: rounded_up(&worst.loss) };
        NearestLoss { step: words::step(worst.element), ..self.losing(amount) }
    }
}
