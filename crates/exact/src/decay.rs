//! e^{−x} of machine numbers, with a proved bound of its error: only operations that machines round
//! correctly take part.
//!
//! `x = n/32 + r` with `0 ≤ r < 1/32`, both parts exact. e^{−n/32} is looked up, within one
//! rounding of the truth. e^{−r} is its Taylor polynomial of degree 7: what is left out is below
//! `r⁸/8! < 2⁻⁵⁵`, and its fourteen operations have results of at most one. So the product is
//! within 20 roundings of 2⁻⁵³, and a relative error of 2⁻⁴⁷ is claimed.

use crate::lazy::Bounds;
use crate::positive::Positive;
use crate::rational::Rational;
use std::sync::OnceLock;

/// The relative error of [`decay`] is below 2 to minus this.
pub const DECAY_BITS: i32 = 47;

/// Beyond this the result is claimed to be zero, with an absolute error of 2⁻⁹⁰⁰.
const FARTHEST: f64 = 624.0;

/// e^{−n/32} for all n that are needed.
fn table() -> &'static [f64] {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    TABLE.get_or_init(|| (0..=FARTHEST as u32 * 32).map(|n| f64::exp_minus(&Rational::new(n, 32u8), 53)).collect())
}

/// e^{−x} for x at or above zero, within a factor `1 ± 2^−DECAY_BITS`; zero where it is below
/// 2⁻⁹⁰⁰.
#[inline]
pub fn decay(x: f64) -> f64 {
    if x >= FARTHEST - 1.0 || x.is_nan() {
        return 0.0;
    }
    let n = (x * 32.0).floor();
    let r = x - n / 32.0;
    let series = 1.0 - r / 7.0;
    let series = 1.0 - r / 6.0 * series;
    let series = 1.0 - r / 5.0 * series;
    let series = 1.0 - r / 4.0 * series;
    let series = 1.0 - r / 3.0 * series;
    let series = 1.0 - r / 2.0 * series;
    (1.0 - r * series) * table()[n as usize]
}

/// Bounds of e^{−y} for every y at or above zero with `|y − x| ≤ error`, as words.
#[inline]
pub fn decay_bounds(x: f64, error: f64) -> Bounds {
    if error.is_nan() || error > 0.125 {
        return Bounds::UNKNOWN;
    }
    let middle = decay(x.max(0.0));
    // e^{±error} is within 1 ± 2·error; the last terms cover the roundings of this line.
    let slack = 2f64.powi(-DECAY_BITS) + 2.0 * error + 2f64.powi(-50);
    let word = 2f64.powi(64);
    let floor = (middle * (1.0 - slack) * word).floor();
    let above = (middle * (1.0 + slack) * word).ceil() + 1.0;
    // Casts of numbers beyond a word stop at its ends.
    Bounds { floor: floor as u64, last: above as u64 }
}

#[cfg(test)]
mod tests {
    use super::{DECAY_BITS, decay, decay_bounds};
    use crate::enclosure::Enclosure;
    use crate::rational::Rational;

    #[test]
    fn every_value_is_within_its_bound_of_the_truth() {
        let mut state = 1u64;
        for round in 0..4000u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let x = match round % 4 {
                0 => (state >> 11) as f64 / 2f64.powi(53),
                1 => (state >> 11) as f64 / 2f64.powi(53) * 50.0,
                2 => f64::from(round) / 32.0 * 0.999_999_999,
                _ => (state >> 11) as f64 / 2f64.powi(73),
            };
            let exact = (x * 2f64.powi(200 - 120)).abs() < f64::MAX;
            assert!(exact);
            let (mantissa, shift) = (x.to_bits() & ((1 << 52) - 1) | 1 << 52, 1075 - (x.to_bits() >> 52) as i32);
            let rational = match shift {
                0.. => Rational::new(mantissa, dashu_int::UBig::ONE << shift as usize),
                _ => continue,
            };
            let truth = Enclosure::exp_rational(&-rational, 1200);
            let value = decay(x);
            let quotient = value / truth.to_f64();
            assert!((quotient - 1.0).abs() < 2f64.powi(-DECAY_BITS), "{x}: {quotient}");
            let bounds = decay_bounds(x, 0.0);
            let word = truth.with_bits(64);
            assert!(dashu_int::IBig::from(bounds.floor) <= *word.upper(), "{x}");
            assert!(dashu_int::IBig::from(bounds.last) + 1 >= *word.lower(), "{x}");
        }
        assert_eq!(decay(0.0), 1.0);
        assert_eq!(decay(1e300), 0.0);
    }
}
