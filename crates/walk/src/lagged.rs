//! `Lagged`: what pairs of chains with a lag say about how close a walk is to its law, as
//! published; for research.
//!
//! Nothing is certified by it: [`super::Evidence`] is what releases rest on.
//!
//! Two chains, one L steps ahead of the other, move together until they meet. With m = τ − L the
//! steps of the later chain until then, the distance in total variation between the chain after t
//! steps and its law is at most `E[max(0, ⌈(m − t)/L⌉)] = Σ_{j ≥ 0} P(m > t + jL)`. Each
//! probability is replaced by its upper Clopper–Pearson limit; beyond the threshold u, the meeting
//! time that a tenth of all pairs exceed, **it is assumed** that a pair that has not met yet meets
//! in every further step with at least a constant probability, of which the lower Clopper–Pearson
//! limit is used. So the bound is evidence, not proof. Derivation: `proofs/couplings.md`.

use super::evidence::error_level;
use super::limits::{least_rate, upper_limit};

/// One pair in so many exceeds the threshold of the tail.
const TAIL_SHARE: usize = 10;

/// The fewest pairs from which a tail is estimated.
pub const FEWEST_PAIRS: usize = 100;

/// When pairs of chains met, one of them a lag ahead.
#[derive(Debug, Clone, PartialEq)]
pub struct Lagged {
    /// L: how many steps one chain is ahead.
    pub lag: u64,
    /// The meeting times τ − L of all pairs, increasing.
    pub meetings: Vec<u64>,
    /// How many different tables the pairs were started from: one where the noise does not depend
    /// on the table.
    pub starts: u64,
}

/// The assumption about pairs that meet late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    /// u: the steps beyond which the assumption is used.
    pub threshold: u64,
    /// How many pairs met later.
    pub later: usize,
    /// An upper limit of the probability to meet later than u.
    pub beyond: f64,
    /// A lower limit of the probability to meet in a step after u.
    pub rate: f64,
}

impl Lagged {
    /// The tail of the meeting times.
    pub fn tail(&self) -> Tail {
        self.tail_at(error_level() / 2.0)
    }

    /// The tail, each of its two limits at this error level.
    fn tail_at(&self, level: f64) -> Tail {
        let pairs = self.meetings.len();
        let later = (pairs / TAIL_SHARE).max(1).min(pairs);
        let threshold = if later < pairs { self.meetings[pairs - later - 1] } else { 0 };
        // Pairs that tie with the threshold did not exceed it, and so the excesses are those of
        // fewer; but the threshold was found as the time that `later` pairs exceed or tie, and the
        // limit of exceeding it is that of so many.
        let late = self.meetings.partition_point(|meeting| *meeting <= threshold);
        let excess: u64 = self.meetings[late..].iter().map(|meeting| meeting - threshold).sum();
        let late = pairs - late;
        // With no late pair at all a single one in the next step is supposed.
        let rate = if late == 0 { least_rate(1, 1, level) } else { least_rate(late as u64, excess, level) };
        Tail { threshold, later: late, beyond: upper_limit(later as u64, pairs as u64, level), rate }
    }

    /// The upper confidence limit of the distance after `steps` steps, from each of the starts: the
    /// mean over all pairs bounds the mean over starts, and none is farther off than all of them
    /// together.
    pub fn bound(&self, steps: u64) -> f64 {
        (self.mean_bound(steps) * self.starts.max(1) as f64).min(1.0)
    }

    fn mean_bound(&self, steps: u64) -> f64 {
        let level = error_level();
        let tail = self.tail();
        // What all terms from the first at or beyond u add up to.
        let beyond = |tail: &Tail, first: u64| {
            let stay = (-tail.rate).ln_1p();
            let excess = (first - tail.threshold) as f64;
            tail.beyond * (excess * stay).exp() / -(self.lag as f64 * stay).exp_m1()
        };
        if steps >= tail.threshold {
            return beyond(&tail, steps);
        }
        // The terms before u share a third of the error with the two limits of the tail.
        let tail = self.tail_at(level / 3.0);
        let terms = (tail.threshold - steps).div_ceil(self.lag);
        let level = level / 3.0 / terms as f64;
        let pairs = self.meetings.len();
        let exceeding = |steps: u64| (pairs - self.meetings.partition_point(|meeting| *meeting <= steps)) as u64;
        let limit = |term: u64| upper_limit(exceeding(steps + term * self.lag), pairs as u64, level);
        (0..terms).map(limit).sum::<f64>() + beyond(&tail, steps + terms * self.lag)
    }

    /// A lower confidence limit of `E[max(0, ⌈(m − t)/L⌉)]`, for reading: how much of the bound the
    /// pairs that met late prove. It rests on no assumption.
    pub fn at_least(&self, steps: u64) -> f64 {
        let pairs = self.meetings.len();
        let latest = self.meetings.last().copied().unwrap_or(0);
        let terms = latest.saturating_sub(steps).div_ceil(self.lag);
        let exceeding = |steps: u64| (pairs - self.meetings.partition_point(|meeting| *meeting <= steps)) as u64;
        let level = error_level() / terms.max(1) as f64;
        (0..terms).map(|term| least_rate(exceeding(steps + term * self.lag), pairs as u64, level)).sum()
    }

    /// The mean of `max(0, ⌈(m − t)/L⌉)` over all pairs: the estimate of the bound.
    pub fn estimate(&self, steps: u64) -> f64 {
        let terms = self.meetings.iter().map(|meeting| meeting.saturating_sub(steps).div_ceil(self.lag) as f64);
        terms.sum::<f64>() / self.meetings.len().max(1) as f64
    }

    /// The fewest steps, not below the threshold of the tail, after which the bound is at most
    /// `distance`.
    pub fn steps_for(&self, distance: f64) -> u64 {
        let mut low = self.tail().threshold;
        let mut high = low.max(1);
        while self.bound(high) > distance && high < MOST_STEPS {
            high *= 2;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.bound(middle) <= distance { high = middle } else { low = middle + 1 }
        }
        high
    }
}

/// No chain makes more steps.
const MOST_STEPS: u64 = 1 << 40;
