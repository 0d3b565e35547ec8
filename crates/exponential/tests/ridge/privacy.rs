//! Every pair of neighbours loses at most ε; the sensitivity holds, and half of it does not.

use super::settings::{again, loss, record, ridge, tiny};
use crate::tables::targets::{law, number};
use exact::Rational;
use exponential::RidgeSettings;

#[test]
fn every_pair_of_neighbours_loses_at_most_epsilon() {
    let settings = tiny(2, 4, "1");
    let laws: Vec<Vec<f64>> = (0..729)
        .map(|code| {
            let records = [record(code % 27), record(code / 27)];
            let law: Vec<f64> = law(&ridge(&settings, &records)).into_iter().map(|(_, share)| share).collect();
            let formula = again(&records, 1.0);
            assert!(law.iter().zip(&formula).all(|(one, other)| (one - other).abs() < 1e-12), "the printed formula");
            law
        })
        .collect();
    let mut worst: f64 = 0.0;
    for first in 0..27 {
        for second in 0..27 {
            for changed in 0..27 {
                worst = worst.max(loss(&laws[first + 27 * second], &laws[changed + 27 * second]));
            }
        }
    }
    assert!(worst <= 1.0, "{worst}");
    assert!((worst - 0.3254118).abs() < 1e-6, "the slack is a golden value: {worst}");
}

/// The most that a replaced record moves the gradient of p predictors at a corner of the ball,
/// entries −1, 0 and 1.
fn moved(p: usize) -> i64 {
    let records: Vec<Vec<i64>> = (0..3i64.pow(p as u32 + 1))
        .map(|code| (0..=p as u32).map(|place| code / 3i64.pow(place) % 3 - 1).collect())
        .collect();
    // At y = (1, 0, …, 0) a record adds x·(x₁ − z).
    let gradient = |record: &[i64]| -> Vec<i64> { record[..p].iter().map(|x| x * (record[0] - record[p])).collect() };
    let gradients: std::collections::BTreeSet<Vec<i64>> = records.iter().map(|record| gradient(record)).collect();
    let distance = |one: &[i64], other: &[i64]| one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<i64>();
    gradients.iter().flat_map(|one| gradients.iter().map(move |other| distance(one, other))).max().unwrap()
}

#[test]
fn the_sensitivity_holds_and_half_of_it_does_not() {
    for (p, seen) in [(2, 5), (3, 8), (4, 12)] {
        let settings = RidgeSettings { predictors: p, ..tiny(2, 4, "1") };
        assert_eq!(moved(p), seen);
        assert!(Rational::integer(seen) <= settings.sensitivity());
        let mutant = &settings.sensitivity() * &number("1/2");
        assert!(Rational::integer(seen) > mutant, "(1 + B)p is not enough");
    }
}

#[test]
fn clamping_is_part_of_the_loss() {
    let settings = tiny(2, 4, "1");
    let wild = [([5, -7], 9), ([0, 1], -1)];
    let tame = [([1, -1], 1), ([0, 1], -1)];
    assert_eq!(law(&ridge(&settings, &wild)), law(&ridge(&settings, &tame)));
    // Without it one record loses more than ε.
    let unclamped = loss(&again(&wild, 1.0), &again(&[([0, 0], 0), ([0, 1], -1)], 1.0));
    assert!(unclamped > 1.0, "{unclamped}");
}
