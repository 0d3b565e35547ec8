//! The law of a class: cells with the same columns, bounds and noise that differ only in their centres.
//!
//! Given the sum of the cells, a tilt (the same factor e^{θ} for every unit of every cell) changes nothing. So a sum is drawn
//! at the tilt at which it is to be expected: a small class cell by cell from messages, a large one by drawing most cells
//! freely and completing the others. Proof: `proofs/class.md`.
//!
//! ```text
//! shape.rs    the law of one cell, from its mode
//! weights.rs  its weights at one precision, and sums with one more cell
//! equal.rs    sums of many equal cells
//! chain.rs    small classes, cell by cell
//! free.rs     cells drawn freely
//! complete.rs large classes: free cells and a completion
//! bound.rs    the coin of a completion
//! shared.rs   large classes: cells far from their bounds share one sum
//! tilt.rs     which tilt
//! reading.rs  weights of sums, marginals
//! laws.rs     the laws of all cells, given what is known of the sum
//! ```

mod bound;
mod chain;
mod complete;
mod equal;
mod free;
mod laws;
mod reading;
mod shape;
mod shared;
#[cfg(test)]
mod tests;
mod tilt;
mod weights;

use self::complete::Splitter;
pub(crate) use self::laws::NoLaws;
use self::shape::Tilted;
use self::tilt::{Moments, Tilt};
use super::Ladder;
use exact::{Entropy, Rational};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The noise of a cell: the weight of a value y around the centre x.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellNoise {
    /// `e^{−up·(y − x)}` for y ≥ x, `e^{−down·(x − y)}` for y < x. Both rates are positive.
    Geometric {
        /// The rate above the centre.
        up: Rational,
        /// The rate below the centre.
        down: Rational,
    },
    /// `e^{−(y − x)²/2σ²}`, σ² positive.
    Gaussian {
        /// σ².
        variance: Rational,
    },
    /// 1 everywhere: both bounds must be given. Centres do not matter.
    Flat,
}

/// The law of a class of cells, made ready as it is used.
#[derive(Debug)]
pub struct ClassLaw {
    noise: CellNoise,
    low: Option<i64>,
    high: Option<i64>,
    centres: Vec<i64>,
    ladder: Ladder,
    /// Every centre once, in order, with the number of its cells.
    counted: Vec<(i64, u64)>,
    untilted: Moments,
    splitters: Mutex<Splitters>,
}

/// Splitters by tilt, and the tilts of sums. Which are remembered never changes a draw.
#[derive(Debug, Default)]
struct Splitters {
    tilts: HashMap<i64, Tilt>,
    prepared: HashMap<Tilt, Arc<Splitter>>,
}

/// The most splitters that are remembered.
const MOST_SPLITTERS: usize = 8;
/// The most sums whose tilts are remembered.
const MOST_TILTS: usize = 1 << 12;

impl ClassLaw {
    /// The law of cells with these centres, each between the bounds, both included.
    ///
    /// # Panics
    /// When a rate or the variance is not positive, the lower bound is above the upper one, or a flat law lacks a bound.
    pub fn new(noise: CellNoise, low: Option<i64>, high: Option<i64>, centres: Vec<i64>, ladder: Ladder) -> Self {
        match &noise {
            CellNoise::Geometric { up, down } => assert!(up.is_positive() && down.is_positive(), "rates are positive"),
            CellNoise::Gaussian { variance } => assert!(variance.is_positive(), "σ² is positive"),
            CellNoise::Flat => assert!(low.is_some() && high.is_some(), "a flat law has both bounds"),
        }
        assert!(low.zip(high).is_none_or(|(low, high)| low <= high), "the lower bound is at most the upper one");
        let mut sorted = centres.clone();
        sorted.sort_unstable();
        let counted = sorted.chunk_by(|one, two| one == two).map(|equal| (equal[0], equal.len() as u64)).collect();
        let mut law = ClassLaw {
            noise,
            low,
            high,
            centres,
            ladder,
            counted,
            untilted: Moments::default(),
            splitters: Mutex::default(),
        };
        law.untilted = law.moments(&Rational::integer(0)).unwrap_or_default();
        law
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.centres.len()
    }

    /// The bounds of the sum, where there are any.
    pub fn range(&self) -> (Option<i64>, Option<i64>) {
        let times = |bound: i64| {
            let sum = i128::from(bound) * self.centres.len() as i128;
            sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
        };
        (self.low.map(times), self.high.map(times))
    }

    /// Whether the cells can add up to this.
    pub fn feasible(&self, sum: i64) -> bool {
        let (least, most) = self.range();
        let inside = least.is_none_or(|least| least <= sum) && most.is_none_or(|most| sum <= most);
        inside && (sum == 0 || !self.centres.is_empty())
    }

    /// Draws the cells given their sum, exactly.
    ///
    /// # Panics
    /// When the sum is not feasible or the number of cells is another.
    pub fn split<E: Entropy>(&self, entropy: &mut E, sum: i64, cells: &mut [i64]) {
        assert!(self.feasible(sum), "the cells can add up to the sum they are given");
        assert_eq!(cells.len(), self.centres.len(), "one place for every cell");
        match cells {
            [] => {}
            [cell] => *cell = sum,
            _ => self.splitter(sum).draw(entropy, sum, cells),
        }
    }

    /// Forgets what splits have made ready if it needs more than these bytes: later splits make it again, and are the same.
    pub(crate) fn forget_above(&self, bytes: usize) {
        let mut splitters = self.splitters.lock().unwrap_or_else(PoisonError::into_inner);
        if splitters.prepared.values().map(|splitter| splitter.bytes()).sum::<usize>() > bytes {
            splitters.prepared.clear();
        }
    }

    fn splitter(&self, sum: i64) -> Arc<Splitter> {
        // A panic elsewhere leaves a cache that is still true.
        let remembered = |splitters: &Splitters| {
            let tilt = if self.untilted.expect(self.target(sum)) { Some(Tilt::default()) } else { None };
            let tilt = tilt.or_else(|| splitters.tilts.get(&sum).copied())?;
            splitters.prepared.get(&tilt).cloned()
        };
        if let Some(splitter) = remembered(&self.splitters.lock().unwrap_or_else(PoisonError::into_inner)) {
            return splitter;
        }
        let tilt = self.tilt(sum);
        let mut splitters = self.splitters.lock().unwrap_or_else(PoisonError::into_inner);
        if splitters.tilts.len() >= MOST_TILTS {
            splitters.tilts.clear();
        }
        splitters.tilts.insert(sum, tilt);
        if let Some(splitter) = splitters.prepared.get(&tilt) {
            return splitter.clone();
        }
        if splitters.prepared.len() >= MOST_SPLITTERS {
            splitters.prepared.clear();
        }
        let splitter = Arc::new(Splitter::new(self.tilted(&tilt.theta()), &self.centres, self.ladder));
        splitters.prepared.insert(tilt, splitter.clone());
        splitter
    }

    /// The tilted noise; a tilt that leaves no law is no tilt.
    fn tilted(&self, theta: &Rational) -> Tilted {
        let tilted = Tilted::new(&self.noise, self.low, self.high, theta);
        tilted.or_else(|| Tilted::new(&self.noise, self.low, self.high, &Rational::integer(0))).unwrap_or_else(|| {
            // Rates are positive, and a flat law has bounds.
            unreachable!("noise without a tilt is a law")
        })
    }
}
