//! Noise by one ℓ₂ norm over all cells: its loss is ε' per unit of ℓ₂ distance, twice that where
//! the normaliser moves.

use super::nearest::PairLoss;
use super::step::Charge;
use super::{Priced, attained, words};
use crate::noise::{norm_rate, strength_of};
use analyse::Moves;
use declare::{Mechanism, Per};
use draw::NoiseLaw;
use exact::Rational;
use loss::{Amount, Attained, Loss, Norm, Theorem, times_root_up};

/// The rate of the norm that the declared strength buys, and what it costs.
pub(super) fn priced(moves: &Moves, mechanism: &Mechanism, charge: Charge, theorem: Theorem) -> Priced {
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
    let nearest = stated.losing(Amount::Pure { epsilon: times_root_up(&(&rate * &times), stated.squared) });
    let loss = Loss {
        plain: (!once).then(|| epsilon.clone()),
        gamma: Rational::integer(if once { 0 } else { 1 }),
        theorem,
        because: words::of(theorem)
            .unwrap_or("bounds or rules cut a norm over all cells together: every unit is charged twice")
            .to_owned(),
        attained: match theorem {
            Theorem::G1 | Theorem::G3 => attained::of_norm(moves, mechanism.per, once),
            _ => Attained::Unknown,
        },
        ..Loss::new(Amount::Pure { epsilon }, mechanism.per, Norm::L2, footprint, nearest)
    };
    Priced { law: NoiseLaw::lattice_laplace(rate), query_rates: Vec::new(), loss }
}
