//! `Positive`: non-negative numbers whose every operation has a bounded relative error.
//!
//! Sums and products of non-negative numbers never cancel. So if every operation is within a factor
//! `(1 + u)^{±1}` of the truth, a number reached through a chain of k of them is within
//! `(1 + u)^{±k}`: one count per table of weights bounds the error of all its entries. Machine
//! numbers have u = 2⁻⁵³, a [`Wide`] of b bits has u = 2^{1−b}. An operation whose result would
//! leave the exponents of machine numbers must be avoided by the caller: results are kept between
//! 2⁻⁹⁰⁰ and 2⁹⁰⁰ or are exactly zero. Proof: `proofs/positive.md`.

use crate::enclosure::Enclosure;
use crate::rational::Rational;
use dashu_base::BitTest;
use dashu_int::UBig;
use std::fmt::Debug;

/// A non-negative number with relative rounding errors.
pub trait Positive: Clone + Debug + Send + Sync + 'static {
    /// Zero, exactly.
    fn zero() -> Self;

    /// One, exactly.
    fn one() -> Self;

    /// Whether it is exactly zero.
    fn is_zero(&self) -> bool;

    /// The sum: one rounding.
    fn plus(&self, other: &Self) -> Self;

    /// The product: one rounding.
    fn times(&self, other: &Self) -> Self;

    /// `self·2^power`, exactly.
    fn shifted(&self, power: i64) -> Self;

    /// The number e with `2^e ≤ self < 2^{e+1}`; zero has none.
    fn magnitude(&self) -> Option<i64>;

    /// `e^{−exponent}` for an exponent of zero or above: one rounding. A machine number below 2⁻⁹⁰⁰
    /// becomes zero.
    fn exp_minus(exponent: &Rational, bits: u32) -> Self;

    /// An integer: one rounding.
    fn integer(value: u64, bits: u32) -> Self;

    /// The least number above zero that is safe to compute with; `None` when there is none such.
    fn least() -> Option<Self>;

    /// A number that is at least `(1 + u)^roundings` times this one, and not much larger: for upper
    /// bounds.
    fn increased(&self, roundings: u64) -> Self;

    /// `numerator / denominator`, both below 2⁵³: one rounding.
    fn ratio(numerator: u64, denominator: u64, bits: u32) -> Self;

    /// A fraction of zero or above: one rounding. A machine number must be between 2⁻⁹⁰⁰ and 2⁹⁰⁰,
    /// or zero.
    fn fraction(value: &Rational, bits: u32) -> Self;

    /// The number as `mantissa·2^exponent`, exactly.
    fn parts(&self) -> (UBig, i64);

    /// `-log2 u`: how many bits one rounding leaves, for numbers made with `bits`.
    fn precision(bits: u32) -> u32;

    /// The nearest machine number, for choosing windows and for reading; zero or infinite when it
    /// is out of range.
    fn to_f64(&self) -> f64;
}

/// The least magnitude of a number that is not zero.
pub const LEAST_MAGNITUDE: i64 = -900;

/// `e^{−exponent}` as the midpoint of an enclosure with `bits` significant bits.
fn exp_parts(exponent: &Rational, bits: u32) -> Option<(UBig, i64)> {
    // The result is at least 2^{−1.45·exponent − 1}; so many more bits after the point keep `bits`
    // significant ones.
    let small = usize::try_from(exponent.ceil()).unwrap_or(0);
    let fraction = bits as usize + small + small / 2 + 8;
    let enclosed = Enclosure::exp_rational(&-exponent.clone(), fraction);
    let middle = UBig::try_from(enclosed.lower() + enclosed.upper()).ok()?;
    Some((middle, -(fraction as i64) - 1))
}

/// A fraction as `mantissa·2^power` with at least `bits` significant bits, the last of which is set
/// if anything was cut.
fn fraction_parts(value: &Rational, bits: u32) -> (UBig, i64) {
    let numerator = UBig::try_from(value.numerator().clone()).unwrap_or(UBig::ZERO);
    let shift = (value.denominator().bit_len() + bits as usize + 2).saturating_sub(numerator.bit_len());
    let shifted = numerator << shift;
    let quotient = &shifted / value.denominator();
    let rest = &shifted - &quotient * value.denominator();
    let sticky = UBig::from(u8::from(!rest.is_zero()));
    ((quotient << 1) + sticky, -(shift as i64) - 1)
}

impl Positive for f64 {
    fn zero() -> Self {
        0.0
    }

    fn one() -> Self {
        1.0
    }

    #[inline]
    fn is_zero(&self) -> bool {
        *self == 0.0
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    #[inline]
    fn times(&self, other: &Self) -> Self {
        self * other
    }

    #[inline]
    fn shifted(&self, power: i64) -> Self {
        let half = power / 2;
        self * two_to(half) * two_to(power - half)
    }

    #[inline]
    fn magnitude(&self) -> Option<i64> {
        (*self > 0.0).then(|| ((self.to_bits() >> 52) & 0x7ff) as i64 - 1023)
    }

    fn exp_minus(exponent: &Rational, _bits: u32) -> Self {
        // e^{−623} is just above 2^−900.
        if *exponent > Rational::integer(623u32) {
            return 0.0;
        }
        exp_parts(exponent, 64).map_or(0.0, |(mantissa, power)| nearest(&mantissa, power))
    }

    fn integer(value: u64, _bits: u32) -> Self {
        value as f64
    }

    fn least() -> Option<Self> {
        Some(2f64.powi(LEAST_MAGNITUDE as i32))
    }

    fn increased(&self, roundings: u64) -> Self {
        // (1 + u)^k ≤ 1 + 2ku as long as ku ≤ 1, and ≤ 4^{ku} always; one more for the product
        // itself.
        let growth = (roundings as f64 + 4.0) * f64::EPSILON;
        if growth <= 1.0 { self * (1.0 + growth) } else { self.shifted(growth.ceil() as i64) }
    }

    fn ratio(numerator: u64, denominator: u64, _bits: u32) -> Self {
        numerator as f64 / denominator as f64
    }

    fn fraction(value: &Rational, _bits: u32) -> Self {
        let (mantissa, power) = fraction_parts(value, 64);
        nearest(&mantissa, power)
    }

    fn parts(&self) -> (UBig, i64) {
        let bits = self.to_bits();
        let power = ((bits >> 52) & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        match power {
            0 => (UBig::from(fraction), -1074),
            _ => (UBig::from(fraction | (1 << 52)), power - 1075),
        }
    }

    fn precision(_bits: u32) -> u32 {
        53
    }

    fn to_f64(&self) -> f64 {
        *self
    }
}

/// Two to a power of at most 1022 in size; a larger one is taken for that.
#[inline]
fn two_to(power: i64) -> f64 {
    f64::from_bits(((power.clamp(-1022, 1022) + 1023) as u64) << 52)
}

/// The machine number nearest to `mantissa·2^power`; the result must be in range.
fn nearest(mantissa: &UBig, power: i64) -> f64 {
    let length = mantissa.bit_len();
    if length <= 64 {
        let word = u64::try_from(mantissa).unwrap_or(u64::MAX);
        return (word as f64).shifted(power);
    }
    let cut = length - 64;
    // A sticky last bit makes rounding 64 bits to 53 the same as rounding all of them.
    let sticky = u64::from(!(mantissa & ((UBig::ONE << cut) - UBig::ONE)).is_zero());
    let word = u64::try_from(mantissa >> cut).unwrap_or(u64::MAX) | sticky;
    (word as f64).shifted(power + cut as i64)
}

/// A floating-point number with as many bits as wanted, rounded towards zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wide {
    mantissa: UBig,
    power: i64,
    bits: u32,
}

impl Wide {
    /// No bits means that the number is a small exact one and is not rounded.
    fn rounded(mantissa: UBig, power: i64, bits: u32) -> Self {
        let cut = if bits == 0 { 0 } else { mantissa.bit_len().saturating_sub(bits as usize) };
        Wide { mantissa: mantissa >> cut, power: power + cut as i64, bits }
    }
}

impl Positive for Wide {
    fn zero() -> Self {
        Wide { mantissa: UBig::ZERO, power: 0, bits: 0 }
    }

    fn one() -> Self {
        Wide { mantissa: UBig::ONE, power: 0, bits: 0 }
    }

    fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    fn plus(&self, other: &Self) -> Self {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let bits = self.bits.max(other.bits);
        let (low, high) = if self.power <= other.power { (self, other) } else { (other, self) };
        let gap = (high.power - low.power) as usize;
        // Below the last bit that is kept the smaller number is within the rounding.
        if bits > 0 && gap >= low.mantissa.bit_len() + bits as usize {
            return Wide { bits, ..high.clone() };
        }
        Wide::rounded((&high.mantissa << gap) + &low.mantissa, low.power, bits)
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Wide::zero();
        }
        Wide::rounded(&self.mantissa * &other.mantissa, self.power + other.power, self.bits.max(other.bits))
    }

    fn shifted(&self, power: i64) -> Self {
        Wide { power: self.power + power, ..self.clone() }
    }

    fn magnitude(&self) -> Option<i64> {
        (!self.is_zero()).then(|| self.power + self.mantissa.bit_len() as i64 - 1)
    }

    fn exp_minus(exponent: &Rational, bits: u32) -> Self {
        exp_parts(exponent, bits + 8).map_or_else(Wide::zero, |(mantissa, power)| Wide::rounded(mantissa, power, bits))
    }

    fn integer(value: u64, bits: u32) -> Self {
        Wide::rounded(UBig::from(value), 0, bits)
    }

    fn least() -> Option<Self> {
        None
    }

    fn increased(&self, roundings: u64) -> Self {
        // No bits: nothing was rounded on the way to this number.
        if self.bits == 0 {
            return self.clone();
        }
        let (growth, unit) = (UBig::from(2 * (roundings + 1)), self.bits as usize - 1);
        if growth.bit_len() <= unit {
            let mantissa = &self.mantissa + ((&self.mantissa * growth) >> unit) + UBig::ONE;
            return Wide { mantissa, ..self.clone() };
        }
        self.shifted(i64::try_from((growth >> unit) + UBig::ONE).unwrap_or(i64::MAX / 2))
    }

    fn ratio(numerator: u64, denominator: u64, bits: u32) -> Self {
        let shift = bits as usize + 64;
        Wide::rounded((UBig::from(numerator) << shift) / UBig::from(denominator), -(shift as i64), bits)
    }

    fn fraction(value: &Rational, bits: u32) -> Self {
        let (mantissa, power) = fraction_parts(value, bits);
        Wide::rounded(mantissa, power, bits)
    }

    fn parts(&self) -> (UBig, i64) {
        (self.mantissa.clone(), self.power)
    }

    fn precision(bits: u32) -> u32 {
        bits.saturating_sub(1)
    }

    fn to_f64(&self) -> f64 {
        match self.magnitude() {
            None => 0.0,
            Some(magnitude) if magnitude < -1000 => 0.0,
            Some(magnitude) if magnitude > 1000 => f64::INFINITY,
            Some(_) => nearest(&self.mantissa, self.power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational<T: Positive>(value: &T) -> Rational {
        let (mantissa, power) = value.parts();
        let two = |power: u64| UBig::ONE << power as usize;
        match power {
            0.. => Rational::integer(IBig::from(mantissa * two(power as u64))),
            _ => Rational::new(IBig::from(mantissa), two(power.unsigned_abs())),
        }
    }

    use dashu_int::IBig;

    /// `found` is within one rounding of `truth`.
    fn close<T: Positive>(found: &T, truth: &Rational, bits: u32) -> bool {
        let unit = Rational::new(1, UBig::ONE << T::precision(bits) as usize);
        (&rational(found) - truth).abs() <= &unit * truth
    }

    fn operations<T: Positive>(bits: u32) {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        for _ in 0..500 {
            let (one, two) = (T::integer(next(), bits), T::integer(next(), bits).shifted(-((next() % 90) as i64)));
            assert!(close(&one.plus(&two), &(&rational(&one) + &rational(&two)), bits));
            assert!(close(&one.times(&two), &(&rational(&one) * &rational(&two)), bits));
            assert!(close(&two.plus(&one), &(&rational(&one) + &rational(&two)), bits));
            let (above, below) = (next() << (next() % 11), 1 + (next() >> (next() % 40)));
            let truth = Rational::new(above, below);
            assert!(close(&T::fraction(&truth, bits), &truth, bits));
            let magnitude = two.magnitude().expect("not zero");
            assert!((1.0..2.0).contains(&two.shifted(-magnitude).to_f64()));
        }
        for exponent in [Rational::integer(0), Rational::new(1, 3u32), Rational::integer(40), Rational::new(1999, 4u32)]
        {
            let truth = Enclosure::exp_rational(&-exponent.clone(), 2000);
            let found = T::exp_minus(&exponent, bits);
            assert!(close(&found, &truth.lower_rational(), bits) && close(&found, &truth.upper_rational(), bits));
        }
    }

    #[test]
    fn every_operation_is_within_one_rounding() {
        operations::<f64>(53);
        operations::<Wide>(7);
        operations::<Wide>(53);
        operations::<Wide>(300);
    }

    #[test]
    fn zero_and_one_are_exact() {
        let two = Wide::one().plus(&Wide::one());
        assert_eq!(two.to_f64(), 2.0);
        assert!(Wide::zero().times(&two).is_zero() && Wide::zero().plus(&two) == two);
        assert_eq!(f64::exp_minus(&Rational::integer(700), 53), 0.0);
        assert!(Wide::exp_minus(&Rational::integer(700), 53).magnitude() == Some(-1010));
    }
}
