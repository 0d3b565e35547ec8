//! Sums, products, quotients, powers and roots of enclosures, each rounded outward once.

use super::Enclosure;
use super::rounding::{
    ceiling_quotient, ceiling_shift, ceiling_shift_unsigned, floor_quotient, rescale_down, rescale_up,
};
use dashu_base::{Abs, BitTest, Sign, SquareRootRem, UnsignedAbs};
use dashu_int::{IBig, UBig};
use std::borrow::Cow;
use std::ops::{Add, Mul, Neg, Sub};

impl Enclosure {
    /// The square, which knows that both factors are the same number.
    pub fn square(&self) -> Self {
        let (first, second) = (&self.lower * &self.lower, &self.upper * &self.upper);
        let (smaller, larger) = if first <= second { (first, second) } else { (second, first) };
        let lower = if self.contains_zero() { IBig::ZERO } else { smaller >> self.bits };
        Enclosure { lower, upper: ceiling_shift(&larger, self.bits), bits: self.bits }
    }

    /// The power `self^exponent`, by repeated squaring with guard bits; `0^0` is 1.
    ///
    /// The bounds are those of the powers of the endpoints, widened by at most 2 ulps on each side.
    /// The cost grows with the size of the result: a base above 1 with an exponent of billions
    /// asks for billions of bits.
    pub fn pow(&self, exponent: u64) -> Self {
        let bits = self.bits;
        if exponent == 0 {
            return Self::from_integer(1, bits);
        }
        let lowest = self.signed_power(&self.lower, exponent);
        if self.is_exact() {
            return Enclosure { lower: lowest.0, upper: lowest.1, bits };
        }
        let highest = self.signed_power(&self.upper, exponent);
        if exponent % 2 == 1 || self.is_nonnegative() {
            return Enclosure { lower: lowest.0, upper: highest.1, bits };
        }
        let lower = if self.contains_zero() { IBig::ZERO } else { highest.0 };
        Enclosure { lower, upper: lowest.1.max(highest.1), bits }
    }

    /// Bounds of `(value * 2^-bits)^exponent`, in ulps, for an exponent above zero.
    fn signed_power(&self, value: &IBig, exponent: u64) -> (IBig, IBig) {
        let magnitude = value.unsigned_abs();
        let (low, high) = power_bounds(&magnitude, exponent, self.bits);
        if value.sign() == Sign::Negative && exponent % 2 == 1 {
            (-IBig::from(high), -IBig::from(low))
        } else {
            (low.into(), high.into())
        }
    }

    /// The quotient, or `None` when the divisor may be zero.
    pub fn checked_div(&self, divisor: &Enclosure) -> Option<Self> {
        if divisor.contains_zero() {
            return None;
        }
        let (mut above, mut below, bits) = self.aligned(divisor);
        if below.is_negative() {
            (above, below) = (Cow::Owned(-above.as_ref()), Cow::Owned(-below.as_ref()));
        }
        let for_lower = if above.is_nonnegative() { &below.upper } else { &below.lower };
        let for_upper = if above.upper.sign() == Sign::Positive { &below.lower } else { &below.upper };
        Some(Enclosure {
            lower: floor_quotient(&(&above.lower << bits), for_lower),
            upper: ceiling_quotient(&(&above.upper << bits), for_upper),
            bits,
        })
    }

    /// The square root, or `None` when the number may be negative.
    pub fn sqrt(&self) -> Option<Self> {
        let lower = self.lower.as_ubig()?;
        let upper = self.upper.as_ubig()?;
        let (below, rest) = (lower << self.bits).sqrt_rem();
        let (above, rest) = if lower == upper { (below.clone(), rest) } else { (upper << self.bits).sqrt_rem() };
        let above = if rest.is_zero() { above } else { above + 1u8 };
        Some(Enclosure { lower: below.into(), upper: above.into(), bits: self.bits })
    }

    /// The product with an integer, exactly.
    pub fn mul_integer(&self, factor: &IBig) -> Self {
        let (first, second) = (&self.lower * factor, &self.upper * factor);
        match factor.sign() {
            Sign::Positive => Enclosure { lower: first, upper: second, bits: self.bits },
            Sign::Negative => Enclosure { lower: second, upper: first, bits: self.bits },
        }
    }

    /// The quotient by an integer, or `None` when the integer is zero.
    pub fn div_integer(&self, divisor: &IBig) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        let magnitude = divisor.abs();
        let quotient = Enclosure {
            lower: floor_quotient(&self.lower, &magnitude),
            upper: ceiling_quotient(&self.upper, &magnitude),
            bits: self.bits,
        };
        Some(if divisor.sign() == Sign::Negative { -&quotient } else { quotient })
    }

    /// The product with `2^power`: exact when `power >= 0`.
    pub fn mul_power_of_two(&self, power: isize) -> Self {
        let by = power.unsigned_abs();
        let (from, to) = if power >= 0 { (0, by) } else { (by, 0) };
        Enclosure {
            lower: rescale_down(&self.lower, from, to),
            upper: rescale_up(&self.upper, from, to),
            bits: self.bits,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.is_nonnegative() {
            self.clone()
        } else if self.upper.sign() == Sign::Negative {
            -self
        } else {
            let upper = (-&self.lower).max(self.upper.clone());
            Enclosure { lower: IBig::ZERO, upper, bits: self.bits }
        }
    }

    /// The smaller of the two numbers.
    pub fn min(&self, other: &Enclosure) -> Self {
        self.by_ends(other, |one, two| one.min(two).clone())
    }

    /// The larger of the two numbers.
    pub fn max(&self, other: &Enclosure) -> Self {
        self.by_ends(other, |one, two| one.max(two).clone())
    }

    /// What is so of both lower and of both upper bounds, at the finer precision of the two.
    fn by_ends(&self, other: &Enclosure, of: impl Fn(&IBig, &IBig) -> IBig) -> Self {
        let (left, right, bits) = self.aligned(other);
        Enclosure { lower: of(&left.lower, &right.lower), upper: of(&left.upper, &right.upper), bits }
    }

    /// Both at the finer precision of the two, borrowed where nothing changes.
    fn aligned<'a>(&'a self, other: &'a Enclosure) -> (Cow<'a, Enclosure>, Cow<'a, Enclosure>, usize) {
        let bits = self.bits.max(other.bits);
        let at = |one: &'a Enclosure| match one.bits == bits {
            true => Cow::Borrowed(one),
            false => Cow::Owned(one.with_bits(bits)),
        };
        (at(self), at(other), bits)
    }
}

/// Bounds of `(magnitude * 2^-bits)^exponent` at the same precision, for an exponent above zero.
fn power_bounds(magnitude: &UBig, exponent: u64, bits: usize) -> (UBig, UBig) {
    if magnitude.is_zero() || *magnitude == UBig::ONE << bits {
        return (magnitude.clone(), magnitude.clone());
    }
    // A base of 2^w turns a relative error of e into an absolute one of e * 2^(w * exponent).
    let whole_bits = magnitude.bit_len().saturating_sub(bits);
    let guard = (exponent.ilog2() as usize + 4) + whole_bits * exponent as usize;
    let working = bits + guard;
    let base = magnitude << guard;
    let (mut low, mut high) = (base.clone(), base.clone());
    for position in (0..exponent.ilog2()).rev() {
        low = (&low * &low) >> working;
        high = ceiling_shift_unsigned(&(&high * &high), working);
        if exponent >> position & 1 == 1 {
            low = (low * &base) >> working;
            high = ceiling_shift_unsigned(&(high * &base), working);
        }
    }
    (low >> guard, ceiling_shift_unsigned(&high, guard))
}

impl Add for &Enclosure {
    type Output = Enclosure;

    /// The sum, exactly, at the finer precision of the two.
    fn add(self, other: &Enclosure) -> Enclosure {
        self.by_ends(other, |one, two| one + two)
    }
}

impl Sub for &Enclosure {
    type Output = Enclosure;

    /// The difference, exactly, at the finer precision of the two.
    fn sub(self, other: &Enclosure) -> Enclosure {
        let (left, right, bits) = self.aligned(other);
        Enclosure { lower: &left.lower - &right.upper, upper: &left.upper - &right.lower, bits }
    }
}

impl Neg for &Enclosure {
    type Output = Enclosure;

    fn neg(self) -> Enclosure {
        Enclosure { lower: -&self.upper, upper: -&self.lower, bits: self.bits }
    }
}

impl Mul for &Enclosure {
    type Output = Enclosure;

    /// The product at the finer precision of the two, rounded outward.
    fn mul(self, other: &Enclosure) -> Enclosure {
        let (left, right, bits) = self.aligned(other);
        let (smallest, largest) = if left.is_nonnegative() && right.is_nonnegative() {
            (&left.lower * &right.lower, &left.upper * &right.upper)
        } else {
            let corners = [
                &left.lower * &right.lower,
                &left.lower * &right.upper,
                &left.upper * &right.lower,
                &left.upper * &right.upper,
            ];
            let [first, rest @ ..] = corners;
            rest.into_iter()
                .fold((first.clone(), first), |(small, large), corner| (small.min(corner.clone()), large.max(corner)))
        };
        Enclosure { lower: smallest >> bits, upper: ceiling_shift(&largest, bits), bits }
    }
}
