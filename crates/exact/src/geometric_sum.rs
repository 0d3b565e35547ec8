//! The sum of n equal geometric numbers: drawn, or accepted by its weight, without a table however
//! many there are.
//!
//! With weights `a^k` each, a = e^{−ε}, the sum has weight `C(n+k−1, k)·a^k`: log-concave, hence
//! [`crate::unimodal`]. Proof: `crates/draw/proofs/class.md`, section 7.

use crate::bracket::Bracket;
use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::{Bounds, coin};
use crate::rational::Rational;
use crate::unimodal::{Unimodal, UnimodalLaw, first_fall, is_at_least};
use crate::ways::Ways;
use dashu_int::{IBig, UBig};

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
        GeometricSum { law: Unimodal::new(Weights::new(n, epsilon.clone())) }
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

/// The weights of the sum.
#[derive(Debug, Clone)]
struct Weights {
    ways: Ways,
    epsilon: Rational,
    mode: u64,
    /// a to 192 bits.
    ratio: Enclosure,
    /// a as a bracket, if it does not underflow.
    quick: Option<Bracket>,
}

impl Weights {
    fn new(n: u64, epsilon: Rational) -> Self {
        let ratio = Enclosure::exp_rational(&-&epsilon, 192);
        let quick = Bracket::of(&ratio);
        let mut weights = Weights { ways: Ways { cells: n }, epsilon, mode: 0, ratio, quick };
        weights.mode = first_fall(|k| weights.rises(k));
        weights
    }

    /// Whether `a·(n+k) ≥ k+1`.
    fn rises(&self, k: u64) -> bool {
        let above = IBig::from(UBig::from(self.ways.cells) + UBig::from(k));
        is_at_least(&self.ratio, &-&self.epsilon, &above, &(IBig::from(k) + IBig::ONE))
    }
}

impl UnimodalLaw for Weights {
    fn mode(&self) -> i64 {
        self.mode as i64
    }

    fn bounds(&self, offset: i64) -> Bounds {
        let distance = offset.unsigned_abs();
        if offset < 0 && distance > self.mode {
            return Bounds { floor: 0, last: 0 };
        }
        let Some(ratio) = self.quick else { return Bounds::UNKNOWN };
        if !self.ways.is_short(distance) {
            return Bounds::UNKNOWN;
        }
        let (low, high) =
            if offset < 0 { (self.mode - distance, self.mode) } else { (self.mode, self.mode + distance) };
        let rise = self.ways.rise(low, high).times(ratio.power(distance));
        if offset < 0 { Bracket::integer(1).over(rise).bounds() } else { rise.bounds() }
    }

    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        let Some(k) = self.mode.checked_add_signed(offset) else {
            return Enclosure::from_integer(0, bits);
        };
        // Logarithms of factorials of 62-bit numbers have at most 68 bits before the point.
        let working = bits + 72;
        let decay = Enclosure::from_rational(&-(&self.epsilon * &Rational::integer(offset)), working);
        let ways = &self.ways.logarithm(k, working) - &self.ways.logarithm(self.mode, working);
        (&decay + &ways).exp().with_bits(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of every k up to some, in fractions of e^{−ε}, against the ratio and its quick
    /// bounds.
    #[test]
    fn ratios_are_those_of_the_ways_times_powers() {
        for (n, epsilon) in [(1u64, "1"), (2, "1/3"), (5, "1/5"), (40, "2"), (3000, "1/10"), (1_000_000, "1/5")] {
            let weights = Weights::new(n, epsilon.parse().unwrap());
            assert!(!weights.rises(weights.mode) && (weights.mode == 0 || weights.rises(weights.mode - 1)));
            let mut expected = Enclosure::from_integer(1, 256);
            for k in weights.mode..weights.mode + 30 {
                let offset = (k - weights.mode) as i64;
                let (found, bounds) = (weights.ratio(offset, 160), weights.bounds(offset));
                assert!(found.certainly_less(&expected) != Some(true) && expected.certainly_less(&found) != Some(true));
                assert!((IBig::from(bounds.floor) << 96usize) <= *found.upper(), "n = {n}, k = {k}");
                assert!(((IBig::from(bounds.last) + IBig::ONE) << 96usize) >= *found.lower(), "n = {n}, k = {k}");
                // W(k+1)/W(k) = a(n+k)/(k+1).
                let step = &weights.ratio * &Enclosure::from_rational(&Rational::new(n + k, k + 1), 192);
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
