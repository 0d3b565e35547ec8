//! The exact loss of two finite laws: the largest log ratio of probabilities, and δ at a given ε.
//!
//! For fibres small enough to be listed. Laws are fractions ([`FiniteLaw`]) or enclosed
//! probabilities, as noise with parameter e^{−ε'} has them; results are enclosures, whose upper end
//! is for claims and whose lower end is for faults.

use super::Side;
use crate::views::FiniteLaw;
use exact::{Enclosure, Rational};
use std::collections::{BTreeMap, BTreeSet};

/// A loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// The largest absolute log ratio, enclosed.
    Finite(Enclosure),
    /// Some outcome is possible on one side alone.
    Infinite,
}

impl Loss {
    /// Whether the loss is certainly at most this: `None` when the enclosure cannot tell.
    pub fn is_at_most(&self, claimed: &Rational) -> Option<bool> {
        match self {
            Loss::Infinite => Some(false),
            Loss::Finite(loss) if loss.upper_rational() <= *claimed => Some(true),
            Loss::Finite(loss) if loss.lower_rational() > *claimed => Some(false),
            Loss::Finite(_) => None,
        }
    }
}

/// The loss of two laws, and the outcome that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst<T> {
    /// The loss.
    pub loss: Loss,
    /// An outcome whose log ratio is the largest, as far as the enclosures tell.
    pub outcome: T,
    /// The side on which this outcome is more likely.
    pub more_likely: Side,
}

/// An enclosure does not tell whether a probability is zero: more bits are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecided;

/// The largest `|ln(P(y)/Q(y))|` over all outcomes; the ratio is exact, its logarithm enclosed.
pub fn worst_ratio<T: Ord + Clone>(first: &FiniteLaw<T>, second: &FiniteLaw<T>, bits: usize) -> Option<Worst<T>> {
    let one = Rational::integer(1);
    let mut worst: Option<(Rational, T, Side)> = None;
    let outcomes: BTreeSet<&T> = first.iter().chain(second.iter()).map(|(outcome, _)| outcome).collect();
    for outcome in outcomes {
        let (p, q) = (first.probability(outcome), second.probability(outcome));
        let more_likely = if p >= q { Side::First } else { Side::Second };
        let (Some(below), Some(above)) = (p.reciprocal(), q.reciprocal()) else {
            return Some(Worst { loss: Loss::Infinite, outcome: outcome.clone(), more_likely });
        };
        let ratio = (&p * &above).max(&q * &below);
        if worst.as_ref().is_none_or(|(largest, _, _)| ratio > *largest) {
            worst = Some((ratio, outcome.clone(), more_likely));
        }
    }
    let (ratio, outcome, more_likely) = worst?;
    let log = if ratio == one { Enclosure::from_integer(0, bits) } else { Enclosure::ln_rational(&ratio, bits)? };
    Some(Worst { loss: Loss::Finite(log), outcome, more_likely })
}

/// δ of the pair at ε, the larger of both directions: `Σ max(0, P(y) − e^ε Q(y))`, enclosed.
pub fn delta<T: Ord + Clone>(
    first: &FiniteLaw<T>,
    second: &FiniteLaw<T>,
    epsilon: &Rational,
    bits: usize,
) -> Enclosure {
    let enclosed = |law: &FiniteLaw<T>| {
        law.iter().map(|(outcome, share)| (outcome.clone(), Enclosure::from_rational(share, bits))).collect()
    };
    delta_of_enclosures(&enclosed(first), &enclosed(second), epsilon, bits)
}

/// The law `∝ e^{−energy}` on listed outcomes, each listed once, with enclosed probabilities: noise
/// on a small fibre. `None` without outcomes, or when the bits do not tell the sum of the weights
/// from zero.
///
/// Contract: energies are at least zero.
pub fn enclosed_law<T: Ord + Clone>(
    energies: impl IntoIterator<Item = (T, Rational)>,
    bits: usize,
) -> Option<BTreeMap<T, Enclosure>> {
    let weigh = |(outcome, energy): (T, Rational)| (outcome, Enclosure::exp_rational(&-energy, bits));
    let weights: BTreeMap<T, Enclosure> = energies.into_iter().map(weigh).collect();
    let sum = weights.values().fold(Enclosure::from_integer(0, bits), |sum, weight| &sum + weight);
    let shares = weights.into_iter().map(|(outcome, weight)| Some((outcome, weight.checked_div(&sum)?)));
    shares.collect::<Option<BTreeMap<T, Enclosure>>>().filter(|law| !law.is_empty())
}

/// [`worst_ratio`] of enclosed probabilities, which need not be normalised if both sides have the
/// same normaliser. An outcome that is not listed has probability zero, and so has an enclosure of
/// exactly zero.
pub fn worst_ratio_of_enclosures<T: Ord + Clone>(
    first: &BTreeMap<T, Enclosure>,
    second: &BTreeMap<T, Enclosure>,
) -> Result<Option<Worst<T>>, Undecided> {
    let possible = |law: &BTreeMap<T, Enclosure>, outcome: &T| match law.get(outcome) {
        None => Ok(None),
        Some(share) if share.is_exact() && share.contains_zero() => Ok(None),
        Some(share) => share.ln().map(Some).ok_or(Undecided),
    };
    let mut worst: Option<Worst<T>> = None;
    let mut largest: Option<Enclosure> = None;
    let outcomes: BTreeSet<&T> = first.keys().chain(second.keys()).collect();
    for outcome in outcomes {
        let (p, q) = match (possible(first, outcome)?, possible(second, outcome)?) {
            (None, None) => continue,
            (Some(p), Some(q)) => (p, q),
            (p, _) => {
                let more_likely = if p.is_some() { Side::First } else { Side::Second };
                return Ok(Some(Worst { loss: Loss::Infinite, outcome: outcome.clone(), more_likely }));
            }
        };
        let difference = &p - &q;
        let size = difference.abs();
        let bound = largest.as_ref().map_or_else(|| size.clone(), |largest| largest.max(&size));
        if largest.as_ref().is_none_or(|largest| size.upper_rational() > largest.upper_rational()) {
            let more_likely = if difference.is_negative() { Side::Second } else { Side::First };
            worst = Some(Worst { loss: Loss::Finite(bound.clone()), outcome: outcome.clone(), more_likely });
        }
        largest = Some(bound);
    }
    if let (Some(worst), Some(largest)) = (&mut worst, largest) {
        worst.loss = Loss::Finite(largest);
    }
    Ok(worst)
}

/// [`delta`] of enclosed probabilities, which must be normalised.
pub fn delta_of_enclosures<T: Ord + Clone>(
    first: &BTreeMap<T, Enclosure>,
    second: &BTreeMap<T, Enclosure>,
    epsilon: &Rational,
    bits: usize,
) -> Enclosure {
    let factor = Enclosure::exp_rational(epsilon, bits);
    let zero = Enclosure::from_integer(0, bits);
    let excess = |one: &BTreeMap<T, Enclosure>, other: &BTreeMap<T, Enclosure>| {
        one.iter().fold(zero.clone(), |sum, (outcome, share)| {
            let rest = other.get(outcome).map_or_else(|| share.clone(), |less| share - &(&factor * less));
            &sum + &rest.max(&zero)
        })
    };
    excess(first, second).max(&excess(second, first))
}
