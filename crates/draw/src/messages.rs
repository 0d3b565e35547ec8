//! `messages`: discrete Gaussian noise over cells with one prescribed total, exactly, for every σ.
//!
//! Let W_m(c) be the weight of all m-cell tables with sum c. To draw n cells with sum s: draw the
//! first n − m cells freely, accept them with probability `W_m(s − their sum)/W_m(0)` (at most one:
//! W_m is symmetric and log-concave), and go on with the other m cells and what is left of the sum.
//! With m a power of two and at least n/2, at least about 70 % of proposals are accepted, so a
//! large block costs some 1.4 free draws a cell. W_m is enclosed by [`SumLaw`], to any precision. A
//! slice's share is its sum. Proof: `proofs/messages.md`.

mod split;
mod sum_law;

pub use sum_law::SumLaw;

use crate::exactness::Exactness;
use crate::remembered::Remembered;
use crate::sampler::{Sampler, Summary};
use exact::lazy::{Bounds, coin};
use exact::{DiscreteGaussian, Entropy, Powers, Rational};
use split::SplitLaw;
use std::sync::Arc;

/// Up to this many cells all but one are drawn freely and the last completes the sum.
const SMALL: usize = 128;
/// Sums with less than this share (in units of 2⁻⁶⁴) of the likeliest sum's probability are divided
/// by halves first.
const FAR: u64 = 1 << 60;

/// So many laws of splits are kept: slices meet ever new sums, far totals the same ones again.
const MOST_SPLITS: usize = 1 << 10;

/// Discrete Gaussian noise with parameter σ² and a prescribed total.
#[derive(Debug)]
pub struct Messages {
    variance: Rational,
    cell: DiscreteGaussian,
    /// Powers of e^{−1/2σ²}: the weight of a cell is the power at its square.
    weights: Powers,
    sums: Remembered<u64, Arc<SumLaw>>,
    splits: Remembered<(u64, u64, i64), Arc<SplitLaw>>,
    small: usize,
}

impl Messages {
    /// Noise with parameter σ².
    pub fn new(variance: &Rational) -> Self {
        Messages {
            variance: variance.clone(),
            cell: DiscreteGaussian::new(variance),
            weights: Powers::new(&Rational::new(1, 2u8) / variance, 8),
            sums: Remembered::up_to(usize::MAX),
            splits: Remembered::up_to(MOST_SPLITS),
            small: SMALL,
        }
    }

    /// This noise, completing directly only up to `small` cells: changes the cost, never the law.
    pub fn completing(mut self, small: usize) -> Self {
        self.small = small.max(1);
        self
    }

    /// The law of the sum of `cells` cells.
    fn sum_law(&self, cells: u64) -> Arc<SumLaw> {
        self.sums.get(cells, || Arc::new(SumLaw::new(&self.variance, cells)))
    }

    /// Whether a sum is so far out that free proposals would hardly ever reach it: this decides the
    /// cost, never the law.
    fn far(&self, cells: usize, total: i64) -> bool {
        if total == 0 {
            return false;
        }
        let bounds = self.sum_law(cells as u64).bounds(total);
        bounds == Bounds::UNKNOWN || bounds.last < FAR
    }

    /// The law of the first part's sum, given the sum of both parts.
    fn split_law(&self, first: u64, second: u64, total: i64) -> Arc<SplitLaw> {
        let law = || Arc::new(SplitLaw::new(self.sum_law(first), self.sum_law(second), total));
        self.splits.get((first, second, total), law)
    }

    fn fill_near<E: Entropy>(&self, entropy: &mut E, total: i64, cells: &mut [i64]) {
        let mut draws = vec![0i64; cells.len()];
        let (mut rest, mut left): (&mut [i64], i64) = (&mut draws, total);
        while rest.len() > self.small {
            let kept = (rest.len().next_power_of_two() / 2).max(1);
            let (free, others) = rest.split_at_mut(rest.len() - kept);
            left = loop {
                if let Some(needed) = self.attempt_free(entropy, left, free, kept as u64) {
                    break needed;
                }
            };
            rest = others;
        }
        while !self.attempt_all(entropy, left, rest) {}
        cells.iter_mut().zip(&draws).for_each(|(cell, noise)| *cell += noise);
    }

    /// One attempt at the first cells of a block with the given total, `kept` others to follow:
    /// draws them freely and accepts them with the weight of what is left for the others. The sum
    /// left, if accepted. Attempts are independent.
    pub fn attempt_free<E: Entropy>(&self, entropy: &mut E, total: i64, free: &mut [i64], kept: u64) -> Option<i64> {
        let law = self.sum_law(kept);
        let needed = total - self.draw_free(entropy, free);
        coin(entropy, law.bounds(needed), |bits| law.ratio(needed, bits)).then_some(needed)
    }

    /// One attempt at a whole block with the given total: all cells but the last freely; the last
    /// completes the sum and is accepted with its own weight. Attempts are independent.
    pub fn attempt_all<E: Entropy>(&self, entropy: &mut E, total: i64, cells: &mut [i64]) -> bool {
        let Some((last, free)) = cells.split_last_mut() else { return true };
        *last = total - self.draw_free(entropy, free);
        free.is_empty() || self.accept_cell(entropy, *last)
    }

    /// Draws cells freely; their sum.
    fn draw_free<E: Entropy>(&self, entropy: &mut E, cells: &mut [i64]) -> i64 {
        cells.iter_mut().for_each(|cell| *cell = self.cell.draw(entropy));
        cells.iter().sum()
    }

    fn accept_cell<E: Entropy>(&self, entropy: &mut E, value: i64) -> bool {
        let size = value.unsigned_abs();
        match size.checked_mul(size) {
            Some(square) => self.weights.coin(entropy, square),
            None => {
                let size = Rational::integer(size);
                exact::bernoulli_exp(entropy, &(self.weights.rate() * &(&size * &size)))
            }
        }
    }
}

impl Sampler for Messages {
    /// The sum of the slice.
    type Share = i64;

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn head<E: Entropy>(&self, _entropy: &mut E, _cells: u64, total: i64) -> i64 {
        total
    }

    fn split<E: Entropy>(&self, entropy: &mut E, share: &i64, first: Summary, second: Summary) -> (i64, i64) {
        if first.cells == 0 || second.cells == 0 {
            return if first.cells == 0 { (0, *share) } else { (*share, 0) };
        }
        let (shift, total) = centred(*share, first.cells + second.cells);
        let inside = self.split_law(first.cells, second.cells, total).draw(entropy) + shift * first.cells as i64;
        (inside, share - inside)
    }

    fn fill<E: Entropy>(&self, entropy: &mut E, share: &i64, cells: &mut [i64]) {
        if cells.len() < 2 {
            cells.iter_mut().for_each(|cell| *cell += share);
            return;
        }
        let (shift, total) = centred(*share, cells.len() as u64);
        cells.iter_mut().for_each(|cell| *cell += shift);
        if self.far(cells.len(), total) {
            let (one, two) = cells.split_at_mut(cells.len() / 2);
            let summary = |part: &[i64]| Summary { cells: part.len() as u64 };
            let (first, second) = self.split(entropy, &total, summary(one), summary(two));
            self.fill(entropy, &first, one);
            self.fill(entropy, &second, two);
        } else {
            self.fill_near(entropy, total, cells);
        }
    }
}

/// A sum as `shift` in every cell and a rest of at most half a unit per cell: adding one constant
/// to every cell multiplies the weights of all tables with a given sum by the same factor, so the
/// law of the rest is that of its sum.
fn centred(sum: i64, cells: u64) -> (i64, i64) {
    let cells = cells as i64;
    let (shift, rest) = (sum.div_euclid(cells), sum.rem_euclid(cells));
    if rest > cells / 2 { (shift + 1, rest - cells) } else { (shift, rest) }
}
