//! Every big-integer operation that a draw uses, against a second library.
//!
//! A differential-privacy library once shipped biased noise because a big-number division was
//! wrong for rare operands. Neither library is trusted here; they only have to agree, on random
//! operands and on the shapes that long division and carry chains get wrong.

use crate::generator::Generator;
use dashu_base::{BitTest, DivRem, DivRemEuclid, Gcd, SquareRootRem};
use dashu_int::{IBig, UBig};
use num_bigint::{BigInt, BigUint, Sign};

fn other(value: &IBig) -> BigInt {
    let (sign, magnitude) = value.clone().into_parts();
    let sign = if sign == dashu_base::Sign::Negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, other_unsigned(&magnitude))
}

fn other_unsigned(value: &UBig) -> BigUint {
    BigUint::from_bytes_le(&value.to_le_bytes())
}

fn agree(ours: &IBig, theirs: &BigInt, what: &str, operands: (&IBig, &IBig)) {
    assert_eq!(&other(ours), theirs, "{what} of {} and {}", operands.0, operands.1);
}

fn euclid(left: &BigUint, right: &BigUint) -> BigUint {
    let (mut left, mut right) = (left.clone(), right.clone());
    while right != BigUint::ZERO {
        (left, right) = (right.clone(), left % right);
    }
    left
}

fn check_pair(left: &IBig, right: &IBig) {
    let (a, b) = (other(left), other(right));
    let pair = (left, right);
    agree(&(left + right), &(&a + &b), "sum", pair);
    agree(&(left - right), &(&a - &b), "difference", pair);
    agree(&(left * right), &(&a * &b), "product", pair);
    agree(&(left * left), &(&a * &a), "square", pair);
    agree(&-left, &-&a, "negative", pair);
    assert_eq!(left.cmp(right), a.cmp(&b), "order of {left} and {right}");
    assert_eq!(left == right, a == b);
    assert_eq!(left.bit_len() as u64, a.bits());
    assert_eq!(left.trailing_zeros().map(|zeros| zeros as u64), a.trailing_zeros());
    let (_, small) = right.clone().into_parts();
    if right.is_zero() {
        return;
    }
    agree(&(left / right), &(&a / &b), "quotient", pair);
    agree(&(left % right), &(&a % &b), "remainder", pair);
    let (quotient, remainder) = left.div_rem(right);
    agree(&quotient, &(&a / &b), "quotient", pair);
    agree(&remainder, &(&a % &b), "remainder", pair);
    let (quotient, remainder) = left.div_rem_euclid(right);
    let remainder = IBig::from(remainder);
    assert_eq!(other(&quotient) * &b + other(&remainder), a, "Euclid: {left} by {right}");
    assert!(remainder >= IBig::ZERO && remainder.clone().into_parts().1 < small);
    let gcd = left.gcd(right);
    assert_eq!(other_unsigned(&gcd), euclid(a.magnitude(), b.magnitude()), "gcd {left} {right}");
}

fn check_one(value: &IBig, shift: usize) {
    let a = other(value);
    agree(&(value << shift), &(&a << shift), "left shift", (value, &IBig::from(shift)));
    agree(&(value >> shift), &(&a >> shift), "floor shift", (value, &IBig::from(shift)));
    // The second library's shift of a negative number is checked against its own division.
    let power = BigInt::from(1) << shift;
    let floor = (&a - ((&a % &power) + &power) % &power) / &power;
    agree(&(value >> shift), &floor, "floor by a power", (value, &IBig::from(shift)));
    agree(&(value.clone() >> shift), &floor, "floor by a power", (value, &IBig::from(shift)));
    let (_, magnitude) = value.clone().into_parts();
    let (root, rest) = magnitude.sqrt_rem();
    assert_eq!(other_unsigned(&root), a.magnitude().sqrt(), "root of {magnitude}");
    assert_eq!(&root * &root + rest, magnitude);
}

fn check_word(value: &IBig, word: u64) {
    let (a, b) = (other(value), BigInt::from(word));
    let pair = (value, &IBig::from(word));
    agree(&(value * word), &(&a * &b), "product with a word", pair);
    agree(&(value + word), &(&a + &b), "sum with a word", pair);
    if word != 0 {
        agree(&(value / word), &(&a / &b), "quotient by a word", pair);
        let (_, magnitude) = value.clone().into_parts();
        let (quotient, remainder) = (&magnitude).div_rem(word);
        assert_eq!(quotient * word + remainder, magnitude);
        assert!(remainder < word);
    }
}

#[test]
fn random_and_awkward_operands() {
    let mut generator = Generator::new(11);
    for _ in 0..12_000 {
        let (left, right) = (generator.awkward(), generator.awkward());
        let (left, right) = (generator.signed(left), generator.signed(right));
        check_pair(&left, &right);
        let shift = match generator.between(0, 3) {
            0 => generator.between(0, 35) as usize * 64,
            1 => left.bit_len() + generator.between(0, 3) as usize,
            _ => generator.between(0, 2200) as usize,
        };
        check_one(&left, shift);
        let word = generator.word() >> generator.between(0, 64);
        check_word(&left, word);
    }
}

#[test]
fn quotients_next_to_a_whole_number() {
    // numerator = divisor * quotient + {0, 1, divisor - 1}: one step off is a wrong quotient.
    let mut generator = Generator::new(12);
    for _ in 0..12_000 {
        let divisor = generator.awkward() + UBig::ONE;
        let quotient = generator.awkward();
        for rest in [UBig::ZERO, UBig::ONE % &divisor, &divisor - UBig::ONE] {
            let numerator = &divisor * &quotient + &rest;
            assert_eq!(
                other_unsigned(&numerator),
                other_unsigned(&divisor) * other_unsigned(&quotient) + other_unsigned(&rest)
            );
            let (found, remainder) = (&numerator).div_rem(&divisor);
            assert_eq!((&found, &remainder), (&quotient, &rest), "{numerator} by {divisor}");
        }
    }
}

#[test]
fn long_division_where_the_trial_quotient_is_too_large() {
    // Knuth's step D3 and its rare correction D6, with 64-bit and 32-bit words.
    let top = UBig::ONE << 127;
    let cases = [
        (UBig::ONE << 191, (UBig::ONE << 127) + (UBig::ONE << 64) - UBig::ONE),
        ((UBig::ONE << 192) - UBig::ONE, (UBig::ONE << 128) - UBig::ONE),
        ((UBig::ONE << 256) - UBig::ONE, &top + UBig::ONE),
        (&top << 64, &top + UBig::ONE),
        ((&top << 65) - UBig::ONE, (&top << 1) - UBig::ONE),
        (((UBig::ONE << 63) - UBig::ONE) << 128, (UBig::ONE << 127) + UBig::ONE),
        (UBig::from(0x8000_0000u32) << 64, (UBig::from(0x8000_0000u32) << 32) + UBig::ONE),
        ((UBig::ONE << 95) + UBig::from(3u8), (UBig::ONE << 93) + UBig::ONE),
    ];
    for (numerator, divisor) in cases {
        for shift in 0..130 {
            for offset in 0u8..3 {
                let numerator = (&numerator << shift) + offset;
                let (quotient, remainder) = (&numerator).div_rem(&divisor);
                let (a, b) = (other_unsigned(&numerator), other_unsigned(&divisor));
                assert_eq!(other_unsigned(&quotient), &a / &b, "{numerator} by {divisor}");
                assert_eq!(other_unsigned(&remainder), a % b, "{numerator} by {divisor}");
            }
        }
    }
}

#[test]
fn much_longer_operands() {
    // Long enough for the subquadratic product and division.
    let mut generator = Generator::new(13);
    for _ in 0..150 {
        let lengths = [generator.between(1, 40_000), generator.between(1, 40_000)];
        let [left, right] = lengths.map(|bits| generator.magnitude(bits as usize));
        check_pair(&generator.signed(left), &generator.signed(right));
    }
}

#[test]
fn decimal_and_hexadecimal_text() {
    let mut generator = Generator::new(14);
    for _ in 0..3_000 {
        let magnitude = generator.awkward();
        let value = generator.signed(magnitude);
        let a = other(&value);
        let decimal = value.to_string();
        assert_eq!(decimal, a.to_string());
        assert_eq!(decimal.parse::<IBig>().unwrap(), value);
        let hexadecimal = value.in_radix(16).to_string();
        assert_eq!(hexadecimal, a.to_str_radix(16));
        assert_eq!(IBig::from_str_radix(&hexadecimal, 16).unwrap(), value);
    }
}

#[test]
fn powers() {
    let mut generator = Generator::new(15);
    for _ in 0..500 {
        let bits = generator.between(1, 130) as usize;
        let magnitude = generator.magnitude(bits);
        let base = generator.signed(magnitude);
        let exponent = generator.between(0, 40);
        let theirs = other(&base).pow(exponent as u32);
        assert_eq!(other(&base.pow(exponent as usize)), theirs, "{base}^{exponent}");
    }
}
