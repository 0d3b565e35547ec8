//! `ln`: a guess from machine integers, one exponential that measures its error, a short series.

use super::Enclosure;
use super::exponential::exp_of_fraction;
use super::rounding::{ceiling_quotient, ceiling_shift, rescale_down};
use crate::Rational;
use dashu_base::{BitTest, Sign};
use dashu_int::{IBig, UBig};

/// Bits of working precision beyond those of the result.
const GUARD: usize = 8;

/// Fraction bits of the guess.
const GUESS: usize = 60;

impl Enclosure {
    /// The natural logarithm, or `None` unless the number is certainly positive.
    ///
    /// The result is at most 4 ulps wider than the exact image.
    pub fn ln(&self) -> Option<Self> {
        self.is_positive().then(|| self.ln_of_positive())
    }

    /// The natural logarithm of an enclosure that is certainly positive.
    pub(super) fn ln_of_positive(&self) -> Self {
        let (low, high) = (self.lower.clone().into_parts().1, self.upper.clone().into_parts().1);
        let bits = self.bits;
        let (lower, above_lower) = ln_bounds(&low, bits, bits);
        let width = self.width();
        let upper = if width.is_zero() {
            above_lower
        } else if width.bit_len() + bits / 2 < low.bit_len() {
            // ln(x + w) <= ln x + w/x saves the second evaluation.
            above_lower + ceiling_quotient(&(width << bits), &self.lower)
        } else {
            ln_bounds(&high, bits, bits).1
        };
        Enclosure { lower, upper, bits }
    }

    /// The natural logarithm of an exact rational, of width at most 2 ulps; `None` unless positive.
    pub fn ln_rational(argument: &Rational, bits: usize) -> Option<Self> {
        if !argument.is_positive() {
            return None;
        }
        let numerator = argument.numerator().as_ubig()?;
        let denominator = argument.denominator();
        if denominator.is_one() {
            let (lower, upper) = ln_bounds(numerator, 0, bits);
            return Some(Enclosure { lower, upper, bits });
        }
        // The quotient has at least `bits + 6` significant bits, so its rounding moves the
        // logarithm by less than 2^-(bits + 5).
        let shift = (denominator.bit_len() + bits + 7).saturating_sub(numerator.bit_len());
        let quotient = (numerator << shift) / denominator;
        let (lower, upper) = ln_bounds(&quotient, shift, bits + 4);
        Some(Enclosure { lower, upper: upper + 1, bits: bits + 4 }.with_bits(bits))
    }
}

/// Bounds of `ln(value * 2^-scale)`, in units of `2^-bits`, at most 2 apart, for a positive value.
pub(super) fn ln_bounds(value: &UBig, scale: usize, bits: usize) -> (IBig, IBig) {
    let length = value.bit_len();
    if length == scale + 1 && value.trailing_zeros() == Some(scale) {
        return (IBig::ZERO, IBig::ZERO);
    }
    let working = bits + GUARD;
    // value * 2^-scale = 2^exponent * mantissa with the mantissa in [1/2, 1).
    let exponent = length as i64 - scale as i64;
    let mantissa = if length <= working { value << (working - length) } else { value >> (length - working) };
    let guess = guess_logarithm(&mantissa, working);
    let (below, _) = exp_of_fraction(&guess, working);
    let near_one = IBig::from((&mantissa * below) >> working);
    let (low, high) = ln_near_one(near_one, working);
    // mantissa * e^guess exceeds `near_one` by less than 6 units, so its logarithm by less than 8.
    let (low, high) = (low - guess.as_ibig(), high + 8 - guess.as_ibig());
    if exponent == 0 {
        return (low >> GUARD, ceiling_shift(&high, GUARD));
    }
    let fine = working + exponent.unsigned_abs().bit_len();
    let added = Enclosure::ln2(fine).mul_integer(&IBig::from(exponent)).with_bits(working);
    ((low + added.lower) >> GUARD, ceiling_shift(&(high + added.upper), GUARD))
}

/// About `-ln(mantissa * 2^-bits)` at the same precision, for a mantissa in `[1/2, 1)`: a guess of
/// some 55 bits, always in `[0, 1)`, on which only the speed depends.
pub(super) fn guess_logarithm(mantissa: &UBig, bits: usize) -> UBig {
    const ONE: i128 = 1 << GUESS;
    /// `ln 2` and `sqrt(1/2)` in units of `2^-60`.
    const LN2: i128 = 799_144_290_325_165_979;
    const ROOT_OF_HALF: i128 = 815_238_614_083_298_888;
    let top = rescale_down(mantissa.as_ibig(), bits, GUESS);
    let mut top = i128::try_from(top).unwrap_or(ONE / 2);
    let mut guess = 0;
    if top < ROOT_OF_HALF {
        top *= 2;
        guess = LN2;
    }
    let ratio = ((top - ONE) << GUESS) / (top + ONE);
    let square = (ratio * ratio) >> GUESS;
    let mut series = 0;
    for index in (0..12).rev() {
        series = ((series * square) >> GUESS) + ONE / (2 * index + 1);
    }
    guess -= (ratio * series) >> (GUESS - 1);
    let guess = UBig::from(guess.clamp(0, ONE - 1) as u128);
    if bits >= GUESS { guess << (bits - GUESS) } else { guess >> (GUESS - bits) }
}

/// Bounds of `ln(value * 2^-bits)`, in units of `2^-bits`, at most 12 apart, for a value near 1:
/// `2 artanh((v - 1)/(v + 1))`.
pub(super) fn ln_near_one(value: IBig, bits: usize) -> (IBig, IBig) {
    let one = IBig::ONE << bits;
    let (sign, above) = (&value - &one).into_parts();
    let (_, below) = (value + one).into_parts();
    let ratio = (above << bits) / below;
    let smallness = bits - ratio.bit_len();
    assert!(smallness >= 2, "the guess of a logarithm is near it");
    let square = (&ratio * &ratio) >> bits;
    // Terms until ratio^(2j+1) is below one unit.
    let terms = (bits / smallness) / 2 + 1;
    let one = UBig::ONE << bits;
    let mut series = UBig::ZERO;
    for index in (0..terms).rev() {
        series = ((series * &square) >> bits) + &one / (2 * index + 1);
    }
    let least = IBig::from((ratio * series) >> (bits - 1));
    let most = &least + 12;
    match sign {
        Sign::Positive => (least, most),
        Sign::Negative => (-most, -least),
    }
}
