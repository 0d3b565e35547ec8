//! Sums of many cells of one shape: by repeated squaring, or in closed form for slopes that begin
//! at a bound and never end.

use super::weights::{CellWeights, ClassWeights};
use crate::sums::Message;
use crate::sums::message::{rounded_up, shifted_bound, total};
use exact::Positive;

/// What a sum with one more cell costs for each weight, next to one product and sum.
const SLIDING: f64 = 40.0;
/// The width of a sum in standard deviations, for predictions.
const WIDTH: f64 = 24.0;
/// A running weight above two to this power makes all weights smaller.
const LARGE: i64 = 300;

impl<T: Positive> ClassWeights<T> {
    /// The sum of all cells: each shape by the cheapest way, rare shapes first.
    pub(super) fn sum(&self) -> Message<T> {
        let (counts, order) = self.counted();
        order.into_iter().fold(Message::point(0), |message, shape| self.with_copies(&message, shape, counts[shape]))
    }

    /// How many cells every shape has, and the shapes that have some, rare ones first.
    pub(super) fn counted(&self) -> (Vec<u64>, Vec<usize>) {
        let mut counts = vec![0u64; self.shapes.len()];
        self.of_cell.iter().for_each(|shape| counts[*shape as usize] += 1);
        let mut order: Vec<usize> = (0..counts.len()).filter(|shape| counts[*shape] > 0).collect();
        order.sort_by_key(|shape| counts[*shape]);
        (counts, order)
    }

    /// The sum with more cells of one shape, the cheapest way.
    pub(super) fn with_copies(&self, message: &Message<T>, shape: usize, count: u64) -> Message<T> {
        let cell = &self.shapes[shape];
        let width = |count: u64| {
            let longest = count as f64 * cell.message.weights.len() as f64;
            longest.min(cell.message.weights.len() as f64 + WIDTH * cell.deviation * (count as f64).sqrt())
        };
        let one = if cell.runs.is_empty() { cell.message.weights.len() as f64 } else { SLIDING };
        let merged = width(count) * message.weights.len() as f64;
        let one_by_one = count as f64 * one * (message.weights.len() as f64 + width(count));
        let apart = merged + if cell.endless { SLIDING * width(count) } else { 2.0 * width(count / 2).powi(2) };
        if count <= 1 || one_by_one <= apart {
            (0..count).fold(message.clone(), |message, _| self.with_shape(&message, cell))
        } else if cell.endless {
            message.convolved(&self.closed_form(cell, count), self.precision)
        } else {
            message.convolved(&self.repeated(cell, count), self.precision)
        }
    }

    /// The sum of `count` equal cells, doubled and extended by one along the binary digits of the
    /// count.
    fn repeated(&self, cell: &CellWeights<T>, count: u64) -> Message<T> {
        let mut message = cell.message.clone().trimmed(self.precision);
        for digit in (0..count.ilog2()).rev() {
            message = message.convolved(&message, self.precision);
            if (count >> digit) & 1 == 1 {
                message = self.with_shape(&message, cell);
            }
        }
        message
    }

    /// The sum of `count` equal cells with weights q^j, j = 0, 1, …: `C(count + s − 1, s)·q^s`,
    /// each weight from the one before.
    fn closed_form(&self, cell: &CellWeights<T>, count: u64) -> Message<T> {
        let Some((run, _)) = cell.runs.first() else { return Message::point(0) };
        let Some(ratio) = self.powers[run.rate].get(1) else { return self.repeated(cell, count) };
        let (bits, keep) = (self.precision.bits, i64::from(self.precision.trim) + 64);
        let mut weights = vec![T::integer(1, bits)];
        let mut weight = weights[0].clone();
        let (mut first, mut scale, mut largest) = (0u64, 0i64, 0i64);
        let (mut dropped, mut step) = (T::zero(), 0u64);
        let rest = loop {
            let growth = T::ratio(count + step, step + 1, bits).times(ratio);
            step += 1;
            weight = weight.times(&growth);
            weights.push(weight.clone());
            let magnitude = weight.magnitude().unwrap_or(0);
            largest = largest.max(magnitude);
            let growth = growth.to_f64();
            if growth < 0.999_999 && magnitude < largest - i64::from(self.precision.trim) - 8 {
                // From here on weights fall at least so fast: 1/(1 − growth), generously.
                break weight.times(&T::integer((2.0 / (1.0 - growth)).ceil() as u64, bits));
            }
            if magnitude > LARGE {
                let kept = |weight: &T| weight.magnitude().is_some_and(|found| found >= magnitude - keep);
                let start = weights.iter().position(kept).unwrap_or(0);
                dropped = dropped.plus(&total(&weights[..start]).increased(4 * step + 64));
                dropped = shifted_bound(&rounded_up(&dropped), -magnitude);
                weights.drain(..start);
                first += start as u64;
                weights.iter_mut().for_each(|weight| *weight = weight.shifted(-magnitude));
                weight = weight.shifted(-magnitude);
                (scale, largest) = (scale + magnitude, 0);
            }
        };
        let missing = rounded_up(&dropped.plus(&rest.increased(4 * step + 64)));
        let length = weights.len() as i64;
        if run.downward {
            weights.reverse();
        }
        let first = if run.downward { 1 - length - first as i64 } else { first as i64 };
        Message { first, weights, roundings: 4 * step + 1, missing, scale }.trimmed(self.precision)
    }
}
