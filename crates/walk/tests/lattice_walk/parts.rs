//! Fibres whose steps leave two parts.

use crate::tables::fibres::{Small, margins};
use analyse::{Demand, FibreRow};
use draw::NoiseLaw;
use exact::Rational;
use walk::Wanted;

pub fn wanted(distance: u64) -> Wanted {
    Wanted { pairs: 1000, distance: Rational::new(1, distance), lag: None }
}

pub fn norm(numerator: u64, denominator: u64) -> NoiseLaw {
    NoiseLaw::lattice_laplace(Rational::new(numerator, denominator))
}

/// 2×4×4 counts of 0 and 1 whose two-way margins two tables have.
pub fn two_tables() -> Small {
    let layers = [[1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1]];
    let table = layers.concat();
    Small { name: "2×4×4", fibre: margins(&[2, 4, 4], &table), table, law: norm(1, 10), rates: Vec::new() }
}

pub fn weighted(table: &[i64], times: &[i64]) -> FibreRow {
    let entries: Vec<(u32, i64)> = (0u32..).zip(times.iter().copied()).collect();
    let total = entries.iter().map(|(cell, times)| times * table[*cell as usize]).sum();
    FibreRow { entries, demand: Demand::Equal(total) }
}
