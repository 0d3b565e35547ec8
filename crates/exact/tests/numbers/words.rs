//! Where big integers meet machine words: conversions, revealed bits and quick bounds, against a
//! second library.

use crate::generator::Generator;
use dashu_int::{IBig, UBig};
use exact::integer::below;
use exact::lazy::{Bounds, Uniform};
use exact::{Enclosure, Entropy, Powers, Rational, Seeded, Source};
use num_bigint::{BigInt, BigUint, Sign};

fn other(value: &IBig) -> BigInt {
    let (sign, magnitude) = value.clone().into_parts();
    let sign = if sign == dashu_base::Sign::Negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, other_unsigned(&magnitude))
}

fn other_unsigned(value: &UBig) -> BigUint {
    BigUint::from_bytes_le(&value.to_le_bytes())
}

/// Integers on both sides of every limit of a machine word, and any others.
fn near_words(generator: &mut Generator) -> IBig {
    let limit = [0, 1, 63, 64, 65, 127, 128, 129][generator.between(0, 8) as usize];
    let edge = IBig::from(UBig::ONE << limit) + IBig::from(generator.between(0, 5)) - IBig::from(2);
    let any = generator.awkward();
    match generator.between(0, 3) {
        0 => -edge,
        1 => edge,
        _ => generator.signed(any),
    }
}

#[test]
fn conversions_to_and_from_words() {
    let mut generator = Generator::new(31);
    for _ in 0..20_000 {
        let value = near_words(&mut generator);
        let theirs = other(&value);
        assert_eq!(u64::try_from(&value).ok(), u64::try_from(&theirs).ok(), "{value}");
        assert_eq!(u64::try_from(value.clone()).ok(), u64::try_from(&theirs).ok(), "{value}");
        assert_eq!(u128::try_from(value.clone()).ok(), u128::try_from(&theirs).ok());
        assert_eq!(i64::try_from(&value).ok(), i64::try_from(&theirs).ok());
        match UBig::try_from(value.clone()) {
            Ok(natural) => {
                assert_eq!(BigInt::from(other_unsigned(&natural)), theirs);
                assert_eq!(IBig::from(natural.clone()), value);
                assert_eq!(u64::try_from(&natural).ok(), u64::try_from(&theirs).ok());
                assert_eq!(u128::try_from(natural).ok(), u128::try_from(&theirs).ok());
            }
            Err(_) => assert!(theirs < BigInt::ZERO),
        }
        let word = generator.word() >> generator.between(0, 64);
        assert_eq!(other_unsigned(&UBig::from(word)), BigUint::from(word));
        let wide = u128::from(word) * u128::from(generator.word());
        assert_eq!(other_unsigned(&UBig::from(wide)), BigUint::from(wide));
    }
}

#[test]
fn shifts_and_sums_of_natural_numbers() {
    let mut generator = Generator::new(32);
    for _ in 0..20_000 {
        let (left, right) = (generator.awkward(), generator.awkward());
        let (a, b) = (other_unsigned(&left), other_unsigned(&right));
        let shift = generator.between(0, 300) as usize;
        assert_eq!(other_unsigned(&(&left << shift)), &a << shift);
        assert_eq!(other_unsigned(&(&left >> shift)), &a >> shift);
        assert_eq!(other_unsigned(&((left.clone() << shift) + &right)), (&a << shift) + &b);
        assert_eq!(other_unsigned(&(&left * &right)), &a * &b);
        assert_eq!(left.cmp(&right), a.cmp(&b));
    }
}

#[test]
fn words_hold_the_bounds_of_a_probability() {
    let mut generator = Generator::new(33);
    for _ in 0..20_000 {
        // An enclosure of a probability, at precisions below and above a word.
        let bits = generator.between(1, 200) as usize;
        let one = UBig::ONE << bits;
        let mut ends = [0, 1].map(|_| match generator.between(0, 6) {
            0 => UBig::ZERO,
            1 => one.clone(),
            _ => generator.magnitude(bits),
        });
        ends.sort();
        let [lower, upper] = ends;
        let bounds = Bounds::of(&Enclosure::from_bounds(IBig::from(lower.clone()), IBig::from(upper.clone()), bits));
        // floor ≤ p·2⁶⁴ ≤ last + 1, in units of 2^−bits.
        let (low, high) = (other_unsigned(&lower) << 64, other_unsigned(&upper) << 64);
        assert!(BigUint::from(bounds.floor) << bits <= low);
        assert!((BigUint::from(bounds.last) + 1u8) << bits >= high);
        // Nothing is given away, except at the two ends of the range of a word.
        let unit = BigUint::from(1u8) << bits;
        assert!(bounds.floor == u64::MAX || (BigUint::from(bounds.floor) + 1u8) << bits > low);
        assert!(bounds.last == 0 || BigUint::from(bounds.last) << bits < high);
        // Shifted bounds hold the shifted probability, as long as it is one.
        let shift = generator.between(0, 66) as u32;
        if &high << shift <= &unit << 64 {
            let shifted = bounds.shifted(shift);
            assert!(BigUint::from(shifted.floor) << bits <= &low << shift);
            assert!((BigUint::from(shifted.last) + 1u8) << bits >= &high << shift);
        }
    }
}

#[test]
fn revealed_bits_are_compared_exactly() {
    let mut generator = Generator::new(34);
    let mut decided = [0; 3];
    for round in 0..5_000 {
        let stride = [1, 7, 63, 64][generator.between(0, 4) as usize];
        let source = Seeded::new(round);
        let mut entropy = source.stream(0).unwrap().with_stride(stride);
        let mut same = source.stream(0).unwrap();
        let (mut uniform, mut known) = (Uniform::from_bits(0, 0), 0usize);
        let mut value = BigUint::ZERO;
        for _ in 0..generator.between(1, 5) {
            uniform.reveal(&mut entropy);
            value = (value << stride) + same.bits(stride);
            known += stride as usize;
        }
        assert_eq!(uniform.known(), known);
        // A probability next to the revealed number, at a precision above or below.
        let bits = generator.between(1, 330) as usize;
        let near = if bits >= known { &value << (bits - known) } else { &value >> (known - bits) };
        let near = BigInt::from(near) + BigInt::from(generator.between(0, 7)) - 3;
        let far = &near + BigInt::from(generator.between(0, 3));
        let ours = |number: &BigInt| {
            let magnitude = UBig::from_le_bytes(&number.magnitude().to_bytes_le());
            let negative = number.sign() == Sign::Minus;
            IBig::from_parts(if negative { dashu_base::Sign::Negative } else { dashu_base::Sign::Positive }, magnitude)
        };
        let enclosure = Enclosure::from_bounds(ours(&near), ours(&far), bits);
        // U is in [value, value + 1)·2^−known, p in [near, far]·2^−bits.
        let (low, high) = (BigInt::from(value.clone()) << bits, BigInt::from(value + 1u8) << bits);
        let expected = if high <= &near << known {
            Some(true)
        } else if low >= &far << known {
            Some(false)
        } else {
            None
        };
        assert_eq!(uniform.below(&enclosure), expected);
        decided[expected.map_or(2, usize::from)] += 1;
    }
    assert!(decided.iter().all(|count| *count > 300), "{decided:?}");
}

#[test]
fn uniform_integers_are_the_whole_part_of_the_product() {
    let mut generator = Generator::new(35);
    for round in 0..5_000 {
        let n = (generator.word() >> generator.between(0, 64)).max(1);
        let n = if generator.chance(3) { u64::MAX - n % 3 } else { n };
        let stride = [1, 5, 64][generator.between(0, 3) as usize];
        let source = Seeded::new(1_000_000 + round);
        let answer = below(&mut source.stream(0).unwrap().with_stride(stride), n);
        // 320 bits of the same number U settle ⌊U·n⌋ as surely as any draw could.
        let mut same = source.stream(0).unwrap();
        let pieces = 320 / stride;
        let value = (0..pieces).fold(BigUint::ZERO, |value, _| (value << stride) + same.bits(stride));
        assert_eq!(BigUint::from(answer), (value * n) >> (pieces * stride));
    }
}

#[test]
fn quick_powers_contain_the_exponential() {
    let mut generator = Generator::new(36);
    for levels in [1u32, 2, 4, 8] {
        for rate in ["1/3", "1/1000", "5", "123456789/1000000000000000000", "0.0000005"] {
            let rate: Rational = rate.parse().unwrap();
            let powers = Powers::new(rate, levels);
            for _ in 0..100 {
                let r = generator.word() >> generator.between(0, 64);
                let (bounds, fine) = (powers.bounds(r), powers.refine(r, 160));
                let reached = levels == 8 || r < 1 << (8 * levels);
                assert_eq!(bounds == Bounds::UNKNOWN, !reached);
                assert!(IBig::from(bounds.floor) << 96usize <= *fine.upper(), "r = {r}");
                assert!((IBig::from(bounds.last) + IBig::ONE) << 96usize >= *fine.lower(), "r = {r}");
                assert!(!reached || bounds.last - bounds.floor <= 3 * u64::from(levels));
            }
        }
    }
}
