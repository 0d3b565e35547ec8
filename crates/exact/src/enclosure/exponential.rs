//! `exp`: reduction by multiples of `ln 2`, halving, Taylor, squaring back.

use super::Enclosure;
use super::fixed_point::{FixedPoint, Series, evaluate};
use super::rounding::{ceiling_shift, ceiling_shift_unsigned, rescale_down, rescale_up};
use crate::Rational;
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

/// Bits of working precision beyond those of the result.
const GUARD: usize = 8;

/// The largest product of divisors kept in a series: twice that fits a word.
pub(super) const MOST_WEIGHT: u64 = 1 << 62;

/// `log2(e)` in units of `2^-40`; only a guess of the multiple of `ln 2` depends on it.
const LOG2_E: i128 = 1_586_259_972_792;

impl Enclosure {
    /// The largest argument that `exp` takes: beyond it the result would fill the memory.
    pub const MOST_EXP_ARGUMENT: u64 = 1 << 20;

    /// The exponential.
    ///
    /// The argument may be any real number at most [`Enclosure::MOST_EXP_ARGUMENT`]. A result below
    /// the precision is enclosed by `[0, 1]` ulps, and that of a non-positive argument never
    /// exceeds 1. The result is at most `4 + exp` ulps wider than the exact image.
    ///
    /// # Panics
    /// When the argument may exceed [`Enclosure::MOST_EXP_ARGUMENT`].
    pub fn exp(&self) -> Self {
        let bits = self.bits;
        assert!(
            self.upper <= IBig::from(Self::MOST_EXP_ARGUMENT) << bits,
            "the argument of exp is above {}",
            Self::MOST_EXP_ARGUMENT
        );
        let (lower, above_lower) = exp_bounds(&self.lower, bits);
        let width = self.width();
        let mut upper = if width.is_zero() {
            above_lower
        } else if width.bit_len() <= bits / 2 {
            // e^w <= 1 + w + w^2 for 0 <= w <= 1 saves the second evaluation.
            let growth = (&width << bits) + &width * &width;
            &above_lower + ceiling_shift(&(&above_lower * growth), 2 * bits)
        } else {
            exp_bounds(&self.upper, bits).1
        };
        if self.upper <= IBig::ZERO {
            upper = upper.min(IBig::ONE << bits);
        }
        Enclosure { lower, upper, bits }
    }

    /// The exponential of an exact rational, of width at most 2 ulps.
    ///
    /// # Panics
    /// When the argument exceeds [`Enclosure::MOST_EXP_ARGUMENT`].
    pub fn exp_rational(argument: &Rational, bits: usize) -> Self {
        // An argument above zero multiplies the error of its rounding by the result, at most 2^(1.5
        // x).
        let magnitude = if argument.is_positive() {
            let ceiling = argument.ceil().min(IBig::from(Self::MOST_EXP_ARGUMENT));
            usize::try_from(ceiling).map_or(0, |x| x + x / 2 + 1)
        } else {
            0
        };
        Self::from_rational(argument, bits + magnitude + 4).exp().with_bits(bits)
    }
}

/// Bounds of `exp(argument * 2^-bits)`, in units of `2^-bits`, at most 2 apart.
fn exp_bounds(argument: &IBig, bits: usize) -> (IBig, IBig) {
    if argument.is_zero() {
        return (IBig::ONE << bits, IBig::ONE << bits);
    }
    // Below -(bits + 2) the result is under 2^-(bits + 2); this keeps the numbers below small.
    let least = -(IBig::from(bits + 2) << bits);
    if *argument < least {
        return (IBig::ZERO, IBig::ONE);
    }
    let mut multiple = guess_multiple(argument, bits);
    loop {
        let working = usize::try_from(bits as i64 + multiple + GUARD as i64).unwrap_or(0).max(GUARD);
        let (low, high) = reduced(argument, bits, multiple, working);
        let Some(low) = low.as_ubig() else {
            multiple -= 1;
            continue;
        };
        let spread = high - low.as_ibig();
        let (below, above) = exp_of_fraction(low, working);
        // e^low < 3 and e^w <= 1 + w + w^2 with w a few units of 2^-working.
        let above = IBig::from(above) + spread * 3 + 1;
        let shift = (working as i64 - bits as i64 - multiple) as usize;
        return (IBig::from(below >> shift), ceiling_shift(&above, shift));
    }
}

/// About `floor(argument * 2^-bits / ln 2)`.
fn guess_multiple(argument: &IBig, bits: usize) -> i64 {
    let coarse = rescale_down(argument, bits, 32);
    i128::try_from(coarse).map_or(0, |coarse| ((coarse * LOG2_E) >> 72) as i64)
}

/// Bounds of `argument * 2^-bits - multiple * ln 2`, in units of `2^-working`, at most 3 apart.
fn reduced(argument: &IBig, bits: usize, multiple: i64, working: usize) -> (IBig, IBig) {
    if multiple == 0 {
        return (rescale_down(argument, bits, working), rescale_up(argument, bits, working));
    }
    let fine = working + multiple.unsigned_abs().bit_len() + 1;
    let subtracted = Enclosure::ln2(fine).mul_integer(&IBig::from(multiple));
    let low = rescale_down(argument, bits, fine) - subtracted.upper;
    let high = rescale_up(argument, bits, fine) - subtracted.lower;
    (rescale_down(&low, fine, working), rescale_up(&high, fine, working))
}

/// Bounds of `exp(fraction * 2^-bits)`, in units of `2^-bits`, at most 2 apart, for a fraction
/// below 1.
pub(super) fn exp_of_fraction(fraction: &UBig, bits: usize) -> (UBig, UBig) {
    debug_assert!(fraction.bit_len() <= bits, "the fraction is below 1");
    if fraction.is_zero() {
        return (UBig::ONE << bits, UBig::ONE << bits);
    }
    let already = bits - fraction.bit_len();
    let halvings = halvings_for(bits).saturating_sub(already).max(1);
    let guard = halvings + 6;
    let working = bits + guard;
    let terms = terms_below(already + halvings, working + 1);
    let sum = evaluate(&Taylor { terms, halvings }, fraction, bits + halvings, working);
    let error = UBig::ONE << (halvings + 4);
    let above = ceiling_shift_unsigned(&(&sum + error), guard);
    (sum >> guard, above)
}

/// `(1 + y + ... + y^(terms-1)/(terms-1)!)^(2^halvings)` for `y` at most 1/2.
struct Taylor {
    terms: u64,
    halvings: usize,
}

impl Series for Taylor {
    fn evaluate<F: FixedPoint>(&self, small: F) -> F {
        // Horner's rule from the inside: the sum so far is `sum / weight`, and the product of the
        // divisors is divided out only when the next would not fit.
        let mut sum = F::integer(1, &small);
        let mut weight = 1;
        for divisor in (1..self.terms).rev() {
            if weight > MOST_WEIGHT / divisor {
                sum = sum.over(weight);
                weight = 1;
            }
            weight *= divisor;
            sum = sum.times(&small).plus_integer(weight);
        }
        let mut power = sum.over(weight);
        for _ in 0..self.halvings {
            power = power.times(&power);
        }
        power
    }
}

/// How often to halve an argument near 1: it balances the squarings against the Taylor terms.
pub(super) fn halvings_for(bits: usize) -> usize {
    bits.isqrt() * 3 / 4 + 1
}

/// A count `n` with `y^n / n! <= 2^-target` for every `0 <= y < 2^-smallness`.
pub(super) fn terms_below(smallness: usize, target: usize) -> u64 {
    // `mantissa * 2^exponent <= n!`, rounded down at every step.
    let (mut mantissa, mut exponent) = (1u64, 0usize);
    let mut count = 0u64;
    loop {
        let reached = count as usize * smallness + exponent + mantissa.ilog2() as usize;
        if reached >= target {
            return count;
        }
        count += 1;
        mantissa *= count;
        let excess = mantissa.bit_len().saturating_sub(32);
        mantissa >>= excess;
        exponent += excess;
    }
}
