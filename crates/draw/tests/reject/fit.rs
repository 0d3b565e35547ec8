//! Draws of `reject` fit the enumerated law; mutants do not.

use super::relaxed::{Drawn, cases_and_deaths, geometric, two_way};
use crate::tables::numbers::rational;
use draw::NoiseLaw;
use exact::{Seeded, Source};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

/// All tables of counts up to a largest one that keep what must hold.
fn fibre(drawn: &Drawn, largest: i64) -> Vec<Vec<i64>> {
    let mut found = Vec::new();
    let mut table = vec![0i64; drawn.counts.len()];
    loop {
        if drawn.keeps(&table) {
            found.push(table.clone());
        }
        let Some(place) = table.iter().position(|value| *value < largest) else { return found };
        table[..place].fill(0);
        table[place] += 1;
    }
}

fn fit(fibre: &[Vec<i64>], counted: &BTreeMap<Vec<i64>, u64>, weight: impl Fn(&[i64]) -> f64) -> f64 {
    let mut bins: Vec<(&Vec<i64>, f64)> = fibre.iter().map(|table| (table, weight(table))).collect();
    let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
    bins.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(two.0)));
    let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
    let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
    goodness_of_fit(&observed, &claimed, counted.values().sum()).p_value
}

#[test]
fn draws_fit_the_enumerated_law_and_mutants_do_not() {
    let tables = [
        (Drawn::new(two_way(3, 3), &[2, 0, 1, 0, 1, 1, 1, 0, 2], geometric("1")), 3),
        (Drawn::new(cases_and_deaths(3), &[2, 1, 2, 1, 0, 2], geometric("1")), 5),
        (Drawn::new(two_way(2, 3), &[2, 0, 3, 1, 4, 0], NoiseLaw::discrete_gaussian(rational("2"))), 5),
    ];
    for (number, (drawn, largest)) in tables.into_iter().enumerate() {
        let (sampler, fibre) = (drawn.sampler(), fibre(&drawn, largest));
        let mut entropy = Seeded::new(41).stream(number as u64).unwrap();
        let mut counted: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        let mut values = vec![0; drawn.counts.len()];
        for _ in 0..40_000 {
            sampler.draw(&drawn.counts, &mut entropy, &mut values).unwrap();
            *counted.entry(values.clone()).or_default() += 1;
        }
        let energy = |table: &[i64]| drawn.law.energy_of(table.iter().zip(&drawn.counts).map(|(one, two)| one - two));
        assert!(fit(&fibre, &counted, |table| (-energy(table)).exp()) > level(3), "{:?}", drawn.counts);
        assert!(fit(&fibre, &counted, |table| (-1.05 * energy(table)).exp()) < 1e-3, "5 % less noise");
        // A bound that is off by one: tables with a count of zero in the first cell would be
        // missing.
        let off = |table: &[i64]| if table[1] == 0 { 0.0 } else { (-energy(table)).exp() };
        assert!(fit(&fibre, &counted, off) < 1e-6, "a bound off by one");
    }
}

#[test]
fn lattice_laplace_noise_is_kept_within_bounds() {
    let law = NoiseLaw::lattice_laplace(rational("1"));
    let drawn = Drawn::new(two_way(2, 3), &[9, 12, 11, 10, 8, 13], law);
    let (sampler, mut entropy) = (drawn.sampler(), Seeded::new(5).stream(0).unwrap());
    let mut values = vec![0; 6];
    let mut moved = false;
    for _ in 0..100 {
        sampler.draw(&drawn.counts, &mut entropy, &mut values).unwrap();
        assert!(drawn.keeps(&values));
        moved |= values != drawn.counts;
    }
    assert!(moved);
}
