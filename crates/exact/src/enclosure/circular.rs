//! Cosines: exact reduction to a quarter turn, halving, Taylor, doubling back.

use super::Enclosure;
use super::exponential::{MOST_WEIGHT, halvings_for, terms_below};
use super::fixed_point::{FixedPoint, Series, evaluate};
use super::rounding::floor_quotient;
use crate::Rational;
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

/// Bits of working precision beyond those of the result.
const GUARD: usize = 8;

impl Enclosure {
    /// `cos(2 pi turns)` for an exact number of turns, of width at most 2 ulps, within `[-1, 1]`;
    /// exact where it is 0, 1/2 or 1 up to the sign, the only rational values there are.
    pub fn cos_turns(turns: &Rational, bits: usize) -> Self {
        let whole = Rational::integer(turns.floor());
        let half = Rational::new(1, 2u8);
        let mut part = turns - &whole;
        if part > half {
            part = Rational::integer(1) - part;
        }
        // cos is odd around a quarter turn.
        let quarter = Rational::new(1, 4u8);
        let negative = part > quarter;
        if negative {
            part = &half - &part;
        }
        let value = cosine_of_quarter(&part, bits);
        if negative { -&value } else { value }
    }
}

/// `cos(2 pi part)` for `0 <= part <= 1/4`.
fn cosine_of_quarter(part: &Rational, bits: usize) -> Enclosure {
    if part.is_zero() {
        return Enclosure::from_integer(1, bits);
    }
    if *part == Rational::new(1, 4u8) {
        return Enclosure::from_integer(0, bits);
    }
    if *part == Rational::new(1, 6u8) {
        return Enclosure::from_rational(&Rational::new(1, 2u8), bits);
    }
    let working = bits + GUARD;
    // 2 pi part, rounded down, within 3 units of the truth.
    let tau = Enclosure::pi(working + 1).lower;
    let angle = floor_quotient(&(tau * part.numerator()), part.denominator().as_ibig());
    let Some(angle) = angle.as_ubig() else {
        return Enclosure::from_integer(1, bits);
    };
    let (low, high) = cosine_bounds(angle, working);
    // A larger angle has a smaller cosine, by no more than the difference of the angles.
    let cosine = Enclosure { lower: IBig::ZERO.max(low - IBig::from(3)), upper: high, bits: working }.with_bits(bits);
    Enclosure { upper: cosine.upper.min(IBig::ONE << bits), ..cosine }
}

/// Bounds of `cos(angle * 2^-bits)`, in units of `2^-bits`, at most 2 apart, for an angle below 2.
pub(super) fn cosine_bounds(angle: &UBig, bits: usize) -> (IBig, IBig) {
    debug_assert!(angle.bit_len() <= bits + 1, "the angle is below 2");
    let one = IBig::ONE << bits;
    if angle.is_zero() {
        return (one.clone(), one);
    }
    let already = bits + 1 - angle.bit_len();
    let halvings = (halvings_for(bits) + 1).saturating_sub(already).max(2);
    let guard = 2 * halvings + 6;
    let working = bits + guard;
    let smallness = already + halvings - 1;
    let terms = terms_below(smallness, working + 1).div_ceil(2).max(2);
    let versine = evaluate(&Versine { terms, halvings }, angle, bits + halvings, working);
    let error = IBig::ONE << (2 * halvings + 2);
    let cosine = (IBig::ONE << working) - IBig::from(versine);
    let centred = Enclosure { lower: &cosine - &error, upper: cosine + error, bits: working };
    let Enclosure { lower, upper, .. } = centred.with_bits(bits);
    (lower, upper)
}

/// `1 - cos(2^halvings y)` from the first `terms - 1` terms of `1 - cos y`, for `y` at most 1/2.
struct Versine {
    terms: u64,
    halvings: usize,
}

impl Series for Versine {
    fn evaluate<F: FixedPoint>(&self, small: F) -> F {
        let square = small.times(&small);
        // 1 - cos y = (y^2/2)(1 - (y^2/12)(1 - (y^2/30)(...))); the bracket is `nested / weight`.
        let mut nested = F::integer(1, &small);
        let mut weight = 1;
        for index in (2..self.terms).rev() {
            let divisor = (2 * index - 1) * (2 * index);
            if weight > MOST_WEIGHT / divisor {
                nested = nested.over(weight);
                weight = 1;
            }
            weight *= divisor;
            nested = F::from_integer_minus(weight, &nested.times(&square));
        }
        let mut versine = nested.over(weight).times(&square).over(2);
        // 1 - cos 2y = 2 (1 - cos y)(1 + cos y).
        for _ in 0..self.halvings {
            let half = versine.times(&F::from_integer_minus(2, &versine));
            versine = half.doubled();
        }
        versine
    }
}
