//! Numbers of another library, with 256 bits.

use astro_float::{BigFloat, Consts, RoundingMode, Sign};
use exact::{Integer, Natural, Rational};

const BITS: usize = 256;

fn of(number: &Rational) -> BigFloat {
    let text =
        |digits: String| BigFloat::parse(&digits, astro_float::Radix::Dec, BITS, RoundingMode::Down, &mut consts());
    let above = text(number.numerator().to_string());
    above.div(&text(number.denominator().to_string()), BITS, RoundingMode::ToEven)
}

fn consts() -> Consts {
    Consts::new().expect("constants")
}

/// The number as a fraction, a little below and a little above.
fn around(value: &BigFloat) -> (Rational, Rational) {
    let (words, _, sign, exponent, _) = value.as_raw_parts().expect("a number");
    assert_eq!(sign, Sign::Pos);
    let mantissa = words.iter().rev().fold(Natural::ZERO, |sum, word| (sum << 64) + Natural::from(*word));
    let shift = exponent as isize - 64 * words.len() as isize;
    let exact = match shift >= 0 {
        true => Rational::integer(Integer::from(mantissa << shift as usize)),
        false => Rational::new(Integer::from(mantissa), Natural::ONE << shift.unsigned_abs()),
    };
    let slack = &exact * &Rational::new(1, Natural::ONE << 200);
    (&exact - &slack, &exact + &slack)
}

/// `1 + e^ε + … + e^{(n − 1)ε}`.
pub fn geometric(epsilon: &Rational, terms: u32) -> (Rational, Rational) {
    let step = of(epsilon);
    let mut sum = BigFloat::from_u32(0, BITS);
    for term in 0..terms {
        let exponent = step.mul(&BigFloat::from_u32(term, BITS), BITS, RoundingMode::ToEven);
        let power = exponent.exp(BITS, RoundingMode::ToEven, &mut consts());
        sum = sum.add(&power, BITS, RoundingMode::ToEven);
    }
    around(&sum)
}
