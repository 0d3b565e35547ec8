//! Goodness of fit where tapes cannot reach, against enumeration and exact marginals by other
//! means.

use super::grids::{Grid, full, gaussian, geometric, random_grid};
use crate::tables::numbers::rational;
use draw::{Divide, Independent, Ladder, NoiseLaw, Sampler};
use exact::{Entropy, Seeded, Source};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

const DRAWS: u64 = 20_000;

type Counts = BTreeMap<Vec<i64>, u64>;

type Law = BTreeMap<Vec<i64>, f64>;

/// How often `draw` gives each table.
fn counts(draws: u64, mut draw: impl FnMut() -> Vec<i64>) -> Counts {
    let mut counts = Counts::new();
    (0..draws).for_each(|_| *counts.entry(draw()).or_default() += 1);
    counts
}

fn drawn(grid: &Grid, law: &NoiseLaw, ladder: Ladder, seed: u64) -> Counts {
    let divide = Divide::new(grid.columns, &grid.positions, law, ladder).unwrap();
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    counts(DRAWS, || {
        let mut noise = vec![0; grid.cells()];
        divide.draw(&mut entropy, &mut noise);
        noise
    })
}

fn enumerated(grid: &Grid, law: &NoiseLaw, radius: i64) -> Law {
    grid.law(law, radius).into_iter().map(|(table, probability)| (table, probability.to_f64())).collect()
}

/// The p-value of counts of tables against a law, likely tables first.
fn p_value(counts: &Counts, law: &Law) -> f64 {
    let mut bins: Vec<(&Vec<i64>, f64)> = law.iter().map(|(table, probability)| (table, *probability)).collect();
    bins.sort_by(|one, other| other.1.total_cmp(&one.1));
    let observed: Vec<u64> = bins.iter().map(|(table, _)| counts.get(*table).copied().unwrap_or(0)).collect();
    let claimed: Vec<f64> = bins.iter().map(|(_, probability)| *probability).collect();
    goodness_of_fit(&observed, &claimed, counts.values().sum()).p_value
}

#[test]
fn whole_tables_fit_and_mutants_do_not() {
    let grid = full(3, 3);
    for (law, off) in [
        (geometric("1"), [geometric("1.05"), geometric("0.95")]),
        (gaussian("3/2"), [gaussian("1.65"), gaussian("1.35")]),
    ] {
        let drawn = drawn(&grid, &law, Ladder::Standard, 31);
        let truth = enumerated(&grid, &law, 5);
        assert!(p_value(&drawn, &truth) > level(2));
        // The scale is off by five per cent (σ, so σ² by ten).
        for wrong in off {
            assert!(p_value(&drawn, &enumerated(&grid, &wrong, 5)) < 1e-6, "{wrong:?}");
        }
        // A wrong Z: the first two rows made up for every third row, and none was rejected.
        assert!(p_value(&drawn, &always_accepted(&truth, &law)) < 1e-6);
        // Off by one: some unit has gone round a square.
        let moved = |(table, probability): (&Vec<i64>, &f64)| {
            let mut table = table.clone();
            [(0, 1), (1, -1), (3, -1), (4, 1)].iter().for_each(|(cell, unit)| table[*cell] += unit);
            (table, *probability)
        };
        assert!(p_value(&drawn, &truth.iter().map(moved).collect()) < 1e-6);
        // A missing move: the upper left cell is always even.
        let even = truth.iter().filter(|(table, _)| table[0] % 2 == 0);
        let mass: f64 = even.clone().map(|(_, probability)| probability).sum();
        assert!(p_value(&drawn, &even.map(|(table, p)| (table.clone(), p / mass)).collect()) < 1e-6);
    }
}

/// The law of a 3×3 table whose third row is drawn by itself and whose other rows follow.
fn always_accepted(truth: &Law, law: &NoiseLaw) -> Law {
    let mut rows: BTreeMap<&[i64], f64> = BTreeMap::new();
    truth.iter().for_each(|(table, probability)| *rows.entry(&table[6..]).or_default() += probability);
    let weight = |row: &[i64]| (-row.iter().map(|z| law.energy(*z).to_f64()).sum::<f64>()).exp();
    let whole: f64 = rows.keys().map(|row| weight(row)).sum();
    let alone = |(table, probability): (&Vec<i64>, &f64)| {
        (table.clone(), weight(&table[6..]) / whole * probability / rows[&table[6..]])
    };
    truth.iter().map(alone).collect()
}

#[test]
fn classes_and_structural_zeros_fit() {
    let mut random = Seeded::new(32).stream(0).unwrap();
    let mut tested = 0u32;
    let mut worst: f64 = 1.0;
    while tested < 12 {
        let grid = random_grid(&mut random, 3, 3);
        if grid.cells() > 8 || grid.tables(2).len() < 10 {
            continue;
        }
        for law in [geometric("3/2"), gaussian("2/3")] {
            worst = worst
                .min(p_value(&drawn(&grid, &law, Ladder::Standard, u64::from(tested)), &enumerated(&grid, &law, 4)));
        }
        tested += 1;
    }
    assert!(worst > level(24), "{worst}");
}

/// The law of the upper left cell of an r × c grid by direct convolution: the weights of the sums
/// of whole rows.
fn marginal(rows: usize, columns: usize, law: &NoiseLaw, radius: i64) -> Vec<f64> {
    let (width, free) = (2 * radius + 1, columns as u32 - 1);
    let states = width.pow(free) as usize;
    let state = |index: usize| -> Vec<i64> {
        (0..free).map(|place| index as i64 / width.pow(place) % width - radius).collect()
    };
    let vectors: Vec<Vec<i64>> = (0..states).map(state).collect();
    // The last cell of a row is minus the others.
    let weight = |vector: &Vec<i64>| {
        let all = vector.iter().copied().chain([-vector.iter().sum::<i64>()]);
        (-all.map(|z| law.energy(z).to_f64()).sum::<f64>()).exp()
    };
    let row: Vec<f64> = vectors.iter().map(weight).collect();
    let difference = |one: usize, other: usize| -> Option<usize> {
        let mut index = 0;
        for place in (0..free as usize).rev() {
            let difference = vectors[one][place] - vectors[other][place];
            if difference.abs() > radius {
                return None;
            }
            index = index * width + difference + radius;
        }
        Some(index as usize)
    };
    let convolved = |sums: &[f64]| -> Vec<f64> {
        let total = |sum: usize| {
            let terms = (0..states).filter(|other| sums[*other] > 1e-14);
            terms.filter_map(|other| Some(sums[other] * row[difference(sum, other)?])).sum()
        };
        (0..states).map(total).collect()
    };
    let others = (2..rows).fold(row.clone(), |sums, _| convolved(&sums));
    let mut law = vec![0.0; width as usize];
    // Sums are symmetric: the other rows hold minus the first.
    (0..states).for_each(|first| law[(vectors[first][0] + radius) as usize] += row[first] * others[first]);
    let whole: f64 = law.iter().sum();
    law.iter().map(|weight| weight / whole).collect()
}

#[test]
fn cells_of_larger_grids_fit_their_exact_marginals() {
    for (rows, columns, law, radius) in [
        (3, 3, geometric("1/2"), 16),
        (4, 3, geometric("1/2"), 16),
        (3, 4, geometric("1/2"), 16),
        (5, 3, gaussian("3"), 11),
        (4, 4, geometric("3/2"), 5),
        (4, 4, gaussian("1"), 4),
    ] {
        let grid = full(rows, columns);
        // The marginal is the same for every cell, and for the grid turned round.
        let claimed = marginal(rows.max(columns), rows.min(columns), &law, radius);
        let drawn = drawn(&grid, &law, Ladder::Standard, (10 * rows + columns) as u64);
        for cell in [0, grid.cells() / 2, grid.cells() - 1] {
            let mut observed = vec![0u64; claimed.len()];
            for (table, count) in drawn.iter().filter(|(table, _)| table[cell].abs() <= radius) {
                observed[(table[cell] + radius) as usize] += count;
            }
            let p = goodness_of_fit(&observed, &claimed, DRAWS).p_value;
            assert!(p > level(18), "{rows} × {columns}, {law:?}, cell {cell}: {p}");
        }
    }
}

/// Free noise, again and again until every margin is zero.
fn rejected<E: Entropy>(entropy: &mut E, grid: &Grid, free: &Independent) -> Vec<i64> {
    loop {
        let mut noise = vec![0; grid.cells()];
        free.draw_block(entropy, 0, &mut noise);
        if grid.margins(&noise).iter().all(|sum| *sum == 0) {
            return noise;
        }
    }
}

#[test]
fn conditioning_is_rejection() {
    let mut entropy = Seeded::new(33).stream(0).unwrap();
    for (law, free) in [
        (geometric("1"), Independent::double_geometric(&rational("1"))),
        (gaussian("1"), Independent::discrete_gaussian(&rational("1"))),
    ] {
        for grid in [full(2, 2), full(2, 3)] {
            let one = drawn(&grid, &law, Ladder::Standard, 34);
            let two = counts(DRAWS, || rejected(&mut entropy, &grid, &free));
            // Equally many draws: a table seen a times and b times adds (a − b)²/(a + b).
            let (mut statistic, mut bins) = (0.0, 0.0);
            for table in one.keys() {
                let (a, b) = (one[table] as f64, two.get(table).copied().unwrap_or(0) as f64);
                if a + b >= 20.0 {
                    statistic += (a - b) * (a - b) / (a + b);
                    bins += 1.0;
                }
            }
            let p = ChiSquared::new(bins).unwrap().sf(statistic);
            assert!(bins >= 3.0 && p > level(4), "{statistic} in {bins} bins");
        }
    }
}
