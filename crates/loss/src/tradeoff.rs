//! Theorem G2a: what discrete Gaussian noise says about two tables, computed from its law and not
//! through ρ.
//!
//! Two tables x and x + v of one fibre: along every line of the lattice in the direction v the
//! noise is a discrete Gaussian on the integers with variance `s² = σ²/‖v‖²`, and the two tables
//! have the same lines with the same probabilities; on each the centres are one apart. Integer
//! tables leave only offsets `c = j/‖v‖²`, so the largest of finitely many one-dimensional laws is
//! a bound. Sums are enclosures with their tails; machine numbers choose where a bound is computed,
//! never what it is. Proof: `crates/certify/proofs/G2a.md`.

use crate::concentrated::about;
use exact::{Enclosure, Rational};
use std::ops::RangeInclusive;

const BITS: usize = 192;

/// Weights left out are below e to the minus this, compared with the largest.
const REACH: f64 = 80.0;

/// The most weights that are summed; beyond, noise is so wide that ρ must do.
const MOST_WEIGHTS: f64 = 40_000.0;

/// The most offsets: pairs farther apart are left to ρ.
const MOST_OFFSETS: u64 = 64;

/// Beyond this ρ nothing is left to say.
const MOST_RHO: f64 = 100.0;

/// ε is stated in millionths.
const PARTS: u32 = 1_000_000;

/// The laws of the noise along the lines between two tables, one for every offset.
#[derive(Debug)]
pub struct TradeOff {
    lines: Vec<Line>,
    rho: f64,
}

/// One law on the integers: `P(k) ∝ e^{−h(k − c)²}`, and the same with its centre one further.
#[derive(Debug)]
struct Line {
    offset: Rational,
    /// `h = 1/2s²`.
    rate: Rational,
    /// The place of the first sum.
    first: i64,
    /// Enclosures of `Σ_{k ≤ K} e^{−h(k − c)²}` for K from `first` to 1.
    sums: Vec<Enclosure>,
    /// Whatever lies below `first`, at most.
    below: Enclosure,
    /// The sum of all weights.
    all: Enclosure,
    /// These sums as parts of all, about.
    parts: Vec<f64>,
}

impl TradeOff {
    /// What noise of this variance in every cell says about two tables whose squared ℓ₂ distance is
    /// one of these; `None` where it is left to ρ.
    pub fn new(variance: &Rational, squares: RangeInclusive<u64>) -> Option<TradeOff> {
        let (least, most) = (*squares.start(), *squares.end());
        let offsets: u64 = if most <= MOST_OFFSETS { squares.clone().sum() } else { u64::MAX };
        let widest = (REACH * 2.0 * variance.to_f64() / least as f64).sqrt() + 3.0;
        let rho = most as f64 / (2.0 * variance.to_f64());
        if least == 0 || !variance.is_positive() || rho > MOST_RHO || offsets as f64 * 2.0 * widest > MOST_WEIGHTS {
            return None;
        }
        let lines = squares.flat_map(|squared| (0..squared).map(move |offset| (squared, offset)));
        let lines: Option<Vec<Line>> = lines.map(|(squared, offset)| Line::new(variance, squared, offset)).collect();
        Some(TradeOff { lines: lines?, rho })
    }

    /// An upper bound of δ at this ε: what is looked for in the release is at most e^ε times as
    /// likely with one table as with the other, plus δ.
    pub fn delta_at(&self, epsilon: &Rational) -> Rational {
        let power = Enclosure::exp_rational(epsilon, BITS);
        self.lines.iter().map(|line| line.delta(epsilon, &power)).max().unwrap_or_else(|| Rational::integer(1))
    }

    /// An ε, in millionths and rounded up, that holds at this δ; `None` when none was found.
    pub fn epsilon_at(&self, delta: &Rational) -> Option<Rational> {
        let wanted = delta.to_f64();
        let (mut low, mut high) = (0.0, about(self.rho, wanted) + 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.about_delta(middle) > wanted { low = middle } else { high = middle }
        }
        let start = (high * f64::from(PARTS)).ceil() as u64;
        let tried = [0, 1, 2, 4, 16, 64, 256].into_iter().map(|more| Rational::new(start + more, PARTS));
        tried.into_iter().find(|epsilon| self.delta_at(epsilon) <= *delta)
    }

    /// A pair (ε, δ) that bounds the type II error at this level well: any does.
    pub fn best_for(&self, level: &Rational) -> (Rational, Rational) {
        let level = level.to_f64();
        let bound = |epsilon: f64| {
            let (power, sure) = (epsilon.exp(), 1.0 - self.about_delta(epsilon));
            (sure - level * power).max((sure - level) / power)
        };
        let (mut best, mut width) = (0.0, (self.rho + 2.0 * (self.rho * 20.0).sqrt()) / 2.0);
        let mut centre = width;
        // The bound has kinks, one for every place of a law: a fine scan, and finer ones around its
        // best place.
        for _ in 0..3 {
            let places = (0..=1000).map(|step| (centre + width * (f64::from(step) / 500.0 - 1.0)).max(0.0));
            best = places.fold(best, |best, place| if bound(place) > bound(best) { place } else { best });
            (centre, width) = (best, width / 250.0);
        }
        let epsilon = Rational::new((best * f64::from(PARTS)).round() as u64, PARTS);
        let delta = self.delta_at(&epsilon);
        (epsilon, delta)
    }

    /// A t such that the log-odds between the two tables move by more than t with probability
    /// `chance` at most, whichever of the two it is: towards it; against it with e^{−t} of that at
    /// most. `None` when the chance is too small for the sums.
    pub fn log_odds(&self, chance: &Rational) -> Option<Rational> {
        let of_lines: Option<Vec<Rational>> = self.lines.iter().map(|line| line.log_odds(chance)).collect();
        of_lines?.into_iter().max()
    }

    fn about_delta(&self, epsilon: f64) -> f64 {
        self.lines.iter().map(|line| line.about_delta(epsilon)).fold(0.0, f64::max)
    }
}

impl Line {
    fn new(variance: &Rational, squared: u64, offset: u64) -> Option<Line> {
        let rate = &Rational::integer(squared) / &(&Rational::integer(2) * variance);
        let offset = Rational::new(offset, squared);
        let (two, one) = (Rational::integer(2), Rational::integer(1));
        let reach = (REACH / rate.to_f64()).sqrt().ceil() as i64 + 2;
        let power = |exponent: &Rational| Enclosure::exp_rational(&-(&rate * exponent), BITS);
        // Away from the centre every weight is the one before times a ratio, which itself shrinks
        // by e^{−2h}.
        let shrink = power(&two);
        let at_zero = power(&(&offset * &offset));
        let side = |first_ratio: Rational| {
            let (mut weight, mut ratio) = (at_zero.clone(), power(&first_ratio));
            let mut weights = Vec::with_capacity(reach as usize);
            for _ in 0..reach {
                weight = &weight * &ratio;
                weights.push(weight.clone());
                ratio = &ratio * &shrink;
            }
            // Beyond the last weight ratios are below `ratio`, which is below one there: a
            // geometric series.
            let rest = (&weight * &ratio).checked_div(&(&Enclosure::from_integer(1, BITS) - &ratio))?;
            (rest.is_nonnegative() || rest.contains_zero()).then_some((weights, rest))
        };
        let (down, below) = side(&one + &(&two * &offset))?;
        let (up, above) = side(&one - &(&two * &offset))?;
        let zero = Enclosure::from_integer(0, BITS);
        let below = Enclosure::from_bounds(zero.lower().clone(), below.upper().max(zero.upper()).clone(), BITS);
        let above = Enclosure::from_bounds(zero.lower().clone(), above.upper().max(zero.upper()).clone(), BITS);
        let mut sums = Vec::with_capacity(down.len() + 2);
        let mut sum = below.clone();
        for weight in down.iter().rev().chain([&at_zero]).chain(up.first()) {
            sum = &sum + weight;
            sums.push(sum.clone());
        }
        let all = up.iter().skip(1).fold(&sum + &above, |sum, weight| &sum + weight);
        let whole = all.to_f64();
        let parts = sums.iter().map(|sum| sum.to_f64() / whole).collect();
        Some(Line { offset, rate, first: -reach, sums, below, all, parts })
    }

    /// The last place at which the first law is more than e^ε times the second: `k < c + ½ − ε/2h`.
    fn last(&self, epsilon: &Rational) -> Option<i64> {
        let half = Rational::new(1, 2u8);
        let end = &(&self.offset + &half) - &(epsilon / &(&Rational::integer(2) * &self.rate));
        i64::try_from(&end.ceil()).ok().map(|end| end - 1)
    }

    fn sum(&self, place: i64) -> &Enclosure {
        match usize::try_from(place - self.first) {
            Ok(at) => &self.sums[at.min(self.sums.len() - 1)],
            Err(_) => &self.below,
        }
    }

    /// `P(k ≤ K) − e^ε P(k ≤ K − 1)` at the best K, at most.
    fn delta(&self, epsilon: &Rational, power: &Enclosure) -> Rational {
        let one = Rational::integer(1);
        let Some(last) = self.last(epsilon) else { return one };
        if last < self.first {
            return self.share(&self.below);
        }
        let found = self.share(&(self.sum(last) - &(power * self.sum(last - 1))));
        if found.is_negative() { Rational::integer(0) } else { found }
    }

    /// A part of all weights, at most.
    fn share(&self, part: &Enclosure) -> Rational {
        match part.checked_div(&self.all) {
            Some(share) => share.upper_rational(),
            None => Rational::integer(1),
        }
    }

    /// The log-odds at the first place that is not beyond the chance.
    fn log_odds(&self, chance: &Rational) -> Option<Rational> {
        let beyond = self.sums.partition_point(|sum| self.share(sum) <= *chance);
        if beyond == 0 || beyond == self.sums.len() {
            return None;
        }
        let place = Rational::integer(self.first + beyond as i64);
        let odds = &self.rate * &(&Rational::integer(1) - &(&Rational::integer(2) * &(&place - &self.offset)));
        Some(if odds.is_negative() { Rational::integer(0) } else { odds })
    }

    fn about_delta(&self, epsilon: f64) -> f64 {
        let rate = self.rate.to_f64();
        let last = (self.offset.to_f64() + 0.5 - epsilon / (2.0 * rate)).ceil() as i64 - 1;
        let part = |place: i64| match usize::try_from(place - self.first) {
            Ok(at) => self.parts[at.min(self.parts.len() - 1)],
            Err(_) => 0.0,
        };
        (part(last) - epsilon.exp() * part(last - 1)).max(0.0)
    }
}

/// Discrete Gaussian noise between two tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaussianNoise {
    /// σ² in every cell.
    pub variance: Rational,
    /// The square of the ℓ₂ distance of the tables is one of these.
    pub squares: RangeInclusive<u64>,
}

impl GaussianNoise {
    /// What it says about the two tables; `None` where it is left to ρ.
    pub fn trade_off(&self) -> Option<TradeOff> {
        TradeOff::new(&self.variance, self.squares.clone())
    }

    /// ρ of the two tables, at most.
    pub fn rho(&self) -> Rational {
        &Rational::integer(*self.squares.end()) / &(&Rational::integer(2) * &self.variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// The law of the noise on a line, by plain sums, far beyond where it matters.
    fn masses(variance: f64, squared: u64, offset: f64) -> Vec<f64> {
        let weights: Vec<f64> = (-400i32..=400)
            .map(|k| (-(f64::from(k) - offset).powi(2) * squared as f64 / (2.0 * variance)).exp())
            .collect();
        let all: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / all).collect()
    }

    fn hockey_stick(masses: &[f64], epsilon: f64) -> f64 {
        let other = |at: usize| if at == 0 { 0.0 } else { masses[at - 1] };
        masses.iter().enumerate().map(|(at, mass)| (mass - epsilon.exp() * other(at)).max(0.0)).sum()
    }

    #[test]
    fn delta_is_the_largest_over_the_offsets() {
        for (variance, squared) in [("1/4", 1), ("1", 1), ("1", 2), ("2", 3), ("25", 2), ("7/3", 4)] {
            let variance = number(variance);
            let law = TradeOff::new(&variance, squared..=squared).unwrap();
            for step in 0..30 {
                let epsilon = Rational::new(step, 5u8);
                let of = |offset: u64| {
                    let masses = masses(variance.to_f64(), squared, offset as f64 / squared as f64);
                    hockey_stick(&masses, epsilon.to_f64())
                };
                let truth = (0..squared).map(of).fold(0.0, f64::max);
                let found = law.delta_at(&epsilon).to_f64();
                assert!(
                    (found - truth).abs() < 1e-12 + 1e-9 * truth,
                    "{variance}, {squared}, {epsilon}: {found}, {truth}"
                );
            }
        }
    }

    #[test]
    fn log_odds_leave_no_more_than_the_chance() {
        let chance = Rational::new(1, 1_000_000u32);
        for (variance, squared) in [("1/4", 1), ("1", 2), ("50", 2), ("3", 4)] {
            let variance = number(variance);
            let odds = TradeOff::new(&variance, squared..=squared).unwrap().log_odds(&chance).unwrap().to_f64();
            let rate = squared as f64 / (2.0 * variance.to_f64());
            let beyond = |offset: u64, limit: f64| {
                let offset = offset as f64 / squared as f64;
                let places = (-400..=400).map(|k| rate * (1.0 - 2.0 * (f64::from(k) - offset)));
                let told = masses(variance.to_f64(), squared, offset).into_iter().zip(places);
                told.filter(|(_, odds)| *odds > limit).map(|(mass, _)| mass).sum::<f64>()
            };
            let most = |limit: f64| (0..squared).map(|offset| beyond(offset, limit)).fold(0.0, f64::max);
            assert!(most(odds + 1e-9) <= 1e-6 && most(odds - 1e-6) > 1e-6, "{variance}, {squared}: {odds}");
        }
    }

    #[test]
    fn what_is_too_wide_or_too_far_is_left_to_rho() {
        assert!(TradeOff::new(&number("1e9"), 1..=2).is_none());
        assert!(TradeOff::new(&number("1"), 65..=65).is_none());
        assert!(TradeOff::new(&number("1/300"), 1..=1).is_none());
    }
}
