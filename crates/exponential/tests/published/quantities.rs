//! The published figures of perfect exponential mechanisms.

use crate::tables::targets::number;
use exact::{Entropy, Seeded, Source, Stream};
use exponential::{Mean, Moments, Ridge, RidgeSettings, Target, Uniform, draw};

/// β of (42) for uniform proposals.
fn uniform_minorisation(d: i32, records: f64, epsilon: f64) -> f64 {
    let rate = epsilon * records / (2.0 * f64::from(d));
    ((1.0 - (-rate).exp()) / rate).powi(d)
}

#[test]
fn expected_tries_at_the_corner() {
    for (d, published) in [(1, 50.0), (2, 625.0), (3, 4_630.0), (4, 24_414.0), (5, 100_023.0)] {
        let tries = 1.0 / uniform_minorisation(d, 100.0, 1.0);
        assert!((tries - published).abs() < 0.5, "{d}: {tries}");
        // The grid of 1/10,000 comes close: a coordinate's mean weight, to the power d.
        let grid = 10_000;
        let target = Mean::new(&vec![0; d as usize], 1, 100, grid, &number("1"));
        let mut point = vec![0; d as usize];
        let side: f64 = (0..=grid as i64)
            .map(|k| {
                point[0] = k;
                let bounds = target.bounds(&point);
                bounds.floor as f64 / 2f64.powi(64)
            })
            .sum::<f64>()
            / (grid + 1) as f64;
        assert!((side.powi(-d) / published - 1.0).abs() < 0.005 * f64::from(d), "{d}");
    }
}

#[test]
fn realised_tries_are_fewer_inside() {
    let mut stream = Seeded::new(41).stream(0).unwrap();
    let mean_tries = |sums: &[u64], stream: &mut Stream| {
        let target = Mean::new(sums, 100, 100, 1000, &number("1"));
        let rounds = 400;
        (0..rounds).map(|_| draw(stream, &mut Uniform(&target)).tries).sum::<u64>() as f64 / f64::from(rounds)
    };
    let corner = mean_tries(&[0], &mut stream);
    let inside = mean_tries(&[5000], &mut stream);
    assert!((corner / 48.8 - 1.0).abs() < 0.2 && (inside / 25.0 - 1.0).abs() < 0.2, "{corner} {inside}");
    let square = mean_tries(&[5000, 2500], &mut stream);
    assert!(square < 300.0, "{square}");
}

/// The chain with Laplace proposals on [0, 1] at ε → 0: its second eigenvalue on a fine grid, by
/// power iteration.
fn second_eigenvalue() -> f64 {
    let size = 200;
    let step = 1.0 / f64::from(size);
    let at = |i: i32| (f64::from(i) + 0.5) * step;
    let kernel = |i: i32, j: i32| 0.5 * (-(at(i) - at(j)).abs()).exp() * step;
    let stays: Vec<f64> = (0..size).map(|i| 1.0 - (0..size).map(|j| kernel(i, j)).sum::<f64>()).collect();
    let mut vector: Vec<f64> = (0..size).map(|i| at(i) - 0.5).collect();
    let mut value = 0.0;
    for _ in 0..300 {
        let next: Vec<f64> = (0..size)
            .map(|i| {
                stays[i as usize] * vector[i as usize]
                    + (0..size).map(|j| kernel(i, j) * vector[j as usize]).sum::<f64>()
            })
            .collect();
        let norm = next.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        value = norm / vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        // The constant has eigenvalue 1: what roundings bring of it is taken out again.
        let mean = next.iter().sum::<f64>() / next.len() as f64;
        vector = next.iter().map(|entry| (entry - mean) / norm).collect();
    }
    value
}

#[test]
fn the_laplace_formula_of_42_is_no_bound() {
    // (2α)^d e^{−(αd + εn/2)} ((1 − e^{−α})/α)^d at ε → 0, d = 1, α = 1.
    let printed = 2.0 * (-1f64).exp() * (1.0 - (-1f64).exp());
    assert!((printed - 0.4651).abs() < 5e-5);
    let gap = 1.0 - second_eigenvalue();
    assert!((gap - 0.2783).abs() < 5e-4, "{gap}");
    assert!(printed > gap, "a minorisation is at most the spectral gap");
    assert!(0.5 * (-1f64).exp() < gap, "(α/2)^d e^{{−αd − εn/2}} is a bound");
}

/// The k-th smallest of n uniform numbers: Beta(k, n + 1 − k).
fn beta(stream: &mut Stream, k: usize, n: usize) -> f64 {
    let mut numbers: Vec<f64> = (0..n).map(|_| stream.bits(53) as f64 / 2f64.powi(53)).collect();
    numbers.sort_by(f64::total_cmp);
    numbers[k - 1]
}

#[test]
fn the_ridge_study_is_easy() {
    let coefficients = [0.1, 0.2, -0.3, 0.0, 0.0];
    let (resolution, tables, points) = (10_000i64, 12, 1500);
    let mut stream = Seeded::new(43).stream(0).unwrap();
    let (mut accepted, mut losses, mut uniform) = ([0.0; 3], [0.0; 3], 0.0);
    for _ in 0..tables {
        let mut moments = Moments::new(5, resolution);
        let mut records = Vec::new();
        for _ in 0..100 {
            let x: Vec<f64> = (0..5).map(|_| beta(&mut stream, 5, 9)).collect();
            let z = x.iter().zip(coefficients).map(|(x, b)| x * b).sum::<f64>() + 2.0 * beta(&mut stream, 20, 39) - 1.0;
            let whole = |value: f64| (value * resolution as f64).round() as i64;
            moments.add(&x.iter().map(|x| whole(*x)).collect::<Vec<_>>(), whole(z));
            records.push((x, z));
        }
        let target = |epsilon: &str| {
            let settings = RidgeSettings {
                epsilon: number(epsilon),
                radius: number("1"),
                penalty: number("1"),
                grid: 1000,
                resolution,
                records: 100,
                predictors: 5,
                is_padded: false,
            };
            Ridge::new(settings, &moments).unwrap()
        };
        let targets = ["1/2", "1", "2"].map(target);
        let loss = |point: &[i64]| {
            let y: Vec<f64> = point.iter().map(|k| *k as f64 / 1000.0).collect();
            let squares: f64 =
                records.iter().map(|(x, z)| (z - x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>()).powi(2)).sum();
            0.5 * squares + 0.5 * y.iter().map(|y| y * y).sum::<f64>()
        };
        let mut point = Vec::new();
        let mut weights = [0.0; 3];
        let mut weighted = [0.0; 3];
        let mut plain = 0.0;
        for _ in 0..points {
            targets[0].space().uniform(&mut stream, &mut point);
            let value = loss(&point);
            plain += value;
            for (place, target) in targets.iter().enumerate() {
                let weight = target.bounds(&point).floor as f64 / 2f64.powi(64);
                weights[place] += weight;
                weighted[place] += weight * value;
            }
        }
        for place in 0..3 {
            accepted[place] += weights[place] / f64::from(points) / f64::from(tables);
            losses[place] += weighted[place] / weights[place] / f64::from(tables);
        }
        uniform += plain / f64::from(points) / f64::from(tables);
    }
    for (seen, published) in accepted.iter().zip([0.562, 0.364, 0.201]) {
        assert!((seen - published).abs() < 0.03, "{accepted:?}");
    }
    // As ε falls from 2 to ½ the mean loss goes from 2.1 to 3.8; the uniform law has 4.75.
    assert!(losses[2] > 2.0 && losses[2] < losses[1] && losses[1] < losses[0] && losses[0] < 3.8, "{losses:?}");
    assert!((uniform - 4.75).abs() < 0.15, "{uniform}");
    // The printed bound 48/(k²(1 − k)² inf p) at k = ½, with the acceptance in the place of inf p.
    for (acceptance, printed) in [(0.562, 1_368.0), (0.364, 2_109.0), (0.201, 3_822.0)] {
        let bound: f64 = 48.0 * 16.0 / acceptance;
        assert!((bound / printed - 1.0).abs() < 0.01, "{bound}");
    }
}
