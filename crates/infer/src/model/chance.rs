//! Numbers of the laws that parameters have given a table: normal and gamma, in machine numbers.
//!
//! For inference alone: nothing that is certified is drawn like this. The same stream gives the
//! same numbers.

use crate::pick::uniform;
use exact::Stream;

/// A uniform number above 0 and at most 1.
pub(crate) fn positive(bits: &mut Stream) -> f64 {
    1.0 - uniform(bits)
}

/// A standard normal number: Marsaglia's polar method, one of its two numbers.
pub(crate) fn normal(bits: &mut Stream) -> f64 {
    loop {
        let (one, two) = (2.0 * uniform(bits) - 1.0, 2.0 * uniform(bits) - 1.0);
        let square = one * one + two * two;
        if square > 0.0 && square < 1.0 {
            return one * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// The logarithm of a gamma number with this shape and scale 1: Marsaglia and Tsang (2000). The
/// logarithm, because numbers of a small shape leave machine numbers; below shape 1 it is that of
/// shape + 1 and a power of a uniform number.
pub(crate) fn log_gamma_number(shape: f64, bits: &mut Stream) -> f64 {
    if shape < 1.0 {
        return log_gamma_number(shape + 1.0, bits) + positive(bits).ln() / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(bits);
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let log = 3.0 * v.ln();
        if positive(bits).ln() < 0.5 * x * x + d - d * log.exp() + d * log {
            return d.ln() + log;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::log_gamma;
    use exact::{Seeded, Source};

    /// The largest distance between the law of draws and a law given by its distribution function.
    fn distance(mut values: Vec<f64>, below: &dyn Fn(f64) -> f64) -> f64 {
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len() as f64;
        let apart = |(place, value): (usize, &f64)| {
            let share = below(*value);
            (share - place as f64 / count).abs().max((share - (place + 1) as f64 / count).abs())
        };
        values.iter().enumerate().map(apart).fold(0.0, f64::max)
    }

    /// P(gamma number ≤ x), by its series.
    fn gamma_below(shape: f64, x: f64) -> f64 {
        let mut term = (shape * x.ln() - x - log_gamma(shape + 1.0)).exp();
        let (mut sum, mut k) = (0.0, 0.0);
        while term > 1e-16 * f64::max(sum, 1e-300) {
            sum += term;
            k += 1.0;
            term *= x / (shape + k);
        }
        sum
    }

    #[test]
    fn gamma_numbers_have_their_law() {
        let draws = 40_000;
        for (number, shape) in [0.05, 0.5, 1.0, 2.5, 60.0].into_iter().enumerate() {
            let mut bits = Seeded::draw(5, number as u64).stream(0).unwrap();
            let drawn = |shift: f64, bits: &mut Stream| -> Vec<f64> {
                (0..draws).map(|_| log_gamma_number(shape + shift, bits).exp().max(1e-300)).collect()
            };
            let own = distance(drawn(0.0, &mut bits), &|x| gamma_below(shape, x));
            // A shape that is 5 % off is found.
            let limit = testkit::kolmogorov(5, draws as usize);
            assert!(own < limit, "{shape}: {own} above {limit}");
            let other = distance(drawn(0.05 * shape.max(1.0), &mut bits), &|x| gamma_below(shape, x));
            assert!(other > limit, "{shape}: a mutant is not found, {other}");
        }
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let mut bits = Seeded::new(8).stream(0).unwrap();
        let draws = 200_000;
        let mut sums = [0.0; 4];
        for _ in 0..draws {
            let x = normal(&mut bits);
            (1..=4).for_each(|power: i32| sums[power as usize - 1] += x.powi(power) / f64::from(draws));
        }
        for (found, (expected, variance)) in sums.iter().zip([(0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0)]) {
            assert!(
                (found - expected).abs() < testkit::deviations(4) * f64::sqrt(variance / f64::from(draws)),
                "{sums:?}"
            );
        }
    }
}
