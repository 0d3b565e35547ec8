//! `Enumerate`: all points of a small space are listed, and one is drawn by its weight: one
//! comparison, no refusals.
//!
//! A uniform number is compared with the cumulative weights, which are computed ever more precisely
//! until they decide (`exact::choose`).

use crate::target::Target;
use exact::{Entropy, Natural, Positive, Rational, Weighted, Wide, choose};

/// The most points that are listed.
pub const MOST_LISTED: u64 = 1_000_000;

/// A small space with the weights of its points.
#[derive(Debug)]
pub struct Enumerate<'a, T> {
    target: &'a T,
    points: Vec<Vec<i64>>,
    machine: Weighted<f64>,
}

impl<'a, T: Target> Enumerate<'a, T> {
    /// Lists the points, or `None` when there are more than [`MOST_LISTED`].
    pub fn new(target: &'a T) -> Option<Self> {
        if *target.space().count() > Natural::from(MOST_LISTED) {
            return None;
        }
        let mut points = Vec::new();
        target.space().for_each(|point| points.push(point.to_vec()));
        let machine = weights(target, &points, 64);
        Some(Enumerate { target, points, machine })
    }

    /// One draw.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> &[i64] {
        let index = choose(entropy, |level, uniform| match level {
            0 => self.machine.decide(uniform),
            _ => self.wide(level).decide(uniform),
        });
        &self.points[index]
    }

    /// The weights of a later level, which is almost never asked for.
    #[cold]
    fn wide(&self, level: usize) -> Weighted<Wide> {
        weights(self.target, &self.points, 64 << level)
    }
}

/// The relative weights of the points at a precision. Taking the lower end of the log-weight
/// changes a weight by a factor within `1 ± 2^−bits`: less than one of the three roundings that are
/// allowed for.
fn weights<P: Positive, T: Target>(target: &T, points: &[Vec<i64>], bits: u32) -> Weighted<P> {
    let upper = target.upper();
    let fraction = bits as usize + 32;
    let weight = |point: &Vec<i64>| {
        let exponent = &upper - &target.log_weight(point, fraction).lower_rational();
        P::exp_minus(&exponent.max(Rational::integer(0)), bits)
    };
    // What a machine number cannot hold is below 2⁻⁹⁰⁰ for every point.
    let missing = match P::least() {
        Some(_) => P::integer(points.len() as u64, bits).shifted(-899),
        None => P::zero(),
    };
    Weighted { weights: points.iter().map(weight).collect(), roundings: 3, missing, bits }
}
