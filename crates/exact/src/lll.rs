//! LLL reduction in exact integers: a basis of the same lattice with short, nearly orthogonal
//! vectors.
//!
//! With b*_i the part of b_i orthogonal to `b_1, …, b_{i−1}` and μ_ij = ⟨b_i, b*_j⟩/⟨b*_j, b*_j⟩, a
//! basis is *reduced* when every `|μ_ij| ≤ 1/2` and `|b*_i|² ≥ (δ − μ²_{i,i−1})·|b*_{i−1}|²`, here
//! with δ = 99/100. Then `|b_1|² ≤ (δ − 1/4)^{−(n−1)}·λ_1²`, and no vector of a block of the basis
//! is much longer than it has to be.
//!
//! Exact: all is kept in integers (de Weger; Cohen, algorithm 2.6.7) with `d_i = |b*_1|²⋯|b*_i|²`,
//! the Gram determinants, and `λ_ij = d_j·μ_ij`, where every division has no remainder. These have
//! hundreds of digits, so a first pass in machine numbers comes before it (`lll/approximate.rs`):
//! it makes whole steps, so its basis is one of the same lattice whatever is rounded, and what is
//! left to the exact pass is to find out that little or nothing is left to do.

mod approximate;

use crate::hermite::{hermite, nearest};
use crate::matrix::Matrix;
use approximate::approximate;
use dashu_base::AbsOrd;
use dashu_int::IBig as Integer;

/// δ as a fraction.
const DELTA: (u8, u8) = (99, 100);

/// A reduced basis of the lattice that the rows generate, in rows, with δ = 99/100.
///
/// Rows that depend on each other are first replaced by the non-zero rows of their Hermite form, so
/// the result has as many rows as the rank.
pub fn lll(rows: &Matrix) -> Matrix {
    if !independent(rows) {
        let form = hermite(rows);
        return lll(&form.h.first_rows(form.rank));
    }
    let mut integral = Integral::new(approximate(rows));
    let mut k = 1;
    integral.orthogonalise(0);
    let mut known = 1;
    while k < integral.b.rows() {
        if k == known {
            integral.orthogonalise(k);
            known += 1;
        }
        integral.reduce(k, k - 1);
        if integral.must_swap(k) {
            integral.swap(k, known);
            k = (k - 1).max(1);
        } else {
            (0..k - 1).rev().for_each(|l| integral.reduce(k, l));
            k += 1;
        }
    }
    integral.b
}

/// Vectors less whole combinations of basis rows, each as near to orthogonal to them as Babai's
/// nearest plane makes it: for a vector and a reduced basis, a short member of the vector's class
/// modulo the lattice.
///
/// # Panics
/// When vectors and basis have different lengths.
pub fn nearest_plane(basis: &Matrix, vectors: &Matrix) -> Matrix {
    assert!(basis.rows() == 0 || basis.columns() == vectors.columns(), "vectors and basis have one length");
    let n = basis.rows();
    let with_last = |row: usize, column: usize| if row < n { basis[(row, column)].clone() } else { Integer::ZERO };
    let mut integral = Integral::new(Matrix::from_fn(n + 1, vectors.columns(), with_last));
    (0..n).for_each(|k| integral.orthogonalise(k));
    let mut short = vectors.clone();
    for row in 0..vectors.rows() {
        (0..vectors.columns()).for_each(|column| integral.b[(n, column)] = vectors[(row, column)].clone());
        integral.orthogonalise(n);
        (0..n).rev().for_each(|l| integral.reduce(n, l));
        (0..vectors.columns()).for_each(|column| short[(row, column)] = integral.b[(n, column)].clone());
    }
    short
}

/// Rows with their Gram determinants `d_0 = 1, d_1, …` and `λ_ij = d_j μ_ij`; `lambda[i][j]` is
/// λ_{i+1,j+1}.
struct Integral {
    b: Matrix,
    d: Vec<Integer>,
    lambda: Vec<Vec<Integer>>,
}

impl Integral {
    fn new(b: Matrix) -> Integral {
        let lambda = (0..b.rows()).map(|row| vec![Integer::ZERO; row]).collect();
        let mut d = vec![Integer::ZERO; b.rows() + 1];
        d[0] = Integer::ONE;
        Integral { b, d, lambda }
    }

    /// λ and d of row k, from those of the rows before it.
    fn orthogonalise(&mut self, k: usize) {
        if self.b.rows() == 0 {
            return;
        }
        for j in 0..=k {
            let mut u: Integer = self.b.row(k).iter().zip(self.b.row(j)).map(|(one, other)| one * other).sum();
            for i in 0..j {
                let both = if j == k { &self.lambda[k][i] } else { &self.lambda[j][i] };
                u = (&self.d[i + 1] * u - &self.lambda[k][i] * both) / &self.d[i];
            }
            if j < k {
                self.lambda[k][j] = u;
            } else {
                self.d[k + 1] = u;
            }
        }
    }

    fn too_long(&self, k: usize, l: usize) -> bool {
        (&self.lambda[k][l] << 1usize).abs_cmp(&self.d[l + 1]).is_gt()
    }

    /// Takes row l from row k so often that `|μ_kl| ≤ 1/2`.
    fn reduce(&mut self, k: usize, l: usize) {
        if !self.too_long(k, l) {
            return;
        }
        let q = nearest(&self.lambda[k][l], &self.d[l + 1]);
        self.b.subtract_row(k, &q, l);
        let (before, from) = self.lambda.split_at_mut(k);
        from[0][l] -= &q * &self.d[l + 1];
        for (entry, other) in from[0][..l].iter_mut().zip(&before[l]) {
            *entry -= &q * other;
        }
    }

    /// Whether `|b*_k|² < (δ − μ²)·|b*_{k−1}|²`.
    fn must_swap(&self, k: usize) -> bool {
        let left = &self.d[k + 1] * &self.d[k - 1] + self.lambda[k][k - 1].sqr().as_ibig();
        left * DELTA.1 < Integer::from(self.d[k].sqr()) * DELTA.0
    }

    fn swap(&mut self, k: usize, known: usize) {
        self.b.swap_rows(k, k - 1);
        let (before, from) = self.lambda.split_at_mut(k);
        before[k - 1][..k - 1].swap_with_slice(&mut from[0][..k - 1]);
        let lambda = self.lambda[k][k - 1].clone();
        let b = (&self.d[k - 1] * &self.d[k + 1] + lambda.sqr().as_ibig()) / &self.d[k];
        for row in &mut self.lambda[k + 1..known] {
            let t = row[k].clone();
            row[k] = (&self.d[k + 1] * &row[k - 1] - &lambda * &t) / &self.d[k];
            row[k - 1] = (&b * t + &lambda * &row[k]) / &self.d[k + 1];
        }
        self.d[k] = b;
    }
}

/// Whether the rows are independent modulo a prime, and so independent; `false` may be wrong, which
/// costs only time.
fn independent(rows: &Matrix) -> bool {
    const PRIME: u64 = (1 << 61) - 1;
    let times = |one: u64, other: u64| (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64;
    let power = |base: u64, mut exponent: u64| {
        let (mut base, mut result) = (base, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = times(result, base);
            }
            base = times(base, base);
            exponent >>= 1;
        }
        result
    };
    let residue = |entry: &Integer| {
        let rest = entry % Integer::from(PRIME);
        let rest = if rest < Integer::ZERO { rest + PRIME } else { rest };
        u64::try_from(rest).unwrap_or(0)
    };
    let mut reduced: Vec<(usize, Vec<u64>)> = Vec::new();
    for row in 0..rows.rows() {
        let mut row: Vec<u64> = rows.row(row).iter().map(residue).collect();
        for (pivot, other) in &reduced {
            let factor = row[*pivot];
            if factor != 0 {
                row.iter_mut().zip(other).for_each(|(entry, other)| {
                    *entry = (*entry + PRIME - times(factor, *other)) % PRIME;
                });
            }
        }
        let Some(pivot) = row.iter().position(|entry| *entry != 0) else {
            return false;
        };
        let inverse = power(row[pivot], PRIME - 2);
        row.iter_mut().for_each(|entry| *entry = times(*entry, inverse));
        reduced.push((pivot, row));
    }
    true
}
