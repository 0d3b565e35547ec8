//! `Law`: the probabilities of an integer, to be read.

use exact::Positive;
use std::sync::Arc;

/// Probabilities of consecutive integers, as machine numbers with about twelve digits. What is not
/// listed has a probability below 10⁻¹⁶ of the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// The value of the first probability.
    pub first: i64,
    /// The probabilities. Laws that differ by a shift share them.
    pub probabilities: Arc<[f64]>,
}

/// Smaller probabilities, relative to the largest, are left out at both ends.
const LEAST: f64 = 1e-18;
/// The longest law that is listed.
const LONGEST: i64 = 1 << 24;

impl Law {
    /// Certainly this value.
    pub fn point(value: i64) -> Law {
        Law { first: value, probabilities: Arc::new([1.0]) }
    }

    /// From weights of consecutive values; `None` when there is no weight at all.
    pub fn from_weights(first: i64, weights: &[f64]) -> Option<Law> {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let listed = |weight: &f64| *weight >= LEAST * largest && *weight > 0.0;
        let start = weights.iter().position(listed)?;
        let end = weights.iter().rposition(listed)? + 1;
        let whole: f64 = weights[start..end].iter().sum();
        let probabilities = weights[start..end].iter().map(|weight| weight / whole).collect();
        Some(Law { first: first + start as i64, probabilities })
    }

    /// From weights of some values, each once.
    pub(crate) fn of_values<T: Positive>(weights: &[(i64, T)]) -> Option<Law> {
        let present = || weights.iter().filter(|(_, weight)| !weight.is_zero());
        let largest = present().filter_map(|(_, weight)| weight.magnitude()).max()?;
        let (first, last) = (present().map(|(value, _)| *value).min()?, present().map(|(value, _)| *value).max()?);
        let length = last.checked_sub(first).filter(|length| *length < LONGEST)? + 1;
        let mut listed = vec![0.0; length as usize];
        for (value, weight) in present() {
            listed[(value - first) as usize] += scaled(weight, largest);
        }
        Law::from_weights(first, &listed)
    }

    /// The law of the value times a factor.
    pub(crate) fn times(&self, factor: i64) -> Option<Law> {
        if factor == 1 {
            return Some(self.clone());
        }
        let weights = self.listed().map(|(value, weight)| Some((value.checked_mul(factor)?, weight)));
        Law::of_values(&weights.collect::<Option<Vec<(i64, f64)>>>()?)
    }

    /// The law of the value plus a number.
    pub fn shifted(&self, by: i64) -> Law {
        Law { first: self.first + by, probabilities: self.probabilities.clone() }
    }

    /// The values with their probabilities, in order.
    pub fn listed(&self) -> impl Iterator<Item = (i64, f64)> {
        (self.first..).zip(self.probabilities.iter().copied())
    }

    /// The probability of a value.
    pub fn probability(&self, value: i64) -> f64 {
        let place = value.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.probabilities.get(place)).copied().unwrap_or(0.0)
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.first as f64 + self.expected(|place| place)
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        let mean = self.expected(|place| place);
        self.expected(|place| (place - mean).powi(2))
    }

    /// The mean of |value − centre|.
    pub fn mean_absolute(&self, centre: i64) -> f64 {
        let centre = (centre - self.first) as f64;
        self.expected(|place| (place - centre).abs())
    }

    /// The least value that is not exceeded with at least this probability.
    pub fn quantile(&self, probability: f64) -> i64 {
        let mut below = 0.0;
        let is_reached = |mass: &f64| {
            below += mass;
            // The last digits of a sum of probabilities are not known.
            below >= probability - 1e-12
        };
        let place = self.probabilities.iter().position(is_reached).unwrap_or(self.probabilities.len() - 1);
        self.first + place as i64
    }

    /// The mean of a function of the place in the list.
    fn expected(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.probabilities.iter().enumerate().map(|(place, mass)| mass * of(place as f64)).sum()
    }
}

/// A share of missing weight that a law may have.
const NEGLIGIBLE: f64 = 1e-13;

/// Whether so little is missing beside a whole weight that laws are read from it.
pub(crate) fn is_complete<T: Positive>(whole: &T, missing: &T) -> bool {
    whole.magnitude().is_some_and(|magnitude| {
        let share = if missing.is_zero() { 0.0 } else { missing.shifted(-magnitude).to_f64() };
        share <= NEGLIGIBLE * scaled(whole, magnitude)
    })
}

/// A weight as a machine number, relative to 2^magnitude; what is far too small to matter becomes
/// zero.
pub(crate) fn scaled<T: Positive>(weight: &T, magnitude: i64) -> f64 {
    match weight.magnitude() {
        Some(own) if own > magnitude - 900 => weight.shifted(-magnitude).to_f64(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_tells_its_moments_and_quantiles() {
        let law = Law::from_weights(-1, &[1.0, 2.0, 0.0, 1.0]).unwrap();
        assert_eq!((law.mean(), law.variance()), (0.25, 1.1875));
        assert_eq!((law.mean_absolute(0), law.mean_absolute(2)), (0.75, 1.75));
        assert_eq!([0.0, 0.25, 0.5, 0.75, 0.76, 1.0].map(|level| law.quantile(level)), [-1, -1, 0, 0, 2, 2]);
        assert_eq!([-2, 0, 1, 2, 3].map(|value| law.probability(value)), [0.0, 0.5, 0.0, 0.25, 0.0]);
        assert_eq!(law.shifted(5).mean(), 5.25);
        assert_eq!(law.times(-2).unwrap().listed().filter(|(_, mass)| *mass > 0.0).count(), 3);
        assert_eq!(law.times(-2).unwrap().probability(2), 0.25);
        assert_eq!(Law::from_weights(0, &[0.0]), None);
    }
}
