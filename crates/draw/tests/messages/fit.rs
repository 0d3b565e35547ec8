//! Larger blocks of `messages` against exact marginals and variances.

use crate::tables::numbers::rational;
use crate::tables::one_total::fit;
use crate::tables::variances::{MESSAGES, assert_variance};
use draw::{Messages, NoiseLaw, Sampler, Summary};
use exact::{Seeded, Source};
use testkit::{goodness_of_fit, level};

#[test]
fn larger_blocks_fit_their_exact_marginals() {
    let variance = rational("3");
    let messages = Messages::new(&variance).completing(2);
    let gaussian = NoiseLaw::discrete_gaussian(variance);
    for (seed, slices) in [(1, &[7usize][..]), (2, &[3, 4]), (3, &[1, 2, 3, 1])] {
        for p in fit(&messages, &gaussian, 7, 3, seed, slices) {
            assert!(p > level(6), "slices {slices:?}: p = {p}");
        }
    }
}

#[test]
fn far_sums_follow_the_exact_law() {
    let draws = 5_000;
    for (variance, total, slices) in [
        ("1/8", 2i64, &[4usize][..]),
        ("1/8", 9, &[4]),
        ("1/8", -7, &[1, 3]),
        ("1/3", 2, &[4]),
        ("1/3", 11, &[2, 2]),
        ("2", 101, &[1, 1, 2]),
    ] {
        let law = NoiseLaw::discrete_gaussian(rational(variance));
        let messages = Messages::new(&rational(variance));
        let summaries: Vec<Summary> = slices.iter().map(|cells| Summary { cells: *cells as u64 }).collect();
        let mut entropy = Seeded::new(7).stream(0).unwrap();
        // Every table of four cells with this sum whose cells are within 6 of the mean, by its
        // first three.
        let (mean, side) = (total.div_euclid(4), 13i64);
        let table = |code: i64| {
            let [a, b, c] = [code / side / side, code / side % side, code % side].map(|digit| mean - 6 + digit);
            [a, b, c, total - a - b - c]
        };
        // Energies relative to the mean in every cell: a constant factor of the weights.
        let weight = |z: i64| (law.energy(mean).to_f64() - law.energy(z).to_f64()).exp();
        let weights: Vec<f64> = (0..side.pow(3)).map(|code| table(code).map(weight).iter().product()).collect();
        let sum: f64 = weights.iter().sum();
        let mut bins: Vec<(f64, i64)> = weights.iter().map(|weight| weight / sum).zip(0..).collect();
        bins.sort_by(|one, two| two.0.total_cmp(&one.0));
        let place: std::collections::HashMap<i64, usize> = bins.iter().map(|bin| bin.1).zip(0..).collect();
        let mut observed = vec![0u64; bins.len()];
        for _ in 0..draws {
            let mut noise = Vec::new();
            for (share, cells) in messages.divide(&mut entropy, &summaries, total).iter().zip(slices) {
                let mut part = vec![0; *cells];
                messages.fill(&mut entropy, share, &mut part);
                noise.extend(part);
            }
            assert_eq!(noise.iter().sum::<i64>(), total);
            let code = noise[..3].iter().fold(0, |code, z| code * side + (z - mean + 6));
            observed[place[&code]] += 1;
        }
        let claimed: Vec<f64> = bins.iter().map(|bin| bin.0).collect();
        let p = goodness_of_fit(&observed, &claimed, draws).p_value;
        assert!(p > level(6), "σ² = {variance}, sum {total}, slices {slices:?}: p = {p}");
    }
}

#[test]
fn discrete_gaussian_cells_have_the_exact_variance() {
    // With σ² ≥ 2 sums of cells differ from Gaussian ones by less than 10⁻¹⁷: the variance of a
    // cell is σ²(1 − 1/n).
    for (cells, variance, draws) in
        [(100usize, "3", 500), (129, "2", 400), (300, "20000", 100), (2_000, "10", 50), (40_000, "3", 10)]
    {
        let variance = rational(variance);
        let expected = variance.to_f64() * (1.0 - 1.0 / cells as f64);
        let law = NoiseLaw::discrete_gaussian(variance);
        assert_variance(&law, &MESSAGES, cells, draws, expected);
    }
}
