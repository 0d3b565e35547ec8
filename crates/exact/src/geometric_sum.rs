//! The sum of n equal geometric numbers: drawn, or accepted by its weight, without a table however
//! many there are.
//!
//! With weights `a^k` each, a = e^{−ε}, the sum has weight `C(n+k−1, k)·a^k`: log-concave, hence
//! [`crate::unimodal`]. Proof: `crates/draw/proofs/class.md`, section 7.

use crate::entropy::Entropy;
use crate::lazy::coin;
use crate::rational::Rational;
use crate::unimodal::{Unimodal, UnimodalLaw};
use crate::ways::Weights;

/// The law of the sum of n geometric numbers.
#[derive(Debug, Clone)]
pub struct GeometricSum {
    law: Unimodal<Weights>,
}

impl GeometricSum {
    /// Of n ≥ 1 numbers with parameter e^{−ε}.
    ///
    /// # Panics
    /// When n is zero, ε is not positive, or n/ε is so large that the sum would leave 62-bit
    /// integers.
    pub fn new(n: u64, epsilon: &Rational) -> Self {
        assert!(n > 0 && epsilon.is_positive(), "numbers and ε are positive");
        GeometricSum { law: Unimodal::new(Weights::new(n, epsilon.clone(), None)) }
    }

    /// Draws the sum.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> u64 {
        self.law.draw(entropy) as u64
    }

    /// One attempt at a draw, as [`Unimodal::attempt`].
    pub fn attempt<E: Entropy>(&self, entropy: &mut E) -> Option<u64> {
        self.law.attempt(entropy).map(|sum| sum as u64)
    }

    /// A coin that shows heads with the weight of a sum over the largest of all weights: never for
    /// a sum below zero.
    pub fn accepts<E: Entropy>(&self, entropy: &mut E, sum: i64) -> bool {
        let law = self.law.law();
        if sum < 0 {
            return false;
        }
        let offset = sum - law.mode();
        coin(entropy, law.bounds(offset), |bits| law.ratio(offset, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosure::Enclosure;
    use dashu_int::IBig;

    /// The weight of every k up to some, in fractions of e^{−ε}, against the ratio and its quick
    /// bounds.
    #[test]
    fn ratios_are_those_of_the_ways_times_powers() {
        for (n, epsilon) in [(1u64, "1"), (2, "1/3"), (5, "1/5"), (40, "2"), (3000, "1/10"), (1_000_000, "1/5")] {
            let weights = Weights::new(n, epsilon.parse().unwrap(), None);
            assert!(!weights.rises(weights.mode) && (weights.mode == 0 || weights.rises(weights.mode - 1)));
            let mut expected = Enclosure::from_integer(1, 256);
            for k in weights.mode..weights.mode + 30 {
                let offset = (k - weights.mode) as i64;
                let (found, bounds) = (weights.ratio(offset, 160), weights.bounds(offset));
                assert!(found.certainly_less(&expected) != Some(true) && expected.certainly_less(&found) != Some(true));
                assert!((IBig::from(bounds.floor) << 96usize) <= *found.upper(), "n = {n}, k = {k}");
                assert!(((IBig::from(bounds.last) + IBig::ONE) << 96usize) >= *found.lower(), "n = {n}, k = {k}");
                // W(k+1)/W(k) = a(n+k)/(k+1).
                let step = &weights.factor * &Enclosure::from_rational(&Rational::new(n + k, k + 1), 192);
                expected = &expected.with_bits(192) * &step;
            }
            for offset in [-5000, -4097, -300, -1, 4097, 9000] {
                let (found, bounds) = (weights.ratio(offset, 160), weights.bounds(offset));
                assert!((IBig::from(bounds.floor) << 96usize) <= *found.upper(), "n = {n}, offset {offset}");
                assert!(((IBig::from(bounds.last) + IBig::ONE) << 96usize) >= *found.lower());
                assert!(*found.lower() <= IBig::ONE << 160, "the mode is exceeded");
            }
        }
    }
}
