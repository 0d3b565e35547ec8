//! The law of sums of Gaussian noise against convolutions, and its quick bounds against fine ones.

use crate::tables::numbers::rational;
use crate::tables::one_total::convolution;
use draw::{NoiseLaw, SumLaw};
use exact::integer::below;
use exact::lazy::Bounds;
use exact::{Enclosure, Integer, Rational, Seeded, Source};

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

#[test]
fn quick_bounds_of_sums_contain_the_fine_ones_and_are_narrow() {
    let mut entropy = Seeded::new(12).stream(0).unwrap();
    for (variance, cells) in
        [("1/20", 3u64), ("1/20", 32_768), ("1/2", 1), ("3", 128), ("1000000", 1_000), ("7/3", 1 << 30)]
    {
        let law = SumLaw::new(&rational(variance), cells);
        let spread = (rational(variance).to_f64() * cells as f64).sqrt().max(1.0);
        for _ in 0..100 {
            let c = below(&mut entropy, (9.0 * spread) as u64 + 1) as i64;
            let (bounds, fine) = (law.bounds(c), law.ratio(c, 160));
            assert_eq!(bounds, law.bounds(-c), "the law is symmetric");
            let what = format!("σ² = {variance}, {cells} cells, sum {c}");
            let (floor, last) = (Integer::from(bounds.floor), Integer::from(bounds.last));
            assert!(floor << 96usize <= *fine.upper(), "{what}");
            assert!((last + Integer::ONE) << 96usize >= *fine.lower(), "{what}");
            assert!(bounds == Bounds::UNKNOWN || bounds.last - bounds.floor < 4, "{what}: {bounds:?}");
            assert!(fine.width() < Integer::ONE << 8usize, "{what}: {fine:?}");
            // Far from lattice effects the ratio is that of the Gaussian.
            if variance == "1000000" {
                let gaussian = (-((c * c) as f64) / (2.0 * spread * spread)).exp();
                assert!((fine.to_f64() - gaussian).abs() < 1e-9, "{what}");
            }
        }
    }
}

/// The law of the sum of 2^doublings cells on ±radius, by repeated convolution in floating point.
fn doubled(law: &NoiseLaw, doublings: u32, radius: i64) -> Vec<f64> {
    let weights = (-radius..=radius).map(|z| (-law.energy(z).to_f64()).exp());
    let mut sum: Vec<f64> = weights.collect();
    let total: f64 = sum.iter().sum();
    sum.iter_mut().for_each(|weight| *weight /= total);
    for _ in 0..doublings {
        let half = |c: i64| sum.get((c + radius) as usize).copied().unwrap_or(0.0);
        sum = (-radius..=radius).map(|c| (-radius..=radius).map(|z| half(z) * half(c - z)).sum()).collect();
    }
    sum
}

#[test]
fn sums_of_many_cells_agree_with_repeated_convolution() {
    // Few cells move at all, some do, and nearly Gaussian sums.
    for (variance, doublings, radius) in [("1/20", 15, 60), ("1/8", 10, 90), ("1/2", 8, 130), ("3", 6, 160)] {
        let variance = rational(variance);
        let law = NoiseLaw::discrete_gaussian(variance.clone());
        let sums = SumLaw::new(&variance, 1 << doublings);
        let expected = doubled(&law, doublings, radius);
        for c in -radius / 2..=radius / 2 {
            let claimed = sums.probability(c, 128).to_f64();
            let expected = expected[(c + radius) as usize];
            assert!(
                (claimed - expected).abs() < 1e-11,
                "σ² = {variance}, 2^{doublings} cells, sum {c}: {claimed} {expected}"
            );
        }
    }
}
