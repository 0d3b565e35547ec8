//! `Factor`: a public weight ν(y) of every count of a cell, by which the weight of its noise is
//! multiplied.
//!
//! A base measure, or a prior: what was public before says that some counts are more likely than
//! others. Weights of neighbours are in the ratio of a fraction, or weights are listed: nothing is
//! rounded here. A factor is known up to a constant; ν(0) = 1 unless listed.

use exact::{Natural, Rational};
use std::collections::BTreeMap;

/// Weights of the counts 0, 1, 2, …
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Factor {
    /// `Γ(y + a)/(Γ(y + 1)Γ(a))`, a ≥ 0: one cell of a Dirichlet-multinomial law given its total.
    /// ν(y+1)/ν(y) = (y + a)/(y + 1). Zero alone has weight where a = 0.
    Rising(Rational),
    /// `a^y/y!`, a ≥ 0: one cell of independent Poisson counts. ν(y+1)/ν(y) = a/(y + 1).
    Poisson(Rational),
    /// These weights, none negative; counts that are not listed weigh 1.
    Listed(BTreeMap<i64, Rational>),
}

impl Factor {
    /// `ν(y + 1)/ν(y)` where both are known by their ratio; 1 for listed weights, which
    /// [`Factor::listed`] gives one by one.
    pub fn ratio(&self, y: i64) -> Rational {
        let next = Rational::integer(y + 1);
        match self {
            Factor::Rising(a) => &(&Rational::integer(y) + a) / &next,
            Factor::Poisson(mean) => mean / &next,
            Factor::Listed(_) => Rational::integer(1),
        }
    }

    /// The listed weight of a count: 1 where none is listed, `None` where weights are not listed at
    /// all.
    pub fn listed(&self, y: i64) -> Option<Rational> {
        match self {
            Factor::Listed(weights) => Some(weights.get(&y).cloned().unwrap_or_else(|| Rational::integer(1))),
            Factor::Rising(_) | Factor::Poisson(_) => None,
        }
    }

    /// The weight of a count, exactly: as long a product as the count is large.
    pub fn weight(&self, y: i64) -> Rational {
        match self.listed(y) {
            Some(weight) => weight,
            None => (0..y).fold(Rational::integer(1), |weight, below| &weight * &self.ratio(below)),
        }
    }

    /// Whether a count has weight.
    pub fn possible(&self, y: i64) -> bool {
        match self {
            Factor::Rising(a) | Factor::Poisson(a) => y == 0 || a.is_positive(),
            Factor::Listed(weights) => weights.get(&y).is_none_or(Rational::is_positive),
        }
    }

    /// Whether some count has no weight.
    pub fn has_zeros(&self) -> bool {
        match self {
            Factor::Rising(a) | Factor::Poisson(a) => a.is_zero(),
            Factor::Listed(weights) => weights.values().any(Rational::is_zero),
        }
    }

    /// ln ν(y) in machine numbers, for choosing windows and for reading.
    pub fn log(&self, y: i64) -> f64 {
        if !self.possible(y) {
            return f64::NEG_INFINITY;
        }
        let count = y as f64;
        match self {
            _ if y == 0 && !matches!(self, Factor::Listed(_)) => 0.0,
            Factor::Rising(a) => {
                let a = a.to_f64();
                log_gamma(count + a) - log_gamma(count + 1.0) - log_gamma(a)
            }
            Factor::Poisson(mean) => count * mean.to_f64().ln() - log_gamma(count + 1.0),
            Factor::Listed(weights) => weights.get(&y).map_or(0.0, |weight| weight.to_f64().ln()),
        }
    }

    /// A number b with ν(z) ≤ 2^b·ν(y) for all z from 0 to y − 1, y at least 1; `None` where none
    /// is known.
    pub(crate) fn rise_below(&self, y: i64) -> Option<i64> {
        match self {
            // ν(0)/ν(y) = (1/a)·∏ (z+1)/(z+a) ≤ (1/a)·∏ (z+1)/z = y/a over 0 < z < y, and ν falls.
            Factor::Rising(a) if a.is_positive() && *a < Rational::integer(1) => {
                Some(bits_above(&(&Rational::integer(y) / a)))
            }
            Factor::Rising(_) => Some(0),
            Factor::Poisson(mean) => (Rational::integer(y) <= *mean).then_some(0),
            Factor::Listed(weights) => Some(most_bits(weights)),
        }
    }

    /// A number b with ν(z) ≤ 2^b·ν(y) for all z above y; `None` where none is known.
    pub(crate) fn rise_above(&self, y: i64) -> Option<i64> {
        match self {
            Factor::Rising(a) => (*a <= Rational::integer(1)).then_some(0),
            Factor::Poisson(mean) => (*mean <= Rational::integer(y + 1)).then_some(0),
            Factor::Listed(weights) => Some(most_bits(weights)),
        }
    }
}

/// Listed weights are never more than so many bits above 1; their noise is followed without them.
fn most_bits(weights: &BTreeMap<i64, Rational>) -> i64 {
    weights.values().map(bits_above).fold(0, i64::max)
}

/// The least b ≥ 0 with value ≤ 2^b.
fn bits_above(value: &Rational) -> i64 {
    let whole = Natural::try_from(value.ceil()).unwrap_or(Natural::ZERO);
    let mut bits = 0;
    while (Natural::ONE << bits) < whole {
        bits += 1;
    }
    bits as i64
}

/// ln Γ(x) for x > 0, to about fourteen digits: the Stirling series from 12 on.
fn log_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 12.0 {
        product *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    #[test]
    fn logarithms_and_bounds_are_those_of_the_weights() {
        let listed = [(0, rational("1/7")), (3, rational("5"))].into_iter().collect();
        let factors = [
            Factor::Rising(rational("1/200")),
            Factor::Rising(rational("7/2")),
            Factor::Rising(rational("1")),
            Factor::Poisson(rational("9/2")),
            Factor::Listed(listed),
        ];
        for factor in &factors {
            for y in 0..60 {
                let weight = factor.weight(y);
                assert!((factor.log(y) - weight.to_f64().ln()).abs() < 1e-11, "{factor:?} {y}");
                let two = |bits: i64| Rational::integer(Natural::ONE << bits as usize);
                // Listed weights are bounded by themselves, others next to that of y.
                let own = if factor.listed(y).is_some() { Rational::integer(1) } else { weight };
                if let Some(bits) = factor.rise_below(y.max(1)).filter(|_| y > 0) {
                    assert!((0..y).all(|z| factor.weight(z) <= &two(bits) * &own), "{factor:?} {y}");
                }
                if let Some(bits) = factor.rise_above(y) {
                    assert!((y + 1..90).all(|z| factor.weight(z) <= &two(bits) * &own), "{factor:?} {y}");
                }
            }
        }
        assert_eq!(Factor::Rising(rational("0")).weight(1), rational("0"));
        assert!(Factor::Poisson(rational("0")).has_zeros() && !factors[0].has_zeros());
    }
}
