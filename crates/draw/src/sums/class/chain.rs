//! Draws the cells of a small class one by one: the last given the sum of all, the next given the
//! sum of the others, …

use super::bound::Bound;
use super::shape::{Cell, Tilted};
use super::weights::{CellWeights, ClassWeights};
use crate::sums::message::rounded_up;
use crate::sums::precision::MOST_LEVELS;
use crate::sums::{Ladder, Message, Precision};
use exact::lazy::Uniform;
use exact::{Decision, Entropy, Positive, Weighted, Wide, choose};
use std::sync::OnceLock;

/// The sums of the first cells, relative to their modes, at every level that was asked for.
#[derive(Debug)]
pub(super) struct Chain {
    tilted: Tilted,
    cells: Vec<Cell>,
    ladder: Ladder,
    levels: Vec<OnceLock<Level>>,
}

#[derive(Debug)]
enum Level {
    Machine(Prefixes<f64>),
    Wide(Prefixes<Wide>),
}

/// The messages of the sums of the first 0, 1, 2, … cells.
#[derive(Debug)]
struct Prefixes<T> {
    weights: ClassWeights<T>,
    messages: Vec<Message<T>>,
}

impl Chain {
    pub(super) fn new(tilted: Tilted, cells: Vec<Cell>, ladder: Ladder) -> Self {
        let levels = (0..MOST_LEVELS + 3).map(|_| OnceLock::new()).collect();
        Chain { tilted, cells, ladder, levels }
    }

    fn level(&self, level: usize) -> &Level {
        let level = level.min(self.levels.len() - 1);
        self.levels[level].get_or_init(|| {
            let precision = self.ladder.level(level);
            if precision.machine {
                Level::Machine(Prefixes::new(&self.tilted, &self.cells, precision))
            } else {
                Level::Wide(Prefixes::new(&self.tilted, &self.cells, precision))
            }
        })
    }

    /// About the bytes of the messages that were made.
    pub(super) fn bytes(&self) -> usize {
        let made = self.levels.iter().filter_map(OnceLock::get);
        made.map(|level| match level {
            Level::Machine(prefixes) => 8 * prefixes.weights_kept(),
            Level::Wide(prefixes) => 64 * prefixes.weights_kept(),
        })
        .sum()
    }

    /// Draws the offsets of all cells from their modes, given the sum of the offsets, which must be
    /// possible.
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E, mut sum: i64, mut place: impl FnMut(usize, i64)) {
        for cell in (1..self.cells.len()).rev() {
            let rank = choose(entropy, |level, uniform| match self.level(level) {
                Level::Machine(prefixes) => prefixes.decide(cell, sum, uniform),
                Level::Wide(prefixes) => prefixes.decide(cell, sum, uniform),
            });
            let offset = offset_of(rank);
            place(cell, offset);
            sum -= offset;
        }
        if !self.cells.is_empty() {
            place(0, sum);
        }
    }

    /// What a level says about a coin that shows heads (index 0) with probability W(sum)/bound, W
    /// the weight of the sum of all offsets.
    pub(super) fn coin(&self, level: usize, sum: i64, bound: &Bound, uniform: &Uniform) -> Decision {
        match self.level(level) {
            Level::Machine(prefixes) => bound.decide(prefixes.last(), prefixes.weights.precision, sum, uniform),
            Level::Wide(prefixes) => bound.decide(prefixes.last(), prefixes.weights.precision, sum, uniform),
        }
    }

    /// A number that no weight of the sum of all offsets exceeds.
    pub(super) fn bound(&self) -> Bound {
        match self.level(0) {
            Level::Machine(prefixes) => Bound::of(prefixes.last()),
            Level::Wide(prefixes) => Bound::of(prefixes.last()),
        }
    }
}

/// Values in the order in which they are tried: 0, 1, −1, 2, −2, …: the same at every level.
pub(super) fn offset_of(rank: usize) -> i64 {
    let half = rank.div_ceil(2) as i64;
    if rank % 2 == 1 { half } else { -half }
}

impl<T: Positive> Prefixes<T> {
    fn new(tilted: &Tilted, cells: &[Cell], precision: Precision) -> Self {
        let weights: ClassWeights<T> = ClassWeights::new(tilted, cells, precision);
        let mut messages = vec![Message::point(0)];
        for cell in 0..cells.len() {
            let next = weights.with_cell(&messages[cell], cell);
            messages.push(next);
        }
        Prefixes { weights, messages }
    }

    fn weights_kept(&self) -> usize {
        self.messages.iter().map(|message| message.weights.len()).sum()
    }

    fn last(&self) -> &Message<T> {
        &self.messages[self.messages.len() - 1]
    }

    /// The rank of the offset of a cell, given the sum of it and of all cells before.
    fn decide(&self, cell: usize, sum: i64, uniform: &Uniform) -> Decision {
        let (own, others) = (self.weights.cell(cell), &self.messages[cell]);
        let missing = missing(own, others, self.weights.precision.bits);
        let roundings = others.roundings + own.message.roundings + 1;
        if self.weights.precision.machine
            && uniform.known() >= 53
            && let Some(rank) = self.walk(cell, sum, uniform, &missing, roundings)
        {
            return Decision::Index(rank);
        }
        let first = own.message.first.max(sum - others.end() + 1);
        let end = own.message.end().min(sum - others.first + 1);
        let farthest = first.unsigned_abs().max(end.unsigned_abs()) as usize;
        let ranks = (0..2 * farthest + 1).filter(|rank| (first..end).contains(&offset_of(*rank)));
        let (mut listed, mut weights) = (Vec::new(), Vec::new());
        for rank in ranks {
            let offset = offset_of(rank);
            if let (Some(one), Some(two)) = (own.message.weight(offset), others.weight(sum - offset)) {
                listed.push(rank);
                weights.push(one.times(two));
            }
        }
        match (Weighted { weights, roundings, missing, bits: self.weights.precision.bits }).decide(uniform) {
            Decision::Index(index) => Decision::Index(listed[index]),
            undecided => undecided,
        }
    }

    /// The rank by machine numbers, when the number is far enough from the next boundaries. The
    /// weight of all values is that of the sum, which is known; so only the values up to the right
    /// one are looked at.
    fn walk(&self, cell: usize, sum: i64, uniform: &Uniform, missing: &T, roundings: u64) -> Option<usize> {
        let (own, others, all) = (&self.weights.cell(cell).message, &self.messages[cell], &self.messages[cell + 1]);
        let shift = all.scale - others.scale;
        let whole = all.weight(sum)?.shifted(shift).to_f64();
        if !(2f64.powi(-800)..2f64.powi(800)).contains(&whole) {
            return None;
        }
        let longest = own.weights.len().min(others.weights.len()) as u64;
        let chain = (roundings.max(all.roundings) + longest + 4) as f64;
        let missing = missing.to_f64().max(all.missing.shifted(shift).to_f64());
        // As in `Weighted`: generous for the roundings of both weights, the missing weight, and the
        // operations here.
        let margin = 16.0 * chain * 2f64.powi(-53) + 4.0 * missing / whole + 2f64.powi(-49);
        if margin.is_nan() || margin >= 0.25 {
            return None;
        }
        let number = uniform.leading();
        let (under, over) = ((number - margin) * whole, (number + margin) * whole);
        let mut before = 0.0;
        for rank in 0..2 * own.weights.len() {
            let offset = offset_of(rank);
            let (Some(one), Some(two)) = (own.weight(offset), others.weight(sum - offset)) else { continue };
            let through = before + one.times(two).to_f64();
            if through > over {
                return (before < under).then_some(rank);
            }
            before = through;
        }
        None
    }
}

/// A bound of the missing weight of a value and the rest of the sum together: the weight of a value
/// is at most 1.
fn missing<T: Positive>(own: &CellWeights<T>, others: &Message<T>, bits: u32) -> T {
    // No weight of a normalised message is above 1, but for its roundings.
    let largest = T::integer(1, bits).increased(others.roundings + 4);
    rounded_up(&others.missing.plus(&own.message.missing.times(&largest.plus(&others.missing))))
}
