//! `Matrix`: a dense matrix of integers of any size.
//!
//! Entries up to 128 bits are kept in place by [`Integer`], so small matrices cost no allocation
//! per entry.

use dashu_int::IBig as Integer;
use std::fmt;
use std::ops::{Index, IndexMut};

/// Integers in rows and columns.
#[derive(Clone, PartialEq, Eq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<Integer>,
}

impl Matrix {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, entries: vec![Integer::ZERO; rows * columns] }
    }

    /// Ones on the diagonal.
    pub fn identity(size: usize) -> Matrix {
        let mut matrix = Matrix::zero(size, size);
        (0..size).for_each(|place| matrix[(place, place)] = Integer::ONE);
        matrix
    }

    /// The entry at every row and column, as the function says.
    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> Integer) -> Matrix {
        let entry = &entry;
        let entries = (0..rows).flat_map(|row| (0..columns).map(move |column| entry(row, column))).collect();
        Matrix { rows, columns, entries }
    }

    /// From rows of machine integers, all of one length.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn from_rows<R: AsRef<[i64]>>(rows: &[R]) -> Matrix {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        assert!(rows.iter().all(|row| row.as_ref().len() == columns), "the rows of a matrix have one length");
        Matrix::from_fn(rows.len(), columns, |row, column| Integer::from(rows[row].as_ref()[column]))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[Integer] {
        &self.entries[row * self.columns..(row + 1) * self.columns]
    }

    /// Rows become columns.
    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |row, column| self[(column, row)].clone())
    }

    /// This times the other.
    ///
    /// # Panics
    /// When this has another number of columns than the other has rows.
    pub fn product(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows, "a product needs as many columns as rows");
        let mut product = Matrix::zero(self.rows, other.columns);
        for row in 0..self.rows {
            for (inner, factor) in self.row(row).iter().enumerate().filter(|(_, factor)| !factor.is_zero()) {
                for (column, entry) in other.row(inner).iter().enumerate().filter(|(_, entry)| !entry.is_zero()) {
                    product[(row, column)] += factor * entry;
                }
            }
        }
        product
    }

    /// The first rows that are there, at most `count`.
    pub fn first_rows(&self, count: usize) -> Matrix {
        let rows = count.min(self.rows);
        Matrix { rows, columns: self.columns, entries: self.entries[..rows * self.columns].to_vec() }
    }

    pub(crate) fn swap_rows(&mut self, one: usize, other: usize) {
        if one != other {
            (0..self.columns)
                .for_each(|column| self.entries.swap(one * self.columns + column, other * self.columns + column));
        }
    }

    pub(crate) fn swap_columns(&mut self, one: usize, other: usize) {
        (0..self.rows).for_each(|row| self.entries.swap(row * self.columns + one, row * self.columns + other));
    }

    /// Takes `times` the row `source` from the row `target`.
    pub(crate) fn subtract_row(&mut self, target: usize, times: &Integer, source: usize) {
        for column in 0..self.columns {
            let (from, to) = (source * self.columns + column, target * self.columns + column);
            if !self.entries[from].is_zero() {
                let taken = times * &self.entries[from];
                self.entries[to] -= taken;
            }
        }
    }

    /// Takes `times` the column `source` from the column `target`.
    pub(crate) fn subtract_column(&mut self, target: usize, times: &Integer, source: usize) {
        for row in 0..self.rows {
            let (from, to) = (row * self.columns + source, row * self.columns + target);
            if !self.entries[from].is_zero() {
                let taken = times * &self.entries[from];
                self.entries[to] -= taken;
            }
        }
    }

    pub(crate) fn negate_row(&mut self, row: usize) {
        for entry in &mut self.entries[row * self.columns..(row + 1) * self.columns] {
            *entry = -std::mem::take(entry);
        }
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = Integer;
    fn index(&self, (row, column): (usize, usize)) -> &Integer {
        &self.entries[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Integer {
        &mut self.entries[row * self.columns + column]
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.rows).map(|row| self.row(row))).finish()
    }
}
