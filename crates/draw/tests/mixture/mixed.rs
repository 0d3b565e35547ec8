//! Small tables under the norm of their noise, and their weights.

use crate::tables::numbers::rational;
use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::Mixture;
use exact::{Enclosure, Rational};

const BITS: usize = 128;

/// A table with all margins that sum out one of two dimensions, or with its total.
pub fn fibre(rows: usize, columns: usize) -> Fibre {
    let cells = rows * columns;
    let row = |entries: Vec<(u32, i64)>| FibreRow { entries, demand: Demand::Equal(0) };
    let mut sums = Vec::new();
    for i in 0..rows {
        sums.push(row((0..columns).map(|j| ((i * columns + j) as u32, 1)).collect()));
    }
    if rows > 1 {
        for j in 0..columns {
            sums.push(row((0..rows).map(|i| ((i * columns + j) as u32, 1)).collect()));
        }
    }
    Fibre { cells: (0..cells as u32).collect(), bounds: vec![(None, None); cells], rows: sums, noise_on_cells: true }
}

pub fn mixture(rows: usize, columns: usize, rate: &str) -> Mixture {
    let lattice = Lattice::of_fibre(&fibre(rows, columns)).unwrap();
    let rate = rational(rate);
    Mixture::new(rows * columns, lattice.basis(), &(&rate * &rate)).unwrap()
}

pub fn square(table: &[i64]) -> i64 {
    table.iter().map(|value| value * value).sum()
}

/// e^{−ε'‖z‖}.
pub fn weight(table: &[i64], rate: &str) -> Enclosure {
    let rate = rational(rate);
    let square = &(&rate * &rate) * &Rational::integer(square(table));
    (-&Enclosure::from_rational(&square, BITS).sqrt().unwrap()).exp()
}
