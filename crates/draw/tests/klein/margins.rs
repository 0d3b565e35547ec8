//! Klein's sampler on tables with margins.

use crate::tables::margins::margins;
use crate::tables::numbers::rational;
use analyse::{Fibre, Lattice};
use draw::Klein;

pub fn of_margins(sizes: &[usize], variance: &str) -> (Fibre, Klein) {
    let fibre = margins(sizes);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let klein = Klein::new(fibre.cells.len(), lattice.basis(), &rational(variance)).unwrap();
    (fibre, klein)
}
