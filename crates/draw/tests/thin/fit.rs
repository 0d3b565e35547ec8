//! Draws of `thin` fit the enumerated law; a wrong ratio does not.

use super::thinned::{norm, thin};
use exact::{Seeded, Source};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

#[test]
fn draws_fit_the_enumerated_law_and_a_wrong_ratio_does_not() {
    // 2×3: tables are (u, v, −u−v) over its negative.
    let thin = thin(&[2, 3], "1/2");
    let mut weights: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
    for u in -60..=60i64 {
        for v in -60..=60i64 {
            let table = vec![u, v, -u - v, -u, -v, u + v];
            weights.insert(table.clone(), (-0.5 * norm(&table) as f64).exp());
        }
    }
    let draws = 100_000u64;
    let mut entropy = Seeded::new(9).stream(0).unwrap();
    let mut noise = vec![0; 6];
    let mut counted: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for _ in 0..draws {
        thin.draw(&mut entropy, &mut noise).unwrap();
        *counted.entry(noise.clone()).or_default() += 1;
    }
    let fit = |law: &dyn Fn(&[i64]) -> f64| {
        let mut bins: Vec<(&Vec<i64>, f64)> = weights.keys().map(|table| (table, law(table))).collect();
        let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
        bins.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(two.0)));
        let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
        let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
        goodness_of_fit(&observed, &claimed, draws).p_value
    };
    assert!(fit(&|table| (-0.5 * norm(table) as f64).exp()) > level(1));
    // a too large by 5 %: acceptances are cut at one where ‖z‖₁ < a‖z‖₂.
    let euclid = |table: &[i64]| table.iter().map(|value| (value * value) as f64).sum::<f64>().sqrt();
    let wrong = |table: &[i64]| {
        let (one, two) = (norm(table) as f64, 2.1 * euclid(table));
        (-0.5 * two).exp() * (-0.5 * (one - two)).exp().min(1.0)
    };
    assert!(fit(&wrong) < 1e-3, "a off by 5 %");
    assert!(fit(&|table| (-0.5 * 2.0 * euclid(table)).exp()) < 1e-6, "no acceptance");
}
