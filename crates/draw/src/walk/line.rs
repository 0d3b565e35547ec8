//! Block moves: all columns of a line redrawn at once, exactly, by messages.
//!
//! A line is a list of directions ("columns") with separate cells; what each does to the totals cancels when their units add up
//! to zero. So given the rest of the table its units w have the law `∏ f_k(w_k)` on `Σ w_k = 0`: a chain of messages, each the
//! weights of what the columns from k on add up to, and one exact choice per column on the way back. Two rows of a two-way
//! table, its columns summed, are a line; so are the layers of four cells in a three-way table.

use super::space::{Space, State, Step};
use super::target::{OnCells, Target};
use crate::sums::{Ladder, Message, Precision, rounded_up};
use exact::lazy::Shared;
use exact::{DECAY_BITS, Decision, Entropy, Positive, Rational, Weighted, Wide, decay};

/// A list of directions whose units must add up to zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) columns: Vec<Step>,
}

/// Weights below 2 to minus this of the largest are left to the next level.
const FIRST_TRIM: u32 = 36;

/// A column around the present table: what one unit of it does to the energy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    /// Offsets from a centre, what a unit adds to them, and the rate they pay.
    terms: Vec<(i64, i64, u32)>,
    low: Option<i64>,
    high: Option<i64>,
}

/// The line of a present table, ready to be drawn.
#[derive(Debug)]
pub(crate) struct LineDraw<'a> {
    target: &'a Target,
    columns: Vec<Column>,
    first: Messages<f64>,
    wider: Vec<Level>,
    next: usize,
    sum: i64,
}

/// The weights of single columns, and of what the columns from one on add up to.
#[derive(Debug)]
struct Messages<T> {
    single: Vec<Message<T>>,
    from: Vec<Message<T>>,
    bits: u32,
}

#[derive(Debug)]
enum Level {
    Machine(Messages<f64>),
    Wide(Messages<Wide>),
}

/// The precision of a level: quick at first, then that of other messages.
fn precision(level: usize) -> Precision {
    match level {
        0 => Precision { machine: true, bits: 53, trim: FIRST_TRIM },
        level => Ladder::Standard.level(level - 1),
    }
}

impl<'a> LineDraw<'a> {
    pub(crate) fn new(space: &Space, target: &'a Target, line: &Line, state: &State) -> LineDraw<'a> {
        let column = |step: &Step| {
            let (low, high) = space.reach(state, step);
            let cell = |(place, times): &(u32, i64)| {
                let place = *place as usize;
                (state.values[place] - target.centre[place], *times, 0)
            };
            let noisy = step.rows.iter().filter_map(|(row, times)| match space.rows[*row as usize] {
                super::space::Tracked::Noisy { query, .. } => {
                    let row = *row as usize;
                    Some((state.sums[row] - target.row_centres[row], *times, 1 + query))
                }
                _ => None,
            });
            let cells = step.cells.iter().map(cell).filter(|_| !matches!(target.cells, OnCells::Bare));
            Column { terms: cells.chain(noisy).collect(), low, high }
        };
        let columns: Vec<Column> = line.columns.iter().map(column).collect();
        let first = Messages::new(target, &columns, precision(0));
        LineDraw { target, columns, first, wider: Vec::new(), next: 0, sum: 0 }
    }

    /// Whether two chains are in the same situation, so that one draw does for both.
    pub(crate) fn is_like(&self, other: &LineDraw<'_>) -> bool {
        self.columns == other.columns
    }

    /// Draws the units of the next column, which the shared uniform number decides.
    pub(crate) fn next<E: Entropy>(&mut self, uniform: &mut Shared, entropy: &mut E) -> i64 {
        let units = if self.next + 1 == self.columns.len() { -self.sum } else { self.chosen(uniform, entropy) };
        self.sum += units;
        self.next += 1;
        units
    }

    fn chosen<E: Entropy>(&mut self, shared: &mut Shared, entropy: &mut E) -> i64 {
        let uniform = shared.uniform();
        if uniform.known() == 0 && entropy.stride() == 64 {
            uniform.reveal(entropy);
        }
        let mut level = 0;
        loop {
            let decided = match level {
                0 => self.first.decide(self.next, self.sum, uniform),
                level => {
                    while self.wider.len() < level {
                        self.wider.push(Level::new(self.target, &self.columns, precision(self.wider.len() + 1)));
                    }
                    match &self.wider[level - 1] {
                        Level::Machine(messages) => messages.decide(self.next, self.sum, uniform),
                        Level::Wide(messages) => messages.decide(self.next, self.sum, uniform),
                    }
                }
            };
            match decided {
                Ok(units) => return units,
                Err(Decision::MorePrecision) => level += 1,
                Err(_) => uniform.reveal(entropy),
            }
        }
    }
}

impl Level {
    fn new(target: &Target, columns: &[Column], precision: Precision) -> Level {
        if precision.machine {
            Level::Machine(Messages::new(target, columns, precision))
        } else {
            Level::Wide(Messages::new(target, columns, precision))
        }
    }
}

impl<T: Weigh> Messages<T> {
    fn new(target: &Target, columns: &[Column], precision: Precision) -> Messages<T> {
        let single: Vec<Message<T>> = columns.iter().map(|column| column.message(target, precision)).collect();
        let mut from: Vec<Message<T>> = Vec::with_capacity(single.len());
        for message in single.iter().skip(1).rev() {
            let longer = from.last().map_or_else(|| message.clone(), |rest| message.convolved(rest, precision));
            from.push(longer);
        }
        from.reverse();
        Messages { single, from, bits: precision.bits }
    }

    /// Where the uniform number falls among the units of a column, when the columns before it added up to `sum`.
    fn decide(&self, column: usize, sum: i64, uniform: &exact::lazy::Uniform) -> Result<i64, Decision> {
        let (own, rest) = (&self.single[column], &self.from[column]);
        let low = own.first.max(1 - rest.end() - sum);
        let high = (own.end() - 1).min(-rest.first - sum);
        let weight = |units: i64| match (own.weight(units), rest.weight(-sum - units)) {
            (Some(own), Some(rest)) => own.times(rest),
            _ => T::zero(),
        };
        let weights: Vec<T> = (low..=high).map(weight).collect();
        // What is missing of one factor meets at most the largest weight, one, of the other.
        let missing = own.missing.plus(&rest.missing).plus(&own.missing.times(&rest.missing));
        let weighted = Weighted {
            weights,
            roundings: own.roundings + rest.roundings + 1,
            missing: rounded_up(&missing.shifted(1)),
            bits: self.bits,
        };
        match weighted.decide(uniform) {
            Decision::Index(index) => Ok(low + index as i64),
            other => Err(other),
        }
    }
}

impl Column {
    /// The units of every rate, as they change from the present table.
    fn units(&self, target: &Target, units: i64, change: &mut [i128]) {
        change.fill(0);
        for (offset, times, rate) in &self.terms {
            let moved = offset + units * times;
            change[*rate as usize] += match (&target.cells, rate) {
                (OnCells::Squares, 0) => i128::from(moved - offset) * i128::from(moved + offset),
                _ => i128::from(moved.abs() - offset.abs()),
            };
        }
    }

    /// The weights of the column's units, up to a factor, in a window around the largest.
    fn message<T: Weigh>(&self, target: &Target, precision: Precision) -> Message<T> {
        let rates = target.quick_rates();
        let mut change = vec![0i128; rates.len()];
        let mut energy = |units: i64| {
            self.units(target, units, &mut change);
            rates.iter().zip(&change).map(|(rate, change)| rate * *change as f64).sum::<f64>()
        };
        let inside = |units: i64| self.low.is_none_or(|low| units >= low) && self.high.is_none_or(|high| units <= high);
        // The energy is convex: downhill from the present table ends at its least value.
        let mut least = (0i64, energy(0));
        for direction in [1, -1] {
            while inside(least.0 + direction) {
                let next = energy(least.0 + direction);
                if next >= least.1 {
                    break;
                }
                least = (least.0 + direction, next);
            }
        }
        let depth = f64::from(precision.trim) * std::f64::consts::LN_2;
        let mut missing = T::zero();
        let mut ends = [least.0; 2];
        for (end, direction) in ends.iter_mut().zip([-1, 1]) {
            while inside(*end + direction) {
                let next = energy(*end + direction) - least.1;
                if next > depth {
                    // By convexity every further weight is smaller by at least the factor of these two.
                    let factor = decay(energy(*end + 2 * direction) - least.1 - next);
                    let magnitude = (-next).mul_add(std::f64::consts::LOG2_E, -(1.0 - factor).max(1e-12).log2());
                    missing = missing.plus(&T::one().shifted(magnitude.ceil() as i64 + 1));
                    break;
                }
                *end += direction;
            }
        }
        let (weights, roundings) = T::weigh(self, target, (ends[0], ends[1]), least.0, precision.bits);
        Message { first: ends[0], weights, roundings, missing, scale: 0 }.normalised()
    }
}

/// Numbers that can be weights of a column.
trait Weigh: Positive {
    /// The weights of a window of units, up to a factor, and the roundings behind them.
    fn weigh(column: &Column, target: &Target, window: (i64, i64), least: i64, bits: u32) -> (Vec<Self>, u64);
}

impl Weigh for f64 {
    fn weigh(column: &Column, target: &Target, window: (i64, i64), least: i64, _bits: u32) -> (Vec<f64>, u64) {
        let rates = target.quick_rates();
        let (mut base, mut change) = (vec![0i128; rates.len()], vec![0i128; rates.len()]);
        column.units(target, least, &mut base);
        let mut size = 0.0f64;
        let mut weigh = |units: i64| {
            column.units(target, units, &mut change);
            let (mut energy, mut sizes) = (0.0f64, 0.0f64);
            for ((change, base), rate) in change.iter().zip(&base).zip(rates) {
                let part = rate * (change - base) as f64;
                energy += part;
                sizes += part.abs();
            }
            size = size.max(sizes);
            decay(energy.max(0.0))
        };
        let weights = (window.0..=window.1).map(&mut weigh).collect();
        // The error of the exponential, and that of the energy: some eight roundings of its parts.
        (weights, (1 << (53 - DECAY_BITS)) + 2 + (size * 32.0).ceil() as u64)
    }
}

impl Weigh for Wide {
    fn weigh(column: &Column, target: &Target, window: (i64, i64), _least: i64, bits: u32) -> (Vec<Wide>, u64) {
        let rates = target.rates();
        let mut change = vec![0i128; rates.len()];
        let energy = |units: i64| {
            column.units(target, units, &mut change);
            let parts = rates.iter().zip(&change).map(|(rate, change)| rate * &Rational::integer(*change));
            parts.fold(Rational::integer(0), |sum, part| &sum + &part)
        };
        let energies: Vec<Rational> = (window.0..=window.1).map(energy).collect();
        let Some(least) = energies.iter().min().cloned() else { return (Vec::new(), 0) };
        (energies.iter().map(|energy| Wide::exp_minus(&(energy - &least), bits)).collect(), 1)
    }
}
