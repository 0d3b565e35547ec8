//! The Smith normal form of an integer matrix: `U·A·V = D` with U and V unimodular.
//!
//! D is zero outside its diagonal, and there `d_i ≥ 0` and `d_i` divides `d_{i+1}`. Since
//! `A·V = U⁻¹·D`, the last `columns − rank` columns of V are a basis of the integer kernel of A,
//! and `A·x = b` has an integer solution exactly when every `d_i` divides `(U·b)_i` and the rest of
//! `U·b` is zero.
//!
//! The smallest entry left becomes the pivot and divides its row and column with remainder;
//! remainders are smaller pivots. When nothing remains and some other entry is no multiple of the
//! pivot, its row is added to the pivot's.

use crate::hermite::{nearest, subtract_rows};
use crate::matrix::Matrix;
use dashu_base::Sign;
use dashu_int::IBig as Integer;

/// `U·A·V = D`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smith {
    /// Unimodular: what was done to rows.
    pub u: Matrix,
    /// The diagonal form.
    pub d: Matrix,
    /// Unimodular: what was done to columns.
    pub v: Matrix,
    /// How many entries of the diagonal are not zero.
    pub rank: usize,
}

impl Smith {
    /// An integer x with `A·x = b`.
    ///
    /// # Errors
    /// The number of the first entry of `U·b` that its `d_i` does not divide.
    pub fn solve(&self, b: &[Integer]) -> Result<Vec<Integer>, usize> {
        let image = |row: usize| self.u.row(row).iter().zip(b).map(|(u, b)| u * b).sum::<Integer>();
        let mut quotients = Vec::with_capacity(self.rank);
        for row in 0..self.u.rows() {
            let value = image(row);
            let divisor = if row < self.rank { self.d[(row, row)].clone() } else { Integer::ZERO };
            if divisor.is_zero() {
                if value.is_zero() {
                    continue;
                }
                return Err(row);
            }
            if !(&value % &divisor).is_zero() {
                return Err(row);
            }
            quotients.push(value / divisor);
        }
        let entry = |row: usize| self.v.row(row).iter().zip(&quotients).map(|(v, quotient)| v * quotient).sum();
        Ok((0..self.v.rows()).map(entry).collect())
    }
}

/// The Smith normal form.
pub fn smith(a: &Matrix) -> Smith {
    let mut form = Smith { u: Matrix::identity(a.rows()), d: a.clone(), v: Matrix::identity(a.columns()), rank: 0 };
    while let Some((row, column)) = smallest(&form.d, form.rank) {
        let pivot = form.rank;
        form.d.swap_rows(pivot, row);
        form.u.swap_rows(pivot, row);
        form.d.swap_columns(pivot, column);
        form.v.swap_columns(pivot, column);
        if form.clear(pivot) && form.divides_the_rest(pivot) {
            if form.d[(pivot, pivot)].sign() == Sign::Negative {
                form.d.negate_row(pivot);
                form.u.negate_row(pivot);
            }
            form.rank += 1;
        }
    }
    form
}

impl Smith {
    /// Divides row and column of the pivot by it; whether nothing remains.
    fn clear(&mut self, pivot: usize) -> bool {
        let mut clean = true;
        for row in pivot + 1..self.d.rows() {
            let times = nearest(&self.d[(row, pivot)], &self.d[(pivot, pivot)]);
            subtract_rows([&mut self.d, &mut self.u], row, &times, pivot);
            clean &= self.d[(row, pivot)].is_zero();
        }
        for column in pivot + 1..self.d.columns() {
            let times = nearest(&self.d[(pivot, column)], &self.d[(pivot, pivot)]);
            if !times.is_zero() {
                self.d.subtract_column(column, &times, pivot);
                self.v.subtract_column(column, &times, pivot);
            }
            clean &= self.d[(pivot, column)].is_zero();
        }
        clean
    }

    /// Whether the pivot divides every entry behind it; otherwise a row with one that it does not
    /// divide is added to its own.
    fn divides_the_rest(&mut self, pivot: usize) -> bool {
        let divisor = self.d[(pivot, pivot)].clone();
        let undivided = |row: &usize| self.d.row(*row)[pivot + 1..].iter().any(|entry| !(entry % &divisor).is_zero());
        let Some(row) = (pivot + 1..self.d.rows()).find(undivided) else {
            return true;
        };
        let minus_one = Integer::from(-1);
        subtract_rows([&mut self.d, &mut self.u], pivot, &minus_one, row);
        // The remainders that the pivot leaves in its row are smaller than the pivot, so the search
        // goes down.
        self.clear(pivot);
        false
    }
}

/// The smallest entry from row and column `first` on that is not zero.
fn smallest(matrix: &Matrix, first: usize) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for row in first..matrix.rows() {
        for column in first..matrix.columns() {
            let entry = &matrix[(row, column)];
            if entry.is_zero() {
                continue;
            }
            if entry.is_one() || *entry == Integer::NEG_ONE {
                return Some((row, column));
            }
            if best.is_none_or(|best| dashu_base::AbsOrd::abs_cmp(entry, &matrix[best]).is_lt()) {
                best = Some((row, column));
            }
        }
    }
    best
}
