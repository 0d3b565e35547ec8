//! Draws of `mixture` fit enumerated and continuous laws; mutants do not.

use super::mixed::{fibre, mixture, square};
use crate::tables::numbers::rational;
use analyse::Lattice;
use exact::{Seeded, Source};
use std::collections::BTreeMap;
use testkit::{deviations, goodness_of_fit, level};

/// All tables of a lattice of two dimensions with a squared norm of at most `most`, by their
/// squared norms.
fn shells(rows: usize, columns: usize, most: i64) -> BTreeMap<i64, u64> {
    let lattice = Lattice::of_fibre(&fibre(rows, columns)).unwrap();
    let [first, second] = lattice.basis() else { panic!("two dimensions") };
    let reach = 2 * (most as f64).sqrt() as i64 + 2;
    let mut found = BTreeMap::new();
    for u in -reach..=reach {
        for v in -reach..=reach {
            let mut table = vec![0; rows * columns];
            first.iter().for_each(|(cell, value)| table[*cell as usize] += u * value);
            second.iter().for_each(|(cell, value)| table[*cell as usize] += v * value);
            if square(&table) <= most {
                *found.entry(square(&table)).or_default() += 1;
            }
        }
    }
    found
}

/// P(0) and E‖z‖ by enumeration.
fn figures(shells: &BTreeMap<i64, u64>, rate: f64) -> (f64, f64) {
    let weight = |square: i64| (-rate * (square as f64).sqrt()).exp();
    let whole: f64 = shells.iter().map(|(square, count)| *count as f64 * weight(*square)).sum();
    let mean: f64 =
        shells.iter().map(|(square, count)| *count as f64 * weight(*square) * (*square as f64).sqrt()).sum();
    (1.0 / whole, mean / whole)
}

#[test]
fn draws_fit_the_enumerated_law_and_mutants_do_not() {
    for (rows, columns, rate, most, zero, mean) in
        [(1, 3, "1", 900, 0.255_484_6, 1.785_245_5), (2, 3, "1/2", 6000, 0.134_026_0, 3.836_190_3)]
    {
        let shells = shells(rows, columns, most);
        let number = rational(rate).to_f64();
        let (p, e) = figures(&shells, number);
        assert!((p - zero).abs() < 6e-8 && (e - mean).abs() < 6e-8, "{p} {e}");
        let mixture = mixture(rows, columns, rate);
        let mut entropy = Seeded::new(4).stream(0).unwrap();
        let mut noise = vec![0; rows * columns];
        let draws = 150_000u64;
        let mut counted: BTreeMap<i64, u64> = BTreeMap::new();
        for _ in 0..draws {
            mixture.draw(&mut entropy, &mut noise).unwrap();
            *counted.entry(square(&noise)).or_default() += 1;
        }
        let fit = |weight: &dyn Fn(f64) -> f64| {
            let weights: Vec<f64> =
                shells.iter().map(|(square, count)| *count as f64 * weight(number * (*square as f64).sqrt())).collect();
            let whole: f64 = weights.iter().sum();
            let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect();
            let observed: Vec<u64> = shells.keys().map(|square| counted.get(square).copied().unwrap_or(0)).collect();
            goodness_of_fit(&observed, &claimed, draws).p_value
        };
        assert!(fit(&|r| (-r).exp()) > level(2));
        // The last acceptance left out: S(r) instead of e^{−r}. h doubled and the old M:
        // acceptances are cut at one.
        let profile = |r: f64, h: f64| {
            let term = |j: u32| (-(h * f64::from(j) / 2.0 - r / (h * f64::from(j))).powi(2)).exp();
            let middle = if r == 0.0 { 0.5 } else { 0.0 };
            h / std::f64::consts::PI.sqrt() * (middle + (1..400).map(term).sum::<f64>())
        };
        assert!(fit(&|r| (-1.02 * r).exp()) < 1e-6, "rate off by 2 %");
        if rate == "1/2" {
            let omitted = fit(&|r| (-r).exp() * profile(r, 1.0));
            assert!(omitted < 1e-6, "no acceptance on the doubled grid: {omitted}");
            let doubled = fit(&|r| (-r).exp() * profile(r, 1.0).min(0.9931));
            assert!(doubled < 1e-3, "h doubled, old M: {doubled}");
        }
    }
}

#[test]
fn the_fine_grid_fits_too() {
    // Two cells: (u, −u) with weight e^{−ε'√2|u|}; r is below 0.27 at u = 1.
    let mixture = mixture(1, 2, "1/8");
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    let draws = 60_000u64;
    let mut counted = vec![0u64; 401];
    let mut noise = vec![0; 2];
    for _ in 0..draws {
        mixture.draw(&mut entropy, &mut noise).unwrap();
        counted[(noise[0] + 200).clamp(0, 400) as usize] += 1;
    }
    let fit = |rate: f64| {
        let weights: Vec<f64> = (-200..=200i32).map(|u| (-rate * 2f64.sqrt() * f64::from(u.abs())).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect();
        goodness_of_fit(&counted, &claimed, draws).p_value
    };
    assert!(fit(0.125) > level(1));
    assert!(fit(0.125 * 1.05) < 1e-6 && fit(0.125 / 1.05) < 1e-6);
}

#[test]
fn counties_have_the_moments_of_the_continuous_law() {
    let mixture = mixture(1, 102, "0.192");
    assert!((mixture.expected_acceptance() - 0.987).abs() < 0.02, "{}", mixture.expected_acceptance());
    let mut entropy = Seeded::new(2).stream(0).unwrap();
    let mut noise = vec![0; 102];
    let norms: Vec<f64> = (0..20_000)
        .map(|_| {
            mixture.draw(&mut entropy, &mut noise).unwrap();
            assert_eq!(noise.iter().sum::<i64>(), 0);
            (square(&noise) as f64).sqrt()
        })
        .collect();
    let mean = norms.iter().sum::<f64>() / 20_000.0;
    let deviation = (norms.iter().map(|norm| (norm - mean).powi(2)).sum::<f64>() / 19_999.0).sqrt();
    let allowed = deviations(2);
    assert!((mean - 526.04).abs() < allowed * 52.34 / 20_000f64.sqrt(), "{mean}");
    assert!((deviation - 52.34).abs() < allowed * 52.34 / 40_000f64.sqrt(), "{deviation}");
}
