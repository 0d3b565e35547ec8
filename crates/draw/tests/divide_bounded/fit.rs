//! Counts with both margins fit the enumerated law; rows without bounds do not.

use super::counts::Counts;
use crate::divide::grids::{full, geometric};
use draw::{Divide, Ladder};
use exact::{Seeded, Source};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

/// The fit of draws to weights on a fibre.
fn fit(fibre: &[Vec<i64>], counted: &BTreeMap<Vec<i64>, u64>, weight: impl Fn(&[i64]) -> f64) -> f64 {
    let mut bins: Vec<(&Vec<i64>, f64)> = fibre.iter().map(|table| (table, weight(table))).collect();
    let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
    bins.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(two.0)));
    let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
    let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
    goodness_of_fit(&observed, &claimed, counted.values().sum()).p_value
}

fn count(draws: u32, cells: usize, mut draw: impl FnMut(&mut [i64])) -> BTreeMap<Vec<i64>, u64> {
    let mut counted = BTreeMap::new();
    let mut values = vec![0; cells];
    for _ in 0..draws {
        draw(&mut values);
        *counted.entry(values.clone()).or_default() += 1;
    }
    counted
}

#[test]
fn draws_fit_the_enumerated_law_and_rows_without_bounds_do_not() {
    let tables = [
        (Counts::new(3, &[2, 0, 3, 1, 4, 0]), 1.0, "1"),
        (Counts::new(3, &[2, 0, 1, 0, 3, 1, 1, 0, 2]), 0.5, "1/2"),
        (Counts::new(4, &[1, 0, 0, 2, 0, 1, 1, 0, 1, 1, 0, 0]), 1.0, "1"),
    ];
    for (counts, rate, epsilon) in tables {
        let fibre = counts.fibre();
        for (number, divide) in counts.samplers(epsilon, Ladder::Standard).into_iter().enumerate() {
            let mut entropy = Seeded::new(21).stream(number as u64).unwrap();
            let counted = count(30_000, counts.values.len(), |values| divide.draw(&mut entropy, values));
            let right = fit(&fibre, &counted, |table| (-rate * counts.distance(table) as f64).exp());
            assert!(right > level(6), "{:?}: {right}", counts.values);
            let off = fit(&fibre, &counted, |table| (-1.05 * rate * counts.distance(table) as f64).exp());
            assert!(off < 1e-3, "{:?}: {off}", counts.values);
        }
        // Completed rows without bounds, tables that break one drawn again: `divide` as it is
        // without bounds, conditioned on all counts but those of the last two rows.
        let (rows, columns) = (counts.values.len() / counts.columns, counts.columns);
        if rows < 3 {
            continue;
        }
        let grid = full(rows, columns);
        let free = Divide::new(columns, &grid.positions, &geometric(epsilon), Ladder::Standard).unwrap();
        let mut entropy = Seeded::new(22).stream(0).unwrap();
        let mutant = count(10_000, counts.values.len(), |values| {
            loop {
                free.draw(&mut entropy, values);
                values.iter_mut().zip(&counts.values).for_each(|(noise, centre)| *noise += centre);
                if values[..columns].iter().all(|value| *value >= 0) {
                    break;
                }
            }
        });
        assert!(mutant.keys().any(|table| table.iter().any(|value| *value < 0)));
    }
}
