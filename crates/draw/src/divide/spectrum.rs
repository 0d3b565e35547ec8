//! Z(d)/Z(0) of two rows of double geometric noise as a sum over frequencies, in a time that does
//! not grow with the width of the noise.
//!
//! The weight `a^{|u| + |d − u|}` of a column has around d/2, D = |d| and b = a², the transform
//! `ψ_D(t) = a^D·(1 − b)·(sin (D+1)x − b·sin (D−1)x)/(sin x·((1 − b)² + 4b·sin² x))`, x = t/2, and
//! Z(d) is the mean of `∏ψ_{d_j}` over all t. The mean over N points counts rows whose sum is
//! another multiple of N, too; points far from zero are left out, and machine numbers round. What
//! all that can add is bounded: where a coin is nearer to its probability, messages decide it, so
//! that its law is exact. Proof: `proofs/divide.md`, section 6.

use exact::lazy::Uniform;
use exact::{Decision, Enclosure, Positive, Rational};

/// N·ε': so many points that the weight of other multiples is nothing to speak of.
const POINTS: f64 = 48.0;

/// What points that are left out, and rows of another sum, may weigh, in parts of Z(0).
const LEFT_OUT: f64 = 1e-10;

/// Probabilities that are not known better than this are not told.
const MOST_ERROR: f64 = 1e-8;

/// The error of a sine of the table, and of what is computed of two of them.
const ROUNDING: f64 = 4e-15;

/// Column sums beyond this many widths of the noise are left to messages.
const FARTHEST: f64 = 64.0;

/// More points are not made.
const MOST_POINTS: f64 = (1 << 20) as f64;

/// The weights of two rows by frequency.
#[derive(Debug)]
pub(super) struct Spectrum {
    epsilon: Rational,
    /// `sin πm/N` for m below 2N.
    sines: Vec<f64>,
    /// b.
    factor: f64,
    /// `(1 + b)/(1 − b)`: ψ_0(0).
    peak: f64,
    /// For every point above zero what a product of sines is multiplied by, in parts of Z(0).
    scales: Vec<f64>,
    /// What the product at zero is multiplied by.
    scale: f64,
    /// What a share may be off by.
    error: f64,
    farthest: i64,
}

impl Spectrum {
    /// For so many columns of two single cells each; `None` where too many points would be needed.
    pub(super) fn new(epsilon: &Rational, columns: usize) -> Option<Spectrum> {
        let width = epsilon.to_f64().recip();
        if columns < 3 || width.is_nan() || width * POINTS >= MOST_POINTS {
            return None;
        }
        let half = (width * POINTS / 2.0).ceil() as usize + 16;
        let points = 2 * half + 1;
        let quotient = Enclosure::exp_rational(&-(epsilon + epsilon), 160);
        let short = &Enclosure::from_integer(1, 160) - &quotient;
        let (factor, short) = (quotient.lower_rational().to_f64(), short.lower_rational().to_f64());
        let peak = (1.0 + factor) / short;
        let power = i32::try_from(columns).ok()?;
        let sines: Vec<f64> = (0..2 * points).map(|place| sine(place, points)).collect();
        // In parts of the peak: ψ_0 at a point, and the factor of a difference of sines.
        let even = |point: usize| short * short / (short * short + 4.0 * factor * sines[point] * sines[point]);
        let odd = |point: usize| even(point) / (sines[point] * (1.0 + factor));
        let all = (1..=half).map(|point| even(point).powi(power));
        let whole = (1.0 + 2.0 * all.sum::<f64>()) / points as f64;
        // |ψ_D| is at most ψ_0 times this.
        let bound = |point: usize| {
            let most =
                1.0 + short / (1.0 + factor) * (1.0 - sines[point] * sines[point]).max(0.0).sqrt() / sines[point];
            (even(point) * most).min(1.0)
        };
        let share = 2.0 / (points as f64 * whole);
        let mut last = half;
        let mut left = 0.0;
        while last > 0 && left + share * bound(last).powi(power) <= LEFT_OUT {
            left += share * bound(last).powi(power);
            last -= 1;
        }
        let errors = (1..=last).map(|point| odd(point).max(1.0) * bound(point).powi(power - 1));
        let rounded = columns as f64 * ROUNDING * (1.0 + errors.sum::<f64>()) * share;
        let error = 4.0 * (LEFT_OUT + rounded + aliased(epsilon, columns, points, whole, peak)?);
        let scales = (1..=last).map(|point| share * odd(point).powi(power)).collect();
        (error <= MOST_ERROR).then(|| Spectrum {
            epsilon: epsilon.clone(),
            factor,
            peak,
            scales,
            scale: share / 2.0,
            error,
            farthest: (FARTHEST * width) as i64,
            sines,
        })
    }

    /// About how many multiplications of machine numbers a share takes.
    pub(super) fn operations(&self, columns: usize) -> f64 {
        2.0 * (self.scales.len() * columns) as f64 + 100.0
    }

    /// Whether a uniform number is below Z(d)/Z(0), if it is far enough from it.
    pub(super) fn decide(&self, uniform: &Uniform, sums: &[i64]) -> Option<Decision> {
        if uniform.known() < 53 || sums.iter().any(|sum| sum.abs() > self.farthest) {
            return None;
        }
        let (share, number) = (self.share(sums), uniform.leading());
        match () {
            () if number < share - self.error => Some(Decision::Index(0)),
            () if number > share + self.error => Some(Decision::Index(1)),
            () => None,
        }
    }

    /// Z(d)/Z(0), within the error.
    pub(super) fn share(&self, sums: &[i64]) -> f64 {
        let all: i64 = sums.iter().map(|sum| sum.abs()).sum();
        let falls = f64::exp_minus(&(&self.epsilon * &Rational::integer(all)), 53);
        let at_zero = sums.iter().map(|sum| 1.0 + sum.abs() as f64 / self.peak);
        let mut products = self.scales.clone();
        for sum in sums {
            // The places of the sines of (D + 1)x and (D − 1)x in their table, point by point.
            let (length, distance) = (self.sines.len(), sum.unsigned_abs() as usize);
            let steps = [(distance + 1) % length, (distance + length - 1) % length];
            let mut places = [0, 0];
            for product in &mut products {
                for (place, step) in places.iter_mut().zip(steps) {
                    *place += step;
                    *place -= if *place >= length { length } else { 0 };
                }
                *product *= self.sines[places[0]] - self.factor * self.sines[places[1]];
            }
        }
        falls * (self.scale * at_zero.product::<f64>() + products.iter().sum::<f64>())
    }
}

/// What rows weigh that add up to another multiple of the points, at most, in parts of Z(0).
fn aliased(epsilon: &Rational, columns: usize, points: usize, whole: f64, peak: f64) -> Option<f64> {
    let rate = epsilon.to_f64();
    // No ψ_D at the imaginary frequency −iε' is larger.
    let outside = 1.0 / rate.exp_m1() + 1.0 / (3.0 * rate).exp_m1();
    let farthest = 2.0 / rate - 1.0 - outside;
    let largest = if farthest > 0.0 { (2.0 / rate) * (-rate * farthest / 2.0).exp() } else { 1.0 + outside };
    let log = (2.0 / whole).ln() + columns as f64 * (largest / peak).ln() - rate * points as f64;
    (log < 0.0).then(|| log.exp() * 1.01)
}

/// `sin πm/N` for 0 ≤ m < 2N, within 10⁻¹⁵: by the first octant and a series.
fn sine(place: usize, points: usize) -> f64 {
    let (place, sign) = if place >= points { (place - points, -1.0) } else { (place, 1.0) };
    let place = place.min(points - place);
    let angle = |numerator: usize| std::f64::consts::PI * numerator as f64 / points as f64;
    let series = |first: f64, start: usize, square: f64| {
        let (mut term, mut sum) = (first, first);
        for step in 0..10 {
            let next = start + 2 * step;
            term *= -square / ((next + 1) * (next + 2)) as f64;
            sum += term;
        }
        sum
    };
    sign * if 4 * place <= points {
        let angle = angle(place);
        series(angle, 1, angle * angle)
    } else {
        // cos(π/2 − πm/N).
        let angle = angle(points - 2 * place) / 2.0;
        series(1.0, 0, angle * angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_those_of_the_machine() {
        for points in [5, 33, 97, 1001] {
            for place in 0..2 * points {
                let machine = (std::f64::consts::PI * place as f64 / points as f64).sin();
                assert!((sine(place, points) - machine).abs() < 2e-15, "{place}/{points}");
            }
        }
    }
}
