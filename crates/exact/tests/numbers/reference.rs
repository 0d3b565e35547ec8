//! Reference values from an independent arbitrary-precision library.

use astro_float::{BigFloat, Consts, RoundingMode, Sign as FloatSign};
use dashu_base::{BitTest, Sign};
use dashu_int::{IBig, UBig};
use exact::{Enclosure, Rational};

pub const NEAREST: RoundingMode = RoundingMode::ToEven;

/// Computes with `astro-float`, well beyond the precision under test.
pub struct Reference {
    pub constants: Consts,
}

impl Reference {
    pub fn new() -> Self {
        Reference { constants: Consts::new().expect("the constants of the reference") }
    }

    /// `function` at `argument`, with `precision` bits.
    pub fn at(
        &mut self,
        argument: &Rational,
        precision: usize,
        function: impl Fn(&BigFloat, usize, &mut Consts) -> BigFloat,
    ) -> Rational {
        let argument = float(argument, precision);
        rational(&function(&argument, precision, &mut self.constants))
    }
}

/// A rational rounded to `precision` bits.
pub fn float(value: &Rational, precision: usize) -> BigFloat {
    let numerator = integer(value.numerator());
    let denominator = integer(value.denominator().as_ibig());
    numerator.div(&denominator, precision, NEAREST)
}

fn integer(value: &IBig) -> BigFloat {
    let (sign, magnitude) = value.clone().into_parts();
    if magnitude.is_zero() {
        return BigFloat::from_word(0, 64);
    }
    // The reference keeps a mantissa in [1/2, 1), so the top bit of the top word is set.
    let length = magnitude.bit_len();
    let words = length.div_ceil(64);
    let normal = magnitude << (words * 64 - length);
    let mut digits: Vec<u64> = normal
        .to_le_bytes()
        .chunks(8)
        .map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        })
        .collect();
    digits.resize(words, 0);
    let sign = if sign == Sign::Negative { FloatSign::Neg } else { FloatSign::Pos };
    BigFloat::from_words(&digits, sign, length as i32)
}

/// The exact value of a reference number.
pub fn rational(value: &BigFloat) -> Rational {
    let (digits, _, sign, exponent, _) = value.as_raw_parts().expect("a finite reference value");
    let bytes: Vec<u8> = digits.iter().flat_map(|digit| digit.to_le_bytes()).collect();
    let sign = if sign == FloatSign::Neg { Sign::Negative } else { Sign::Positive };
    let mantissa = IBig::from_parts(sign, UBig::from_le_bytes(&bytes));
    let shift = i64::from(exponent) - 64 * digits.len() as i64;
    if shift >= 0 {
        Rational::integer(mantissa << shift as usize)
    } else {
        Rational::new(mantissa, UBig::ONE << shift.unsigned_abs() as usize)
    }
}

/// Checks that `value`, known to within `2^-(bits + 40)`, lies in the enclosure, and that the
/// enclosure is at most `most_width` ulps wide.
pub fn check(enclosure: &Enclosure, value: &Rational, most_width: u64, what: &str) {
    let slack = Rational::new(1, UBig::ONE << (enclosure.bits() + 40));
    assert!(
        enclosure.lower_rational() <= value + &slack && value - &slack <= enclosure.upper_rational(),
        "{what}: {value:?} is not in {enclosure:?}"
    );
    let width = enclosure.width();
    assert!(width <= IBig::from(most_width), "{what}: {enclosure:?} is {width} ulps wide");
}
