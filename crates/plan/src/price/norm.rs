//! Noise by one ℓ₂ norm over all cells: its loss is ε' per unit of ℓ₂ distance, twice that where the normaliser moves.

use super::nearest::Pair;
use super::step::Charge;
use super::{Attained, Priced, attained, theorem, words};
use crate::loss::{Definition, Loss, NearestLoss, Norm, Theorem};
use crate::noise::{norm_rate, strength_of};
use crate::rounding::times_root_up;
use analyse::Moves;
use declare::{Mechanism, Per};
use draw::NoiseLaw;
use exact::Rational;

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
    let stated = Pair::new(moves);
    let loss = Loss {
        definition: Definition::Pure,
        plain: (!once).then(|| epsilon.clone()),
        epsilon: Some(epsilon),
        delta: Some(Rational::integer(0)),
        rho: None,
        epsilon_at_delta: None,
        unit: if mechanism.per == Per::Unit { "unit of l2 distance" } else { "replaced record" },
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
            Theorem::G13 => crate::integer_order::BECAUSE,
            Theorem::Suppression => words::SUPPRESSED,
            Theorem::G11 => crate::cascade::BECAUSE,
            Theorem::G12 => words::LISTED,
        }
        .to_owned(),
        attained: match theorem {
            Theorem::G1 | Theorem::G3 => attained::of_norm(moves, mechanism.per, once),
            _ => Attained::Unknown,
        },
        by_records: false,
        rounding: Rational::integer(0),
        nearest: NearestLoss { epsilon: Some(times_root_up(&(&rate * &times), stated.squared)), ..stated.pair() },
        estimated: None,
    };
    Priced { law: Some(NoiseLaw::lattice_laplace(rate)), query_rates: Vec::new(), loss }
}
