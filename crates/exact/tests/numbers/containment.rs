//! Containment: if the operands lie in their enclosures, the exact result lies in the result's.

use crate::generator::Generator;
use dashu_int::{IBig, UBig};
use exact::{Enclosure, Rational};

type Binary = fn(&Enclosure, &Enclosure) -> Enclosure;

/// Counts the cases in which `on_enclosures` loses the exact value of `on_rationals`.
fn losses(on_enclosures: Binary, on_rationals: fn(&Rational, &Rational) -> Rational) -> usize {
    let mut generator = Generator::new(21);
    let mut lost = 0;
    for _ in 0..4000 {
        let (left_bits, right_bits) = two_precisions(&mut generator);
        let (left, a) = generator.enclosure_around(6, left_bits);
        let (right, b) = generator.enclosure_around(6, right_bits);
        let result = on_enclosures(&left, &right);
        assert_eq!(result.bits(), left_bits.max(right_bits));
        lost += usize::from(!result.contains(&on_rationals(&a, &b)));
    }
    lost
}

fn two_precisions(generator: &mut Generator) -> (usize, usize) {
    let first = generator.between(8, 300) as usize;
    let second = if generator.chance(3) { generator.between(8, 300) as usize } else { first };
    (first, second)
}

#[test]
fn sums_differences_products_and_extremes() {
    assert_eq!(losses(|a, b| a + b, |a, b| a + b), 0);
    assert_eq!(losses(|a, b| a - b, |a, b| a - b), 0);
    assert_eq!(losses(|a, b| a * b, |a, b| a * b), 0);
    assert_eq!(losses(Enclosure::min, |a, b| a.min(b).clone()), 0);
    assert_eq!(losses(Enclosure::max, |a, b| a.max(b).clone()), 0);
}

/// A product whose bounds are both rounded down.
fn product_rounded_down(left: &Enclosure, right: &Enclosure) -> Enclosure {
    let bits = left.bits().max(right.bits());
    let (left, right) = (left.with_bits(bits), right.with_bits(bits));
    let corners = [
        left.lower() * right.lower(),
        left.lower() * right.upper(),
        left.upper() * right.lower(),
        left.upper() * right.upper(),
    ];
    let lower = corners.iter().min().unwrap() >> bits;
    let upper = corners.iter().max().unwrap() >> bits;
    Enclosure::from_bounds(lower, upper, bits)
}

/// A product whose bounds are both rounded up, by way of the one above.
fn product_rounded_up(left: &Enclosure, right: &Enclosure) -> Enclosure {
    -&product_rounded_down(&-left, right)
}

/// A product that takes the ends in order and forgets that signs can turn them around.
fn product_of_ends(left: &Enclosure, right: &Enclosure) -> Enclosure {
    let bits = left.bits().max(right.bits());
    let (left, right) = (left.with_bits(bits), right.with_bits(bits));
    let (first, second) = (left.lower() * right.lower(), left.upper() * right.upper());
    let (lower, upper) = (first.clone().min(second.clone()), first.max(second));
    Enclosure::from_bounds(lower >> bits, (upper >> bits) + 1, bits)
}

#[test]
fn mutants_that_round_one_way_or_forget_signs_are_rejected() {
    for (mutant, name) in [
        (product_rounded_down as Binary, "both bounds down"),
        (product_rounded_up, "both bounds up"),
        (product_of_ends, "ends in order"),
    ] {
        let lost = losses(mutant, |a, b| a * b);
        assert!(lost >= 100, "the mutant `{name}` lost only {lost} of 4000 values");
    }
}

#[test]
fn quotients() {
    let mut generator = Generator::new(22);
    let mut answered = 0;
    for _ in 0..6000 {
        let (left_bits, right_bits) = two_precisions(&mut generator);
        let (left, a) = generator.enclosure_around(6, left_bits);
        let (right, b) = generator.enclosure_around(6, right_bits);
        match left.checked_div(&right) {
            Some(quotient) => {
                assert!(quotient.contains(&(&a / &b)), "{left:?} by {right:?}");
                answered += 1;
            }
            None => assert!(right.contains(&Rational::integer(0))),
        }
    }
    assert!(answered > 2000, "only {answered} divisors kept away from zero");
    let zero = Enclosure::from_bounds(IBig::ZERO, IBig::ONE, 8);
    assert_eq!(Enclosure::from_integer(1, 8).checked_div(&zero), None);
}

#[test]
fn functions_of_one_enclosure() {
    let mut generator = Generator::new(23);
    for _ in 0..4000 {
        let bits = generator.between(8, 300) as usize;
        let (x, a) = generator.enclosure_around(3, bits);
        let case = format!("{a} in {x:?}");
        assert!(x.contains(&a), "{case}");
        assert!((-&x).contains(&-&a), "{case}");
        assert!(x.abs().contains(&a.abs()), "{case}");
        assert!(x.square().contains(&a.pow(2)), "{case}");
        let exponent = generator.between(0, 20);
        assert!(x.pow(exponent).contains(&a.pow(exponent as u32)), "power {exponent} of {case}");
        let magnitude = generator.awkward();
        let integer = generator.signed(magnitude);
        let factor = Rational::integer(integer.clone());
        assert!(x.mul_integer(&integer).contains(&(&a * &factor)), "{case}");
        match x.div_integer(&integer) {
            Some(quotient) => assert!(quotient.contains(&(&a / &factor)), "{case}"),
            None => assert!(integer.is_zero()),
        }
        let power = generator.between(0, 100) as isize - 50;
        let two = Rational::new(UBig::ONE << 50, UBig::ONE << (50 - power) as usize);
        assert!(x.mul_power_of_two(power).contains(&(&a * &two)), "{case}");
        let other_bits = generator.between(0, 400) as usize;
        let moved = x.with_bits(other_bits);
        assert!(moved.contains(&a) && moved.bits() == other_bits, "{case}");
        if other_bits >= bits {
            assert_eq!(moved.with_bits(bits), x);
        }
        if let Some(root) = x.sqrt() {
            let (low, high) = (root.lower_rational(), root.upper_rational());
            assert!(low.pow(2) <= x.lower_rational() && x.upper_rational() <= high.pow(2), "{case}");
        }
    }
}

#[test]
fn comparisons_are_never_wrong_and_sometimes_certain() {
    let mut generator = Generator::new(24);
    let mut counts = [0; 3];
    for _ in 0..4000 {
        let (left_bits, right_bits) = two_precisions(&mut generator);
        let (left, a) = generator.enclosure_around(6, left_bits);
        let (right, b) = generator.enclosure_around(6, right_bits);
        for answer in [left.certainly_less(&right), left.certainly_less_than_rational(&b)] {
            match answer {
                Some(less) => {
                    assert_eq!(less, a < b, "{a} and {b}");
                    counts[usize::from(less)] += 1;
                }
                None => counts[2] += 1,
            }
        }
        if left.is_positive() {
            assert!(a.is_positive());
        }
        if left.is_negative() {
            assert!(a.is_negative());
        }
        if left.is_nonnegative() {
            assert!(!a.is_negative());
        }
        assert!(!a.is_zero() || left.contains_zero());
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    let half = Enclosure::from_rational(&Rational::new(1, 2u8), 8);
    assert_eq!(half.certainly_less(&half), Some(false));
}

#[test]
fn powers_stay_narrow() {
    let mut generator = Generator::new(25);
    for _ in 0..500 {
        let bits = generator.between(8, 300) as usize;
        let exponent = generator.between(1, 1 << 40);
        let base = Enclosure::from_bounds(IBig::ONE, IBig::ONE << bits, bits);
        let near_one = &base.upper_rational() - &Rational::new(1, UBig::ONE << bits.min(38));
        let power = Enclosure::from_rational(&near_one, bits).pow(exponent);
        assert!(power.width() <= IBig::from(4), "power {exponent} at {bits} bits: {power:?}");
    }
    let three = Enclosure::from_integer(-3, 20).pow(5);
    assert!(three.is_exact() && three.contains(&Rational::integer(-243)));
}

#[test]
fn exact_values_stay_exact() {
    let quarter = Enclosure::from_rational(&Rational::new(-1, 4u8), 8);
    assert!(quarter.is_exact());
    assert_eq!(quarter.to_f64(), -0.25);
    assert_eq!(quarter.to_string(), "[-0.25, -0.25]");
    assert_eq!(format!("{quarter:?}"), "[-64, -64]/2^8");
    let third = Enclosure::from_rational(&Rational::new(1, 3u8), 128);
    assert_eq!(third.width(), IBig::ONE);
    assert!((third.to_f64() - 1.0 / 3.0).abs() < 1e-16);
}

#[test]
#[should_panic(expected = "lower bound at most its upper bound")]
fn bounds_in_the_wrong_order_are_refused() {
    Enclosure::from_bounds(IBig::ONE, IBig::ZERO, 8);
}
