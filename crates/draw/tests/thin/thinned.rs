//! Tables with margins, thinned.

use crate::tables::margins::margins;
use crate::tables::numbers::rational;
use analyse::Lattice;
use draw::Thin;

pub fn thin(sizes: &[usize], rate: &str) -> Thin {
    let fibre = margins(sizes);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    Thin::new(fibre.cells.len(), lattice.basis(), &rational(rate)).unwrap()
}

pub fn norm(table: &[i64]) -> i64 {
    table.iter().map(|value| value.abs()).sum()
}
