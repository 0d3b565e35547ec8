//! Draws of Klein's sampler against enumeration.

use super::attempts::klein;
use super::lattices::{a3, skewed, total, two_by_three};
use crate::tables::numbers::rational;
use exact::{Seeded, Source};
use testkit::{goodness_of_fit, level};

#[test]
fn draws_fit_the_enumerated_law() {
    for (lattice, variance, most, reach) in
        [(a3(), "1", 60, 20), (two_by_three(), "8", 900, 40), (skewed(), "8", 900, 40)]
    {
        let weights = lattice.weights(&rational(variance), most, reach);
        let whole = total(&weights).to_f64();
        let sampler = klein(&lattice, variance);
        let mut entropy = Seeded::new(11).stream(1).unwrap();
        let draws = 40_000u64;
        let mut counted: std::collections::BTreeMap<Vec<i64>, u64> = std::collections::BTreeMap::new();
        let mut noise = vec![0; lattice.cells];
        for _ in 0..draws {
            sampler.draw(&mut entropy, &mut noise).unwrap();
            *counted.entry(noise.clone()).or_default() += 1;
        }
        let fit = |law: &dyn Fn(&Vec<i64>, f64) -> f64| {
            let mut bins: Vec<(&Vec<i64>, f64)> =
                weights.iter().map(|(table, weight)| (table, law(table, weight.to_f64()))).collect();
            let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
            bins.sort_by(|one, two| two.1.total_cmp(&one.1));
            let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
            let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
            goodness_of_fit(&observed, &claimed, draws).p_value
        };
        assert!(whole > 0.0);
        let right = fit(&|_, weight| weight);
        assert!(right > level(3), "{}: {right}", lattice.name);
        let wider = fit(&|_, weight| weight.powf(0.95));
        assert!(wider < 1e-6, "{}: {wider}", lattice.name);
    }
}
