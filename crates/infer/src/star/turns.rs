//! Transforms of weights around a circle, at few of its nodes.

use crate::circle::Complex;

/// Turns of all offs at all nodes.
#[derive(Debug, Default)]
pub(super) struct Turns {
    farthest: i64,
    cosines: Vec<f64>,
    sines: Vec<f64>,
}

/// More turns than this are not kept.
const MOST_TURNS: usize = 1 << 22;

impl Turns {
    pub(super) fn new(farthest: i64, nodes: usize, around: usize) -> Turns {
        let width = 2 * farthest as usize + 1;
        if width.saturating_mul(nodes) > MOST_TURNS {
            return Turns::default();
        }
        let angle = |place: usize| {
            let (node, off) = (place / width, (place % width) as i64 - farthest);
            // Whole turns are left out first: what is left is small and exact.
            let left = (node as i64 * off).rem_euclid(around as i64);
            std::f64::consts::TAU * left as f64 / around as f64
        };
        let places = 0..width * nodes;
        let cosines = places.clone().map(|place| angle(place).cos()).collect();
        Turns { farthest, cosines, sines: places.map(|place| angle(place).sin()).collect() }
    }

    /// Σ_a f(a)·e^{iθa} at a node; `None` where turns are not kept.
    pub(super) fn transformed(&self, first: i64, weights: &[f64], node: usize) -> Option<Complex> {
        let width = 2 * self.farthest as usize + 1;
        let start = usize::try_from(first + self.farthest).ok()?;
        let at = node * width + start;
        let range = at..at + weights.len();
        let (cosines, sines) = (self.cosines.get(range.clone())?, self.sines.get(range)?);
        Some(Complex { re: dot(weights, cosines), im: dot(weights, sines) })
    }
}

/// Σ a·b, in four sums that the machine keeps side by side.
pub(crate) fn dot(one: &[f64], two: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (ones, twos) = (one.chunks_exact(4), two.chunks_exact(4));
    let rest: f64 = ones.remainder().iter().zip(twos.remainder()).map(|(one, two)| one * two).sum();
    for (one, two) in ones.zip(twos) {
        (0..4).for_each(|place| sums[place] += one[place] * two[place]);
    }
    rest + sums.iter().sum::<f64>()
}

/// Σ_a f(a)·e^{iθa}.
pub(super) fn transformed(first: i64, weights: &[f64], angle: f64) -> Complex {
    let step = Complex { re: angle.cos(), im: angle.sin() };
    let mut sum = Complex { re: 0.0, im: 0.0 };
    // The turn is made afresh every so often: turns multiply their rounding.
    for (number, some) in weights.chunks(64).enumerate() {
        let at = angle * (first + 64 * number as i64) as f64;
        let mut turn = Complex { re: at.cos(), im: at.sin() };
        for weight in some {
            sum = Complex { re: sum.re + weight * turn.re, im: sum.im + weight * turn.im };
            turn = turn.times(step);
        }
    }
    sum
}
