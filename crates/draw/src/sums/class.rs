//! The law of a class: cells with the same columns, bounds and noise that differ only in their
//! centres.
//!
//! Given the sum of the cells, a tilt (the same factor e^{θ} for every unit of every cell) changes
//! nothing. So a sum is drawn at the tilt at which it is to be expected: a small class cell by cell
//! from messages, a large one by drawing most cells freely and completing the others. Proof:
//! `proofs/class.md`.
//!
//! ```text
//! shape.rs    the law of one cell, from its mode
//! weighted.rs the law of one cell whose noise is multiplied by a factor
//! table.rs    such cells drawn freely
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
mod table;
#[cfg(test)]
mod tests;
mod tilt;
mod weighted;
mod weights;

use self::complete::Splitter;
pub(crate) use self::complete::most_chained_with as most_chained;
pub(crate) use self::laws::{NoLaws, ShapeSize, seconds_of_laws};
use self::shape::{Centre, Tilted};
use self::tilt::{Moments, Tilt};
use super::{Factor, Ladder};
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
    centres: Vec<Centre>,
    factors: Arc<[Factor]>,
    ladder: Ladder,
    /// Every centre once, in order, with the number of its cells.
    counted: Vec<(Centre, u64)>,
    untilted: Moments,
    splitters: Mutex<Splitters>,
    /// This law with an upper bound of its cells, by that bound: for cells with factors, given
    /// their sum.
    capped: Mutex<HashMap<i64, Arc<ClassLaw>>>,
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
    /// When a rate or the variance is not positive, the lower bound is above the upper one, or a
    /// flat law lacks a bound.
    pub fn new(noise: CellNoise, low: Option<i64>, high: Option<i64>, centres: Vec<i64>, ladder: Ladder) -> Self {
        let centres = centres.into_iter().map(|x| Centre { x, factor: None }).collect();
        Self::of(noise, (low, high), centres, Arc::new([]), ladder)
    }

    /// A class with the weights of some cells multiplied by factors: every cell is its centre and
    /// the number of its factor.
    ///
    /// # Panics
    /// As [`ClassLaw::new`], and when a factor is not listed or the lower bound is below zero or
    /// absent.
    pub fn weighted(
        noise: CellNoise,
        bounds: (Option<i64>, Option<i64>),
        cells: Vec<(i64, Option<u32>)>,
        factors: Arc<[Factor]>,
        ladder: Ladder,
    ) -> Self {
        let known = |(_, factor): &(i64, Option<u32>)| factor.is_none_or(|factor| (factor as usize) < factors.len());
        assert!(cells.iter().all(known), "every factor is listed");
        assert!(bounds.0.is_some_and(|low| low >= 0), "factors weigh counts at or above zero");
        let centres = cells.into_iter().map(|(x, factor)| Centre { x, factor }).collect();
        Self::of(noise, bounds, centres, factors, ladder)
    }

    fn of(
        noise: CellNoise,
        (low, high): (Option<i64>, Option<i64>),
        centres: Vec<Centre>,
        factors: Arc<[Factor]>,
        ladder: Ladder,
    ) -> Self {
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
            factors,
            ladder,
            counted,
            untilted: Moments::default(),
            splitters: Mutex::default(),
            capped: Mutex::default(),
        };
        // Cells with factors and without an upper bound are split with one: their own moments are
        // not asked for.
        if law.factors.is_empty() || law.high.is_some() {
            law.untilted = law.moments(&Rational::integer(0)).unwrap_or_default();
        }
        law
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.centres.len()
    }

    /// Whether the weights of some cells are multiplied by factors.
    pub fn is_weighted(&self) -> bool {
        !self.factors.is_empty()
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
            _ => match self.within(sum) {
                Some(law) => law.splitter(sum).draw(entropy, sum, cells),
                None => self.splitter(sum).draw(entropy, sum, cells),
            },
        }
    }

    /// The law of cells with factors, given their sum, with the bound that the sum gives them,
    /// rounded up to a power of two: a factor may be flat where noise is wide, and its weights are
    /// listed.
    fn within(&self, sum: i64) -> Option<Arc<ClassLaw>> {
        let low = self.low.filter(|_| !self.factors.is_empty() && self.high.is_none())?;
        let room = i128::from(sum) - i128::from(low) * self.centres.len() as i128;
        let room = u64::try_from(room).ok()?.max(1).checked_next_power_of_two()?;
        let high = low.checked_add(i64::try_from(room).ok()?)?;
        let mut capped = self.capped.lock().unwrap_or_else(PoisonError::into_inner);
        let law = capped.entry(high).or_insert_with(|| {
            let (noise, centres, factors) = (self.noise.clone(), self.centres.clone(), self.factors.clone());
            Arc::new(ClassLaw::of(noise, (self.low, Some(high)), centres, factors, self.ladder))
        });
        Some(law.clone())
    }

    /// Forgets what splits have made ready if it needs more than these bytes: later splits make it
    /// again, and are the same.
    pub(crate) fn forget_above(&self, bytes: usize) {
        self.capped.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(|law| law.forget_above(bytes));
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
        self.try_tilted(theta).or_else(|| self.try_tilted(&Rational::integer(0))).unwrap_or_else(|| {
            // Rates are positive, and a flat law has bounds.
            unreachable!("noise without a tilt is a law")
        })
    }
    /// The tilted noise; `None` when an unbounded side would not fall any more.
    fn try_tilted(&self, theta: &Rational) -> Option<Tilted> {
        Tilted::new(&self.noise, (self.low, self.high), &self.factors, theta)
    }
}
