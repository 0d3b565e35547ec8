//! `Bundle`: cells of one block that share a rate, with the weights of their sum.
//!
//! Given rates, counts of cells are Poisson with means exposure·rate. The weight of all cells of a
//! bundle with the sum X is that of the noise and the exposures alone, times what the model says of
//! X: so sums within bundles are made once, and only what the model says of sums changes from step
//! to step. Weights of sums are kept as logarithms over the whole reach of the noise: what the
//! model says may move them far. Proof: `proofs/augmentation.md`.

use crate::knowledge::log_gamma;
use crate::tied::{Line, Tied};
use declare::Problem;
use std::sync::Arc;

/// Noise is listed until its weight is below e^{−depth} of the largest.
const DEPTH: f64 = 45.0;
/// At most so deep: bundles are listed again, twice as deep, where a model leads to an end of their
/// list.
const DEEPEST: f64 = 3000.0;
/// The most values that one cell, and a bundle, may have.
const MOST_VALUES: usize = 1 << 16;
const MOST_SUMS: usize = 1 << 20;
/// Of the law of a sum, weights below this part of the largest are left out.
const NOTHING: f64 = 1e-17;
/// Sums with weights below e^{−this} of the largest are not looked at.
const PRUNED: f64 = 100.0;
/// An end of the list with more than this part of the largest weight is too near.
const NEAR: f64 = 1e-13;

/// The logarithm of the weight of a count in a cell by its noise.
pub(crate) type CellNoise<'a> = dyn Fn(u32, i64) -> f64 + 'a;

/// A cell: its number, bounds and exposure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) number: u32,
    pub(crate) low: i64,
    pub(crate) high: Option<i64>,
    pub(crate) exposure: f64,
    /// Where its noise is looked for.
    pub(crate) centre: i64,
}

/// Cells that share a rate.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    /// Which rate.
    pub(crate) group: usize,
    cells: Vec<Cell>,
    depth: f64,
    /// Its sums, with weights relative to a Poisson law with the reference rate.
    pub(crate) sums: Told,
    /// The logarithm of the reference rate.
    reference: f64,
    tied: Option<Arc<Tied>>,
}

impl Bundle {
    /// Lists the sums of cells that share a rate.
    ///
    /// # Errors
    /// Refused when there are too many.
    pub(crate) fn new(group: usize, cells: Vec<Cell>, noise: &CellNoise<'_>) -> Result<Bundle, Problem> {
        let exposure: f64 = cells.iter().map(|cell| cell.exposure).sum();
        let seen: i64 = cells.iter().map(|cell| cell.centre.max(0)).sum();
        let reference = ((seen as f64 + 0.5) / exposure).ln();
        let mut bundle = Bundle { group, cells, depth: DEPTH, sums: Told::default(), reference, tied: None };
        bundle.list(noise)?;
        Ok(bundle)
    }

    /// Lists all again, twice as deep.
    ///
    /// # Errors
    /// Refused when that is too deep.
    pub(crate) fn widen(&mut self, noise: &CellNoise<'_>) -> Result<(), Problem> {
        self.depth *= 2.0;
        if self.depth > DEEPEST {
            return Err(Problem::refused("the model leads counts farther from the release than its noise can be listed")
                .hint("a model that the release speaks against this strongly is the wrong one: add terms, or rates of more groups"));
        }
        self.list(noise)
    }

    fn list(&mut self, noise: &CellNoise<'_>) -> Result<(), Problem> {
        let lists: Vec<Told> =
            self.cells.iter().map(|cell| listed(cell, self.reference, self.depth, noise)).collect::<Result<_, _>>()?;
        if let [only] = lists.as_slice() {
            (self.sums, self.tied) = (only.clone(), None);
            return Ok(());
        }
        let lines: Vec<Arc<Line>> = lists.iter().map(|list| Arc::new(list.whole_line())).collect();
        let tied = Tied::deep(&lines, MOST_SUMS).ok_or_else(|| {
            Problem::refused(format!("sums of {} cells that share a rate are too many to be listed", self.cells.len()))
                .hint("give rates to smaller groups: more names in --by")
        })?;
        let sums = tied.sums();
        let (first, last) = lists.iter().map(Told::range).fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let all = |side: usize| lists.iter().all(|list| list.ends[side]);
        self.sums = Told {
            first: sums.first,
            logs: sums.weights.iter().map(|weight| weight.ln()).collect(),
            ends: [all(0) && sums.first == first, all(1) && sums.last() == last],
        };
        self.tied = Some(Arc::new(tied));
        Ok(())
    }

    /// The logarithms of the weights of its sum, given those that a model adds, one for every
    /// listed sum. Sums far below the most likely one under a tilt are left out; without a tilt
    /// none is.
    pub(crate) fn told(&self, factors: &[f64], tilt: Option<f64>) -> Told {
        let Told { first, logs, ends } = &self.sums;
        let log = |((sum, log), factor): ((i64, &f64), &f64)| log + factor - self.reference * sum as f64;
        let told = Told { first: *first, logs: (*first..).zip(logs).zip(factors).map(log).collect(), ends: *ends };
        match tilt {
            Some(tilt) => told.pruned(tilt),
            None => told,
        }
    }

    /// Draws its cells given their sum; `false` where machine numbers fail.
    pub(crate) fn split(&self, sum: i64, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) -> bool {
        match &self.tied {
            None => {
                table[self.cells[0].number as usize] = sum;
                true
            }
            Some(tied) => tied.draw(sum, uniform, &mut |place, value| table[self.cells[place].number as usize] = value),
        }
    }
}

/// The counts of a cell, or sums of a bundle, from the first on, with the logarithms of their
/// weights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    first: i64,
    logs: Vec<f64>,
    /// Whether the list ends where counts do.
    ends: [bool; 2],
}

impl Told {
    /// The least and the largest.
    pub(crate) fn range(&self) -> (i64, i64) {
        (self.first, self.first + self.logs.len() as i64 - 1)
    }

    fn whole_line(&self) -> Line {
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Line { first: self.first, weights: self.logs.iter().map(|log| (log - largest).exp()).collect() }
    }

    fn tilted(&self, tilt: f64) -> impl Iterator<Item = (i64, f64)> + '_ {
        (self.first..).zip(&self.logs).map(move |(sum, log)| (sum, log + tilt * sum as f64))
    }

    fn largest(&self, tilt: f64) -> f64 {
        self.tilted(tilt).map(|(_, log)| log).fold(f64::NEG_INFINITY, f64::max)
    }

    fn pruned(mut self, tilt: f64) -> Told {
        let least = self.largest(tilt) - PRUNED;
        let near = |place: usize| self.logs[place] + tilt * (self.first + place as i64) as f64 > least;
        let start = (0..self.logs.len()).position(near).unwrap_or(0);
        let end = (0..self.logs.len()).rposition(near).map_or(self.logs.len(), |last| last + 1);
        self.ends = [self.ends[0] && start == 0, self.ends[1] && end == self.logs.len()];
        self.logs.truncate(end);
        self.logs.drain(..start);
        self.first += start as i64;
        self
    }

    /// The mean and the variance under a tilt.
    pub(crate) fn moments(&self, tilt: f64) -> (f64, f64) {
        let largest = self.largest(tilt);
        let (mut whole, mut mean, mut square) = (0.0, 0.0, 0.0);
        let away = |sum: i64| (sum - self.first) as f64;
        for (sum, log) in self.tilted(tilt).filter(|(_, log)| *log > largest - 40.0) {
            let weight = (log - largest).exp();
            (whole, mean, square) = (whole + weight, mean + weight * away(sum), square + weight * away(sum).powi(2));
        }
        (self.first as f64 + mean / whole, (square / whole - (mean / whole).powi(2)).max(0.0))
    }

    /// The weights under a tilt; `None` where the list ends too early.
    pub(crate) fn line(&self, tilt: f64) -> Option<Line> {
        let largest = self.largest(tilt);
        if largest == f64::NEG_INFINITY {
            return Some(Line { first: self.first, weights: vec![0.0] });
        }
        let mut weights: Vec<f64> = self.tilted(tilt).map(|(_, log)| (log - largest).exp()).collect();
        if (!self.ends[0] && weights[0] > NEAR) || (!self.ends[1] && weights[weights.len() - 1] > NEAR) {
            return None;
        }
        let start = weights.iter().position(|weight| *weight > NOTHING).unwrap_or(0);
        let end = weights.iter().rposition(|weight| *weight > NOTHING).unwrap_or(0);
        weights.truncate(end + 1);
        weights.drain(..start);
        Some(Line { first: self.first + start as i64, weights })
    }
}

/// The counts of a cell whose noise weighs more than e^{−depth} of the most, times the Poisson
/// weight at the reference rate.
fn listed(cell: &Cell, reference: f64, depth: f64, noise: &CellNoise<'_>) -> Result<Told, Problem> {
    let inside = |count: i64| count >= cell.low && cell.high.is_none_or(|high| count <= high);
    let clamped = cell.high.map_or(cell.centre, |high| cell.centre.min(high)).max(cell.low);
    let own = |count: i64| noise(cell.number, count);
    // The noise of several releases is largest somewhere between them: it rises to there and falls
    // beyond.
    let mut top = clamped;
    for direction in [1, -1] {
        while inside(top + direction) && own(top + direction) > own(top) {
            top += direction;
        }
    }
    let least = own(top) - depth;
    let too_wide = || Problem::refused("a cell has too many values to be listed: no noise holds it near the release");
    let mut range = [top, top];
    let mut ends = [false; 2];
    for (side, direction) in [-1i64, 1].into_iter().enumerate() {
        let mut steps = 0;
        loop {
            let next = range[side] + direction;
            if !inside(next) {
                ends[side] = true;
                break;
            }
            if own(next) < least {
                break;
            }
            range[side] = next;
            steps += 1;
            if steps > MOST_VALUES {
                return Err(too_wide());
            }
        }
    }
    let mean = cell.exposure.ln() + reference;
    let log = |count: i64| own(count) + count as f64 * mean - log_gamma(count as f64 + 1.0);
    Ok(Told { first: range[0], logs: (range[0]..=range[1]).map(log).collect(), ends })
}
