//! The law of one cell, tilted or not, as seen from its mode: cells of one shape differ only by a
//! shift.
//!
//! A tilt θ multiplies the weight of y by e^{θ(y − x)}. Slopes stay slopes and bells stay bells, so
//! one description serves for every tilt. Weights are relative to the weight of the mode, which
//! is 1.

use super::CellNoise;
use super::weighted::WeightedCell;
use crate::sums::{Factor, Precision};
use exact::{Positive, Rational};
use std::sync::Arc;

/// The noise of all cells of a class, tilted.
#[derive(Debug, Clone)]
pub(super) struct Tilted {
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
    pub(super) form: Form,
    /// The factors that cells name.
    pub(super) factors: Arc<[Factor]>,
}

/// Around what a cell lies: the count of the confidential table, and the factor that its noise is
/// multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Centre {
    pub(super) x: i64,
    /// The number of the factor, if there is one.
    pub(super) factor: Option<u32>,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    /// `e^{−rates[0]·(x − y)}` up to the centre, `e^{−rates[1]·(y − x)}` beyond. A rate may be
    /// negative only towards a bound.
    Slopes {
        rates: [Rational; 2],
        /// The centre is just below the lower bound, whatever x: the weights of a flat law.
        flat: bool,
    },
    /// `e^{−half·(y − x − shift)²}`, half = 1/2σ².
    Bell { half: Rational, shift: Rational },
}

/// A cell: its most likely value and its law around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) mode: i64,
    pub(super) shape: CellShape,
}

/// The law of a cell relative to its mode. The number of values on a side is `u64::MAX` where there
/// is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CellShape {
    /// One or two runs, the one below the centre first.
    Runs([Option<Run>; 2]),
    /// A part of a bell: the mode relative to the centre, and how many values there are below and
    /// above the mode.
    Bell { mode: i64, below: u64, above: u64 },
    /// Noise around a count times a factor, which may have several peaks; seen from the mode.
    Weighted { x: i64, factor: u32, mode: i64 },
}

/// Consecutive values whose weights fall by one ratio from the head on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Run {
    /// The value of the largest weight, relative to the mode.
    pub(super) head: i64,
    /// Whether the other values are below the head.
    pub(super) downward: bool,
    /// Which of the two rates.
    pub(super) rate: usize,
    /// How many values.
    pub(super) length: u64,
    /// How many steps of each rate the exponent of the head is above that of the mode.
    pub(super) lag: [i64; 2],
}

impl Tilted {
    /// The noise with a tilt; `None` when an unbounded side would not fall any more.
    pub(super) fn new(
        noise: &CellNoise,
        (low, high): (Option<i64>, Option<i64>),
        factors: &Arc<[Factor]>,
        theta: &Rational,
    ) -> Option<Self> {
        let form = match noise {
            CellNoise::Geometric { up, down } => Form::Slopes { rates: [down + theta, up - theta], flat: false },
            CellNoise::Flat => Form::Slopes { rates: [Rational::integer(1), -theta], flat: true },
            CellNoise::Gaussian { variance } => {
                let half = &Rational::new(1, 2u8) / variance;
                Form::Bell { half, shift: variance * theta }
            }
        };
        if let Form::Slopes { rates, flat } = &form {
            let falls = |bound: Option<i64>, rate: &Rational| bound.is_some() || rate.is_positive();
            if !(*flat || falls(low, &rates[0])) || !falls(high, &rates[1]) {
                return None;
            }
        }
        Some(Tilted { low, high, form, factors: factors.clone() })
    }

    /// Where the slopes of a cell meet, or the centre of its bell without a tilt.
    pub(super) fn centre(&self, x: i64) -> i64 {
        match (&self.form, self.low) {
            (Form::Slopes { flat: true, .. }, Some(low)) => low - 1,
            _ => x,
        }
    }

    fn clamped(&self, value: i64) -> i64 {
        let value = self.low.map_or(value, |low| value.max(low));
        self.high.map_or(value, |high| value.min(high))
    }

    /// A cell with a factor.
    pub(super) fn weighted(&self, x: i64, factor: u32) -> WeightedCell<'_> {
        WeightedCell::new(self, x, &self.factors[factor as usize])
    }

    /// The cell with this centre.
    pub(super) fn cell(&self, centre: Centre) -> Cell {
        let Centre { x, factor } = centre;
        if let Some(factor) = factor {
            let mode = self.weighted(x, factor).peak();
            return Cell { mode, shape: CellShape::Weighted { x, factor, mode } };
        }
        match &self.form {
            Form::Slopes { rates, .. } => self.slopes(self.centre(x), rates),
            Form::Bell { shift, .. } => {
                let nearest = i64::try_from((shift + &Rational::new(1, 2u8)).floor()).unwrap_or(0);
                let mode = self.clamped(x + nearest);
                let count = |bound: Option<i64>| bound.map_or(u64::MAX, |bound| bound.abs_diff(mode));
                let shape = CellShape::Bell { mode: mode - x, below: count(self.low), above: count(self.high) };
                Cell { mode, shape }
            }
        }
    }

    fn slopes(&self, x: i64, rates: &[Rational; 2]) -> Cell {
        let mode = match (self.low, self.high) {
            (_, Some(high)) if rates[1].is_negative() => high,
            (Some(low), _) if rates[0].is_negative() => low,
            _ => self.clamped(x),
        };
        let steps = |y: i64| if y < x { [x - y, 0] } else { [0, y - x] };
        let run = |rate: usize, first: Option<i64>, last: Option<i64>| {
            // The head is where the weights are largest: at the centre, unless the tilt turned the
            // slope.
            let downward = (rate == 0) != rates[rate].is_negative();
            let head = if downward { last? } else { first? };
            let length = first.zip(last).map_or(u64::MAX, |(first, last)| first.abs_diff(last) + 1);
            let (at_head, at_mode) = (steps(head), steps(mode));
            let lag = [at_head[0] - at_mode[0], at_head[1] - at_mode[1]];
            Some(Run { head: head - mode, downward, rate, length, lag })
        };
        let (last, first) = (self.high.map_or(x, |high| high.min(x)), self.low.map_or(x + 1, |low| low.max(x + 1)));
        let below = self.low.is_none_or(|low| low <= x).then(|| run(0, self.low, Some(last)));
        let above = self.high.is_none_or(|high| high > x).then(|| run(1, Some(first), self.high));
        Cell { mode, shape: CellShape::Runs([below.flatten(), above.flatten()]) }
    }

    /// The absolute value of a rate of the slopes.
    pub(super) fn rate(&self, index: usize) -> Rational {
        match &self.form {
            Form::Slopes { rates, .. } => rates[index].abs(),
            Form::Bell { .. } => Rational::integer(0),
        }
    }

    /// The exponent of the head of a run above that of the mode: not negative.
    pub(super) fn lag(&self, run: &Run) -> Rational {
        match &self.form {
            Form::Slopes { rates, .. } => {
                &(&rates[0] * &Rational::integer(run.lag[0])) + &(&rates[1] * &Rational::integer(run.lag[1]))
            }
            Form::Bell { .. } => Rational::integer(0),
        }
    }

    /// The exponent of a bell at an offset from the mode, above that of the mode: not negative
    /// within the bounds.
    pub(super) fn bell_exponent(&self, mode: i64, offset: i64) -> Rational {
        match &self.form {
            Form::Bell { half, shift } => {
                let offset = Rational::integer(offset);
                let twice = &(&Rational::integer(mode) - shift) * &Rational::integer(2);
                half * &(&offset * &(&offset + &twice))
            }
            Form::Slopes { .. } => Rational::integer(0),
        }
    }

    /// The exponent of a value above that of the mode; `None` for a value that the cell cannot
    /// have.
    pub(super) fn exponent(&self, shape: &CellShape, offset: i64) -> Option<Rational> {
        match shape {
            CellShape::Runs(runs) => runs.iter().flatten().find_map(|run| {
                let steps = if run.downward { run.head - offset } else { offset - run.head };
                let steps = u64::try_from(steps).ok().filter(|steps| *steps < run.length)?;
                Some(&self.lag(run) + &(&self.rate(run.rate) * &Rational::integer(steps)))
            }),
            CellShape::Bell { mode, below, above } => {
                let inside = offset.unsigned_abs() <= if offset < 0 { *below } else { *above };
                inside.then(|| self.bell_exponent(*mode, offset))
            }
            // A fraction times an exponential has no exponent that is a fraction.
            CellShape::Weighted { .. } => None,
        }
    }

    /// The sum over all cells of the exponents of what their weights are relative to, with the
    /// tilt: of cells without a factor, and of those with one.
    pub(super) fn peak_exponent(&self, centres: &[Centre], theta: &Rational) -> (Rational, f64) {
        let (weighted, plain): (Vec<Centre>, Vec<Centre>) = centres.iter().partition(|centre| centre.factor.is_some());
        // Weights of cells with factors are relative to twice that of the mode.
        let of_weighted = |centre: &Centre| {
            let cell = self.weighted(centre.x, centre.factor.unwrap_or(0));
            -cell.log(self.cell(*centre).mode) - std::f64::consts::LN_2
        };
        (self.plain_exponent(&plain, theta), weighted.iter().map(of_weighted).sum::<f64>())
    }

    fn plain_exponent(&self, centres: &[Centre], theta: &Rational) -> Rational {
        let distances =
            centres.iter().map(|centre| i128::from(self.cell(*centre).mode) - i128::from(self.centre(centre.x)));
        match &self.form {
            Form::Slopes { rates, .. } => {
                let (mut below, mut above) = (0i128, 0i128);
                for distance in distances {
                    if distance < 0 { below -= distance } else { above += distance }
                }
                &(&rates[0] * &Rational::integer(below)) + &(&rates[1] * &Rational::integer(above))
            }
            Form::Bell { half, .. } => {
                let (mut sum, mut squares) = (0i128, 0i128);
                for distance in distances {
                    sum += distance;
                    squares += distance * distance;
                }
                &(half * &Rational::integer(squares)) - &(theta * &Rational::integer(sum))
            }
        }
    }

    /// The shape without the values whose weights are below 2^−(trim + 8), and a number k such that
    /// these together weigh at most k·2^−(trim + 8).
    pub(super) fn clipped(&self, shape: &CellShape, precision: Precision) -> (CellShape, u64) {
        // ln 2 < 7/10.
        let budget = Rational::new(7 * i64::from(precision.trim + GUARD), 10u8);
        match shape {
            CellShape::Runs(runs) => {
                let mut beyond = 0u64;
                let mut clip = |run: &Run| {
                    let (rate, lag) = (self.rate(run.rate), self.lag(run));
                    let room = &budget - &lag;
                    let wanted = match (room.is_positive(), rate.is_zero()) {
                        (false, _) => 0,
                        (true, true) => run.length,
                        (true, false) => u64::try_from((&room / &rate).ceil()).unwrap_or(u64::MAX).min(run.length),
                    };
                    if wanted < run.length {
                        let left = run.length - wanted;
                        beyond = beyond.saturating_add(left.min(series(&rate)));
                    }
                    (wanted > 0).then_some(Run { length: wanted, ..*run })
                };
                let runs = runs.each_ref().map(|run| run.as_ref().and_then(&mut clip));
                (CellShape::Runs(runs), beyond)
            }
            CellShape::Bell { mode, below, above } => {
                let mut beyond = 0u64;
                let mut clip = |count: u64, sign: i64| {
                    let last = self.bell_reach(*mode, sign, &budget);
                    if last >= count {
                        return count;
                    }
                    let step = |offset: u64| self.bell_exponent(*mode, sign * offset as i64);
                    // Exponents grow faster and faster, so what follows is below a geometric
                    // series.
                    let rate = &step(last + 1) - &step(last);
                    beyond = beyond.saturating_add((count - last).min(series(&rate)));
                    last
                };
                let (below, above) = (clip(*below, -1), clip(*above, 1));
                (CellShape::Bell { mode: *mode, below, above }, beyond)
            }
            // Its weights end where they are made.
            CellShape::Weighted { .. } => (*shape, 0),
        }
    }

    /// An offset from which on the exponents of a bell are at least `budget`.
    fn bell_reach(&self, mode: i64, sign: i64, budget: &Rational) -> u64 {
        let mut last = 1u64;
        while self.bell_exponent(mode, sign * last as i64) < *budget && last < 1 << 40 {
            last *= 2;
        }
        let mut first = last / 2;
        while last - first > 1 {
            let middle = first + (last - first) / 2;
            if self.bell_exponent(mode, sign * middle as i64) < *budget { first = middle } else { last = middle }
        }
        last
    }
}

/// Values whose weights are smaller than the trim by this many bits are not listed.
pub(super) const GUARD: u32 = 8;

/// At least `1/(1 − e^{−rate})`, which is at most `1 + 1/rate`.
pub(super) fn series(rate: &Rational) -> u64 {
    rate.reciprocal().map_or(u64::MAX, |inverse| u64::try_from(inverse.ceil()).unwrap_or(u64::MAX).saturating_add(1))
}

/// The missing weight of a clipped shape.
pub(super) fn missing<T: Positive>(beyond: u64, precision: Precision) -> T {
    if beyond == 0 {
        return T::zero();
    }
    T::integer(beyond, precision.bits).shifted(-i64::from(precision.trim + GUARD)).increased(4)
}
