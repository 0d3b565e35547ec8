//! Noise by one ℓ₂ norm over all cells: its loss is ε' per unit of ℓ₂ distance, twice that where
//! the normaliser moves.

use super::nearest::PairLoss;
use super::step::Charge;
use super::{Priced, attained, theorem, words};
use crate::noise::{norm_rate, strength_of};
use analyse::Moves;
use declare::{Mechanism, Per};
use draw::NoiseLaw;
use exact::Rational;
use loss::{Amount, Attained, Loss, Norm, Theorem, Unit, times_root_up};

/// The rate of the norm that the declared strength buys, and what it costs.
pub(super) fn priced(moves: &Moves, mechanism: &Mechanism, charge: Charge) -> Priced {
    let theorem = theorem(moves, charge, mechanism.method);
    let once = charge == Charge::Once || theorem == Theorem::G1;
    let times = Rational::integer(if once { 1 } else { 2 });
    let strength = strength_of(mechanism);
    let footprint = 2 * moves.measures;
    let rate = match mechanism.per {
        Per::Unit => strength.clone(),
        Per::Record => norm_rate(&(strength / &times), mechanism.per, footprint),
    };
    let epsilon = match mechanism.per {
        Per::Unit => strength * &times,
        Per::Record => strength.clone(),
    };
    // Of the nearest pairs, all at one ℓ₁ distance, the one at the largest ℓ₂ distance loses most.
    let stated = PairLoss::new(moves);
    let loss = Loss {
        plain: (!once).then(|| epsilon.clone()),
        amount: Amount::Pure { epsilon },
        implied: None,
        unit: Unit::declared(mechanism.per, Norm::L2),
        norm: Norm::L2,
        footprint,
        owner: None,
        gamma: Rational::integer(if once { 0 } else { 1 }),
        theorem,
        because: match theorem {
            Theorem::G1 | Theorem::G2 => "the normaliser does not depend on the table",
            Theorem::G3 => "bounds or rules cut a norm over all cells together: every unit is charged twice",
            Theorem::G7 => words::PROJECTED,
            Theorem::G10 => words::PINNED,
            Theorem::Base => words::WEIGHTED,
            Theorem::G13 => words::INTEGER_ORDERS,
            Theorem::Suppression => words::SUPPRESSED,
            Theorem::G11 => words::CASCADED,
            Theorem::G12 => words::LISTED,
        }
        .to_owned(),
        attained: match theorem {
            Theorem::G1 | Theorem::G3 => attained::of_norm(moves, mechanism.per, once),
            _ => Attained::Unknown,
        },
        by_records: false,
        rounding: Rational::integer(0),
        nearest: stated.losing(Amount::Pure { epsilon: times_root_up(&(&rate * &times), stated.squared) }),
        walked: None,
    };
    Priced { law: Some(NoiseLaw::lattice_laplace(rate)), query_rates: Vec::new(), loss }
}
