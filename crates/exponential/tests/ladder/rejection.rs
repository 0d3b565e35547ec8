//! Rejection and enumeration: exact laws over all tapes, and mutants.

use crate::{law, number, truncated};
use exact::{Rational, Seeded, Source};
use exponential::{Attempt, Enumerate, Listed, Selection, Target, Uniform, draw};
use testkit::{goodness_of_fit, tape_law};

#[test]
fn one_attempt_is_proportional_to_the_weights_over_all_tapes() {
    for target in [truncated(3, 0, "1/2"), truncated(8, 5, "1/4"), truncated(12, 3, "1/10")] {
        let tapes = tape_law(16, |tape| {
            let mut point = Vec::new();
            Uniform(&target).attempt(tape, &mut point).then_some(point)
        });
        tapes.proportional_to(|point| target.relative(point, 80)).unwrap();
        // A scale that is 5 % off is another law.
        let mutant = Listed::new(target.exponents().iter().map(|exponent| exponent * &number("0.5")).collect());
        assert!(tapes.proportional_to(|point| mutant.relative(point, 80)).is_err());
    }
}

#[test]
fn five_per_cent_of_scale_are_seen() {
    let target = truncated(4, 0, "1");
    let tapes = tape_law(20, |tape| {
        let mut point = Vec::new();
        Uniform(&target).attempt(tape, &mut point).then_some(point)
    });
    tapes.proportional_to(|point| target.relative(point, 80)).unwrap();
    for scale in ["0.95", "1.05"] {
        let mutant = Listed::new(target.exponents().iter().map(|exponent| exponent * &number(scale)).collect());
        assert!(tapes.proportional_to(|point| mutant.relative(point, 80)).is_err(), "{scale}");
    }
}

#[test]
fn enumeration_has_the_law_over_all_tapes() {
    let target = truncated(6, 2, "1/3");
    let listed = Enumerate::new(&target).unwrap();
    let expected = law(&target);
    let tapes = tape_law(18, |tape| listed.draw(tape).to_vec());
    assert!(tapes.unresolved_share() < 1e-3);
    tapes
        .agrees_with(|point| {
            let probability = expected[point[0] as usize].1;
            exact::Enclosure::from_rational(&Rational::new((probability * 1e15) as i64, 1_000_000_000_000_000u64), 60)
        })
        .unwrap();
}

#[test]
fn weights_that_machine_numbers_cannot_hold_do_not_disturb_the_others() {
    let exponents = ["0", "1", "800", "100000"].map(number).to_vec();
    let target = Listed::new(exponents);
    let listed = Enumerate::new(&target).unwrap();
    let mut counts = [0u64; 4];
    for seed in 0..4000 {
        let mut stream = Seeded::new(seed).stream(0).unwrap();
        counts[listed.draw(&mut stream)[0] as usize] += 1;
    }
    assert_eq!(&counts[2..], [0, 0]);
    let expected = 4000.0 / (1.0 + (-1f64).exp());
    assert!((counts[0] as f64 - expected).abs() < 120.0, "{counts:?}");
}

#[test]
fn tries_of_the_published_examples() {
    // Truncated double geometric on 21 points: R = 21/Z.
    for (centre, epsilon, published) in [(0, "0.1", 2.28), (0, "0.5", 8.26), (10, "0.5", 5.17)] {
        let target = truncated(21, centre, epsilon);
        let mean: f64 = (0..21).map(|k| target.relative(&[k], 80).to_f64()).sum::<f64>() / 21.0;
        assert!((1.0 / mean - published).abs() < 0.005, "{}", 1.0 / mean);
        let mut stream = Seeded::new(5).stream(0).unwrap();
        let rounds = 20_000;
        let tries: u64 = (0..rounds).map(|_| draw(&mut stream, &mut Uniform(&target)).tries).sum();
        let deviation = published / (rounds as f64).sqrt();
        assert!((tries as f64 / rounds as f64 - published).abs() < 4.5 * deviation + 0.005);
    }
}

#[test]
fn selection_loses_epsilon_and_no_more() {
    // Losses of three candidates are counts: a record moves each by at most one.
    let epsilon = number("1");
    let laws: Vec<(Vec<i64>, Vec<f64>)> = (0..27)
        .map(|code: i64| {
            let losses = vec![code % 3, code / 3 % 3, code / 9];
            let rational: Vec<Rational> = losses.iter().map(|loss| Rational::integer(*loss)).collect();
            let selection = Selection::new(&rational, &epsilon, &number("1"));
            (losses, law(selection.law()).into_iter().map(|(_, share)| share).collect())
        })
        .collect();
    let mut worst: f64 = 0.0;
    for (losses, one) in &laws {
        for (others, other) in &laws {
            if losses.iter().zip(others).all(|(a, b)| (a - b).abs() <= 1) {
                let loss = one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max);
                worst = worst.max(loss);
            }
        }
    }
    assert!(worst <= 1.0 && worst > 0.7, "{worst}");
}

#[test]
fn draws_of_a_selection_have_its_law_padded_or_not() {
    let losses = ["3", "1", "0", "2.5"].map(number);
    for is_padded in [false, true] {
        let plain = Selection::new(&losses, &number("1"), &number("1"));
        let selection = if is_padded { plain.padded() } else { plain };
        let expected: Vec<f64> = law(selection.law()).into_iter().map(|(_, share)| share).collect();
        let mut counts = [0u64; 4];
        for draw in 0..8000 {
            let chosen = selection.draw(&Seeded::draw(9, draw)).unwrap();
            counts[chosen.point()[0] as usize] += 1;
        }
        let fit = goodness_of_fit(&counts, &expected, 8000);
        assert!(fit.p_value > 1e-4, "{is_padded}: {}", fit.p_value);
    }
}
