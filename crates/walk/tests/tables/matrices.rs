//! Exact transition matrices of lattice walks, and how steps agree with them.

use super::fibres::Small;
use std::collections::HashMap;
use testkit::goodness_of_fit;
use walk::{Kernel, LatticeKernel, Walk, WalkMoves};

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

/// The p-value of outcomes against a row; one when almost all mass is on one table and so are the
/// outcomes.
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
