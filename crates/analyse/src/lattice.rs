//! `Lattice`: the integer noise tables that change no total.

/// Sparse vectors that generate all integer tables whose totals are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    cells: usize,
    basis: Vec<Vec<(u32, i64)>>,
}

impl Lattice {
    /// The vectors: places of cells, increasing, with coefficients that are not zero.
    pub fn basis(&self) -> &[Vec<(u32, i64)>] {
        &self.basis
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }
}
