//! A first LLL pass in machine numbers: whole steps in exact integers, chosen by rounded
//! orthogonalisation.
//!
//! Steps are swaps and subtractions of whole multiples, so the lattice stays the same whatever the
//! rounding does; where numbers leave the range in which they are trusted, the pass ends with the
//! basis that it has.

use crate::matrix::Matrix;
use dashu_int::IBig as Integer;

/// No entry is larger in this pass.
const LARGEST: i64 = 1 << 30;
/// Rows are visited at most this often, times their number.
const MOST_VISITS: usize = 2000;
/// δ of this pass, a little above the exact one, so that the exact pass agrees.
const DELTA: f64 = 0.991;
/// |μ| up to this is left alone: rounding could go back and forth at 1/2.
const CLOSE: f64 = 0.500_001;

/// A basis of the same lattice, more or less reduced.
pub(super) fn approximate(rows: &Matrix) -> Matrix {
    let small = |entry: &Integer| i64::try_from(entry).ok().filter(|entry| entry.abs() <= LARGEST);
    let basis: Option<Vec<Vec<i64>>> = (0..rows.rows()).map(|row| rows.row(row).iter().map(small).collect()).collect();
    let Some(b) = basis.filter(|basis| !basis.is_empty()) else {
        return rows.clone();
    };
    let n = b.len();
    let product = |one: &[i64], other: &[i64]| -> i128 {
        one.iter().zip(other).map(|(one, other)| i128::from(*one) * i128::from(*other)).sum()
    };
    let gram = (0..n).map(|i| (0..n).map(|j| product(&b[i], &b[j])).collect()).collect();
    let mut pass = Pass { b, gram, r: vec![vec![0.0; n]; n], mu: vec![vec![0.0; n]; n] };
    pass.run();
    Matrix::from_rows(&pass.b)
}

struct Pass {
    b: Vec<Vec<i64>>,
    /// Inner products, exact.
    gram: Vec<Vec<i128>>,
    /// `r_ij = ⟨b_i, b*_j⟩`, rounded.
    r: Vec<Vec<f64>>,
    mu: Vec<Vec<f64>>,
}

impl Pass {
    fn run(&mut self) {
        let n = self.b.len();
        let mut k = 1;
        for _ in 0..MOST_VISITS * n {
            if k == 1 {
                self.orthogonalise(0);
            }
            if k >= n || !self.reduce(k) {
                return;
            }
            let (above, length, mu) = (self.r[k - 1][k - 1], self.r[k][k], self.mu[k][k - 1]);
            if length < (DELTA - mu * mu) * above {
                self.swap(k);
                k = (k - 1).max(1);
            } else {
                k += 1;
            }
        }
    }

    fn orthogonalise(&mut self, k: usize) {
        for j in 0..=k {
            let taken: f64 = self.mu[j][..j].iter().zip(&self.r[k][..j]).map(|(mu, r)| mu * r).sum();
            self.r[k][j] = self.gram[k][j] as f64 - taken;
            self.mu[k][j] = self.r[k][j] / self.r[j][j];
        }
    }

    /// Makes row k short against the rows before it; whether the numbers can be trusted.
    fn reduce(&mut self, k: usize) -> bool {
        // A few rounds settle what rounding left; more would mean that it cannot be settled here.
        for _ in 0..10 {
            self.orthogonalise(k);
            if !self.r[k][..=k].iter().all(|r| r.is_finite()) || self.r[k][k] <= 0.0 {
                return false;
            }
            let mut changed = false;
            for l in (0..k).rev() {
                if self.mu[k][l].abs() <= CLOSE {
                    continue;
                }
                let q = self.mu[k][l].round();
                if q.abs() > LARGEST as f64 || !self.subtract(k, q as i64, l) {
                    return false;
                }
                let (before, from) = self.mu.split_at_mut(k);
                from[0][..l].iter_mut().zip(&before[l]).for_each(|(entry, other)| *entry -= q * other);
                changed = true;
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// Takes q times row l from row k, unless an entry would become too large.
    fn subtract(&mut self, k: usize, q: i64, l: usize) -> bool {
        let row: Vec<i64> = self.b[k].iter().zip(&self.b[l]).map(|(entry, other)| entry - q * other).collect();
        if row.iter().any(|entry| entry.abs() > LARGEST) {
            return false;
        }
        self.b[k] = row;
        let q = i128::from(q);
        for j in 0..self.b.len() {
            if j != k {
                self.gram[k][j] -= q * self.gram[l][j];
                self.gram[j][k] = self.gram[k][j];
            }
        }
        self.gram[k][k] = self.b[k].iter().map(|entry| i128::from(*entry) * i128::from(*entry)).sum();
        true
    }

    fn swap(&mut self, k: usize) {
        self.b.swap(k, k - 1);
        self.gram.swap(k, k - 1);
        self.gram.iter_mut().for_each(|row| row.swap(k, k - 1));
    }
}
