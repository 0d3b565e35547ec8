//! The weights of the cells of a class at one precision, and the message of a sum with one more
//! cell.
//!
//! A run of geometric weights is convolved in time proportional to the window: a window of values
//! slides over the message, and is cut at the ends of blocks as long as itself, so that it is a
//! part at the end of one block and a part at the beginning of the next. Both parts are running
//! sums: nothing is subtracted. Proof: `proofs/class.md`.

use super::laws::ShapeSize;
use super::shape::{Cell, CellShape, Run, Tilted, missing};
use super::tilt::Rough;
use super::weighted::{NoiseSteps, moments_of};
use crate::sums::Message;
use crate::sums::Precision;
use crate::sums::message::rounded_up;
use exact::{Positive, Rational};
use std::collections::HashMap;

/// The roundings behind the weight of a run: of the lag, of two factors of the power, and their
/// products.
const CHAIN: u64 = 5;

/// The weights of the cells of a class at one precision.
#[derive(Debug)]
pub(super) struct ClassWeights<T> {
    pub(super) precision: Precision,
    /// `e^{−rate·j}` for both rates of the slopes.
    pub(super) powers: [Vec<T>; 2],
    pub(super) shapes: Vec<CellWeights<T>>,
    /// The shape of every cell.
    pub(super) of_cell: Vec<u32>,
}

/// The weights of one shape, relative to the mode.
#[derive(Debug)]
pub(super) struct CellWeights<T> {
    /// As a message: window, missing weight, roundings.
    pub(super) message: Message<T>,
    mass: T,
    pub(super) runs: Vec<(Run, T)>,
    /// One run that begins at the mode and is cut only by the precision.
    pub(super) endless: bool,
    /// The standard deviation, for predictions.
    pub(super) deviation: f64,
}

impl<T: Positive> ClassWeights<T> {
    pub(super) fn new(tilted: &Tilted, cells: &[Cell], precision: Precision) -> Self {
        let mut clipped_of: HashMap<CellShape, u32> = HashMap::new();
        let mut number_of: HashMap<CellShape, u32> = HashMap::new();
        let mut clipped: Vec<(CellShape, u64, bool)> = Vec::new();
        let mut of_cell = Vec::with_capacity(cells.len());
        for cell in cells {
            let number = *clipped_of.entry(cell.shape).or_insert_with(|| {
                let (shape, beyond) = tilted.clipped(&cell.shape, precision);
                let number = *number_of.entry(shape).or_insert(clipped.len() as u32);
                let endless =
                    matches!(&cell.shape, CellShape::Runs([Some(run), None] | [None, Some(run)]) if run.length == u64::MAX);
                match clipped.get_mut(number as usize) {
                    // Shapes that are cut to the same window share it, and the larger bound.
                    Some((_, larger, all)) => (*larger, *all) = (beyond.max(*larger), *all && endless),
                    None => clipped.push((shape, beyond, endless)),
                }
                number
            });
            of_cell.push(number);
        }
        let mut lengths = [0u64; 2];
        for run in clipped.iter().flat_map(|(shape, ..)| match shape {
            CellShape::Runs(runs) => runs.as_slice().iter().flatten(),
            CellShape::Bell { .. } | CellShape::Weighted { .. } => [].iter().flatten(),
        }) {
            lengths[run.rate] = lengths[run.rate].max(run.length);
        }
        let powers = [0, 1].map(|index| powers(&tilted.rate(index), lengths[index] as usize, precision.bits));
        let steps: NoiseSteps<T> = NoiseSteps::new(tilted, precision.bits);
        let rough = Rough::new(tilted);
        let shapes = clipped
            .iter()
            .map(|(shape, beyond, endless)| {
                let (message, mass, runs) = weights(tilted, shape, *beyond, (&powers, &steps), precision);
                let deviation = match shape {
                    CellShape::Weighted { .. } => moments_of(&message).1.sqrt(),
                    _ => rough.moments(tilted, shape).variance.sqrt(),
                };
                CellWeights { message, mass, runs, endless: *endless, deviation }
            })
            .collect();
        ClassWeights { precision, powers, shapes, of_cell }
    }

    /// The weights of a cell.
    pub(super) fn cell(&self, cell: usize) -> &CellWeights<T> {
        &self.shapes[self.of_cell[cell] as usize]
    }

    /// The sum with one more cell.
    pub(super) fn with_cell(&self, message: &Message<T>, cell: usize) -> Message<T> {
        self.with_shape(message, self.cell(cell))
    }

    /// The sum with one more cell of a shape.
    pub(super) fn with_shape(&self, message: &Message<T>, cell: &CellWeights<T>) -> Message<T> {
        if cell.runs.is_empty() || message.weights.len() < 4 {
            return message.convolved(&cell.message, self.precision);
        }
        if message.weights.is_empty() {
            return message.clone();
        }
        let length = message.weights.len() + cell.message.weights.len() - 1;
        let mut sums: Vec<T> = vec![T::zero(); length];
        let mut longest = 0;
        for (run, lag) in &cell.runs {
            let (ratio, window) = (&self.powers[run.rate], run.length as usize);
            longest = longest.max(run.length);
            if run.downward {
                let reversed: Vec<T> = message.weights.iter().rev().cloned().collect();
                let first = run.head - (window as i64 - 1) - cell.message.first;
                let place = &mut sums[first as usize..first as usize + reversed.len() + window - 1];
                slide(&reversed, ratio, window, |index, sum| {
                    let index = place.len() - 1 - index;
                    place[index] = place[index].plus(&lag.times(&sum));
                });
            } else {
                let first = (run.head - cell.message.first) as usize;
                let place = &mut sums[first..first + message.weights.len() + window - 1];
                slide(&message.weights, ratio, window, |index, sum| {
                    place[index] = place[index].plus(&lag.times(&sum));
                });
            }
        }
        let missing = if message.missing.is_zero() && cell.message.missing.is_zero() {
            T::zero()
        } else {
            let one = message.missing.times(&cell.mass);
            rounded_up(&one.plus(&cell.message.missing.times(&message.mass())))
        };
        Message {
            first: message.first + cell.message.first,
            weights: sums,
            roundings: message.roundings + 3 * longest + 16,
            missing,
            scale: message.scale + cell.message.scale,
        }
        .trimmed(self.precision)
    }
}

/// The sizes of all shapes, before any weight is made; `None` where the weights of a cell end where
/// they are made.
pub(super) fn sizes(tilted: &Tilted, cells: &[Cell], precision: Precision) -> Option<Vec<ShapeSize>> {
    let rough = Rough::new(tilted);
    let mut clipped_of: HashMap<CellShape, usize> = HashMap::new();
    let mut number_of: HashMap<CellShape, usize> = HashMap::new();
    let mut sizes: Vec<ShapeSize> = Vec::new();
    for cell in cells {
        if let CellShape::Weighted { .. } = cell.shape {
            return None;
        }
        let number = *clipped_of.entry(cell.shape).or_insert_with(|| {
            let (shape, _) = tilted.clipped(&cell.shape, precision);
            *number_of.entry(shape).or_insert_with(|| {
                let (length, slides) = match &shape {
                    CellShape::Runs(runs) => {
                        let (first, last) = ends_of(runs.iter().flatten());
                        ((last + 1 - first) as f64, true)
                    }
                    CellShape::Bell { below, above, .. } => ((below + above + 1) as f64, false),
                    CellShape::Weighted { .. } => (0.0, false),
                };
                let deviation = rough.moments(tilted, &shape).variance.sqrt();
                sizes.push(ShapeSize { count: 0.0, length, slides, deviation });
                sizes.len() - 1
            })
        });
        sizes[number].count += 1.0;
    }
    Some(sizes)
}

/// The first and the last value of some runs.
fn ends_of<'r>(runs: impl Iterator<Item = &'r Run>) -> (i64, i64) {
    let ends = |run: &Run| {
        let far = run.length as i64 - 1;
        if run.downward { (run.head - far, run.head) } else { (run.head, run.head + far) }
    };
    let widened = |all: Option<(i64, i64)>, (first, last): (i64, i64)| {
        Some(all.map_or((first, last), |(least, most)| (least.min(first), most.max(last))))
    };
    runs.map(ends).fold(None, widened).unwrap_or((0, -1))
}

/// `Σ_{j < window} powers[j]·input[k − j]` for every k at which there is a term, in order.
fn slide<T: Positive>(input: &[T], powers: &[T], window: usize, mut take: impl FnMut(usize, T)) {
    let Some(ratio) = powers.get(1).filter(|_| window > 1) else {
        input.iter().enumerate().for_each(|(index, value)| take(index, value.clone()));
        return;
    };
    let length = input.len() + window - 1;
    // ends[t]: from t to the end of its block, discounted to the last place of the block.
    let mut ends: Vec<T> = vec![T::zero(); window];
    let mut start = 0;
    while start < length {
        let end = (start + window).min(length);
        let mut running = T::zero();
        for index in start..end {
            running = ratio.times(&running);
            if let Some(value) = input.get(index) {
                running = running.plus(value);
            }
            // The part of the window in the block before: its first place is index − window + 1.
            let within = index - start + 1;
            let sum = match ends.get(within) {
                Some(before) if start > 0 && !before.is_zero() => running.plus(&powers[within].times(before)),
                _ => running.clone(),
            };
            take(index, sum);
        }
        let mut suffix = T::zero();
        for place in (0..window).rev() {
            if let Some(value) = input.get(start + place) {
                suffix = suffix.plus(&powers[window - 1 - place].times(value));
            }
            ends[place] = suffix.clone();
        }
        start += window;
    }
}

/// `e^{−rate·j}` for j below `length`, each through three roundings: a coarse power times a fine
/// one.
fn powers<T: Positive>(rate: &Rational, length: usize, bits: u32) -> Vec<T> {
    let stride = (length as f64).sqrt().ceil().max(1.0) as usize;
    let power = |count: usize| T::exp_minus(&(rate * &Rational::integer(count as u64)), bits);
    let fine: Vec<T> = (0..stride.min(length)).map(power).collect();
    let coarse: Vec<T> = (0..length.div_ceil(stride)).map(|count| power(count * stride)).collect();
    (0..length).map(|count| coarse[count / stride].times(&fine[count % stride])).collect()
}

/// The weights of a shape as a message, a bound of all of them together, and its runs.
fn weights<T: Positive>(
    tilted: &Tilted,
    shape: &CellShape,
    beyond: u64,
    (powers, steps): (&[Vec<T>; 2], &NoiseSteps<T>),
    precision: Precision,
) -> (Message<T>, T, Vec<(Run, T)>) {
    let missing = missing(beyond, precision);
    let (first, weights, roundings, runs) = match shape {
        CellShape::Runs(runs) => {
            let runs: Vec<(Run, T)> =
                runs.iter().flatten().map(|run| (*run, T::exp_minus(&tilted.lag(run), precision.bits))).collect();
            let (first, last) = ends_of(runs.iter().map(|(run, _)| run));
            let mut weights = vec![T::zero(); (last + 1 - first) as usize];
            for (run, lag) in &runs {
                let sign = if run.downward { -1 } else { 1 };
                for (step, power) in powers[run.rate][..run.length as usize].iter().enumerate() {
                    weights[(run.head + sign * step as i64 - first) as usize] = lag.times(power);
                }
            }
            (first, weights, CHAIN, runs)
        }
        CellShape::Bell { mode, below, above } => {
            let offsets = -(*below as i64)..=*above as i64;
            let weight = |offset| T::exp_minus(&tilted.bell_exponent(*mode, offset), precision.bits);
            (-(*below as i64), offsets.map(weight).collect(), 1, Vec::new())
        }
        CellShape::Weighted { x, factor, mode } => {
            let message = tilted.weighted(*x, *factor).list(*mode, steps, precision);
            let mass = message.mass();
            return (message, mass, Vec::new());
        }
    };
    let message = Message { first, weights, roundings, missing, scale: 0 };
    let mass = message.mass();
    (message, mass, runs)
}
