//! Blocks whose normaliser is computed, and what bounds of single cells add to it.

use crate::base::BaseWeights;
use crate::tied::Line;
use std::collections::{BTreeMap, HashMap};

/// A block whose normaliser is computed, and whose cells can be drawn with weights of their own.
pub(crate) trait Held: Sync {
    /// ln Z around a table; `None` where machine numbers do not tell it.
    fn log_normaliser(&self, table: &[i64]) -> Option<f64>;

    /// e^{−energy} of 0, 1, … units of the noise of a cell.
    fn falling(&self, cell: u32) -> &[f64];

    /// The cells, with their lower bounds.
    fn lows(&self) -> BTreeMap<u32, Option<i64>>;

    /// The base measure by which counts are weighted, if there is one.
    fn base(&self) -> Option<&BaseWeights> {
        None
    }

    /// Under a base measure: what one unit of every cell is tilted by, which changes no weight
    /// where totals are kept.
    fn tilts(&self) -> HashMap<u32, f64> {
        HashMap::new()
    }
}

/// Weights of noise below this part of the largest are left out; noise that reaches farther would
/// take too long.
const NEGLIGIBLE: f64 = 1e-13;
const FARTHEST: i64 = 1 << 12;

/// e^{−energy} of 0, 1, … units of a noise, as far as that matters; `None` where it reaches too
/// far.
pub(crate) fn falling(weight: impl Fn(i64) -> f64) -> Option<Vec<f64>> {
    let falling: Vec<f64> = (0..=FARTHEST).map(weight).take_while(|weight| *weight > NEGLIGIBLE).collect();
    (falling.len() as i64 <= FARTHEST).then_some(falling)
}

/// How far a count may move between its bounds: those beyond the reach of the noise are all alike.
pub(crate) fn room(falling: &[f64], count: i64, (low, high): (Option<i64>, Option<i64>)) -> (i64, i64) {
    let reach = falling.len() as i64 - 1;
    let below = low.map_or(reach, |low| (count - low).clamp(0, reach));
    (below, high.map_or(reach, |high| (high - count).clamp(0, reach)))
}

/// The weights of all moves within a room.
pub(crate) fn moves(falling: &[f64], (below, above): (i64, i64)) -> Line {
    Line { first: -below, weights: (-below..=above).map(|away| falling[away.unsigned_abs() as usize]).collect() }
}

/// The logarithms of all weights of a cell by itself, by the room that its count has above its
/// bound.
pub(crate) fn logs_alone(falling: &[f64]) -> Vec<f64> {
    let side: f64 = falling[1..].iter().sum();
    let mut below = 0.0;
    let log = |weight: &f64| {
        below += weight;
        (1.0 + side + below).ln()
    };
    std::iter::once(&0.0).chain(&falling[1..]).map(log).collect()
}

/// The logarithm of the weight of a cell by itself: what bounds of single cells add to ln Z(x), and
/// the most of it.
pub(crate) struct Alone<'h> {
    /// For every cell its lower bound, and which logarithms are its own.
    pub(crate) lows: BTreeMap<u32, (Option<i64>, usize)>,
    /// For every noise, by the room that a count has above its bound.
    logs: Vec<Vec<f64>>,
    base: Option<(&'h BaseWeights, HashMap<u32, f64>)>,
}

impl<'h> Alone<'h> {
    pub(crate) fn new(held: &'h dyn Held) -> Alone<'h> {
        let mut known: Vec<*const f64> = Vec::new();
        let mut logs: Vec<Vec<f64>> = Vec::new();
        let mut of = |cell: u32| {
            let falling = held.falling(cell);
            if let Some(place) = known.iter().position(|other| *other == falling.as_ptr()) {
                return place;
            }
            known.push(falling.as_ptr());
            logs.push(logs_alone(falling));
            logs.len() - 1
        };
        let lows = held.lows().into_iter().map(|(cell, low)| (cell, (low, of(cell)))).collect();
        Alone { lows, logs, base: held.base().map(|base| (base, held.tilts())) }
    }

    /// Of a cell around a count; zero where the cell is none of the block.
    pub(crate) fn log(&self, cell: u32, count: i64) -> f64 {
        self.lows.get(&cell).map_or(0.0, |own| self.of(cell, own, count))
    }

    /// Of all cells of the block in a table.
    pub(crate) fn of_table(&self, table: &[i64]) -> f64 {
        self.lows.iter().map(|(cell, own)| self.of(*cell, own, table[*cell as usize])).sum()
    }

    fn of(&self, cell: u32, (low, noise): &(Option<i64>, usize), count: i64) -> f64 {
        if let Some((base, tilts)) = &self.base {
            let tilt = tilts.get(&cell).copied().unwrap_or(0.0);
            return base.log_alone(cell, count.max(0), tilt).unwrap_or(0.0);
        }
        let logs = &self.logs[*noise];
        let last = logs.len() - 1;
        match low {
            Some(low) => logs[(count - low).clamp(0, last as i64) as usize],
            None => logs[last],
        }
    }
}
