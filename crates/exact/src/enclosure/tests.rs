//! The inner kernels against themselves at higher precision: the guard bits of the public functions
//! would hide a kernel whose error bound is too small.

use super::Enclosure;
use super::circular::cosine_bounds;
use super::constants::{Series, of_inverse};
use super::exponential::exp_of_fraction;
use super::factorial::correction;
use super::fixed_point::{Big, FixedPoint, Limbs};
use super::logarithm::{guess_logarithm, ln_bounds, ln_near_one};
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

const BEYOND: usize = 200;

/// A fixed sequence of integers of `bits` bits, with the ends and some sparse ones among them.
fn integers(bits: usize, count: usize) -> Vec<UBig> {
    let mask = UBig::ones(bits);
    let mut found = vec![UBig::ONE, mask.clone(), UBig::ONE << (bits - 1)];
    let multiplier = UBig::from(0xD134_2543_DE82_EF95_9E37_79B9_7F4A_7C15_u128);
    let mut state = UBig::from(bits) * &multiplier + UBig::ONE;
    while found.len() < count {
        state = (&state * &multiplier + UBig::ONE) % (UBig::ONE << (bits + 128));
        let integer = &state >> 128;
        let shorter = &integer >> (found.len() % bits);
        found.push(if found.len() % 3 == 0 { shorter } else { integer });
    }
    found
}

/// Asserts `low <= truth <= high` for a truth known between two bounds with `BEYOND` more bits.
fn assert_between(low: &IBig, high: &IBig, truth: (IBig, IBig), what: &str) {
    assert!(low << BEYOND <= truth.1 && truth.0 <= high << BEYOND, "{what}: {low} {high}");
}

fn signed((low, high): (UBig, UBig)) -> (IBig, IBig) {
    (low.into(), high.into())
}

#[test]
fn exponentials_of_fractions() {
    for bits in [8, 9, 16, 40, 49, 50, 64, 100, 136, 180, 300, 304, 310, 700] {
        for fraction in integers(bits, 300) {
            let (low, high) = signed(exp_of_fraction(&fraction, bits));
            let truth = signed(exp_of_fraction(&(&fraction << BEYOND), bits + BEYOND));
            assert_between(&low, &high, truth, "exp");
            assert!(&high - low <= IBig::from(2), "exp at {bits} bits");
        }
    }
}

#[test]
fn cosines_of_angles_below_two() {
    for bits in [8, 9, 16, 40, 64, 100, 136, 180, 300, 310, 700] {
        for angle in integers(bits + 1, 300) {
            let (low, high) = cosine_bounds(&angle, bits);
            let truth = cosine_bounds(&(&angle << BEYOND), bits + BEYOND);
            assert_between(&low, &high, truth, "cos");
            assert!(&high - low <= IBig::from(2), "cos at {bits} bits");
        }
    }
}

#[test]
fn logarithms_near_one_and_elsewhere() {
    for bits in [8, 16, 40, 64, 100, 136, 300, 700] {
        for distance in integers(bits - 2, 200) {
            for value in
                [(IBig::ONE << bits) + IBig::from(distance.clone()), (IBig::ONE << bits) - IBig::from(distance.clone())]
            {
                let (low, high) = ln_near_one(value.clone(), bits);
                let truth = ln_near_one(value << BEYOND, bits + BEYOND);
                assert_between(&low, &high, truth, "ln near 1");
            }
        }
        for value in integers(bits, 200) {
            if value.is_zero() {
                continue;
            }
            let (low, high) = ln_bounds(&value, bits, bits);
            let truth = ln_bounds(&value, bits, bits + BEYOND);
            assert_between(&low, &high, truth, "ln");
            assert!(&high - low <= IBig::from(2), "ln at {bits} bits");
        }
    }
}

#[test]
fn the_guess_of_a_logarithm_is_good() {
    for mantissa in integers(199, 300) {
        let mantissa = mantissa | (UBig::ONE << 199);
        let guess = IBig::from(guess_logarithm(&mantissa, 200));
        let (truth, _) = ln_bounds(&mantissa, 200, 200);
        assert!((guess + truth).bit_len() <= 200 - 54, "{mantissa}");
    }
}

/// Every operation on words equals the one on big integers, bit for bit.
fn words_agree<const N: usize>() {
    let bits = 64 * (N - 1);
    let numbers: Vec<UBig> = integers(bits + 20, 60);
    let big = |value: &UBig| Big { value: value.clone(), bits };
    for left in &numbers {
        let words = Limbs::<N>::from_integer(left);
        assert_eq!(words.to_integer(), *left);
        assert_eq!(words.doubled().to_integer(), big(left).doubled().value);
        for divisor in [1, 2, 3, 10, (1 << 32) - 1, 1 << 62, u64::MAX] {
            assert_eq!(words.over(divisor).to_integer(), big(left).over(divisor).value);
        }
        assert_eq!(words.plus_integer(77).to_integer(), big(left).plus_integer(77).value);
        let difference = Limbs::<N>::from_integer_minus(1 << 21, &words).to_integer();
        assert_eq!(difference, Big::from_integer_minus(1 << 21, &big(left)).value);
        for right in &numbers {
            let product = words.times(&Limbs::from_integer(right)).to_integer();
            assert_eq!(product, big(left).times(&big(right)).value, "{left} times {right}");
        }
    }
    assert_eq!(Limbs::<N>::integer(5, &Limbs([0; N])).to_integer(), UBig::from(5u8) << bits);
}

#[test]
fn machine_words_agree_with_big_integers() {
    words_agree::<2>();
    words_agree::<3>();
    words_agree::<4>();
    words_agree::<5>();
    words_agree::<6>();
}

#[test]
fn the_logarithm_of_a_turn() {
    for bits in [8, 63, 64, 128, 1000] {
        let enclosure = Enclosure::ln_tau(bits);
        let turn = enclosure.exp();
        let pi = Enclosure::pi(bits).mul_power_of_two(1);
        assert_eq!(turn.certainly_less(&pi), None);
        assert_eq!(pi.certainly_less(&turn), None);
        assert!(enclosure.width() <= IBig::from(2));
    }
}

#[test]
fn the_sum_of_stirling() {
    for bits in [16, 72, 136, 300] {
        // The smallest n is one for which the finer sum still converges.
        for n in (BEYOND as u64 + bits as u64 / 2..).step_by(37).take(300) {
            let (low, high) = correction(n, bits);
            let truth = correction(n, bits + BEYOND);
            assert_between(&low, &high, truth, "Stirling");
        }
    }
}

#[test]
fn series_of_inverse_integers() {
    for series in [Series::HyperbolicArctangent, Series::Arctangent] {
        for inverse in [5, 26, 239, 4801, 8749] {
            for bits in (30..400).step_by(7) {
                let (value, slack) = of_inverse(inverse, series, bits);
                let (finer, finer_slack) = of_inverse(inverse, series, bits + BEYOND);
                let (slack, finer_slack) = (IBig::from(slack), IBig::from(finer_slack));
                let truth = (&finer - &finer_slack, finer + finer_slack);
                assert_between(&(&value - &slack), &(value + slack), truth, "arctangent");
            }
        }
    }
}
