//! `Message`: the weights of the values of one sum, on a window, with bounds of what is rounded and
//! what is missing.

use super::precision::Precision;
use exact::Positive;
use exact::attention::look;

/// The weights of a sum s: in truth `2^scale·(weight(s)·(1 + u)^{±roundings} + missing part)`.
///
/// A weight outside the window is missing altogether; all missing parts together are at most
/// `2^scale·missing`.
#[derive(Debug, Clone)]
pub struct Message<T> {
    /// The value of the first weight.
    pub first: i64,
    /// The weights of consecutive values; the largest is between 1/2 and 1 (or there are none).
    pub weights: Vec<T>,
    /// The longest chain of roundings behind a weight.
    pub roundings: u64,
    /// An upper bound of the weight that is missing.
    pub missing: T,
    /// All weights are to be multiplied by 2 to this power.
    pub scale: i64,
}

/// Machine numbers below two to this power are given up inside a message.
const DUST: i64 = -440;

/// A bound made larger by more than its few roundings; a bound that is not zero never becomes zero.
pub fn rounded_up<T: Positive>(bound: &T) -> T {
    if bound.is_zero() {
        return T::zero();
    }
    let larger = bound.increased(64);
    match T::least() {
        Some(least) => larger.plus(&least),
        None => larger,
    }
}

/// A bound times a power of two; a bound that is not zero never becomes zero.
pub(crate) fn shifted_bound<T: Positive>(bound: &T, power: i64) -> T {
    let shifted = bound.shifted(power);
    match T::least() {
        Some(least) if !bound.is_zero() && shifted.magnitude() < least.magnitude() => least,
        _ => shifted,
    }
}

/// The sum of many numbers through a short chain: at most 16 roundings and one for every doubling.
pub(crate) fn total<T: Positive>(numbers: &[T]) -> T {
    if numbers.len() <= 16 {
        return numbers.iter().fold(T::zero(), |sum, number| sum.plus(number));
    }
    let (one, two) = numbers.split_at(numbers.len() / 2);
    total(one).plus(&total(two))
}

impl<T: Positive> Message<T> {
    /// The weight one at one value.
    pub fn point(value: i64) -> Self {
        Message { first: value, weights: vec![T::one()], roundings: 0, missing: T::zero(), scale: 0 }.normalised()
    }

    /// No value is possible.
    pub fn nothing() -> Self {
        Message { first: 0, weights: Vec::new(), roundings: 0, missing: T::zero(), scale: 0 }
    }

    /// The value after the last of the window.
    pub fn end(&self) -> i64 {
        self.first + self.weights.len() as i64
    }

    /// The weight of a value, if it is in the window.
    pub fn weight(&self, value: i64) -> Option<&T> {
        usize::try_from(value.checked_sub(self.first)?).ok().and_then(|index| self.weights.get(index))
    }

    /// An upper bound of the whole weight, missing parts included, without the scale.
    pub fn mass(&self) -> T {
        rounded_up(&total(&self.weights).increased(self.roundings + 64).plus(&self.missing))
    }

    /// Scales by a power of two so that the largest weight is between 1/2 and 1.
    pub fn normalised(mut self) -> Self {
        let Some(largest) = self.weights.iter().filter_map(Positive::magnitude).max() else {
            self.weights.clear();
            return self;
        };
        let shift = -1 - largest;
        if shift != 0 {
            self.weights.iter_mut().for_each(|weight| *weight = weight.shifted(shift));
            self.missing = shifted_bound(&self.missing, shift);
            self.scale -= shift;
        }
        self
    }

    /// Gives up small weights at both ends, and then counts them as missing.
    pub fn trimmed(mut self, precision: Precision) -> Self {
        self = self.normalised();
        let keep = |weight: &T| weight.magnitude().is_some_and(|magnitude| magnitude >= -1 - i64::from(precision.trim));
        let Some(start) = self.weights.iter().position(keep) else {
            return self;
        };
        let end = self.weights.iter().rposition(keep).map_or(start, |last| last + 1);
        let dropped = total(&self.weights[..start]).plus(&total(&self.weights[end..]));
        if !dropped.is_zero() {
            self.missing = rounded_up(&self.missing.plus(&dropped.increased(self.roundings + 64)));
        }
        self.weights.truncate(end);
        self.weights.drain(..start);
        self.first += start as i64;
        self.without_dust()
    }

    /// Gives up inner weights so small that products of two of them would leave the range of
    /// machine numbers: where weights have several peaks, there may be such between them.
    fn without_dust(mut self) -> Self {
        if T::least().is_none() {
            return self;
        }
        let mut given_up = 0u64;
        for weight in &mut self.weights {
            if weight.magnitude().is_some_and(|magnitude| magnitude < DUST) {
                *weight = T::zero();
                given_up += 1;
            }
        }
        if given_up > 0 {
            let lost = T::integer(given_up, 53).shifted(DUST + 1).increased(4);
            self.missing = rounded_up(&self.missing.plus(&lost));
        }
        self
    }

    /// The weights of the sum of two independent sums: direct convolution, nothing but sums of
    /// products.
    pub fn convolved(&self, other: &Self, precision: Precision) -> Self {
        let (short, long) = if self.weights.len() <= other.weights.len() { (self, other) } else { (other, self) };
        let missing = if self.missing.is_zero() && other.missing.is_zero() {
            T::zero()
        } else {
            let one = self.missing.times(&other.mass());
            rounded_up(&one.plus(&other.missing.times(&self.mass())))
        };
        let scale = self.scale + other.scale;
        if short.weights.is_empty() {
            return Message { missing, scale, ..Message::nothing() };
        }
        let mut weights = vec![T::zero(); short.weights.len() + long.weights.len() - 1];
        for (offset, factor) in short.weights.iter().enumerate().filter(|(_, factor)| !factor.is_zero()) {
            look();
            for (weight, other) in weights[offset..].iter_mut().zip(&long.weights) {
                *weight = weight.plus(&factor.times(other));
            }
        }
        Message {
            first: self.first + other.first,
            roundings: self.roundings + other.roundings + short.weights.len() as u64 + 1,
            weights,
            missing,
            scale,
        }
        .trimmed(precision)
    }

    /// Every weight times a factor of its value that is at most one and known within `roundings`.
    pub fn multiplied(mut self, roundings: u64, factor: impl Fn(i64) -> T) -> Self {
        let (first, least) = (self.first, T::least());
        let mut lost = T::zero();
        for (index, weight) in self.weights.iter_mut().enumerate().filter(|(_, weight)| !weight.is_zero()) {
            *weight = weight.times(&factor(first + index as i64));
            if let Some(least) = &least
                && weight.magnitude() <= least.magnitude()
            {
                // In truth it is at most twice the least number: the factor may have been rounded
                // to zero.
                *weight = T::zero();
                lost = lost.plus(&least.shifted(2));
            }
        }
        self.missing = rounded_up(&self.missing.plus(&lost));
        self.roundings += roundings + 1;
        self.normalised()
    }

    /// Only values between two bounds, both included, are possible.
    pub fn restricted(mut self, low: Option<i64>, high: Option<i64>) -> Self {
        let start = low.map_or(0, |low| (low - self.first).clamp(0, self.weights.len() as i64) as usize);
        let end = high.map_or(self.weights.len(), |high| {
            (high + 1 - self.first).clamp(start as i64, self.weights.len() as i64) as usize
        });
        self.weights.truncate(end);
        self.weights.drain(..start);
        self.first += start as i64;
        self.normalised()
    }
}
