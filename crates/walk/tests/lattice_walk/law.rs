//! Steps of the lattice walk as exact matrices: rows are laws, balanced, and reach every table.

use crate::tables::fibres::{all, cube_with_zeros, random};
use crate::tables::matrices::{Matrix, agreement, counted, kernel, matrix};
use exact::{Enclosure, Rational, Seeded, Source};
use std::sync::Arc;
use testkit::{goodness_of_fit, level};
use walk::{Energy, Kernel};

#[test]
fn rows_are_laws_and_balanced_and_reach_every_table() {
    for small in all() {
        for walk in [small.walk(), small.walk().without_lines()] {
            let ready = walk.ready();
            let matrix = matrix(&small, &kernel(&small, &walk, &ready));
            assert!(matrix.tables.len() > 3, "{}: {} tables", small.name, matrix.tables.len());
            assert!(matrix.has_rows(), "{}", small.name);
            assert!(matrix.imbalance(&matrix.law) < 1e-7, "{}: {}", small.name, matrix.imbalance(&matrix.law));
            assert_eq!(matrix.reached(), matrix.tables.len(), "{}", small.name);
        }
    }
}

#[test]
fn steps_are_those_of_the_matrix() {
    for (number, small) in all().into_iter().enumerate() {
        let walk = small.walk();
        let ready = walk.ready();
        let kernel = kernel(&small, &walk, &ready);
        let tables = small.tables();
        for (turn, from) in [&small.table, &tables[0], &tables[tables.len() / 2]].into_iter().enumerate() {
            let mut bits = Seeded::draw(21, number as u64).stream(turn as u64).unwrap();
            let outcomes = (0..20_000).map(|_| {
                let mut state = kernel.start(from.clone());
                kernel.step(&mut state, &mut bits);
                kernel.values(&state).to_vec()
            });
            let counts = counted(&tables, outcomes);
            let p_value = agreement(&counts, &kernel.row(from, &tables), 20_000);
            assert!(p_value > level(3 * all().len()), "{} from {from:?}: {p_value}", small.name);
        }
    }
}

#[test]
fn random_fibres_are_walked_as_their_matrices_say() {
    let mut tested = 0;
    for number in 0..120 {
        let small = random(number);
        let tables = small.tables();
        if !(2..=150).contains(&tables.len()) {
            continue;
        }
        tested += 1;
        let walk = small.walk();
        let ready = walk.ready();
        let kernel = kernel(&small, &walk, &ready);
        let matrix = matrix(&small, &kernel);
        assert!(matrix.has_rows(), "{number}");
        assert!(matrix.imbalance(&matrix.law) < 1e-7, "{number}: {}", matrix.imbalance(&matrix.law));
        assert_eq!(matrix.reached(), tables.len(), "{number}");
        let mut bits = Seeded::draw(23, number).stream(0).unwrap();
        let outcomes = (0..2000).map(|_| {
            let mut state = kernel.start(small.table.clone());
            kernel.step(&mut state, &mut bits);
            kernel.values(&state).to_vec()
        });
        let p_value = agreement(&counted(&tables, outcomes), &kernel.row(&small.table, &tables), 2000);
        assert!(p_value > level(120), "{number}: {p_value}");
    }
    assert!(tested > 50, "{tested} fibres");
}

#[test]
fn long_walks_have_the_law() {
    for (number, small) in all().into_iter().enumerate() {
        let walk = small.walk();
        let ready = walk.ready();
        let kernel = kernel(&small, &walk, &ready);
        let tables = small.tables();
        let matrix = matrix(&small, &kernel);
        let steps = matrix.distances(&small.table, 400).iter().position(|distance| *distance < 1e-4).unwrap_or(400);
        let mut bits = Seeded::draw(22, number as u64).stream(0).unwrap();
        let outcomes = (0..4000).map(|_| {
            let mut state = kernel.start(small.table.clone());
            (0..steps).for_each(|_| {
                kernel.step(&mut state, &mut bits);
            });
            kernel.values(&state).to_vec()
        });
        let fit = goodness_of_fit(&counted(&tables, outcomes), &matrix.law, 4000);
        assert!(fit.p_value > level(all().len()), "{} after {steps} steps: {fit:?}", small.name);
    }
}

#[test]
fn moves_of_eight_cells_do_not_join_a_cube_with_zeros_and_full_moves_do() {
    let small = cube_with_zeros();
    let tables = small.tables();
    // Tables that differ by a multiple of one move of eight cells.
    let near = |one: &Vec<i64>, two: &Vec<i64>| {
        let differ: Vec<i64> = one.iter().zip(two).map(|(one, two)| one - two).collect();
        let size = differ.iter().filter(|differ| **differ != 0).count();
        let unit = differ.iter().map(|differ| differ.abs()).max().unwrap_or(0);
        size == 8 && differ.iter().all(|differ| *differ == 0 || differ.abs() == unit)
    };
    let mut seen = vec![false; tables.len()];
    let mut waiting = vec![0];
    seen[0] = true;
    while let Some(from) = waiting.pop() {
        for to in 0..tables.len() {
            if !seen[to] && near(&tables[from], &tables[to]) {
                seen[to] = true;
                waiting.push(to);
            }
        }
    }
    assert!(seen.iter().any(|seen| !seen), "the example joins all {} tables", tables.len());
    let walk = small.walk();
    let ready = walk.ready();
    let matrix = matrix(&small, &kernel(&small, &walk, &ready));
    assert_eq!(matrix.reached(), tables.len());
}

/// The square of the distance to a table, over three: not one of the project's own laws.
#[derive(Debug)]
struct Own(Vec<i64>);

impl Energy for Own {
    fn energy(&self, values: &[i64], bits: usize) -> Enclosure {
        let squares: i64 = values.iter().zip(&self.0).map(|(value, centre)| (value - centre).pow(2)).sum();
        Enclosure::from_rational(&Rational::new(squares + values[0], 3u8), bits)
    }
}

#[test]
fn laws_of_ones_own_are_walked_too() {
    let small = crate::tables::fibres::two_way();
    let walk = small.walk().without_lines();
    let ready = walk.ready();
    let own = Arc::new(Own(small.table.clone()));
    let kernel = walk.kernel_of(&ready, own.clone()).unwrap();
    let tables = small.tables();
    let weights: Vec<f64> = tables.iter().map(|table| (-own.energy(table, 80).to_f64()).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let law: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let rows = tables.iter().map(|table| kernel.row(table, &tables)).collect();
    let matrix = Matrix { tables, rows, law };
    assert!(matrix.has_rows() && matrix.imbalance(&matrix.law) < 1e-7 && matrix.reached() == matrix.tables.len());
    let mut bits = Seeded::new(24).stream(0).unwrap();
    let outcomes = (0..20_000).map(|_| {
        let mut state = kernel.start(small.table.clone());
        kernel.step(&mut state, &mut bits);
        kernel.values(&state).to_vec()
    });
    let counts = counted(&matrix.tables, outcomes);
    assert!(agreement(&counts, &kernel.row(&small.table, &matrix.tables), 20_000) > level(1));
    let with_lines = small.walk();
    assert!(with_lines.kernel_of(&with_lines.ready(), own).is_none());
}
