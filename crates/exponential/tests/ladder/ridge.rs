//! Ridge regression: exact privacy by enumeration, the laws of all kinds of attempts, mutants, bad settings.

use crate::{law, number};
use exact::{Rational, Seeded, Source};
use exponential::{
    Attempt, Boxes, Drawn, Gradient, Moments, Ridge, RidgeSettings, RunTime, Scaling, Target, Uniform, draw,
};
use std::collections::BTreeMap;
use testkit::goodness_of_fit;

fn tiny(records: u64, grid: u64, epsilon: &str) -> RidgeSettings {
    RidgeSettings {
        epsilon: number(epsilon),
        radius: number("1"),
        penalty: number("1"),
        grid,
        resolution: 1,
        records,
        predictors: 2,
        is_padded: false,
    }
}

/// Two predictors and a response, each −1, 0 or 1.
fn record(code: i64) -> ([i64; 2], i64) {
    ([code % 3 - 1, code / 3 % 3 - 1], code / 9 - 1)
}

fn ridge(settings: &RidgeSettings, records: &[([i64; 2], i64)]) -> Ridge {
    let mut moments = Moments::new(2, settings.resolution);
    records.iter().for_each(|(predictors, response)| moments.add(predictors, *response));
    Ridge::new(settings.clone(), &moments).unwrap()
}

fn loss(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max)
}

/// The law written again in machine numbers, with a factor on the exponent and no clamping.
fn again(records: &[([i64; 2], i64)], factor: f64) -> Vec<f64> {
    let mut weights = Vec::new();
    exponential::Space::ball(2, 4).for_each(|point| {
        let y = [point[0] as f64 / 4.0, point[1] as f64 / 4.0];
        let mut gradient = y;
        for (x, z) in records {
            let residual = x[0] as f64 * y[0] + x[1] as f64 * y[1] - *z as f64;
            gradient[0] += x[0] as f64 * residual;
            gradient[1] += x[1] as f64 * residual;
        }
        weights.push((-factor * (gradient[0].abs() + gradient[1].abs()) / 16.0).exp());
    });
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

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

/// The most that a replaced record moves the gradient of p predictors at a corner of the ball, entries −1, 0 and 1.
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

#[test]
fn columns_are_scaled_rounded_and_clamped() {
    let scaling = Scaling::new(&number("-4"), &number("63"), 10_000).unwrap();
    assert_eq!(scaling.scaled(&number("-4")), -10_000);
    assert_eq!(scaling.scaled(&number("63")), 10_000);
    assert_eq!(scaling.scaled(&number("29.5")), 0);
    assert_eq!(scaling.scaled(&number("30")), 149, "0.5/33.5 = 0.014925…");
    assert_eq!(scaling.scaled(&number("1e9")), 10_000);
    assert_eq!(scaling.scaled(&number("-1e9")), -10_000);
    assert!(scaling.is_outside(&number("63.01")) && !scaling.is_outside(&number("63")));
    assert!(Scaling::new(&number("1"), &number("1"), 10).is_none());
}

/// Counts of draws against the law of the target.
fn fits(target: &Ridge, mut one: impl FnMut(u64) -> Drawn, rounds: u64) -> f64 {
    let law = law(target);
    let mut counts: BTreeMap<Vec<i64>, u64> = law.iter().map(|(point, _)| (point.clone(), 0)).collect();
    (0..rounds).for_each(|round| *counts.get_mut(&one(round).point).expect("a point of the ball") += 1);
    let mut bins: Vec<(f64, u64)> = law.iter().map(|(point, share)| (*share, counts[point])).collect();
    bins.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (shares, counts): (Vec<f64>, Vec<u64>) = bins.into_iter().unzip();
    goodness_of_fit(&counts, &shares, rounds).p_value
}

fn example(epsilon: &str, scale: i64) -> Ridge {
    let settings = RidgeSettings { resolution: 10, penalty: number("1/3"), ..tiny(4 * scale as u64, 6, epsilon) };
    let base = [([10, 3], 4), ([-7, 2], -5), ([1, 9], 2), ([4, -6], 1)];
    let records: Vec<_> = base.iter().cycle().take(4 * scale as usize).copied().collect();
    ridge(&settings, &records)
}

#[test]
fn all_kinds_of_attempts_draw_the_same_law() {
    for (epsilon, scale) in [("1/2", 1), ("8", 4), ("20", 6)] {
        let target = example(epsilon, scale);
        let mut stream = Seeded::new(17).stream(0).unwrap();
        let rounds = 2500;
        let mut kinds: Vec<(&str, f64)> = Vec::new();
        kinds.push(("uniform", fits(&target, |_| draw(&mut stream, &mut Uniform(&target)), rounds)));
        let mut gradient = Gradient::new(&target);
        kinds.push(("gradient", fits(&target, |_| draw(&mut stream, &mut gradient), rounds)));
        let mut boxes = Boxes::new(&target).unwrap();
        kinds.push(("boxes that learn on", fits(&target, |_| draw(&mut stream, &mut boxes), rounds)));
        kinds.push(("fresh boxes", fits(&target, |_| draw(&mut stream, &mut Boxes::new(&target).unwrap()), rounds)));
        let whole = |round: u64| {
            let mut stream = Seeded::draw(23, round).stream(0).unwrap();
            let drawn = target.draw_with(&mut stream);
            Drawn { point: drawn.point, tries: drawn.tries }
        };
        kinds.push(("in turns", fits(&target, whole, rounds)));
        for (kind, p_value) in &kinds {
            assert!(*p_value > 1e-4, "ε = {epsilon}, {kind}: {p_value}");
        }
        // Another law is told apart by the same test.
        let mutant = example(if epsilon == "1/2" { "60" } else { "1" }, scale);
        assert!(fits(&mutant, |_| draw(&mut stream, &mut Uniform(&target)), rounds) < 1e-9);
    }
}

#[test]
fn one_attempt_by_boxes_or_gradients_is_proportional_to_the_weights() {
    let target = example("8", 4);
    let law = law(&target);
    let mut stream = Seeded::new(29).stream(0).unwrap();
    // Partly refined boxes, as some draws leave them.
    let mut boxes = Boxes::new(&target).unwrap();
    (0..50).for_each(|_| drop(draw(&mut stream, &mut boxes)));
    let mut gradient = Gradient::new(&target);
    let mut seen: [BTreeMap<Vec<i64>, u64>; 2] = Default::default();
    let mut point = Vec::new();
    for _ in 0..60_000 {
        if boxes.attempt(&mut stream, &mut point) {
            *seen[0].entry(point.clone()).or_default() += 1;
        }
        if gradient.attempt(&mut stream, &mut point) {
            *seen[1].entry(point.clone()).or_default() += 1;
        }
    }
    for counts in &seen {
        let total: u64 = counts.values().sum();
        assert!(total > 3000, "{total}");
        let mut bins: Vec<(f64, u64)> =
            law.iter().map(|(point, share)| (*share, counts.get(point).copied().unwrap_or(0))).collect();
        bins.sort_by(|one, other| other.0.total_cmp(&one.0));
        let (shares, counts): (Vec<f64>, Vec<u64>) = bins.into_iter().unzip();
        assert!(goodness_of_fit(&counts, &shares, total).p_value > 1e-4);
    }
}

#[test]
fn a_ridge_estimate_outside_the_ball_is_drawn_in_few_tries() {
    // The response is twice what the ball allows: the weight sits on its boundary, far from every uniform or Gaussian-like proposal.
    let settings = RidgeSettings { resolution: 1000, grid: 200, ..tiny(20_000, 200, "4") };
    let records: Vec<_> = (0..20_000i64)
        .map(|i| ([if i % 2 == 0 { 500 } else { -500 }, i % 700], if i % 2 == 0 { 900 } else { -900 }))
        .collect();
    let target = ridge(&settings, &records);
    let mut stream = Seeded::new(31).stream(0).unwrap();
    for _ in 0..20 {
        let drawn = target.draw_with(&mut stream);
        assert!(target.space().contains(&drawn.point));
        assert!(drawn.tries < 20_000, "{}", drawn.tries);
    }
}

#[test]
fn padded_tries_have_one_law_for_two_far_tables() {
    let settings = RidgeSettings { is_padded: true, ..tiny(2, 4, "2") };
    assert_eq!(settings.run_time(), RunTime::Independent);
    let q = settings.public_acceptance().to_f64();
    let tables = [[([1, 1], 1), ([1, 1], 1)], [([0, 0], 0), ([0, 0], 0)]];
    let mut means = Vec::new();
    for (table, records) in tables.iter().enumerate() {
        let target = ridge(&settings, records);
        let mut stream = Seeded::new(37).stream(table as u64).unwrap();
        let rounds = 4000;
        let mut counts = vec![0u64; 60];
        let width = (1.0 / q / 10.0).ceil() as u64;
        let mut sum = 0;
        for _ in 0..rounds {
            let tries = target.draw_with(&mut stream).tries;
            sum += tries;
            if let Some(bin) = counts.get_mut(((tries - 1) / width) as usize) {
                *bin += 1;
            }
        }
        let stays = (1.0 - q).powf(width as f64);
        let bins: Vec<f64> = (0..60).map(|bin| stays.powi(bin) * (1.0 - stays)).collect();
        assert!(goodness_of_fit(&counts, &bins, rounds).p_value > 1e-4);
        means.push(sum as f64 / rounds as f64);
    }
    assert!((means[0] * q - 1.0).abs() < 0.08 && (means[1] * q - 1.0).abs() < 0.08, "{means:?} {q}");
}

#[test]
fn the_public_acceptance_holds_for_every_table() {
    let settings = RidgeSettings { is_padded: true, ..tiny(2, 4, "3") };
    let q = settings.public_acceptance().to_f64();
    for code in 0..729 {
        let target = ridge(&settings, &[record(code % 27), record(code / 27)]);
        let mut sum = 0.0;
        target.space().for_each(|point| sum += target.relative(point, 80).to_f64());
        assert!(sum / 41.0 >= q, "{code}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_with_reasons() {
    let message = |settings: RidgeSettings| settings.check().unwrap_err().to_string();
    assert!(message(RidgeSettings { radius: number("0"), ..tiny(2, 4, "1") }).contains("radius"));
    assert!(message(RidgeSettings { penalty: number("-1"), ..tiny(2, 4, "1") }).contains("penalty"));
    assert!(message(RidgeSettings { epsilon: number("0"), ..tiny(2, 4, "1") }).contains("epsilon"));
    assert!(message(RidgeSettings { grid: 1 << 62, ..tiny(100, 4, "1") }).contains("2^63"));
    assert!(message(RidgeSettings { radius: number("1/10"), ..tiny(2, 4, "1") }).contains("no point"));
    let many = RidgeSettings { predictors: 13, grid: 10, ..tiny(10_000, 4, "1") };
    assert!(message(many.clone()).contains("curse of dimensionality"));
    assert!(RidgeSettings { predictors: 12, ..many.clone() }.check().is_ok());
    assert!(RidgeSettings { records: 2, ..many }.check().is_ok(), "few records: a try succeeds often");
    let padded = RidgeSettings { is_padded: true, grid: 10_000, ..tiny(2, 4, "1") };
    assert!(message(padded).contains("padded"));
    assert_eq!(tiny(2, 4, "1").sensitivity(), number("8"), "2(1 + B)p");
    assert_eq!(tiny(2, 4, "1").gradient_rate(), number("1/16"));
}

#[test]
fn a_seed_gives_its_draw() {
    let target = example("8", 4);
    let once = target.draw(&Seeded::new(1)).unwrap();
    let again = target.draw(&Seeded::new(1)).unwrap();
    assert_eq!(once.point(), again.point());
    assert_eq!(format!("{once:?} {target:?}"), "Chosen(withheld) Ridge(withheld)");
    assert_eq!(once.exactness().to_string(), "perfect");
}
