//! Kernels as matrices: rows, detailed balance, connectivity, and the steps that are really made.

use crate::fibres::{Small, all, cube_with_zeros, random};
use exact::{Enclosure, Rational, Seeded, Source};
use std::collections::HashMap;
use std::sync::Arc;
use testkit::goodness_of_fit;
use walk::{Energy, Kernel, LatticeKernel, Walk, WalkMoves};

/// All tables and all transition rows of a walk.
pub struct Matrix {
    pub tables: Vec<Vec<i64>>,
    pub rows: Vec<Vec<f64>>,
    pub law: Vec<f64>,
}

pub fn kernel<'a>(small: &Small, walk: &Walk, ready: &'a WalkMoves) -> LatticeKernel<'a> {
    walk.kernel(ready, small.table.clone(), &walk.sums_of(&small.table))
}

pub fn matrix(small: &Small, kernel: &LatticeKernel<'_>) -> Matrix {
    let tables = small.tables();
    let rows = tables.iter().map(|table| kernel.row(table, &tables)).collect();
    let law = small.law_on(&tables);
    Matrix { tables, rows, law }
}

impl Matrix {
    /// Whether every row is a law.
    pub fn has_rows(&self) -> bool {
        let is_law = |row: &Vec<f64>| {
            row.iter().all(|probability| *probability >= -1e-12) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-9
        };
        self.rows.iter().all(is_law)
    }

    /// The largest violation of detailed balance, relative to the flow.
    pub fn imbalance(&self, law: &[f64]) -> f64 {
        let mut worst = 0.0f64;
        for from in 0..self.tables.len() {
            for to in 0..from {
                let (one, two) = (law[from] * self.rows[from][to], law[to] * self.rows[to][from]);
                if one.max(two) > 1e-300 {
                    worst = worst.max((one - two).abs() / one.max(two));
                }
            }
        }
        worst
    }

    /// How many tables can be reached from the first.
    pub fn reached(&self) -> usize {
        let mut seen = vec![false; self.tables.len()];
        let mut waiting = vec![0];
        seen[0] = true;
        while let Some(from) = waiting.pop() {
            for (to, seen) in seen.iter_mut().enumerate() {
                if self.rows[from][to] > 0.0 && !*seen {
                    *seen = true;
                    waiting.push(to);
                }
            }
        }
        seen.iter().filter(|seen| **seen).count()
    }

    /// The distance to the law after this many steps, from a table: by powers of the matrix.
    pub fn after(&self, start: &[i64], steps: u64) -> f64 {
        let size = self.tables.len();
        let mut now: Vec<f64> = self.tables.iter().map(|table| f64::from(u8::from(table == start))).collect();
        let applied = |now: &[f64], power: &[Vec<f64>]| {
            let mut next = vec![0.0; size];
            for (mass, row) in now.iter().zip(power).filter(|(mass, _)| **mass > 0.0) {
                next.iter_mut().zip(row).for_each(|(next, probability)| *next += mass * probability);
            }
            next
        };
        // Single steps are cheaper than squares where there are few.
        let mut power = self.rows.clone();
        let mut left = steps;
        while left > 0 {
            if left <= 2 * size as u64 {
                (0..left).for_each(|_| now = applied(&now, &power));
                break;
            }
            if left % 2 == 1 {
                now = applied(&now, &power);
            }
            power = power.iter().map(|row| applied(row, &power)).collect();
            left /= 2;
        }
        now.iter().zip(&self.law).map(|(now, law)| (now - law).abs()).sum::<f64>() / 2.0
    }

    /// The distance to the law after every number of steps up to `steps`, from a table.
    pub fn distances(&self, start: &[i64], steps: usize) -> Vec<f64> {
        let mut now: Vec<f64> = self.tables.iter().map(|table| f64::from(u8::from(table == start))).collect();
        let mut distances = Vec::new();
        for _ in 0..=steps {
            distances.push(now.iter().zip(&self.law).map(|(now, law)| (now - law).abs()).sum::<f64>() / 2.0);
            let mut next = vec![0.0; now.len()];
            for (from, mass) in now.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                next.iter_mut().zip(&self.rows[from]).for_each(|(next, probability)| *next += mass * probability);
            }
            now = next;
        }
        distances
    }
}

/// How often each table came up.
pub fn counted(tables: &[Vec<i64>], outcomes: impl Iterator<Item = Vec<i64>>) -> Vec<u64> {
    let places: HashMap<&Vec<i64>, usize> = tables.iter().enumerate().map(|(place, table)| (table, place)).collect();
    let mut counts = vec![0; tables.len()];
    for outcome in outcomes {
        counts[*places.get(&outcome).expect("every table of the walk is in the fibre")] += 1;
    }
    counts
}

/// The p-value of outcomes against a row; one when almost all mass is on one table and so are the outcomes.
pub fn agreement(counts: &[u64], row: &[f64], total: u64) -> f64 {
    let expected = |probability: &&f64| **probability * total as f64 >= 10.0;
    let bins = row.iter().filter(expected).count();
    let rest = row.iter().filter(|probability| !expected(probability)).sum::<f64>() * total as f64;
    if bins + usize::from(rest >= 10.0) >= 2 {
        return goodness_of_fit(counts, row, total).p_value;
    }
    let often: u64 =
        counts.iter().zip(row).filter(|(_, probability)| !expected(probability)).map(|(count, _)| count).sum();
    f64::from(u8::from(often < 60))
}

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
            assert!(p_value > 1e-5, "{} from {from:?}: {p_value}", small.name);
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
        assert!(p_value > 1e-6, "{number}: {p_value}");
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
        assert!(fit.p_value > 1e-5, "{} after {steps} steps: {fit:?}", small.name);
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
    let small = crate::fibres::two_way();
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
    assert!(agreement(&counts, &kernel.row(&small.table, &matrix.tables), 20_000) > 1e-5);
    let with_lines = small.walk();
    assert!(with_lines.kernel_of(&with_lines.ready(), own).is_none());
}
