//! The two views of constrained privacy (Liu, Sun, Zhou and Feng 2023) as operations on finite
//! laws, in fractions.
//!
//! *Belief revision* conditions the law of a mechanism on the constraint
//! ([`FiniteLaw::conditioned`]); *belief update* moves every outcome to the nearest one that
//! satisfies it ([`FiniteLaw::imaged`], a push-forward). `tests/audit/table1.rs` goes through their
//! Table 1 column by column:
//!
//! | column of Table 1 | conditioning | projection |
//! |---|---|---|
//! | privacy preserving | ✗ the normaliser moves | ✓ |
//! | … for linear equalities | ✓ the normaliser does not move (additive noise) | ✓ |
//! | post-processing | ✓ of what was conditioned; conditioning what was processed is another law (Lemma 3.4(2) is a slip) | ✓ |
//! | basic composition | ✓ | ✓ |
//! | disjoint-union composition | ✓ a mixture with weight P(C)/(P(C)+P(C')); the loss is **not** inherited | ✗ |
//! | mixture composition | ✗ | ✓ commutes |
//! | minimum principle | KL divergence ([`FiniteLaw::divergence_from`]) | distance |
//!
//! Theorem 3.5 part 2 of the paper, that the union inherits the loss, is false: C = {0}, C' = {1}
//! and e^{−|u|} have loss 0 for either part and loss 1 for the union.
//!
//! For spherical Gaussian noise and equalities the two views agree: [`gaussian`].

mod divergence;
pub mod gaussian;

use exact::Rational;
use std::collections::BTreeMap;

/// Probabilities of finitely many outcomes, which are above zero and add up to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiniteLaw<T: Ord> {
    probabilities: BTreeMap<T, Rational>,
}

impl<T: Ord + Clone> FiniteLaw<T> {
    /// The law proportional to these weights; weights of equal outcomes add up. `None` when a
    /// weight is negative or all are zero.
    pub fn from_weights(weights: impl IntoIterator<Item = (T, Rational)>) -> Option<Self> {
        let mut sums: BTreeMap<T, Rational> = BTreeMap::new();
        for (outcome, weight) in weights {
            if weight.is_negative() {
                return None;
            }
            let sum = sums.entry(outcome).or_insert_with(|| Rational::integer(0));
            *sum = &*sum + &weight;
        }
        sums.retain(|_, weight| !weight.is_zero());
        let total = total(sums.values());
        let inverse = total.reciprocal()?;
        sums.values_mut().for_each(|weight| *weight = &*weight * &inverse);
        Some(FiniteLaw { probabilities: sums })
    }

    /// Certainly this outcome.
    pub fn point(outcome: T) -> Self {
        FiniteLaw { probabilities: BTreeMap::from([(outcome, Rational::integer(1))]) }
    }

    /// Outcomes with their probabilities, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&T, &Rational)> {
        self.probabilities.iter()
    }

    /// The probability of an outcome.
    pub fn probability(&self, outcome: &T) -> Rational {
        self.probabilities.get(outcome).cloned().unwrap_or_else(|| Rational::integer(0))
    }

    /// The probability of an event.
    pub fn mass(&self, event: impl Fn(&T) -> bool) -> Rational {
        total(self.probabilities.iter().filter(|(outcome, _)| event(outcome)).map(|(_, share)| share))
    }

    /// Belief revision: the law given the constraint; `None` when it has no probability.
    pub fn conditioned(&self, constraint: impl Fn(&T) -> bool) -> Option<Self> {
        let kept = self.probabilities.iter().filter(|(outcome, _)| constraint(outcome));
        FiniteLaw::from_weights(kept.map(|(outcome, share)| (outcome.clone(), share.clone())))
    }

    /// The law of a function of the outcome.
    pub fn imaged<U: Ord + Clone>(&self, function: impl Fn(&T) -> U) -> FiniteLaw<U> {
        let mut probabilities: BTreeMap<U, Rational> = BTreeMap::new();
        for (outcome, share) in &self.probabilities {
            let sum = probabilities.entry(function(outcome)).or_insert_with(|| Rational::integer(0));
            *sum = &*sum + share;
        }
        FiniteLaw { probabilities }
    }

    /// Belief update: every outcome moves to the nearest one that satisfies the constraint, the
    /// first in order among equally near ones; `None` when the set is empty.
    pub fn projected(&self, constraint: &[T], distance: impl Fn(&T, &T) -> Rational) -> Option<Self> {
        let mut sorted: Vec<&T> = constraint.iter().collect();
        sorted.sort();
        sorted.first()?;
        let nearest = |outcome: &T| {
            let reached = sorted.iter().map(|candidate| (distance(outcome, candidate), *candidate));
            reached.min_by(|one, other| one.0.cmp(&other.0)).map(|(_, candidate)| candidate.clone())
        };
        Some(self.imaged(|outcome| nearest(outcome).unwrap_or_else(|| outcome.clone())))
    }

    /// This law with probability `weight`, the other otherwise; `None` unless the weight is in [0,
    /// 1].
    pub fn mixed(&self, weight: &Rational, other: &Self) -> Option<Self> {
        let rest = &Rational::integer(1) - weight;
        if weight.is_negative() || rest.is_negative() {
            return None;
        }
        let parts = [(self, weight), (other, &rest)];
        let weighted = parts.into_iter().flat_map(|(law, weight)| {
            law.probabilities.iter().map(move |(outcome, share)| (outcome.clone(), share * weight))
        });
        FiniteLaw::from_weights(weighted)
    }

    /// Two independent outcomes.
    pub fn product<U: Ord + Clone>(&self, other: &FiniteLaw<U>) -> FiniteLaw<(T, U)> {
        let pairs = self.probabilities.iter().flat_map(|(one, share)| {
            other.probabilities.iter().map(move |(two, more)| ((one.clone(), two.clone()), share * more))
        });
        FiniteLaw { probabilities: pairs.collect() }
    }
}

impl FiniteLaw<i64> {
    /// Double geometric noise with parameter 0 < a < 1 around `centre`, with everything below `low`
    /// or above `high` moved there: finite, and exactly as private as the noise, because clamping
    /// is post-processing. `None` unless 0 < a < 1 and `low ≤ centre ≤ high`.
    pub fn clamped_double_geometric(a: &Rational, centre: i64, low: i64, high: i64) -> Option<Self> {
        let one = Rational::integer(1);
        if !a.is_positive() || *a >= one || centre < low || centre > high {
            return None;
        }
        let power = |distance: i64| u32::try_from(distance).ok().map(|distance| a.pow(distance));
        let inner = &(&one - a) / &(&one + a);
        // Σ_{u ≥ d} of the law is a^d/(1 + a) for d ≥ 1, and 1/(1 + a) for d = 0.
        let tail = |distance: i64| Some(&power(distance)? / &(&one + a));
        if low == high {
            return Some(FiniteLaw::point(low));
        }
        let mut weights = vec![(low, tail(centre - low)?), (high, tail(high - centre)?)];
        for value in low + 1..high {
            weights.push((value, &inner * &power((value - centre).abs())?));
        }
        FiniteLaw::from_weights(weights)
    }
}

fn total<'a>(numbers: impl Iterator<Item = &'a Rational>) -> Rational {
    numbers.fold(Rational::integer(0), |sum, number| &sum + number)
}
