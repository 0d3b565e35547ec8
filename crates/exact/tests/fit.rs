//! Goodness of fit where tapes cannot reach: small ε, large σ, long rows; fixed seeds and one
//! family-wise level.

use exact::composition::{Scratch, add_composition, split_composition};
use exact::{DiscreteGaussian, Geometric, Rational, Seeded, Source, Stream};
use testkit::{goodness_of_fit, level};

/// For the whole file, which makes fewer than fifty comparisons.
const LEVEL: f64 = level(50);

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn stream(seed: u64) -> Stream {
    Seeded::new(seed).stream(0).unwrap()
}

/// The p-value of `draws` draws that fall in bins 0, 1, … with these probabilities; draws beyond
/// are one more bin.
fn p_value(draws: u64, claimed: &[f64], mut bin: impl FnMut() -> i64) -> f64 {
    let mut observed = vec![0u64; claimed.len()];
    for _ in 0..draws {
        if let Some(count) = usize::try_from(bin()).ok().and_then(|bin| observed.get_mut(bin)) {
            *count += 1;
        }
    }
    goodness_of_fit(&observed, claimed, draws).p_value
}

/// Normalised weights on 0..=last from the ratio of each to the one before, starting at a likely
/// point: no underflow, no logarithm of a factorial.
fn from_ratios(last: u64, start: u64, ratio: impl Fn(u64) -> f64) -> Vec<f64> {
    let mut weights = vec![0.0; last as usize + 1];
    weights[start as usize] = 1.0;
    for j in start..last {
        weights[j as usize + 1] = weights[j as usize] * ratio(j);
    }
    for j in (0..start).rev() {
        weights[j as usize] = weights[j as usize + 1] / ratio(j);
    }
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// How many of k units fall on the first `first` of `first + second` cells.
fn split_law(first: u64, second: u64, k: u64) -> Vec<f64> {
    from_ratios(k, k * first / (first + second), |j| {
        let up = (first + j) as f64 / (j + 1) as f64;
        let down = (k - j) as f64 / (second + k - j - 1) as f64;
        up * down
    })
}

/// Adds up probabilities, `width` to a bin.
fn binned(law: &[f64], width: usize) -> Vec<f64> {
    law.chunks(width).map(|part| part.iter().sum()).collect()
}

#[test]
fn geometric_with_small_epsilon_up_to_high_quantiles() {
    for (seed, epsilon, rate) in [(1, "1/1000", 1e-3f64), (2, "1/1000000", 1e-6)] {
        let law = Geometric::new(rational(epsilon));
        let mut entropy = stream(seed);
        // Bins of a quarter of the scale, up to twelve scales.
        let width = (0.25 / rate) as u64;
        let claimed: Vec<f64> = (0..48).map(|bin| (-0.25 * bin as f64).exp() * -(-0.25f64).exp_m1()).collect();
        let p = p_value(200_000, &claimed, || (law.draw(&mut entropy) / width) as i64);
        assert!(p > LEVEL, "ε = {epsilon}: p = {p}");
        // The low bits, which are drawn apart.
        let claimed: Vec<f64> =
            (0..16).map(|r| (-rate * r as f64).exp() * (-rate).exp_m1() / (-16.0 * rate).exp_m1()).collect();
        let p = p_value(100_000, &claimed, || (law.draw(&mut entropy) % 16) as i64);
        assert!(p > LEVEL, "low bits, ε = {epsilon}: p = {p}");
        let wrong: Vec<f64> = (0..48).map(|bin| (-0.2625 * bin as f64).exp() * -(-0.2625f64).exp_m1()).collect();
        let p = p_value(200_000, &wrong, || (law.draw(&mut entropy) / width) as i64);
        assert!(p < 1e-9, "a scale off by five per cent passes: p = {p}");
    }
}

#[test]
fn discrete_gaussian_by_table_and_by_blocks() {
    for (seed, variance, width) in [(3, 10i64, 1i64), (4, 16_384, 16), (5, 16_385, 16), (6, 1_000_000, 125)] {
        let law = DiscreteGaussian::new(&Rational::integer(variance));
        let mut entropy = stream(seed);
        let radius = width * 40;
        let claim = |variance: f64| -> Vec<f64> {
            let weights: Vec<f64> = (-radius..radius).map(|z| (-(z * z) as f64 / (2.0 * variance)).exp()).collect();
            let total = (std::f64::consts::TAU * variance).sqrt();
            binned(&weights.iter().map(|weight| weight / total).collect::<Vec<f64>>(), width as usize)
        };
        let mut bin = || (law.draw(&mut entropy) + radius).div_euclid(width);
        let p = p_value(100_000, &claim(variance as f64), &mut bin);
        assert!(p > LEVEL, "σ² = {variance}: p = {p}");
        let p = p_value(100_000, &claim(variance as f64 * 1.05 * 1.05), &mut bin);
        assert!(p < 1e-9, "a scale off by five per cent passes: p = {p}");
    }
}

#[test]
fn one_and_two_cells_of_long_compositions() {
    // Many units and few, on one leaf and on several: cell, first of two cells, cells, units,
    // draws.
    for (seed, cells, k, draws) in [
        (10, 40usize, 4_000u64, 20_000),
        (11, 900, 60, 20_000),
        (12, 1_000, 1_000_000, 2_000),
        (13, 3_000, 9_000, 3_000),
        (14, 3_000, 700, 6_000),
        (15, 2_500, 10_000_000, 800),
    ] {
        let (mut entropy, mut scratch) = (stream(seed), Scratch::default());
        let middle = cells / 2;
        // The first cell, the last cell, and the pair on both sides of the place where long rows
        // are cut.
        let parts: [std::ops::Range<usize>; 3] = [0..1, cells - 1..cells, middle - 1..middle + 1];
        let rows: Vec<[i64; 3]> = (0..draws)
            .map(|_| {
                let mut row = vec![0i64; cells];
                add_composition(&mut entropy, k, 1, &mut row, &mut scratch);
                assert_eq!(row.iter().sum::<i64>(), k as i64);
                assert!(row.iter().all(|part| *part >= 0));
                parts.clone().map(|part| row[part].iter().sum())
            })
            .collect();
        for (index, part) in parts.iter().enumerate() {
            let width = (k as usize / cells / 10).max(1);
            let law = binned(&split_law(part.len() as u64, (cells - part.len()) as u64, k), width);
            let mut row = rows.iter();
            let p = p_value(draws, &law, || row.next().unwrap()[index] / width as i64);
            assert!(p > LEVEL, "{k} units, {cells} cells, part {part:?}: p = {p}");
        }
    }
}

#[test]
fn large_splits() {
    for (seed, first, second, k, draws) in [
        (20, 50_000u64, 50_000u64, 1_000_000u64, 2_000),
        (21, 99_000, 1_000, 1_000_000, 2_000),
        (22, 100_000, 100_001, 300, 2_000),
        (23, 3, 100_000, 1_000_000, 2_000),
    ] {
        let law = split_law(first, second, k);
        let mean = k as f64 * first as f64 / (first + second) as f64;
        let variance: f64 = law.iter().enumerate().map(|(j, p)| p * (j as f64 - mean).powi(2)).sum();
        let width = ((variance.sqrt() / 5.0) as usize).max(1);
        let claimed = binned(&law, width);
        let mut entropy = stream(seed);
        let p = p_value(draws, &claimed, || (split_composition(&mut entropy, first, second, k) / width as u64) as i64);
        assert!(p > LEVEL, "{first} + {second} cells, {k} units: p = {p}");
        // Off by one cell among three, the fit must fail.
        if first == 3 {
            let wrong = binned(&split_law(4, second, k), width);
            let p =
                p_value(draws, &wrong, || (split_composition(&mut entropy, first, second, k) / width as u64) as i64);
            assert!(p < 1e-9, "one cell too many passes: p = {p}");
        }
    }
}
