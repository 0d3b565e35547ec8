//! The law of the sum of the first part of a block, given the sum of both parts.
//!
//! Weight `P₁(j)·P₂(s − j)`, a product of log-concave sequences, hence [`exact::unimodal`].

use super::sum_law::{MOST_BOUNDS, SumLaw, hull};
use crate::remembered::Remembered;
use exact::lazy::Bounds;
use exact::unimodal::{Unimodal, UnimodalLaw};
use exact::{Enclosure, Entropy, Natural, Rational};
use std::sync::Arc;

/// The sum of the first part, given the sum of both.
#[derive(Debug)]
pub(crate) struct SplitLaw(Unimodal<Weights>);

impl SplitLaw {
    pub(crate) fn new(first: Arc<SumLaw>, second: Arc<SumLaw>, total: i64) -> Self {
        SplitLaw(Unimodal::new(Weights::new(first, second, total)))
    }

    pub(crate) fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        self.0.draw(entropy)
    }
}

#[derive(Debug)]
struct Weights {
    first: Arc<SumLaw>,
    second: Arc<SumLaw>,
    total: i64,
    mode: i64,
    /// Bits below the point at which the weight of the mode begins.
    depth: usize,
    /// Quick bounds by offset.
    quick: Remembered<i64, Bounds>,
}

impl Weights {
    fn new(first: Arc<SumLaw>, second: Arc<SumLaw>, total: i64) -> Self {
        let (cells, all) = (i128::from(first.cells()), i128::from(first.cells() + second.cells()));
        let mode = ((i128::from(total) * cells).div_euclid(all)) as i64;
        let quick = Remembered::up_to(MOST_BOUNDS);
        let mut weights = Weights { first, second, total, mode, depth: 64, quick };
        weights.deepen();
        // Climb to a point that neither neighbour exceeds by more than one part in 2^96.
        let slack = &Rational::integer(1) + &Rational::new(1, Natural::ONE << 96);
        while let Some(step) = [1, -1].into_iter().find(|step| weights.relative(*step, 128).upper_rational() > slack) {
            weights.mode += step;
        }
        weights
    }

    fn weight(&self, j: i64, bits: usize) -> Enclosure {
        &self.first.probability(j, bits) * &self.second.probability(self.total - j, bits)
    }

    /// Finds how far below the point the weight of the mode begins.
    fn deepen(&mut self) {
        while self.weight(self.mode, 2 * self.depth + 64).lower_rational()
            < Rational::new(1, Natural::ONE << self.depth)
        {
            self.depth *= 2;
        }
    }

    /// P(mode + offset)/P(mode).
    fn relative(&self, offset: i64, bits: usize) -> Enclosure {
        let working = bits + 2 * self.depth + 32;
        let (above, below) = (self.weight(self.mode + offset, working), self.weight(self.mode, working));
        above
            .checked_div(&below)
            .unwrap_or_else(|| hull(&Enclosure::from_integer(0, bits), &Enclosure::from_integer(4, bits)))
            .with_bits(bits)
    }
}

impl UnimodalLaw for Weights {
    fn mode(&self) -> i64 {
        self.mode
    }

    fn bounds(&self, offset: i64) -> Bounds {
        self.quick.get(offset, || Bounds::of(&self.ratio(offset, 72)))
    }

    /// The ratio, made smaller by one part in 2³²: a constant that changes no law and keeps it
    /// below one even if the mode was missed by a tie.
    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        let kept = Rational::new((Natural::ONE << 32) - Natural::ONE, Natural::ONE << 32);
        &self.relative(offset, bits) * &Enclosure::from_rational(&kept, bits)
    }
}
