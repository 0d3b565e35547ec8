//! Chooses the tilt at which a given sum is what the cells expect: a matter of time, never of the
//! law.
//!
//! Machine numbers, with basic operations only, so that the choice is the same on every machine.

use super::shape::{CellShape, Form, Run, Tilted};
use super::weighted::NoiseSteps;
use super::{CellNoise, ClassLaw};
use exact::{Natural, Rational};

/// Mean and variance of the sum of the cells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Moments {
    /// Whether a sum is where the cells expect it: within a standard deviation.
    pub(super) fn expect(&self, sum: f64) -> bool {
        (sum - self.mean).powi(2) <= self.variance
    }
}

/// A tilt: `numerator/2^shift`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Tilt {
    numerator: i64,
    shift: u32,
}

impl Tilt {
    pub(super) fn theta(self) -> Rational {
        Rational::new(self.numerator, Natural::ONE << self.shift as usize)
    }
}

/// e^{−x} for x ≥ 0, to about 15 digits.
fn decay(x: f64) -> f64 {
    if x > 700.0 {
        return 0.0;
    }
    let doublings = (x * std::f64::consts::LOG2_E).round();
    let rest = doublings * std::f64::consts::LN_2 - x;
    let series = (1..=18).rev().fold(1.0, |sum, k| 1.0 + sum * rest / f64::from(k));
    series * 2f64.powi(-(doublings as i32))
}

/// Mass, mean and variance of weights e^{−rate·j}, j below `length`.
fn geometric_moments(rate: f64, length: f64) -> (f64, Moments) {
    if rate * length < 1e-4 {
        let mean = (length - 1.0) / 2.0 - rate * (length * length - 1.0) / 12.0;
        return (length, Moments { mean, variance: (length * length - 1.0) / 12.0 });
    }
    let (ratio, last) = (decay(rate), decay(rate * length));
    let rest = if rate < 1e-5 { rate - rate * rate / 2.0 } else { 1.0 - ratio };
    let cut = if last == 0.0 { 0.0 } else { length * last / (1.0 - last) };
    let cut_square = if last == 0.0 { 0.0 } else { length * length * last / (1.0 - last).powi(2) };
    let variance = (ratio / (rest * rest) - cut_square).max(0.0);
    ((1.0 - last) / rest, Moments { mean: ratio / rest - cut, variance })
}

/// The moments of a law given by parts of some mass.
fn combined(parts: &[(f64, Moments)]) -> Moments {
    let mass: f64 = parts.iter().map(|(mass, _)| mass).sum();
    let mean = parts.iter().map(|(mass, moments)| mass * moments.mean).sum::<f64>() / mass;
    let about = |moments: &Moments| moments.variance + (moments.mean - mean).powi(2);
    let variance = parts.iter().map(|(mass, moments)| mass * about(moments)).sum::<f64>() / mass;
    Moments { mean, variance }
}

/// The moments of the offset of a cell from its mode; `rates` are the rates of slopes, or half and
/// shift of a bell.
fn shape_moments(rates: [f64; 2], shape: &CellShape) -> Moments {
    match shape {
        CellShape::Runs(runs) => {
            let moments = |run: &Run| {
                let (mass, moments) = geometric_moments(rates[run.rate].abs(), run.length as f64);
                let sign = if run.downward { -1.0 } else { 1.0 };
                let mean = run.head as f64 + sign * moments.mean;
                let lag = rates[0] * run.lag[0] as f64 + rates[1] * run.lag[1] as f64;
                (mass * decay(lag.max(0.0)), Moments { mean, ..moments })
            };
            let parts: Vec<(f64, Moments)> = runs.iter().flatten().map(moments).collect();
            combined(&parts)
        }
        CellShape::Bell { mode, below, above } => {
            let (half, centre) = (rates[0], *mode as f64 - rates[1]);
            let deviation = (0.5 / half).sqrt();
            let stride = (deviation / 16.0).floor().max(1.0);
            let mut parts = Vec::new();
            for (count, sign) in [(*below, -1.0), (*above, 1.0)] {
                let mut offset = if sign > 0.0 { 0.0 } else { stride };
                while offset <= count as f64 {
                    let exponent = half * offset * (offset + sign * 2.0 * centre);
                    if exponent > 40.0 {
                        break;
                    }
                    parts.push((decay(exponent.max(0.0)), Moments { mean: sign * offset, variance: 0.0 }));
                    offset += stride;
                }
            }
            combined(&parts)
        }
        // Found by `Rough`, which has the steps of the noise.
        CellShape::Weighted { .. } => Moments::default(),
    }
}

fn machine_rates(tilted: &Tilted) -> [f64; 2] {
    match &tilted.form {
        Form::Slopes { rates, .. } => [rates[0].to_f64(), rates[1].to_f64()],
        Form::Bell { half, shift } => [half.to_f64(), shift.to_f64()],
    }
}

/// What the moments of shapes need, made once for a tilt.
pub(super) struct Rough {
    rates: [f64; 2],
    steps: Option<NoiseSteps<f64>>,
}

impl Rough {
    pub(super) fn new(tilted: &Tilted) -> Self {
        let steps = (!tilted.factors.is_empty()).then(|| NoiseSteps::new(tilted, 53));
        Rough { rates: machine_rates(tilted), steps }
    }

    /// The moments of the offset of a cell from its mode, as machine numbers.
    pub(super) fn moments(&self, tilted: &Tilted, shape: &CellShape) -> Moments {
        match (shape, &self.steps) {
            (CellShape::Weighted { x, factor, mode }, Some(steps)) => {
                let (mean, variance) = tilted.weighted(*x, *factor).moments(*mode, steps);
                Moments { mean, variance }
            }
            _ => shape_moments(self.rates, shape),
        }
    }
}

impl ClassLaw {
    /// Mean and variance of the sum of the cells under a tilt, as machine numbers; `None` where the
    /// weights would not fall.
    pub(super) fn moments(&self, theta: &Rational) -> Option<Moments> {
        let tilted = self.try_tilted(theta)?;
        let rough = Rough::new(&tilted);
        let mut sum = Moments::default();
        let mut last: Option<(CellShape, Moments)> = None;
        for (centre, count) in &self.counted {
            let cell = tilted.cell(*centre);
            let moments = match &last {
                Some((shape, moments)) if *shape == cell.shape => *moments,
                _ => rough.moments(&tilted, &cell.shape),
            };
            last = Some((cell.shape, moments));
            sum.mean += *count as f64 * (cell.mode as f64 + moments.mean);
            sum.variance += *count as f64 * moments.variance;
        }
        Some(sum)
    }

    /// What the cells should expect in place of a sum: at its ends a sum is never expected, half a
    /// unit inside is near enough.
    pub(super) fn target(&self, sum: i64) -> f64 {
        let cells = self.centres.len() as f64;
        let (least, most) = (self.low.map(|low| low as f64 * cells), self.high.map(|high| high as f64 * cells));
        let inside = least.zip(most).map_or(0.5, |(least, most)| ((most - least) / 4.0).min(0.5));
        let target = least.map_or(sum as f64, |least| (sum as f64).max(least + inside));
        most.map_or(target, |most| target.min(most - inside))
    }

    /// The tilt for a sum, a function of the class and the sum alone.
    pub(super) fn tilt(&self, sum: i64) -> Tilt {
        let target = self.target(sum);
        if self.untilted.expect(target) || self.untilted.variance == 0.0 {
            return Tilt::default();
        }
        // Where the slopes of an unbounded side would vanish.
        let (mut lower, mut upper): (Option<f64>, Option<f64>) = match &self.noise {
            CellNoise::Geometric { up, down } => {
                (self.low.is_none().then(|| -down.to_f64()), self.high.is_none().then(|| up.to_f64()))
            }
            _ => (None, None),
        };
        let rising = target > self.untilted.mean;
        if rising {
            lower = Some(0.0)
        } else {
            upper = Some(0.0)
        }
        let mut step = 1.0 / (1.0 + (self.untilted.variance / self.centres.len() as f64).sqrt());
        let mut best = Tilt::default();
        for _ in 0..200 {
            let middle = match (lower, upper) {
                (Some(lower), Some(upper)) => lower + (upper - lower) / 2.0,
                (Some(lower), None) => lower + step,
                (None, Some(upper)) => upper - step,
                (None, None) => 0.0,
            };
            step *= 2.0;
            let Some((tilt, moments)) = self.near(middle) else {
                if rising {
                    upper = Some(middle)
                } else {
                    lower = Some(middle)
                }
                continue;
            };
            best = tilt;
            if moments.expect(target) {
                break;
            }
            if moments.mean < target { lower = Some(middle) } else { upper = Some(middle) }
        }
        best
    }

    /// The tilt nearest to a number on a grid so fine that the mean moves by half a standard
    /// deviation at most.
    fn near(&self, theta: f64) -> Option<(Tilt, Moments)> {
        // A multiple of 2^−40 is near enough to find the grid.
        let fine = Tilt { numerator: (theta * 2f64.powi(40)).round() as i64, shift: 40 };
        let deviation = self.moments(&fine.theta())?.variance.sqrt();
        let mut shift = 0;
        while 2f64.powi(-(shift as i32)) * deviation > 0.5 && shift < 50 {
            shift += 1;
        }
        let numerator = (theta * 2f64.powi(shift as i32)).round() as i64;
        // A slope that is almost flat, but not quite, has steps beyond all integers: the next tilt
        // is as good.
        let almost_flat = |tilt: Tilt| {
            let tilted = self.try_tilted(&tilt.theta());
            let rates = tilted.map_or([0.0; 2], |tilted| machine_rates(&tilted));
            !matches!(self.noise, CellNoise::Gaussian { .. })
                && rates.iter().any(|rate| *rate != 0.0 && rate.abs() < 2f64.powi(-(shift as i32) - 8))
        };
        let tilt = Tilt { numerator, shift };
        let tilt = if almost_flat(tilt) { Tilt { numerator: numerator - 1, ..tilt } } else { tilt };
        Some((tilt, self.moments(&tilt.theta())?))
    }
}
