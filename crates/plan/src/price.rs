//! What a release costs, and the noise that a declared cost buys: theorems G1, G2, G3, G7, G10 and
//! base.
//!
//! The loss between two tables is at most the sum of the losses of the steps between them
//! (`analyse::Moves`), so the loss per unit of ℓ₁ distance is the largest loss of a step divided by
//! its length. A step that moves noisy sums by `E = Σ_q ε_q·moved_q` costs E when the normaliser
//! stands still, `E + ln(1 + e^{−2ε_b}(e^E − 1))` when only bounds of single cells cut its line
//! (ε_b: the noise that sits on such a cell alone), and never more than 2E. Noise by one norm over
//! all cells costs ε' per unit of that norm, and twice that where the normaliser moves. A
//! projection costs what its noise does, E. Proofs: `crates/certify/proofs/G1.md`,
//! `crates/certify/proofs/G3.md`, `crates/certify/proofs/G7.md`, `crates/certify/proofs/G10.md` and
//! `crates/certify/proofs/base.md`.

mod attained;
mod enumerated;
mod nearest;
mod norm;
mod scale;
mod step;
mod words;

use crate::noise::{noise_law, strength_of};
use crate::planned::ReleaseMethod;
use analyse::{Moves, StepKind};
use declare::{Mechanism, Noise, Per, Problem};
use draw::{Growth, LawFamily, NoiseLaw};
use exact::Rational;
use loss::{Amount, Loss, Norm, Theorem, rounded_up};
use step::{Charge, Cost, costliest, dearest};

pub(crate) use enumerated::{concentrated_listed, nearest_listed, sharpened};
pub(crate) use nearest::PairLoss;
pub(crate) use words::by;

/// The noise of a release and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Priced {
    /// The law of the noise in every cell; with queries that of the first of them.
    pub law: NoiseLaw,
    /// For every query the parameter ε' of the double-geometric noise on its sums; none: every cell
    /// has noise.
    pub query_rates: Vec<Rational>,
    /// The loss.
    pub loss: Loss,
}

/// Prices the mechanism on the steps that the conditions leave. `base_measure`: whether the noise
/// is weighted by public information, so that every normaliser moves.
///
/// # Errors
/// Bad when noise, strength and queries do not fit each other; refused when no theorem covers them.
pub fn price(
    method: &ReleaseMethod,
    moves: &Moves,
    mechanism: &Mechanism,
    base_measure: bool,
) -> Result<Priced, Problem> {
    let law = noise_law(mechanism, moves.measures)?;
    if law.growth() == Growth::Square {
        check_gaussian(method, moves, base_measure)?;
        return Ok(Priced { loss: concentrated(method, moves, mechanism, &law), law, query_rates: Vec::new() });
    }
    if !moves.strengths.is_empty() && mechanism.noise != Noise::DOUBLE_GEOMETRIC {
        return Err(Problem::bad("queries take double-geometric noise").hint("write noise = \"double-geometric\""));
    }
    if let Some(nothing) = moves.strengths.iter().find(|strength| !strength.is_positive()) {
        return Err(Problem::bad(format!("the privacy loss of a query must be above zero, found {nothing}")));
    }
    if !moves.proper {
        return Err(Problem::refused(
            "some cells have neither noise nor a total that holds them: there is no law to draw from",
        )
        .hint("add a query over all dimensions, so that every cell has noise"));
    }
    let charge = charge(method, moves, mechanism, base_measure);
    let theorem = theorem(method, moves, charge);
    if law.growth() == Growth::Norm {
        return Ok(norm::priced(moves, mechanism, charge, theorem));
    }
    let priced = pure(moves, mechanism, (charge, theorem), law.family());
    if !base_measure {
        return Ok(priced);
    }
    // The loss of tables that are weighted by a base measure: the plain factor 2, whatever else
    // holds.
    let plain = priced.loss.epsilon().cloned();
    Ok(Priced { loss: words::by(Theorem::Base, Loss { plain, ..priced.loss }), ..priced })
}

/// How steps are charged: by what they run into, or all twice.
fn charge(method: &ReleaseMethod, moves: &Moves, mechanism: &Mechanism, base_measure: bool) -> Charge {
    match () {
        () if !method.conditions => Charge::Once,
        () if moves.pinned || base_measure => Charge::Twice,
        // The closed form is about integers; real-valued noise is for research and pays the plain
        // factor.
        () if moves.inequalities && mechanism.noise != Noise::DOUBLE_GEOMETRIC => Charge::Twice,
        () => Charge::ByBounds,
    }
}

fn theorem(method: &ReleaseMethod, moves: &Moves, charge: Charge) -> Theorem {
    match charge {
        _ if method.projects => Theorem::G7,
        Charge::Twice if moves.pinned => Theorem::G10,
        Charge::Twice => Theorem::G3,
        Charge::ByBounds if moves.inequalities => Theorem::G3,
        Charge::ByBounds | Charge::Once => Theorem::G1,
    }
}

fn check_gaussian(method: &ReleaseMethod, moves: &Moves, base_measure: bool) -> Result<(), Problem> {
    if !moves.strengths.is_empty() {
        return Err(Problem::bad("queries take `epsilon`, not `rho`")
            .hint("write noise = \"double-geometric\" with epsilon, or leave the queries out"));
    }
    if !method.conditions {
        return Ok(());
    }
    let hint = "write noise = \"double-geometric\" with epsilon, whose loss theorem G3 proves";
    if moves.inequalities || base_measure {
        let what = if moves.inequalities { "inequalities" } else { "a base measure" };
        let also = if moves.inequalities { ", or nonnegative = false and no rule" } else { "" };
        return Err(Problem::refused(format!(
            "`rho` cannot be certified with {what} here: Gaussian noise under such conditions may lose more than rho (theorem \
             G2 needs equalities only, theorem G13 discrete noise on cells)"
        ))
        .hint(format!("{hint}{also}")));
    }
    if moves.pinned {
        return Err(Problem::refused(
            "`rho` cannot be certified with totals pinned to values that are not the table's own (theorem G2 needs the \
             table inside its fibre)",
        )
        .hint("write noise = \"double-geometric\" with epsilon, whose loss theorem G10 proves"));
    }
    Ok(())
}

/// Pure loss: the scale of the noise, and what it costs.
fn pure(
    moves: &Moves,
    mechanism: &Mechanism,
    (charge, theorem): (Charge, Theorem),
    family: &'static LawFamily,
) -> Priced {
    let strengths = match moves.strengths.as_slice() {
        [] => vec![strength_of(mechanism).clone()],
        strengths => strengths.to_vec(),
    };
    let sum = strengths.iter().fold(Rational::integer(0), |sum, strength| &sum + strength);
    let (rates, epsilon) = match mechanism.per {
        Per::Unit => {
            let loss = stated(moves, &strengths, mechanism.per, charge).loss;
            (strengths, rounded_up(&loss))
        }
        Per::Record => {
            let footprint = Rational::integer(2 * moves.measures);
            let rates: Vec<Rational> = strengths.iter().map(|strength| strength / &footprint).collect();
            scale::fitting(&rates, &sum, |rates| stated(moves, rates, mechanism.per, charge).loss)
        }
    };
    let Stated { cost, plain, .. } = stated(moves, &rates, mechanism.per, charge);
    // What one record costs bounds no unit of distance: the pair may differ by another step.
    let per_unit = dearest(&moves.elements, &rates, charge).per_unit();
    let nearest = PairLoss::new(moves).pure(&rates, charge, &per_unit);
    let plain = (!matches!(theorem, Theorem::G1 | Theorem::G7)).then(|| rounded_up(&plain));
    let loss = Loss {
        gamma: cost.gamma(),
        plain,
        theorem,
        because: words::because(theorem, &cost),
        attained: attained::of_steps(moves, &cost, theorem, mechanism.per),
        by_records: cost.element.shape == StepKind::Record,
        ..Loss::new(Amount::Pure { epsilon }, mechanism.per, Norm::L1, 2 * moves.measures, nearest)
    };
    let law = NoiseLaw::new(family, rates[0].clone());
    let query_rates = if moves.strengths.is_empty() { Vec::new() } else { rates };
    Priced { law, query_rates, loss }
}

/// The loss in the declared unit, and the step that it comes from.
struct Stated<'a> {
    cost: Cost<'a>,
    loss: Rational,
    /// What the plain factor 2 charges for that step.
    plain: Rational,
}

/// Per unit of distance, the dearest step for its length; per record so many units of it, or the
/// dearest of the steps that one replaced record makes, where these are known.
fn stated<'a>(moves: &'a Moves, rates: &[Rational], per: Per, charge: Charge) -> Stated<'a> {
    let two = Rational::integer(2);
    let cost = dearest(&moves.elements, rates, charge);
    let units = match per {
        Per::Unit => Rational::integer(1),
        Per::Record => Rational::integer(2 * moves.measures),
    };
    let by_units = Stated { loss: &cost.per_unit() * &units, plain: &(&cost.rate() * &two) * &units, cost };
    match costliest(&moves.replaced, rates, charge).filter(|_| per == Per::Record) {
        Some(cost) if cost.loss < by_units.loss => Stated { loss: cost.loss.clone(), plain: &cost.moved * &two, cost },
        _ => by_units,
    }
}

/// Zero-concentrated loss: equalities only, so that the normaliser stands still, or none, where
/// noise is drawn freely.
fn concentrated(method: &ReleaseMethod, moves: &Moves, mechanism: &Mechanism, law: &NoiseLaw) -> Loss {
    let stated = PairLoss::new(moves);
    let pair = &Rational::integer(stated.squared) / &(&Rational::integer(2) * law.parameter());
    let nearest = stated.losing(Amount::ZeroConcentrated { rho: pair });
    let loss = Loss::concentrated(strength_of(mechanism).clone(), mechanism.per, 2 * moves.measures, nearest);
    let loss = match law.gaussian_variance() {
        Some(variance) => loss.by_the_law(variance, stated.squared, mechanism.per),
        None => loss,
    };
    match method.projects {
        true => words::by(Theorem::G7, loss),
        false => Loss { attained: attained::of_norm(moves, mechanism.per, true), ..loss },
    }
}
