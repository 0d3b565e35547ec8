//! `SumLaw` against direct convolution, and the larger operators against their exact marginals.

use draw::{ClosedForm, Messages, NoiseLaw, Sampler, SumLaw, Summary};
use exact::{Enclosure, Rational, Seeded, Source};
use testkit::goodness_of_fit;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// The m-fold convolution of normalised weights, with everything beyond ±radius left out (and negligible).
fn convolution(law: &NoiseLaw, cells: usize, radius: i64, bits: usize) -> Vec<Enclosure> {
    let weights: Vec<Enclosure> = (-radius..=radius).map(|z| Enclosure::exp_rational(&-law.energy(z), bits)).collect();
    let zero = Enclosure::from_integer(0, bits);
    let total = weights.iter().fold(zero.clone(), |sum, weight| &sum + weight);
    let one: Vec<Enclosure> = weights.iter().map(|weight| weight.checked_div(&total).unwrap()).collect();
    let mut sum = one.clone();
    for _ in 1..cells {
        sum = (-radius..=radius)
            .map(|c| {
                (-radius..=radius).filter(|z| (c - z).abs() <= radius).fold(zero.clone(), |total, z| {
                    &total + &(&one[(z + radius) as usize] * &sum[(c - z + radius) as usize])
                })
            })
            .collect();
    }
    sum
}

#[test]
fn sums_of_gaussians_agree_with_convolution() {
    for variance in ["1/10", "1/2", "3"] {
        let variance = rational(variance);
        let law = NoiseLaw::discrete_gaussian(variance.clone());
        for cells in [1, 2, 3, 5] {
            let radius = 32;
            let direct = convolution(&law, cells, radius, 160);
            let sums = SumLaw::new(&variance, cells as u64);
            for c in -12..=12i64 {
                // What the window leaves out is below 2^−64 here.
                let slack = Rational::new(1, exact::Natural::ONE << 64);
                let (claimed, expected) = (sums.probability(c, 128), &direct[(c + radius) as usize]);
                assert!(claimed.width() < exact::Integer::from(64) << 0, "width {}", claimed.width());
                assert!(claimed.lower_rational() <= &expected.upper_rational() + &slack);
                assert!(claimed.upper_rational() >= &expected.lower_rational() - &slack);
            }
        }
    }
}

#[test]
fn enclosures_of_sums_are_nested_and_sum_to_one() {
    for (variance, cells) in [("1/3", 7u64), ("40", 1000), ("1", 1 << 20)] {
        let law = SumLaw::new(&rational(variance), cells);
        for c in [0, 1, -1, 5, 300] {
            let (rough, fine) = (law.probability(c, 64), law.probability(c, 256));
            assert!(rough.lower_rational() <= fine.upper_rational() && fine.lower_rational() <= rough.upper_rational());
        }
    }
    let law = SumLaw::new(&rational("2"), 9);
    let total = (-80..=80).fold(Enclosure::from_integer(0, 128), |sum, c| &sum + &law.probability(c, 128));
    assert!((total.to_f64() - 1.0).abs() < 1e-12);
}

/// Draws many blocks and tests the law of the first cell and of the first half against the exact ones.
fn fit(sampler: &impl Sampler, law: &NoiseLaw, cells: usize, half: usize, seed: u64, slices: &[usize]) -> [f64; 2] {
    let (draws, radius) = (20_000u64, 60i64);
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let mut observed = [vec![0u64; 2 * radius as usize + 1], vec![0u64; 2 * radius as usize + 1]];
    for _ in 0..draws {
        let mut noise = vec![0i64; cells];
        let summaries: Vec<Summary> = slices.iter().map(|cells| Summary { cells: *cells as u64 }).collect();
        let shares = sampler.divide(&mut entropy, &summaries, 0);
        let mut rest = &mut noise[..];
        for (length, share) in slices.iter().zip(&shares) {
            let (part, others) = rest.split_at_mut(*length);
            sampler.fill(&mut entropy, share, part);
            rest = others;
        }
        assert_eq!(noise.iter().sum::<i64>(), 0);
        for (index, part) in [(0, 1), (1, half)] {
            let sum: i64 = noise[..part].iter().sum();
            if sum.abs() <= radius {
                observed[index][(sum + radius) as usize] += 1;
            }
        }
    }
    [(0usize, 1usize), (1, half)].map(|(index, part)| {
        let (one, other) = (convolution(law, part, radius, 64), convolution(law, cells - part, radius, 64));
        let weights: Vec<f64> = (0..one.len()).map(|j| one[j].to_f64() * other[one.len() - 1 - j].to_f64()).collect();
        let total: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        goodness_of_fit(&observed[index], &claimed, draws).p_value
    })
}

#[test]
fn larger_blocks_fit_their_exact_marginals() {
    // Twelve tests at a family-wise level of one per mille; seeds are fixed, so this never flickers.
    let level = 1e-3 / 12.0;
    let (epsilon, variance) = (rational("1/2"), rational("3"));
    let closed = ClosedForm::new(&epsilon);
    let messages = Messages::new(&variance).completing(2);
    let geometric = NoiseLaw::double_geometric(epsilon);
    let gaussian = NoiseLaw::discrete_gaussian(variance);
    for (seed, slices) in [(1, &[7usize][..]), (2, &[3, 4]), (3, &[1, 2, 3, 1])] {
        for p in fit(&closed, &geometric, 7, 3, seed, slices) {
            assert!(p > level, "closed form, slices {slices:?}: p = {p}");
        }
        for p in fit(&messages, &gaussian, 7, 3, seed, slices) {
            assert!(p > level, "messages, slices {slices:?}: p = {p}");
        }
    }
}

#[test]
fn the_goodness_of_fit_sees_a_scale_off_by_five_percent() {
    let wrong = NoiseLaw::double_geometric(rational("0.525"));
    let p = fit(&ClosedForm::new(&rational("1/2")), &wrong, 7, 3, 1, &[7]);
    assert!(p[0] < 1e-4 && p[1] < 1e-4, "{p:?}");
}

#[test]
fn far_totals_are_kept() {
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    for (cells, total) in [(1usize, 9i64), (2, -7), (150, 70), (150, 4_000_017), (300, -149)] {
        let mut noise = vec![0; cells];
        Messages::new(&rational("1/2")).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
        let mut noise = vec![0; cells];
        ClosedForm::new(&rational("1/10")).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
    }
}

#[test]
fn unlikely_sums_of_narrow_noise_are_reached() {
    // Free cells would move about once in e^{10} or e^{50} draws.
    let mut entropy = Seeded::new(6).stream(0).unwrap();
    for (variance, cells, total) in
        [("1/20", 150usize, 3i64), ("1/20", 2, 1), ("1/100", 64, -5), ("1/100", 3, 1_000_001)]
    {
        let mut noise = vec![0; cells];
        Messages::new(&rational(variance)).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
        let level = total.div_euclid(cells as i64);
        assert!(noise.iter().all(|z| (level - 1..=level + 2).contains(z)), "{noise:?}");
        // By slices too, from totals far out.
        let messages = Messages::new(&rational(variance));
        let shares = messages.divide(&mut entropy, &[Summary { cells: 3 }, Summary { cells: cells as u64 }], total);
        assert_eq!(shares.iter().sum::<i64>(), total);
    }
}

#[test]
fn far_sums_follow_the_exact_law() {
    // Six tests at a family-wise level of one per mille; the seeds are fixed.
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
        // Every table of four cells with this sum whose cells are within 6 of the mean, by its first three.
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
        assert!(p > 1e-3 / 6.0, "σ² = {variance}, sum {total}, slices {slices:?}: p = {p}");
    }
}
