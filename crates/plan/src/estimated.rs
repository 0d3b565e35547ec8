//! Theorem G5: what a walk's distance from its law costs, how much of it a limit on δ allows, and
//! evidence put into a plan.
//!
//! A release at a total variation distance of at most α from a law with loss ε is (ε,
//! δ)-differentially private with `δ = α(1 + e^ε)`. All numbers are fractions and enclosures that
//! round δ up and the allowed distance down. Proof: `crates/certify/proofs/G5.md`.

use crate::numbers::decimal;
use crate::planned::Plan;
use declare::Problem;
use draw::Exactness;
use exact::{Enclosure, Rational};
use loss::{Estimated, Implied, Loss, NearestLoss, STATED_DELTA, Walked, digits_down, digits_up};
use std::sync::Arc;
use walk::PlannedWalk;
use walk::{CONFIDENCE_PERCENT, Evidence, Walk, Wanted};

/// How many pairs of chains are coupled for every walk.
pub const PAIRS: u64 = 1000;

/// Digits of δ and of distances.
const DIGITS: usize = 6;

/// Beyond this loss no chains are long enough for a δ below one.
const MOST_EPSILON: u64 = 200;

const BITS: usize = 128;

/// `1 + e^ε`, rounded up.
fn factor(epsilon: &Rational) -> Rational {
    &Rational::integer(1) + &Enclosure::exp_rational(epsilon, BITS).upper_rational()
}

/// `δ₀ + α(1 + e^ε)`, rounded up.
fn delta(distance: &Rational, epsilon: &Rational, converted: &Rational) -> Rational {
    digits_up(&(converted + &(distance * &factor(epsilon))), DIGITS)
}

/// The largest α with `δ₀ + α(1 + e^ε)` at most δ, rounded down by a little more than rounding δ
/// and α up may add.
fn allowed(delta: &Rational, epsilon: &Rational, converted: &Rational) -> Rational {
    let most = &(&(delta - converted) / &factor(epsilon)) * &Rational::new(999, 1000u32);
    digits_down(&most, DIGITS)
}

/// Larger numbers are no evidence that this program gathers; they would make its arithmetic slow or
/// overflow.
const MOST_PAIRS: usize = 1 << 16;
const MOST_FAMILIES: usize = 1 << 6;
const MOST_STEPS: u64 = 1 << 48;

/// Whether the numbers of evidence, which may come from a certificate, can be computed with and are
/// enough for a release.
fn check(evidence: &Evidence, walk: &Walk) -> Result<(), Problem> {
    let Evidence { steps, block, meetings, starts, families, rounds, .. } = evidence;
    let tried = || families.iter().map(|family| &family.tried).chain(rounds);
    let sound = meetings.len() <= MOST_PAIRS
        && families.len() <= MOST_FAMILIES
        && tried().all(|tried| tried.pairs <= MOST_PAIRS as u64)
        && (1..=walk.expected_starts()).contains(starts)
        && (*steps).max(*block) <= MOST_STEPS;
    if !sound {
        return Err(Problem::refused("the evidence of coupled chains is not in order"));
    }
    match evidence.objection() {
        None => Ok(()),
        Some(objection) => Err(Problem::refused(objection)
            .hint("ask for a smaller epsilon or rho, or for totals that an exact operator can draw")),
    }
}

/// The loss of a release by walks before there is evidence: its δ is not known.
pub(crate) fn not_yet_estimated(loss: Loss) -> Loss {
    // A walk is close to its law: what it tells goes by ρ and G5, not by that law.
    let nearest = NearestLoss { noise: None, ..loss.nearest };
    Loss { walked: Some(Walked::Unknown), nearest, ..loss }
}

/// The largest loss that is stated, as an ε, and what converting ρ costs: at most half of δ.
fn largest(loss: &Loss, max_delta: &Rational) -> (Rational, Rational) {
    let owner = loss.owner.as_ref().map(|owner| &owner.whole);
    let largest = loss.amount.size().max(loss.nearest.amount.size());
    let largest = owner.map_or(largest, |owner| largest.max(owner));
    if !loss.is_concentrated() {
        return (largest.clone(), Rational::integer(0));
    }
    let converted = (max_delta / &Rational::integer(2)).min(Rational::new(1, STATED_DELTA));
    // The ε that ρ implies grows with it.
    let epsilon = loss.amount.with_size(largest.clone()).implied_at(&converted);
    (epsilon.unwrap_or_else(|| Rational::integer(0)), converted)
}

/// The loss when walks are at this distance from their laws.
fn at_distance(mut loss: Loss, distance: Rational, max_delta: &Rational) -> Loss {
    let (epsilon, converted) = largest(&loss, max_delta);
    if loss.is_concentrated() {
        loss.nearest.implied = loss.nearest.amount.implied_at(&converted);
        let implied = loss.amount.implied_at(&converted);
        loss.implied = implied.map(|epsilon| Implied { epsilon, delta: converted.clone() });
    }
    let delta = delta(&distance, &epsilon, &converted);
    let estimated = Estimated { distance, percent: CONFIDENCE_PERCENT, epsilon, converted, delta };
    Loss { walked: Some(Walked::Estimated(estimated)), ..loss }
}

impl Plan {
    /// The walks of the plan, in order of their blocks.
    pub fn walks(&self) -> impl Iterator<Item = &PlannedWalk> {
        self.blocks.iter().filter_map(|block| PlannedWalk::of(&*block.work))
    }

    /// Whether the release is by walks that chains have not been run for yet.
    pub fn needs_evidence(&self) -> bool {
        self.walks().any(|planned| planned.evidence.is_none())
    }

    /// How exactly the whole table is drawn.
    pub fn exactness(&self) -> Exactness {
        self.blocks.iter().fold(Exactness::Exact, |all, block| all.and(block.exactness().clone()))
    }

    /// How close every walk must come to its law so that the δ of the release is at most this.
    ///
    /// # Errors
    /// Refused when no walk could.
    pub fn wanted(&self, max_delta: &Rational) -> Result<Wanted, Problem> {
        let (epsilon, converted) = largest(&self.loss, max_delta);
        if epsilon > Rational::integer(MOST_EPSILON) {
            return Err(Problem::refused(format!(
                "a walk cannot be certified at this loss: with ε = {} its distance from the law costs e^ε as much",
                decimal(epsilon.to_f64())
            ))
            .hint("ask for a smaller epsilon or rho"));
        }
        let walks = Rational::integer(self.walks().count().max(1) as u64);
        Ok(Wanted { pairs: PAIRS, lag: None, distance: &allowed(max_delta, &epsilon, &converted) / &walks })
    }

    /// The plan with what coupled chains say about its walks, in order: their steps, how close they
    /// come, and the δ it costs.
    ///
    /// # Errors
    /// Refused when δ is above the limit, or when the evidence is not that of these walks.
    pub fn supported_by(mut self, evidence: Vec<Evidence>, max_delta: &Rational) -> Result<Plan, Problem> {
        if evidence.len() != self.walks().count() {
            return Err(Problem::refused("there is not one piece of evidence for every walk"));
        }
        self.wanted(max_delta)?;
        let mut evidence = evidence.into_iter();
        let mut all = Rational::integer(0);
        for block in &mut self.blocks {
            let Some(planned) = PlannedWalk::of(&*block.work) else { continue };
            let Some(found) = evidence.next() else { continue };
            check(&found, &planned.walk)?;
            all = &all + &found.distance();
            block.work = Arc::new(planned.supported_by(found));
        }
        if self.walks().next().is_some() {
            self.loss = at_distance(self.loss, all, max_delta);
        }
        match self.loss.estimated() {
            Some(Estimated { delta, .. }) if delta > max_delta => Err(Problem::refused(format!(
                "the walk is not close enough to its law: δ would be {}, above max_delta = {}",
                decimal(delta.to_f64()),
                decimal(max_delta.to_f64())
            ))
            .hint("ask for a smaller epsilon or rho, or allow a larger max_delta")),
            _ => Ok(self),
        }
    }
}
