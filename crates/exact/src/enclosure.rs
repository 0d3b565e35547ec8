//! `Enclosure`: a real number known to lie between two fixed-point bounds, rounded outward only.
//!
//! An enclosure of precision `bits` holds two integers `lower <= upper` and stands for every real
//! `x` with `lower <= x * 2^bits <= upper`. Every operation keeps the promise of containment: if
//! the operands lie in theirs, the exact result lies in the result's. `proofs/enclosures.md` says
//! why, function by function.
//!
//! One unit of the last place (ulp) is `2^-bits`. A function of an exact argument (`exp_rational`,
//! `ln_rational`, `cos_turns`, `ln_factorial`, `pi`, `ln2`) returns a width of at most 2 ulps. A
//! function of an enclosure is at most 4 ulps wider than the exact image of its argument (`exp` of
//! a positive argument: 4 ulps and the result's value in ulps).
//!
//! Results depend on the arguments alone, never on what was computed before: a seeded draw that
//! reads bits until a comparison is decided reads the same bits on every run.

mod arithmetic;
mod circular;
mod constants;
mod exponential;
mod factorial;
mod fixed_point;
mod logarithm;
mod rounding;
#[cfg(test)]
mod tests;

use crate::Rational;
use dashu_base::Sign;
use dashu_int::IBig;
use rounding::{ceiling_quotient, floor_quotient, rescale_down, rescale_up};
use std::fmt;

/// A real number known to lie in `[lower, upper] * 2^-bits`.
///
/// Equality compares the representation; two equal enclosures may hold different reals.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Enclosure {
    lower: IBig,
    upper: IBig,
    bits: usize,
}

impl Enclosure {
    /// The enclosure `[lower, upper] * 2^-bits`.
    ///
    /// # Panics
    /// When `lower > upper`.
    pub fn from_bounds(lower: IBig, upper: IBig, bits: usize) -> Self {
        assert!(lower <= upper, "an enclosure needs its lower bound at most its upper bound");
        Enclosure { lower, upper, bits }
    }

    /// An integer, exactly.
    pub fn from_integer(value: impl Into<IBig>, bits: usize) -> Self {
        Self::point(value.into() << bits, bits)
    }

    /// A rational: exact when its denominator divides `2^bits`, otherwise of width 1 ulp.
    pub fn from_rational(value: &Rational, bits: usize) -> Self {
        let scaled = value.numerator() << bits;
        if value.denominator().is_one() {
            return Self::point(scaled, bits);
        }
        let denominator = value.denominator().as_ibig();
        let lower = floor_quotient(&scaled, denominator);
        let upper = ceiling_quotient(&scaled, denominator);
        Enclosure { lower, upper, bits }
    }

    /// The exact number `scaled * 2^-bits`.
    fn point(scaled: IBig, bits: usize) -> Self {
        Enclosure { lower: scaled.clone(), upper: scaled, bits }
    }

    /// The lower bound, in ulps.
    pub fn lower(&self) -> &IBig {
        &self.lower
    }

    /// The upper bound, in ulps.
    pub fn upper(&self) -> &IBig {
        &self.upper
    }

    /// The number of fraction bits.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The distance between the bounds, in ulps.
    pub fn width(&self) -> IBig {
        &self.upper - &self.lower
    }

    /// Whether the enclosure holds a single number.
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// The lower bound as a rational.
    pub fn lower_rational(&self) -> Rational {
        rounding::dyadic(&self.lower, self.bits)
    }

    /// The upper bound as a rational.
    pub fn upper_rational(&self) -> Rational {
        rounding::dyadic(&self.upper, self.bits)
    }

    /// These numbers at another precision: exact when `bits` grows, rounded outward when not.
    pub fn with_bits(&self, bits: usize) -> Self {
        Enclosure {
            lower: rescale_down(&self.lower, self.bits, bits),
            upper: rescale_up(&self.upper, self.bits, bits),
            bits,
        }
    }

    /// The middle as a machine number: for display, never for a draw.
    pub fn to_f64(&self) -> f64 {
        rounding::dyadic(&(&self.lower + &self.upper), self.bits + 1).to_f64()
    }

    /// Whether `value` is between the bounds.
    pub fn contains(&self, value: &Rational) -> bool {
        let scaled = value.numerator() << self.bits;
        let denominator = value.denominator();
        &self.lower * denominator <= scaled && scaled <= &self.upper * denominator
    }

    /// Whether every number of the enclosure is above zero.
    pub fn is_positive(&self) -> bool {
        self.lower > IBig::ZERO
    }

    /// Whether every number of the enclosure is below zero.
    pub fn is_negative(&self) -> bool {
        self.upper.sign() == Sign::Negative
    }

    /// Whether every number of the enclosure is zero or above.
    pub fn is_nonnegative(&self) -> bool {
        self.lower.sign() == Sign::Positive
    }

    /// Whether zero is between the bounds.
    pub fn contains_zero(&self) -> bool {
        !self.is_positive() && !self.is_negative()
    }

    /// Whether this number is below `other`: `None` when the enclosures cannot tell.
    pub fn certainly_less(&self, other: &Enclosure) -> Option<bool> {
        let bits = self.bits.max(other.bits);
        let (up, other_up) = (bits - self.bits, bits - other.bits);
        if &self.upper << up < &other.lower << other_up {
            Some(true)
        } else if &self.lower << up >= &other.upper << other_up {
            Some(false)
        } else {
            None
        }
    }

    /// Whether this number is below `value`: `None` when the enclosure cannot tell.
    pub fn certainly_less_than_rational(&self, value: &Rational) -> Option<bool> {
        let scaled = value.numerator() << self.bits;
        let denominator = value.denominator();
        if &self.upper * denominator < scaled {
            Some(true)
        } else if &self.lower * denominator >= scaled {
            Some(false)
        } else {
            None
        }
    }
}

impl fmt::Display for Enclosure {
    /// The bounds as machine numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lower_rational().to_f64(), self.upper_rational().to_f64())
    }
}

impl fmt::Debug for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]/2^{}", self.lower, self.upper, self.bits)
    }
}
