//! Positive machine numbers with directed rounding: a quick bracket of long products of fractions.
//!
//! A [`Bracket`] is a pair of 64-bit mantissas with exponents, one rounded down, one rounded up, so
//! a product of a few hundred fractions keeps some fifty bits, however large or small its factors,
//! at a few nanoseconds a factor.

use crate::enclosure::Enclosure;
use crate::lazy::Bounds;
use dashu_base::BitTest;
use dashu_int::UBig;

#[cfg(test)]
mod tests;

/// `mantissa·2^exponent` with the highest bit of the mantissa set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scaled {
    mantissa: u64,
    exponent: i64,
}

/// A positive number between two machine numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    low: Scaled,
    high: Scaled,
}

impl Scaled {
    /// From a positive integer times a power of two, rounded down or up.
    #[inline]
    fn round(value: u128, exponent: i64, up: bool) -> Self {
        let excess = 64 - i64::from(value.leading_zeros());
        if excess <= 0 {
            return Scaled { mantissa: (value << -excess) as u64, exponent: exponent + excess };
        }
        let kept = (value >> excess) as u64;
        let inexact = value & ((1u128 << excess) - 1) != 0;
        match kept.checked_add(u64::from(up && inexact)) {
            Some(mantissa) => Scaled { mantissa, exponent: exponent + excess },
            None => Scaled { mantissa: 1 << 63, exponent: exponent + excess + 1 },
        }
    }

    #[inline]
    fn multiply(self, other: Self, up: bool) -> Self {
        Self::round(u128::from(self.mantissa) * u128::from(other.mantissa), self.exponent + other.exponent, up)
    }

    #[inline]
    fn divide(self, other: Self, up: bool) -> Self {
        let numerator = u128::from(self.mantissa) << 63;
        let divisor = u128::from(other.mantissa);
        let quotient = numerator / divisor + u128::from(up && numerator % divisor != 0);
        Self::round(quotient, self.exponent - other.exponent - 63, up)
    }
}

impl Bracket {
    /// A positive integer, exactly.
    #[inline]
    pub fn integer(value: u64) -> Self {
        let exact = Scaled::round(u128::from(value.max(1)), 0, false);
        Bracket { low: exact, high: exact }
    }

    /// The product of positive integers: exact in a machine word as long as it fits, rounded only
    /// then.
    #[inline]
    pub fn product(factors: impl Iterator<Item = u64>) -> Self {
        let (mut product, mut word) = (Bracket::integer(1), 1u64);
        for factor in factors {
            word = word.checked_mul(factor).unwrap_or_else(|| {
                product = product.times(Bracket::integer(word));
                factor
            });
        }
        product.times(Bracket::integer(word))
    }

    /// From an enclosure of a positive number; `None` if its lower end is not positive.
    pub fn of(enclosure: &Enclosure) -> Option<Self> {
        let end = |bound: &dashu_int::IBig, up: bool| {
            let magnitude = UBig::try_from(bound.clone()).ok().filter(|value| *value > UBig::ZERO)?;
            let excess = magnitude.bit_len().saturating_sub(100);
            let kept = u128::try_from((&magnitude >> excess) + UBig::from(u8::from(up))).ok()?;
            Some(Scaled::round(kept, excess as i64 - enclosure.bits() as i64, up))
        };
        Some(Bracket { low: end(enclosure.lower(), false)?, high: end(enclosure.upper(), true)? })
    }

    /// The product.
    #[inline]
    pub fn times(self, other: Self) -> Self {
        Bracket { low: self.low.multiply(other.low, false), high: self.high.multiply(other.high, true) }
    }

    /// The quotient.
    #[inline]
    pub fn over(self, other: Self) -> Self {
        Bracket { low: self.low.divide(other.high, false), high: self.high.divide(other.low, true) }
    }

    /// The power, by repeated squaring.
    pub fn power(self, mut exponent: u64) -> Self {
        let (mut result, mut square) = (Bracket::integer(1), self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(square);
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.times(square);
            }
        }
        result
    }

    /// As bounds of a probability.
    pub fn bounds(self) -> Bounds {
        let word = |scaled: Scaled, up: bool| -> u128 {
            // The value in units of 2⁻⁶⁴ is mantissa·2^(exponent + 64).
            let shift = scaled.exponent + 64;
            if shift >= 1 {
                1 << 64
            } else if shift <= -64 {
                u128::from(up)
            } else {
                let cut = (-shift) as u32;
                let kept = u128::from(scaled.mantissa) >> cut;
                kept + u128::from(up && (kept << cut) != u128::from(scaled.mantissa))
            }
        };
        let floor = word(self.low, false).min(u128::from(u64::MAX)) as u64;
        let last = (word(self.high, true).max(1) - 1).min(u128::from(u64::MAX)) as u64;
        Bounds { floor, last }
    }
}
