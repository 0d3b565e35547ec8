//! `Gradient`: attempts that draw the gradient of a ridge regression and solve for the
//! coefficients.
//!
//! As a law of the gradient `u = Mk − w` the mechanism is a product of double geometrics, seen at
//! the points of a lattice only. So a vector v of independent double geometrics is drawn, the
//! nearest coefficients `k = ⌊M⁻¹(v + w) + ½⌋` are taken, and accepted with
//! `e^{−c(‖Mk − w‖₁ − ‖v‖₁ + ℓ)}`, ℓ the most that rounding can move the norm. Exactly det M
//! vectors v lead to every k, so every k is accepted in proportion to its weight. Proof:
//! `proofs/ridge.md`. Good where the data are many and their ridge estimate lies inside the ball;
//! uniform points are good where the data are few.

use crate::rejection::Attempt;
use crate::ridge::Ridge;
use crate::target::Target;
use exact::{Entropy, Geometric, Integer, Rational};

/// Attempts by way of the gradient.
#[derive(Debug)]
pub struct Gradient<'a> {
    ridge: &'a Ridge,
    noise: Geometric,
    /// The adjugate of M, by rows, and its determinant.
    adjugate: Vec<Integer>,
    determinant: Integer,
    /// The most that rounding moves the norm of the gradient.
    rounding: i128,
}

/// Up to this many predictors the largest ‖Mδ‖₁ over the cube is found at its corners.
const MOST_CORNERS: usize = 10;

impl<'a> Gradient<'a> {
    /// Inverts M.
    pub fn new(ridge: &'a Ridge) -> Self {
        let p = ridge.offset.len();
        let (adjugate, determinant) = inverse(p, |i, j| Integer::from(ridge.row(i)[j]));
        let noise = Geometric::new(ridge.powers.rate().clone());
        Gradient { ridge, noise, adjugate, determinant, rounding: rounding(ridge) }
    }

    /// The ordinary ridge estimate, in steps of the grid, whatever the ball: confidential, for
    /// comparisons on public data.
    pub fn estimate(&self) -> Vec<Rational> {
        let offset = &self.ridge.offset;
        let above = |row: &[Integer]| row.iter().zip(offset).fold(Integer::ZERO, |sum, (entry, w)| sum + entry * *w);
        let below = Rational::integer(self.determinant.clone());
        self.adjugate.chunks_exact(offset.len()).map(|row| &Rational::integer(above(row)) / &below).collect()
    }
}

/// Half the largest ‖Ms‖₁ over signs s, rounded up; where corners are many, half the sum of all
/// absolute values, which is no less.
fn rounding(ridge: &Ridge) -> i128 {
    let p = ridge.offset.len();
    let twice = if p <= MOST_CORNERS {
        let corner = |signs: usize| -> i128 {
            let signed = |j: usize, entry: i64| i128::from(if signs >> j & 1 == 1 { -entry } else { entry });
            (0..p)
                .map(|i| ridge.row(i).iter().enumerate().map(|(j, entry)| signed(j, *entry)).sum::<i128>().abs())
                .sum()
        };
        (0..1usize << p).map(corner).max().unwrap_or(0)
    } else {
        (0..p).flat_map(|i| ridge.row(i)).map(|entry| i128::from(entry.unsigned_abs())).sum()
    };
    (twice + 1) / 2
}

impl Attempt for Gradient<'_> {
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        let p = self.ridge.offset.len();
        let noise: Vec<i128> = (0..p).map(|_| i128::from(self.noise.draw_double(entropy))).collect();
        let target: Vec<Integer> =
            noise.iter().zip(&self.ridge.offset).map(|(v, w)| Integer::from(v + i128::from(*w))).collect();
        point.clear();
        for row in self.adjugate.chunks_exact(p) {
            let above = row.iter().zip(&target).fold(Integer::ZERO, |sum, (entry, value)| sum + entry * value);
            let nearest = floor(&((above << 1usize) + &self.determinant), &(&self.determinant << 1usize));
            let Ok(value) = i64::try_from(nearest) else { return false };
            point.push(value);
        }
        if !self.ridge.space().contains(point) {
            return false;
        }
        let before: i128 = noise.iter().map(|v| v.abs()).sum();
        let units = i128::from(self.ridge.units(point)) - before + self.rounding;
        debug_assert!(units >= 0, "rounding moves the norm by no more than its bound");
        // Both norms are below 2⁶³ (`RidgeSettings::check`), so a word holds what is left.
        u64::try_from(units).is_ok_and(|units| self.ridge.powers.coin(entropy, units))
    }
}

/// ⌊above / below⌋ for a positive divisor.
fn floor(above: &Integer, below: &Integer) -> Integer {
    let quotient = above / below;
    if &quotient * below > *above { quotient - Integer::ONE } else { quotient }
}

/// The adjugate and the determinant of a positive definite matrix, by elimination without fractions
/// (Bareiss).
fn inverse(p: usize, entry: impl Fn(usize, usize) -> Integer) -> (Vec<Integer>, Integer) {
    let width = 2 * p;
    let beside = |i: usize, j: usize| if j < p { entry(i, j) } else { Integer::from(u8::from(j - p == i)) };
    let mut rows: Vec<Vec<Integer>> = (0..p).map(|i| (0..width).map(|j| beside(i, j)).collect()).collect();
    let mut divisor = Integer::ONE;
    // Leading minors of a positive definite matrix are positive: no pivot is zero.
    for pivot in 0..p {
        let lead = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
            let factor = row[pivot].clone();
            for (value, above) in row.iter_mut().zip(&lead) {
                *value = (&*value * &lead[pivot] - &factor * above) / &divisor;
            }
        }
        divisor = lead[pivot].clone();
    }
    let adjugate = rows.iter().flat_map(|row| row[p..].iter().cloned()).collect();
    (adjugate, divisor)
}
