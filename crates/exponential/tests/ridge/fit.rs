//! All kinds of attempts draw one law; padded tries tell nothing.

use super::designs::{DESIGNS, drawn, settings};
use super::settings::{example, ridge, tiny};
use crate::tables::targets::law;
use exact::{Seeded, Source};
use exponential::{Attempt, Drawn, Gradient, Ridge, RidgeSettings, RunTime, Shells, Target, Uniform, draw};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

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
        let mut shells = Shells::new(&target).unwrap();
        kinds.push(("shells", fits(&target, |_| draw(&mut stream, &mut shells), rounds)));
        let whole = |round: u64| {
            let mut stream = Seeded::draw(23, round).stream(0).unwrap();
            let drawn = target.draw_with(&mut stream);
            Drawn { point: drawn.point, tries: drawn.tries }
        };
        kinds.push(("in turns", fits(&target, whole, rounds)));
        for (kind, p_value) in &kinds {
            assert!(*p_value > level(12), "ε = {epsilon}, {kind}: {p_value}");
        }
        // Another law is told apart by the same test.
        let mutant = example(if epsilon == "1/2" { "60" } else { "1" }, scale);
        assert!(fits(&mutant, |_| draw(&mut stream, &mut Uniform(&target)), rounds) < 1e-9);
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
        assert!(goodness_of_fit(&counts, &bins, rounds).p_value > level(2));
        means.push(sum as f64 / rounds as f64);
    }
    assert!((means[0] * q - 1.0).abs() < 0.08 && (means[1] * q - 1.0).abs() < 0.08, "{means:?} {q}");
}

/// The law around the best point, where it can be listed.
fn listed(target: &Ridge) -> Vec<(Vec<i64>, f64)> {
    let mut points = Vec::new();
    target
        .space()
        .for_each(|point| points.push((point.to_vec(), target.log_weight(point, 64).lower_rational().to_f64())));
    let best = points.iter().map(|(_, weight)| *weight).fold(f64::MIN, f64::max);
    points.iter_mut().for_each(|(_, weight)| *weight = (*weight - best).exp());
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    points.iter_mut().for_each(|(_, weight)| *weight /= sum);
    points
}

#[test]
fn the_law_is_that_of_all_points_listed() {
    let cases = [
        (1, "1", 400, 1.0),
        (1, "30", 400, 9.0),
        (2, "1", 40, 0.2),
        (2, "5", 40, 5.0),
        (2, "40", 40, 1.5),
        (3, "4", 12, 3.0),
    ];
    for (p, epsilon, grid, size) in cases {
        for (number, design) in DESIGNS.into_iter().enumerate() {
            let target = drawn(&settings(p, 60, epsilon, "1", grid), design, size, 11 + number as u64);
            let mut law = listed(&target);
            law.sort_by(|one, other| other.1.total_cmp(&one.1));
            let place: std::collections::BTreeMap<Vec<i64>, usize> =
                law.iter().enumerate().map(|(place, (point, _))| (point.clone(), place)).collect();
            let shares: Vec<f64> = law.iter().map(|(_, share)| *share).collect();
            let mut shells = Shells::new(&target).unwrap();
            let mut stream = Seeded::new(41).stream(number as u64).unwrap();
            let (mut counts, rounds, mut point) = (vec![0u64; law.len()], 3000, Vec::new());
            for _ in 0..rounds {
                while !shells.attempt(&mut stream, &mut point) {}
                counts[place[&point]] += 1;
            }
            let fit = goodness_of_fit(&counts, &shares, rounds).p_value;
            assert!(fit > level(24), "{p} {epsilon} {size} {design:?}: {fit}");
            // Thrown away too seldom, the law would be another.
            if shares[0] < 0.5 {
                let flat = vec![1.0 / shares.len() as f64; shares.len()];
                assert!(goodness_of_fit(&counts, &flat, rounds).p_value < 1e-6, "{p} {epsilon} {size} {design:?}");
            }
        }
    }
}
