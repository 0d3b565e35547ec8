//! What integers cost: κ, by how much the variance of a discrete Gaussian may exceed its parameter.
//!
//! `1 + κ(s) = sup_c Var/s²`, attained midway between integers: `κ = 8π²s² Σ_{n≥1} r_n/(1 − r_n)²`
//! with `r_n = q^{2n−1}`, `q = e^{−2π²s²}`. All terms are positive and fall, so the series is
//! enclosed by its first terms and a geometric rest. Proof: `proofs/G11.md`.

use exact::{Enclosure, Integer, Rational};

/// Bits of the enclosures.
const BITS: usize = 192;
/// The terms that are summed.
const TERMS: u64 = 8;

/// The largest κ that is accepted: one part in a hundred.
pub fn largest_kappa() -> Rational {
    Rational::new(1, 100u8)
}

/// κ of this variance s², rounded up; `None` where s² is below 1/10, where it exceeds every bound
/// of interest.
pub fn kappa(variance: &Rational) -> Option<Rational> {
    if *variance < Rational::new(1, 10u8) {
        return None;
    }
    // Beyond this the leading term is below 2⁻¹⁰⁰; κ falls in s², so that of the limit is an upper
    // bound.
    let variance = variance.clone().min(Rational::integer(4));
    let pi = Enclosure::pi(BITS);
    let square = &pi * &pi;
    let variance = Enclosure::from_rational(&variance, BITS);
    let q = (-&(&square * &variance).mul_power_of_two(1)).exp();
    let one = Enclosure::from_integer(1, BITS);
    let mut sum = Enclosure::from_integer(0, BITS);
    let step = q.square();
    let mut r = q.clone();
    for _ in 0..TERMS {
        sum = &sum + &r.checked_div(&(&one - &r).square())?;
        r = &r * &step;
    }
    // Σ_{n>N} r_n/(1 − r_n)² ≤ r_{N+1}/((1 − q)²(1 − q²)).
    let rest = r.checked_div(&(&(&one - &q).square() * &(&one - &step)))?;
    let total = &sum + &rest.max(&Enclosure::from_integer(0, BITS));
    let kappa = (&(&total * &square) * &variance).mul_power_of_two(3);
    // To 40 binary places, upward: short to write, and never below.
    let scaled = kappa.upper_rational();
    let unit = Rational::integer(Integer::ONE << 100);
    Some(&Rational::integer((&scaled * &unit).ceil()) / &unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest variance over centres on a fine grid, by machine numbers.
    fn found(deviation: f64) -> f64 {
        let mut most: f64 = 0.0;
        for step in 0..=200 {
            let centre = f64::from(step) / 200.0;
            let weights: Vec<(f64, f64)> = (-40..=40)
                .map(|k| (f64::from(k), (-(f64::from(k) - centre).powi(2) / (2.0 * deviation * deviation)).exp()))
                .collect();
            let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
            let mean: f64 = weights.iter().map(|(k, weight)| k * weight).sum::<f64>() / total;
            let variance: f64 = weights.iter().map(|(k, weight)| (k - mean).powi(2) * weight).sum::<f64>() / total;
            most = most.max(variance / (deviation * deviation) - 1.0);
        }
        most
    }

    #[test]
    fn kappa_is_the_largest_excess_and_never_below_it() {
        for (deviation, figure) in [(0.5, 0.144), (0.6, 0.0233), (0.7, 0.00244), (0.8, 1.6e-4), (1.0, 2.1e-7)] {
            let variance = Rational::new((deviation * 10.0f64).round() as i64, 10u8);
            let claimed = kappa(&(&variance * &variance)).unwrap().to_f64();
            assert!(
                claimed >= found(deviation) - 1e-12 && claimed <= found(deviation) * 1.000001 + 1e-12,
                "{deviation}"
            );
            assert!((claimed / figure - 1.0).abs() < 0.05, "{deviation}: {claimed}");
        }
    }

    #[test]
    fn kappa_falls() {
        let mut before = kappa(&Rational::new(1, 10u8)).unwrap();
        for tenths in 2..=100u32 {
            let next = kappa(&Rational::new(tenths, 10u8)).unwrap();
            assert!(next <= before && !next.is_negative());
            before = next;
        }
        assert!(kappa(&Rational::new(9, 100u8)).is_none());
    }
}
