//! Brackets against exact fractions.

use super::*;
use crate::entropy::{Entropy, Seeded, Source, Stream};
use crate::rational::Rational;
use dashu_int::IBig;

fn value(scaled: Scaled) -> Rational {
    let mantissa = Rational::integer(scaled.mantissa);
    let power = Rational::integer(UBig::ONE << scaled.exponent.unsigned_abs() as usize);
    if scaled.exponent >= 0 { &mantissa * &power } else { &mantissa / &power }
}

fn assert_contains(bracket: Bracket, exact: &Rational) {
    let (low, high) = (value(bracket.low), value(bracket.high));
    assert!(low <= *exact && *exact <= high, "{bracket:?} misses {exact}");
    assert!(bracket.low.mantissa >> 63 == 1 && bracket.high.mantissa >> 63 == 1);
    // Some fifty bits are kept.
    assert!(&(&high - &low) * &Rational::integer(1u64 << 50) <= *exact, "{bracket:?} is too wide");
}

fn assert_bounds(bounds: Bounds, p: &Rational) {
    let units = p * &Rational::integer(UBig::ONE << 64);
    assert!(Rational::integer(bounds.floor) <= units, "{bounds:?} of {p}");
    assert!(units <= &Rational::integer(bounds.last) + &Rational::integer(1), "{bounds:?} of {p}");
}

/// A positive word of any length, often next to a power of two.
fn factor(entropy: &mut Stream) -> u64 {
    let word = entropy.bits(64) >> entropy.bits(6);
    match entropy.bits(2) {
        0 => word.max(1),
        1 => word.checked_next_power_of_two().unwrap_or(1 << 63),
        2 => (word.checked_next_power_of_two().unwrap_or(1 << 63) - 1).max(1),
        _ => (entropy.bits(20)).max(1),
    }
}

#[test]
fn products_quotients_and_powers() {
    let mut entropy = Seeded::new(1).stream(0).unwrap();
    for _ in 0..2_000 {
        let factors: Vec<u64> = (0..entropy.bits(4)).map(|_| factor(&mut entropy)).collect();
        let divisors: Vec<u64> = (0..entropy.bits(4)).map(|_| factor(&mut entropy)).collect();
        let exactly = |words: &[u64]| {
            Rational::integer(words.iter().fold(UBig::ONE, |product, word| product * UBig::from(*word)))
        };
        let (above, below) = (exactly(&factors), exactly(&divisors));
        let quotient = Bracket::product(factors.into_iter()).over(Bracket::product(divisors.into_iter()));
        let exact = &above / &below;
        assert_contains(quotient, &exact);
        let (power, times) = (quotient.power(9), (0..9).fold(Rational::integer(1), |power, _| &power * &exact));
        assert_contains(power, &times);
        if exact <= Rational::integer(1) {
            assert_bounds(quotient.bounds(), &exact);
        }
        let enclosure = Enclosure::from_rational(&exact, 200);
        match Bracket::of(&enclosure) {
            Some(bracket) => assert!(value(bracket.low) <= exact && exact <= value(bracket.high)),
            None => assert!(*enclosure.lower() <= IBig::ZERO),
        }
    }
}

#[test]
fn bounds_at_the_ends() {
    let half = Bracket::integer(1).over(Bracket::integer(2));
    assert_eq!(half.bounds(), Bounds { floor: 1 << 63, last: (1 << 63) - 1 });
    assert_eq!(Bracket::integer(1).bounds(), Bounds { floor: u64::MAX, last: u64::MAX });
    assert_eq!(half.power(64).bounds(), Bounds { floor: 1, last: 0 });
    assert_eq!(half.power(65).bounds(), Bounds { floor: 0, last: 0 });
    assert_eq!(half.power(10_000).bounds(), Bounds { floor: 0, last: 0 });
    // Exactly one, but not known to be: it never claims more than there is.
    let third = Bracket::integer(1).over(Bracket::integer(3));
    let one = third.times(Bracket::integer(3));
    assert_bounds(one.bounds(), &Rational::integer(1));
}
