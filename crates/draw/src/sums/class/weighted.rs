//! The law of a cell whose noise is multiplied by a public factor: it may have several peaks.
//!
//! Weights are made one from the next, outwards from the largest. A side ends where what follows is
//! bounded: the noise falls, and the factor either rises by a known number of bits at most, or the
//! weights of neighbours are in a ratio that never grows again. Proof: `proofs/class.md`,
//! section 9.

use super::shape::{Form, Tilted, missing, series};
use crate::sums::{Factor, Message, Precision};
use exact::{Natural, Positive, Rational};

/// The roundings of one step: of the noise (two), of the ratio, of their product and of the product
/// with the weight; one to spare.
const STEP_ROUNDINGS: u64 = 6;
/// A ratio of neighbours that never grows again ends a side when it is this much below one.
const CLEARLY_BELOW: f64 = 1e-6;
/// Far more than the roundings of a ratio in machine numbers.
const SLACK: f64 = 1e-9;
/// What moments leave out.
const ROUGH: Precision = Precision { machine: true, bits: 53, trim: 48 };

/// The factors of a step of the noise by one, up or down, on both sides of the centre; none for a
/// bell, whose steps all differ.
#[derive(Debug, Clone)]
pub(super) struct NoiseSteps<T> {
    /// From y to y + 1 for y below the centre, and from there on.
    up: Option<[T; 2]>,
    /// From y + 1 to y.
    down: Option<[T; 2]>,
}

impl<T: Positive> NoiseSteps<T> {
    pub(super) fn new(tilted: &Tilted, bits: u32) -> Self {
        match &tilted.form {
            Form::Slopes { rates, .. } => NoiseSteps {
                up: Some([exponential(&rates[0], bits), exponential(&-rates[1].clone(), bits)]),
                down: Some([exponential(&-rates[0].clone(), bits), exponential(&rates[1], bits)]),
            },
            Form::Bell { .. } => NoiseSteps { up: None, down: None },
        }
    }
}

/// `e^{exponent}`, of either sign: two roundings.
fn exponential<T: Positive>(exponent: &Rational, bits: u32) -> T {
    let falling = T::exp_minus(&exponent.abs(), bits);
    if !exponent.is_positive() {
        return falling;
    }
    let (mantissa, power) = falling.parts();
    if mantissa.is_zero() {
        // No factor falls so fast that a weight would rise like this from the largest one.
        return T::one().shifted(900);
    }
    let (above, below) = match power {
        0.. => (Natural::ONE, mantissa << power as usize),
        _ => (Natural::ONE << power.unsigned_abs() as usize, mantissa),
    };
    T::fraction(&Rational::new(above, below), bits)
}

/// One cell: noise around a centre, times a factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedCell<'a> {
    tilted: &'a Tilted,
    centre: i64,
    factor: &'a Factor,
}

impl<'a> WeightedCell<'a> {
    pub(super) fn new(tilted: &'a Tilted, x: i64, factor: &'a Factor) -> Self {
        WeightedCell { tilted, centre: tilted.centre(x), factor }
    }

    /// By how much the exponent of the noise grows from y to y + 1: never less than from y − 1 to
    /// y.
    fn rise(&self, y: i64) -> Rational {
        match &self.tilted.form {
            Form::Slopes { rates, .. } if y >= self.centre => rates[1].clone(),
            Form::Slopes { rates, .. } => -rates[0].clone(),
            Form::Bell { half, shift } => {
                let distance = &Rational::integer(y - self.centre) - shift;
                half * &(&(&distance + &distance) + &Rational::integer(1))
            }
        }
    }

    /// The logarithm of a weight, tilted, relative to the noise at its centre.
    pub(super) fn log(&self, y: i64) -> f64 {
        let distance = (y - self.centre) as f64;
        let exponent = match &self.tilted.form {
            Form::Slopes { rates, .. } if y < self.centre => -rates[0].to_f64() * distance,
            Form::Slopes { rates, .. } => rates[1].to_f64() * distance,
            Form::Bell { half, shift } => {
                let shift = shift.to_f64();
                half.to_f64() * ((distance - shift).powi(2) - shift.powi(2))
            }
        };
        self.factor.log(y) - exponent
    }

    /// The most likely value, or one that is as likely but for roundings.
    pub(super) fn peak(&self) -> i64 {
        let (low, high) = (self.tilted.low.unwrap_or(0), self.tilted.high);
        let clamped = |value: f64| {
            let value = if value.is_nan() { low } else { value.clamp(-9e15, 9e15) as i64 };
            high.map_or(value, |high| value.min(high)).max(low)
        };
        let mut candidates = vec![low, clamped(self.centre as f64), clamped((self.centre - 1) as f64)];
        candidates.extend(high);
        let stationary = |slope: f64| match self.factor {
            // (y + a)/(y + 1) = e^slope, or a/(y + 1) = e^slope.
            Factor::Rising(a) => (a.to_f64() - slope.exp()) / slope.exp_m1(),
            Factor::Poisson(mean) => mean.to_f64() * (-slope).exp() - 1.0,
            Factor::Listed(_) => f64::NAN,
        };
        match &self.tilted.form {
            Form::Slopes { rates, .. } => {
                for (rate, sign) in rates.iter().zip([-1.0, 1.0]) {
                    let value = stationary(sign * rate.to_f64());
                    if value.is_finite() && value > low as f64 - 1.0 {
                        candidates.extend([clamped(value.floor()), clamped(value.floor() + 1.0)]);
                    }
                }
            }
            Form::Bell { shift, .. } => {
                let start = clamped((self.centre as f64 + shift.to_f64()).round());
                candidates.extend([self.climbed(start, low, high), self.climbed(low, low, high)]);
            }
        }
        if let Factor::Listed(weights) = self.factor {
            candidates.extend(self.beside_listed(weights.keys().copied(), low, high));
        }
        let larger = |best: i64, next: i64| if self.log(next) > self.log(best) { next } else { best };
        candidates.into_iter().reduce(larger).unwrap_or(low)
    }

    /// Listed counts, and those nearest to the top of the noise that are not listed.
    fn beside_listed(&self, listed: impl Iterator<Item = i64>, low: i64, high: Option<i64>) -> Vec<i64> {
        let inside = |y: &i64| *y >= low && high.is_none_or(|high| *y <= high);
        let bare = WeightedCell { factor: &Factor::Listed(Default::default()), ..*self };
        let top = bare.peak_of_noise(low, high);
        let mut found: Vec<i64> = listed.filter(inside).collect();
        let is_listed = |y: &i64| found.binary_search(y).is_ok();
        let above = (top..).find(|y| !is_listed(y)).filter(inside);
        let below = (low..=top).rev().find(|y| !is_listed(y));
        found.extend(above.into_iter().chain(below));
        found
    }

    fn peak_of_noise(&self, low: i64, high: Option<i64>) -> i64 {
        let mut best = low;
        let shift = match &self.tilted.form {
            Form::Bell { shift, .. } => shift.to_f64().round() as i64,
            Form::Slopes { .. } => 0,
        };
        for candidate in [Some(self.centre + shift), Some(self.centre + shift + 1), high].into_iter().flatten() {
            let candidate = high.map_or(candidate, |high| candidate.min(high)).max(low);
            best = if self.log(candidate) > self.log(best) { candidate } else { best };
        }
        best
    }

    /// The nearest top, uphill from a value.
    fn climbed(&self, start: i64, low: i64, high: Option<i64>) -> i64 {
        let mut top = start;
        for power in (0..40).rev() {
            for step in [1i64 << power, -(1i64 << power)] {
                loop {
                    let next = high.map_or(top + step, |high| (top + step).min(high)).max(low);
                    if next == top || self.log(next) <= self.log(top) {
                        break;
                    }
                    top = next;
                }
            }
        }
        top
    }

    /// The factor from y to y + 1, or from y + 1 to y; `None` where the one gone to has no weight.
    fn step<T: Positive>(&self, y: i64, up: bool, steps: &NoiseSteps<T>, bits: u32) -> Option<T> {
        let cached = if up { &steps.up } else { &steps.down };
        let made;
        let noise = match cached {
            Some(sides) => &sides[usize::from(y >= self.centre)],
            None => {
                let rise = self.rise(y);
                made = exponential(&if up { -rise } else { rise }, bits);
                &made
            }
        };
        let (above, below) = match self.factor {
            Factor::Listed(_) => return Some(noise.clone()),
            // (y + n/d)/(y + 1), and n/d/(y + 1).
            Factor::Rising(a) => (small(a, y), small_denominator(a, y)),
            Factor::Poisson(mean) => (small(mean, 0), small_denominator(mean, y)),
        };
        let ratio = match (above, below) {
            (Some(0), _) => return None,
            (Some(above), Some(below)) if up => T::ratio(above, below, bits),
            (Some(above), Some(below)) => T::ratio(below, above, bits),
            _ => {
                let ratio = self.factor.ratio(y);
                T::fraction(&if up { ratio } else { ratio.reciprocal()? }, bits)
            }
        };
        Some(noise.times(&ratio))
    }

    /// How many times 2^bits the weight of y all that follows on a side is at most: bits, and the
    /// number of times.
    fn rest(&self, y: i64, up: bool) -> Option<(i64, u64)> {
        let rate = if up { self.rise(y) } else { -self.rise(y - 1) };
        let bits = if up { self.factor.rise_above(y) } else { self.factor.rise_below(y) };
        if let (Some(bits), true) = (bits, rate.is_positive()) {
            return Some((bits, series(&rate)));
        }
        // Ratios of neighbours that fall from here on: (y + a)/(y + 1) for a > 1 and a/(y + 1)
        // upwards, (z + 1)/(z + a) for a ≥ 1 and (z + 1)/a downwards.
        let ratio = match (self.factor, up) {
            (Factor::Rising(_) | Factor::Poisson(_), true) => self.factor.ratio(y).to_f64(),
            (Factor::Rising(a), false) if *a < Rational::integer(1) => return None,
            (Factor::Rising(_) | Factor::Poisson(_), false) => 1.0 / self.factor.ratio(y - 1).to_f64(),
            (Factor::Listed(_), _) => return None,
        };
        let ratio = ratio * (-rate.to_f64()).exp() * (1.0 + SLACK);
        (ratio < 1.0 - CLEARLY_BELOW).then(|| (0, (2.0 / (1.0 - ratio)).ceil() as u64))
    }

    /// The weights relative to twice that of the mode, as offsets from it, with what is missing.
    pub(super) fn list<T: Positive>(&self, mode: i64, steps: &NoiseSteps<T>, precision: Precision) -> Message<T> {
        if !self.factor.possible(mode) {
            return Message::nothing();
        }
        let mut beyond = 0u64;
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let known = self.side(mode, true, steps, precision, &mut above, &mut beyond)
            && self.side(mode, false, steps, precision, &mut below, &mut beyond);
        if !known {
            let missing = T::one();
            return Message { missing, ..Message::nothing() };
        }
        let roundings = STEP_ROUNDINGS * above.len().max(below.len()) as u64 + 3;
        let first = -(below.len() as i64);
        let mut weights: Vec<T> = below.into_iter().rev().chain([T::one()]).chain(above).collect();
        if let (Factor::Listed(_), Some(of_mode)) = (self.factor, self.factor.listed(mode)) {
            for (offset, weight) in (first..).zip(&mut weights) {
                let listed = self.factor.listed(mode + offset).unwrap_or_else(|| Rational::integer(1));
                *weight = weight.times(&T::fraction(&(&listed / &of_mode), precision.bits));
            }
        }
        weights.iter_mut().for_each(|weight| *weight = weight.shifted(-1));
        let missing: T = missing(beyond, precision);
        Message { first, weights, roundings, missing: missing.shifted(-1), scale: 0 }
    }

    /// One side of the list, without listed weights, and the bound of what follows; whether it has
    /// an end that is known.
    fn side<T: Positive>(
        &self,
        mode: i64,
        up: bool,
        steps: &NoiseSteps<T>,
        precision: Precision,
        weights: &mut Vec<T>,
        beyond: &mut u64,
    ) -> bool {
        // Listed weights are relative to that of the mode, which may be far below the largest.
        let of_mode = match self.factor.listed(mode) {
            Some(listed) => -(listed.to_f64().log2().floor() as i64) + 1,
            None => 0,
        };
        let small = -i64::from(precision.trim + super::shape::GUARD) - 2 - of_mode.max(0);
        let bound = if up { self.tilted.high } else { self.tilted.low };
        let (mut y, mut weight) = (mode, T::one());
        while Some(y) != bound {
            if weight.magnitude().is_none_or(|size| size < small) {
                match self.rest(y, up) {
                    Some((bits, count)) if weight.magnitude().is_none_or(|size| size + bits < small) => {
                        *beyond = beyond.saturating_add(count);
                        return true;
                    }
                    None if weight.is_zero() => return false,
                    _ => {}
                }
            }
            let from = if up { y } else { y - 1 };
            let Some(step) = self.step(from, up, steps, precision.bits) else { return true };
            weight = weight.times(&step);
            y += if up { 1 } else { -1 };
            weights.push(weight.clone());
        }
        true
    }

    /// Mean and variance of the offset from the mode, as machine numbers.
    pub(super) fn moments(&self, mode: i64, steps: &NoiseSteps<f64>) -> (f64, f64) {
        moments_of(&self.list(mode, steps, ROUGH))
    }
}

/// Mean and variance of listed weights, as machine numbers.
pub(super) fn moments_of<T: Positive>(listed: &Message<T>) -> (f64, f64) {
    let (mut mass, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (offset, weight) in (listed.first..).zip(listed.weights.iter().map(Positive::to_f64)) {
        let offset = offset as f64;
        mass += weight;
        sum += weight * offset;
        squares += weight * offset * offset;
    }
    if mass == 0.0 {
        return (0.0, 0.0);
    }
    let mean = sum / mass;
    (mean, (squares / mass - mean * mean).max(0.0))
}

/// `n + y·d` of a fraction n/d, where it is small enough for machine numbers.
fn small(fraction: &Rational, y: i64) -> Option<u64> {
    let numerator = u64::try_from(fraction.numerator()).ok()?;
    let denominator = u64::try_from(fraction.denominator()).ok()?;
    let sum = denominator.checked_mul(u64::try_from(y).ok()?)?.checked_add(numerator)?;
    (sum < 1 << 53).then_some(sum)
}

/// `(y + 1)·d` of a fraction n/d, where it is small enough for machine numbers.
fn small_denominator(fraction: &Rational, y: i64) -> Option<u64> {
    let denominator = u64::try_from(fraction.denominator()).ok()?;
    let product = denominator.checked_mul(u64::try_from(y).ok()?.checked_add(1)?)?;
    (product < 1 << 53).then_some(product)
}
