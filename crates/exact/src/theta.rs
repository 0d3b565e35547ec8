//! θ(t, c) = Σ e^{−t(k−c)²} over all integers k, enclosed as narrowly as wanted.
//!
//! The sum itself where t is large: its terms fall by at least e^{−2tk} from the k-th to the next.
//! By Poisson summation it is also `√(π/t)·Σ_k q^{k²}·cos 2πkc` with `q = e^{−π²/t}`, and those
//! terms fall the faster the slower the first do. So θ(t, c) is largest at whole c, and
//! `θ(t, c)/θ(t, 0) ≥ 1 − 5q`. Proof: `proofs/theta.md`.

use crate::enclosure::Enclosure;
use crate::rational::Rational;
use dashu_int::IBig;

/// Encloses θ(t, c) for a rate t above zero and a centre c, by its terms.
///
/// # Panics
/// When the rate is not above zero.
pub fn theta(rate: &Rational, centre: &Rational, bits: usize) -> Enclosure {
    assert!(rate.is_positive(), "a theta series needs a rate above zero");
    let working = bits + 16;
    let fraction = centre - &Rational::integer((centre + &Rational::new(1, 2u8)).floor());
    let mut sum = term(rate, &fraction, 0, working);
    let mut k = 0;
    loop {
        k += 1;
        let ends = &term(rate, &fraction, k, working) + &term(rate, &fraction, -k, working);
        sum = &sum + &ends;
        if *ends.upper() <= IBig::from(4) {
            // |fraction| ≤ 1/2, so from here on terms fall by e^{−2tk} a step, and e^{s} − 1 ≥ s.
            let beyond = &ends.upper_rational() / &(rate * &Rational::integer(2 * k));
            let upper = Enclosure::from_rational(&beyond, working).upper().clone();
            return &sum + &Enclosure::from_bounds(IBig::ZERO, upper, working);
        }
    }
}

/// Encloses e^{−t(k−c)²}.
pub(crate) fn term(rate: &Rational, centre: &Rational, k: i64, bits: usize) -> Enclosure {
    let distance = &Rational::integer(k) - centre;
    Enclosure::exp_rational(&-(rate * &(&distance * &distance)), bits)
}

/// Encloses `θ(t, 0)·√(t/π) = 1 + 2·Σ e^{−π²k²/t}`, the factor by which the sum exceeds the
/// integral.
///
/// # Panics
/// When the rate is not above zero.
pub fn theta_excess(rate: &Rational, bits: usize) -> Enclosure {
    let working = bits + 16;
    let one = Enclosure::from_integer(1, working);
    if is_negligible(rate, working) {
        return Enclosure::from_bounds(one.lower().clone(), one.upper() + IBig::ONE, working);
    }
    let pi = Enclosure::pi(working);
    if *rate > Rational::integer(3) {
        let quotient = Enclosure::from_rational(rate, working).checked_div(&pi);
        if let Some(root) = quotient.and_then(|quotient| quotient.sqrt()) {
            return &root * &theta(rate, &Rational::integer(0), working);
        }
    }
    let exponent = &pi.square() * &Enclosure::from_rational(&(&Rational::integer(1) / rate), working);
    let mut sum = one;
    let mut k = 0i64;
    loop {
        k += 1;
        let term = (-&exponent.mul_integer(&IBig::from(k * k))).exp().mul_power_of_two(1);
        sum = &sum + &term;
        if *term.upper() <= IBig::from(4) {
            // π²/t > 3, so what follows is less than the last term.
            return Enclosure::from_bounds(sum.lower().clone(), sum.upper() + term.upper(), working);
        }
    }
}

/// Encloses `θ(t, c)/θ(t, 0)`, at most one.
///
/// # Panics
/// When the rate is not above zero.
pub fn theta_share(rate: &Rational, centre: &Rational, bits: usize) -> Enclosure {
    let one = IBig::ONE << bits;
    if is_negligible(rate, bits) {
        return Enclosure::from_bounds(&one - IBig::ONE, one, bits);
    }
    let working = bits + 16;
    let (part, whole) = (theta(rate, centre, working), theta(rate, &Rational::integer(0), working));
    let share = part.checked_div(&whole).map(|share| share.with_bits(bits));
    let (lower, upper) =
        share.map_or((IBig::ZERO, one.clone()), |share| (share.lower().clone(), share.upper().clone()));
    Enclosure::from_bounds(lower.min(one.clone()), upper.min(one), bits)
}

/// Whether 5q is below 2^−bits: `q = e^{−π²/t} ≤ 2^{−14/t}`.
fn is_negligible(rate: &Rational, bits: usize) -> bool {
    rate * &Rational::integer(bits + 3) <= Rational::integer(14)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn both_series_are_one_number_and_finer_enclosures_meet_coarser_ones() {
        for rate in ["1/500", "1/20", "1/2", "1", "5/2", "3", "4", "30"] {
            let rate = rational(rate);
            for bits in [24, 80, 200] {
                // θ(t, 0)·√(t/π) by the terms of the one and of the other.
                let root = (Enclosure::from_rational(&rate, bits + 40).checked_div(&Enclosure::pi(bits + 40)))
                    .and_then(|quotient| quotient.sqrt())
                    .unwrap();
                let direct = &root * &theta(&rate, &Rational::integer(0), bits + 40);
                let poisson = theta_excess(&rate, bits);
                assert_eq!(direct.certainly_less(&poisson), None, "t = {rate}");
                assert_eq!(poisson.certainly_less(&direct), None, "t = {rate}");
                let width = Rational::new(poisson.width(), dashu_int::UBig::ONE << poisson.bits());
                assert!(width < Rational::new(1, 1u64 << (bits - 8).min(60)), "t = {rate}");
            }
        }
    }

    #[test]
    fn shares_are_at_most_one_and_agree_at_every_precision() {
        for rate in ["1/40", "1/9", "1/2", "1", "7/2", "20"] {
            for centre in ["0", "1/3", "-1/2", "17/5", "1/1000000"] {
                let (rate, centre) = (rational(rate), rational(centre));
                let fine = theta_share(&rate, &centre, 300);
                assert!(fine.upper_rational() <= Rational::integer(1));
                for bits in [4, 20, 64, 150] {
                    let coarse = theta_share(&rate, &centre, bits);
                    assert!(coarse.lower_rational() <= fine.upper_rational(), "t = {rate}, c = {centre}");
                    assert!(coarse.upper_rational() >= fine.lower_rational(), "t = {rate}, c = {centre}");
                }
            }
        }
        // 2^{−1/4}: θ(π, 1/2)/θ(π, 0), at 22/7 nearly.
        let known = theta_share(&rational("3.14159265358979"), &rational("1/2"), 80).to_f64();
        assert!((known - 2f64.powf(-0.25)).abs() < 1e-12, "{known}");
    }
}
