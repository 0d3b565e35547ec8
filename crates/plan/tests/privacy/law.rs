//! Theorem G2a on enumerated lattices: what the law of discrete Gaussian noise is said to tell is
//! never less than it tells.

use crate::enumerated::rational;
use exact::Rational;
use loss::{GaussianNoise, TradeOff, epsilon_at};
use std::collections::HashMap;

/// A name, a basis of a lattice, and a step.
type Case<'a> = (&'a str, &'a [&'a [i64]], &'a [i64]);

/// All combinations of the vectors with coefficients within ±reach.
fn lattice(basis: &[&[i64]], reach: i64) -> Vec<Vec<i64>> {
    let mut points = vec![vec![0; basis[0].len()]];
    for vector in basis {
        let add =
            |point: &[i64], times: i64| -> Vec<i64> { point.iter().zip(*vector).map(|(p, v)| p + times * v).collect() };
        points = points
            .iter()
            .flat_map(|point| (-reach..=reach).map(|times| add(point, times)).collect::<Vec<_>>())
            .collect();
    }
    points
}

/// The law on a lattice from a table and from one that differs by `step`: the probabilities of
/// every release.
fn laws(lattice: &[Vec<i64>], step: &[i64], variance: f64) -> Vec<(f64, f64)> {
    let weight = |z: &[i64]| (-z.iter().map(|entry| (entry * entry) as f64).sum::<f64>() / (2.0 * variance)).exp();
    let all: f64 = lattice.iter().map(|z| weight(z)).sum();
    let mut found: HashMap<Vec<i64>, (f64, f64)> = HashMap::new();
    for z in lattice {
        found.entry(z.clone()).or_default().0 = weight(z) / all;
        let moved = z.iter().zip(step).map(|(entry, step)| entry + step).collect();
        found.entry(moved).or_default().1 = weight(z) / all;
    }
    found.into_values().collect()
}

fn hockey_stick(laws: &[(f64, f64)], epsilon: f64) -> f64 {
    laws.iter().map(|(one, other)| (one - epsilon.exp() * other).max(0.0)).sum()
}

/// Neyman and Pearson: the largest power of a test of this level.
fn power(laws: &[(f64, f64)], level: f64) -> f64 {
    let mut ordered = laws.to_vec();
    let ratio = |laws: &(f64, f64)| if laws.0 > 0.0 { laws.1 / laws.0 } else { f64::INFINITY };
    ordered.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
    let (mut used, mut power) = (0.0, 0.0);
    for (one, other) in ordered {
        let part = if one > 0.0 { ((level - used) / one).clamp(0.0, 1.0) } else { 1.0 };
        used += part * one;
        power += part * other;
    }
    power
}

/// The least ε with `hockey_stick ≤ δ`.
fn true_epsilon(laws: &[(f64, f64)], delta: f64) -> f64 {
    let (mut low, mut high) = (0.0, 60.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if hockey_stick(laws, middle) > delta { low = middle } else { high = middle }
    }
    high
}

#[test]
fn nothing_is_told_beyond_the_largest_line() {
    let cases: [Case; 6] = [
        ("a free cell", &[&[1]], &[1]),
        ("two free cells, one twice", &[&[1, 0], &[0, 1]], &[2, 1]),
        ("two cells", &[&[1, -1]], &[1, -1]),
        ("three cells", &[&[1, -1, 0], &[0, 1, -1]], &[1, -1, 0]),
        ("three cells, farther", &[&[1, -1, 0], &[0, 1, -1]], &[2, -1, -1]),
        ("2 × 2 margins", &[&[1, -1, -1, 1]], &[1, -1, -1, 1]),
    ];
    let (delta, level) = (rational("1e-6"), rational("1/20"));
    for (name, basis, step) in cases {
        let points = lattice(basis, 26);
        let squared: u64 = step.iter().map(|entry| entry.unsigned_abs().pow(2)).sum();
        for variance in ["1/2", "1", "2", "9"] {
            let variance = rational(variance);
            let laws = laws(&points, step, variance.to_f64());
            let law = TradeOff::new(&variance, squared..=squared).unwrap();
            for part in 0..24 {
                let epsilon = Rational::new(part, 4u8);
                let (truth, bound) = (hockey_stick(&laws, epsilon.to_f64()), law.delta_at(&epsilon).to_f64());
                assert!(truth <= bound + 1e-10, "{name}, σ² = {variance}, ε = {epsilon}: {truth} of {bound}");
            }
            let (truth, stated) = (true_epsilon(&laws, 1e-6), law.epsilon_at(&delta).unwrap().to_f64());
            let noise = GaussianNoise { variance: variance.clone(), squares: squared..=squared };
            let through_rho = epsilon_at(&noise.rho(), &delta).to_f64();
            assert!(truth <= stated + 1e-4, "{name}, σ² = {variance}: ε = {stated}, truly {truth}");
            if squared == 1 {
                // One offset alone: the bound is the truth.
                assert!(
                    stated <= truth * 1.0001 + 1e-4 && stated < through_rho,
                    "{name}, σ² = {variance}: {stated}, {truth}"
                );
            }
            let missed = noise.type_two_error(&level).to_f64();
            let truth = 1.0 - power(&laws, 0.05);
            assert!(missed <= truth + 1e-9, "{name}, σ² = {variance}: missed {missed}, truly {truth}");
            if squared == 1 {
                assert!(missed > truth - 1e-3, "{name}, σ² = {variance}: missed {missed}, truly {truth}");
            }
        }
    }
}
