//! The Hermite normal form of an integer matrix by rows: `U·A = H` with U unimodular.
//!
//! H is in echelon form: its non-zero rows come first, the first non-zero entry of each (its pivot)
//! is positive and lies to the right of the pivot above, and every entry above a pivot p is in
//! `0..p`. Two matrices of the same width have the same non-zero rows of H exactly when their rows
//! generate the same lattice, so H tells lattices apart.
//!
//! Column by column, the rows below the last pivot are divided by the one with the smallest entry
//! until it alone is left: Euclid's algorithm on many numbers at once.

use crate::matrix::Matrix;
use dashu_base::{DivEuclid, Sign};
use dashu_int::IBig as Integer;

/// `U·A = H`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hermite {
    /// The form.
    pub h: Matrix,
    /// The unimodular matrix that leads to it.
    pub u: Matrix,
    /// The number of non-zero rows of H.
    pub rank: usize,
}

/// The Hermite normal form by rows.
pub fn hermite(a: &Matrix) -> Hermite {
    let (mut h, mut u) = (a.clone(), Matrix::identity(a.rows()));
    let mut rank = 0;
    for column in 0..h.columns() {
        while let Some(least) = smallest(&h, rank, column) {
            h.swap_rows(rank, least);
            u.swap_rows(rank, least);
            let mut alone = true;
            for row in rank + 1..h.rows() {
                let times = nearest(&h[(row, column)], &h[(rank, column)]);
                subtract_rows([&mut h, &mut u], row, &times, rank);
                alone &= h[(row, column)].is_zero();
            }
            if !alone {
                continue;
            }
            if h[(rank, column)].sign() == Sign::Negative {
                h.negate_row(rank);
                u.negate_row(rank);
            }
            for row in 0..rank {
                let times = (&h[(row, column)]).div_euclid(&h[(rank, column)]);
                subtract_rows([&mut h, &mut u], row, &times, rank);
            }
            rank += 1;
            break;
        }
    }
    Hermite { h, u, rank }
}

/// The row from `first` on whose entry in the column is smallest without being zero.
fn smallest(matrix: &Matrix, first: usize, column: usize) -> Option<usize> {
    let entry = |row: usize| matrix[(row, column)].clone().into_parts().1;
    (first..matrix.rows()).filter(|row| !matrix[(*row, column)].is_zero()).min_by_key(|row| entry(*row))
}

/// Takes a row so many times from another, in both matrices.
pub(crate) fn subtract_rows(matrices: [&mut Matrix; 2], target: usize, times: &Integer, source: usize) {
    if !times.is_zero() {
        matrices.into_iter().for_each(|matrix| matrix.subtract_row(target, times, source));
    }
}

/// The integer nearest to a fraction; of two, the larger.
pub(crate) fn nearest(above: &Integer, below: &Integer) -> Integer {
    let (above, below) =
        if below.sign() == Sign::Negative { (-above.clone(), -below.clone()) } else { (above.clone(), below.clone()) };
    ((above << 1) + &below).div_euclid(below << 1)
}
