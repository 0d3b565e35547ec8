//! Small lattices, and the law of a discrete Gaussian on them by enumeration.

use exact::{Enclosure, Rational};
use std::collections::BTreeMap;

pub const BITS: usize = 128;

/// A basis over some cells.
#[derive(Debug, Clone)]
pub struct Lattice {
    pub name: &'static str,
    pub cells: usize,
    pub basis: Vec<Vec<(u32, i64)>>,
}

fn sparse(rows: &[&[i64]]) -> Vec<Vec<(u32, i64)>> {
    let entry = |row: &&[i64]| {
        let entries = row.iter().enumerate().filter(|(_, value)| **value != 0);
        entries.map(|(place, value)| (place as u32, *value)).collect()
    };
    rows.iter().map(entry).collect()
}

/// One total over three cells.
pub fn a2() -> Lattice {
    Lattice { name: "A2", cells: 3, basis: sparse(&[&[1, -1, 0], &[0, 1, -1]]) }
}

/// One total over four cells.
pub fn a3() -> Lattice {
    Lattice { name: "A3", cells: 4, basis: sparse(&[&[1, -1, 0, 0], &[0, 1, -1, 0], &[0, 0, 1, -1]]) }
}

/// Both margins of two rows and three columns.
pub fn two_by_three() -> Lattice {
    Lattice { name: "2x3", cells: 6, basis: sparse(&[&[1, -1, 0, -1, 1, 0], &[0, 1, -1, 0, -1, 1]]) }
}

/// A lattice whose basis is far from orthogonal.
pub fn skewed() -> Lattice {
    Lattice { name: "skewed", cells: 3, basis: sparse(&[&[5, 1, -6], &[3, -2, -1]]) }
}

impl Lattice {
    /// The table with these coefficients.
    pub fn table(&self, coefficients: &[i64]) -> Vec<i64> {
        let mut table = vec![0; self.cells];
        for (vector, times) in self.basis.iter().zip(coefficients) {
            vector.iter().for_each(|(cell, value)| table[*cell as usize] += times * value);
        }
        table
    }

    /// All tables with a squared norm of at most `most`, found among coefficients of at most
    /// `reach`.
    pub fn tables(&self, most: i64, reach: i64) -> Vec<Vec<i64>> {
        let mut found = Vec::new();
        let mut coefficients = vec![-reach; self.basis.len()];
        loop {
            let table = self.table(&coefficients);
            if square(&table) <= most {
                assert!(coefficients.iter().all(|c| c.abs() < reach) || most == 0, "the search reaches far enough");
                found.push(table);
            }
            let Some(next) = coefficients.iter().position(|value| *value < reach) else { return found };
            coefficients[..next].fill(-reach);
            coefficients[next] += 1;
        }
    }

    /// The weights e^{−‖z‖²/2σ²}.
    pub fn weights(&self, variance: &Rational, most: i64, reach: i64) -> BTreeMap<Vec<i64>, Enclosure> {
        let scale = &Rational::new(1, 2u8) / variance;
        let weight = |table: &Vec<i64>| Enclosure::exp_rational(&-(&scale * &Rational::integer(square(table))), BITS);
        self.tables(most, reach).into_iter().map(|table| (table.clone(), weight(&table))).collect()
    }
}

pub fn square(table: &[i64]) -> i64 {
    table.iter().map(|value| value * value).sum()
}

pub fn total(weights: &BTreeMap<Vec<i64>, Enclosure>) -> Enclosure {
    weights.values().fold(Enclosure::from_integer(0, BITS), |sum, weight| &sum + weight)
}
