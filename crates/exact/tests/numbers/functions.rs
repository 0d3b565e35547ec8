//! exp, ln, cos, sin, sqrt and pi against the reference, with their documented widths.

use crate::generator::Generator;
use crate::reference::{NEAREST, Reference, check, float, rational};
use dashu_int::IBig;
use exact::{Enclosure, Rational};

/// Precisions from the smallest to the largest, mostly small ones, near word boundaries too.
fn precision(generator: &mut Generator) -> usize {
    match generator.between(0, 40) {
        0 => generator.between(1025, 4097) as usize,
        1..4 => generator.between(257, 1025) as usize,
        4..8 => (generator.between(1, 5) * 64 + generator.between(0, 19)) as usize - 9,
        8..12 => generator.between(8, 20) as usize,
        12..20 => 128,
        _ => generator.between(8, 257) as usize,
    }
}

#[test]
fn exp_of_rationals() {
    let mut generator = Generator::new(1);
    let mut reference = Reference::new();
    for _ in 0..3000 {
        let bits = precision(&mut generator);
        let whole_bits = generator.between(0, 8) as usize;
        let argument = generator.rational(whole_bits);
        let beyond = bits + 160 + (3 << whole_bits);
        let value = reference.at(&argument, beyond, |x, p, c| x.exp(p, NEAREST, c));
        let what = format!("exp({argument}) at {bits} bits");
        check(&Enclosure::exp_rational(&argument, bits), &value, 2, &what);
    }
}

#[test]
fn exp_far_below_the_precision_and_far_above() {
    for (argument, bits) in [("-1000000", 128), ("-1e40", 64), ("-131.5", 128), ("-90", 128)] {
        let tiny = Enclosure::exp_rational(&argument.parse().unwrap(), bits);
        assert_eq!((tiny.lower(), tiny.upper()), (&IBig::ZERO, &IBig::ONE), "exp({argument})");
    }
    let mut reference = Reference::new();
    let large = Rational::new(20001, 2u8);
    let value = reference.at(&large, 15_000, |x, p, c| x.exp(p, NEAREST, c));
    check(&Enclosure::exp_rational(&large, 32), &value, 2, "exp(10000.5)");
    let whole = Enclosure::exp_rational(&Rational::integer(0), 128);
    assert!(whole.is_exact() && whole.contains(&Rational::integer(1)));
}

#[test]
fn probabilities_never_exceed_one() {
    for bits in [8, 64, 128] {
        for (lower, upper) in [(-1, 0), (-1, -1), (-3, 0), (-2, -1), (-1 << 30, 0)] {
            let argument = Enclosure::from_bounds(IBig::from(lower), IBig::from(upper), bits);
            assert!(*argument.exp().upper() <= IBig::ONE << bits, "exp of {argument:?}");
        }
    }
}

#[test]
#[should_panic(expected = "the argument of exp is above")]
fn exp_of_too_large_an_argument_is_refused() {
    Enclosure::exp_rational(&Rational::integer(Enclosure::MOST_EXP_ARGUMENT + 1), 8);
}

#[test]
fn exp_near_multiples_of_ln2_and_near_zero() {
    let mut reference = Reference::new();
    for bits in [8, 60, 64, 128, 300] {
        for multiple in [-100i64, -5, -2, -1, 0, 1, 2, 50] {
            let near = Enclosure::ln2(bits + 8).mul_integer(&IBig::from(multiple));
            for argument in [near.lower_rational(), near.upper_rational()] {
                let value = reference.at(&argument, bits + 400, |x, p, c| x.exp(p, NEAREST, c));
                check(&Enclosure::exp_rational(&argument, bits), &value, 2, "exp near k ln 2");
            }
        }
    }
}

#[test]
fn ln_of_rationals() {
    let mut generator = Generator::new(2);
    let mut reference = Reference::new();
    for _ in 0..3000 {
        let bits = precision(&mut generator);
        let whole_bits = generator.between(0, 70) as usize;
        let argument = generator.rational(whole_bits).abs();
        if argument.is_zero() {
            continue;
        }
        let value = reference.at(&argument, bits + 200, |x, p, c| x.ln(p, NEAREST, c));
        let what = format!("ln({argument}) at {bits} bits");
        check(&Enclosure::ln_rational(&argument, bits).unwrap(), &value, 2, &what);
    }
}

#[test]
fn ln_next_to_one_and_of_powers_of_two() {
    let mut reference = Reference::new();
    for bits in [8, 52, 60, 61, 64, 128, 1000] {
        for distance in [1, 2, 7, 8, 30, 59, 60, 61, 128, 999] {
            let tiny = Rational::new(1, dashu_int::UBig::ONE << distance);
            for argument in [Rational::integer(1) + tiny.clone(), Rational::integer(1) - tiny] {
                let value = reference.at(&argument, bits + 1300, |x, p, c| x.ln(p, NEAREST, c));
                check(&Enclosure::ln_rational(&argument, bits).unwrap(), &value, 2, "ln near 1");
            }
            let power = Rational::integer(IBig::ONE << distance);
            let value = reference.at(&power, bits + 200, |x, p, c| x.ln(p, NEAREST, c));
            check(&Enclosure::ln_rational(&power, bits).unwrap(), &value, 2, "ln of a power");
            let inverse = power.reciprocal().unwrap();
            check(&Enclosure::ln_rational(&inverse, bits).unwrap(), &-value, 2, "ln of 2^-k");
        }
        assert!(Enclosure::from_integer(1, bits).ln().unwrap().is_exact());
    }
}

#[test]
fn ln_needs_a_positive_argument() {
    assert_eq!(Enclosure::ln_rational(&Rational::integer(0), 64), None);
    assert_eq!(Enclosure::ln_rational(&Rational::integer(-3), 64), None);
    assert_eq!(Enclosure::from_bounds(IBig::ZERO, IBig::ONE, 64).ln(), None);
    assert_eq!(Enclosure::from_integer(-1, 64).sqrt(), None);
}

#[test]
fn cosines_of_turns() {
    let mut generator = Generator::new(3);
    let mut reference = Reference::new();
    for _ in 0..2000 {
        let bits = precision(&mut generator);
        let whole_bits = generator.between(0, 6) as usize;
        let turns = generator.rational(whole_bits);
        let beyond = bits + 300;
        let angle = reference.at(&turns, beyond, |x, p, c| {
            let two = astro_float::BigFloat::from_word(2, 64);
            x.mul(&c.pi(p, NEAREST), p, NEAREST).mul(&two, p, NEAREST)
        });
        let cosine = reference.at(&angle, beyond, |x, p, c| x.cos(p, NEAREST, c));
        let what = format!("2 pi {turns} at {bits} bits");
        check(&Enclosure::cos_turns(&turns, bits), &cosine, 2, &what);
    }
}

#[test]
fn rational_cosines_are_exact() {
    let expected = [("0", "1"), ("1/6", "1/2"), ("1/4", "0"), ("1/3", "-1/2"), ("1/2", "-1")];
    for (turns, cosine) in expected {
        let (turns, cosine): (Rational, Rational) = (turns.parse().unwrap(), cosine.parse().unwrap());
        for shift in [-3, 0, 5] {
            for turns in [&turns + &Rational::integer(shift), Rational::integer(shift) - turns.clone()] {
                let enclosure = Enclosure::cos_turns(&turns, 128);
                assert!(enclosure.is_exact() && enclosure.contains(&cosine), "cos of {turns} turns");
            }
        }
    }
}

#[test]
fn square_roots() {
    let mut generator = Generator::new(5);
    let mut reference = Reference::new();
    for _ in 0..2000 {
        let bits = precision(&mut generator);
        let argument = Enclosure::from_rational(&generator.rational(30).abs(), bits);
        let root = Enclosure::from_rational(&argument.lower_rational(), bits).sqrt().unwrap();
        let value = reference.at(&argument.lower_rational(), bits + 200, |x, p, _| x.sqrt(p, NEAREST));
        check(&root, &value, 1, "sqrt");
        assert!(root.lower_rational().pow(2) <= argument.lower_rational());
        assert!(root.upper_rational().pow(2) >= argument.lower_rational());
    }
}

#[test]
fn constants_at_every_precision() {
    let mut reference = Reference::new();
    let pi = rational(&reference.constants.pi(5000, NEAREST));
    let ln2 = rational(&reference.constants.ln_2(5000, NEAREST));
    for bits in (0..700).chain((700..4097).step_by(61)).chain([4095, 4096]) {
        check(&Enclosure::pi(bits), &pi, 2, "pi");
        check(&Enclosure::ln2(bits), &ln2, 2, "ln 2");
    }
}

#[test]
fn results_do_not_depend_on_what_was_computed_before() {
    let compute = |order: &[usize]| {
        let order = order.to_vec();
        std::thread::spawn(move || {
            let mut results: Vec<(usize, String)> = order
                .iter()
                .map(|&bits| {
                    let argument = Rational::new(-7, 3u8);
                    let exp = Enclosure::exp_rational(&argument, bits);
                    let factorial = Enclosure::ln_factorial(1000, bits);
                    let cosine = Enclosure::cos_turns(&argument, bits);
                    (bits, format!("{exp:?} {factorial:?} {cosine:?}"))
                })
                .collect();
            results.sort();
            results
        })
        .join()
        .unwrap()
    };
    let rising = [8, 63, 64, 65, 127, 128, 129, 500, 1000];
    let falling: Vec<usize> = rising.into_iter().rev().collect();
    assert_eq!(compute(&rising), compute(&falling));
}

#[test]
fn functions_of_wide_enclosures_contain_their_ends_and_are_tight() {
    let mut generator = Generator::new(6);
    let mut reference = Reference::new();
    for _ in 0..1000 {
        let bits = generator.between(8, 200) as usize;
        let (argument, _) = generator.enclosure_around(5, bits);
        let ends = [argument.lower_rational(), argument.upper_rational()];
        let image = argument.exp();
        let [low, high] = ends.clone().map(|x| reference.at(&x, bits + 300, |x, p, c| x.exp(p, NEAREST, c)));
        assert!(image.lower_rational() <= low && high <= image.upper_rational(), "exp {argument:?}");
        let ulp = Rational::new(1, dashu_int::UBig::ONE << bits);
        let most = &(&(&high - &low) + &(&ulp * &Rational::integer(4))) + &(&high * &(&ulp * &Rational::integer(1)));
        assert!(&image.upper_rational() - &image.lower_rational() <= most, "exp {argument:?}");
        if argument.is_positive() {
            let image = argument.ln().unwrap();
            let [low, high] = ends.map(|x| reference.at(&x, bits + 300, |x, p, c| x.ln(p, NEAREST, c)));
            assert!(image.lower_rational() <= low && high <= image.upper_rational());
            let most = &(&high - &low) + &(&ulp * &Rational::integer(4));
            assert!(&image.upper_rational() - &image.lower_rational() <= most, "ln {argument:?}");
        }
    }
}

#[test]
fn the_reference_reads_rationals_exactly() {
    for text in ["1/3", "-5", "0.125", "18446744073709551616", "1e-30"] {
        let value: Rational = text.parse().unwrap();
        let back = rational(&float(&value, 512));
        let error = (&back - &value).abs();
        assert!(error <= Rational::new(1, dashu_int::UBig::ONE << 440), "{text}");
    }
}
