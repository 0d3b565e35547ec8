//! `SumLaw`: the sum of m independent discrete Gaussians, its probabilities enclosed to any
//! precision.
//!
//! With f the characteristic function of one cell, a positive function that decreases on [0, π],
//! and any N, `(1/N)·Σ_k f(2πk/N)^m·cos(2πkc/N) = Σ_l P(c + l·N)`: the probability wanted, plus
//! aliases that a sub-Gaussian tail bounds. By Poisson summation
//! `f(2πt) = Σ_l e^{−2π²σ²(t+l)²} / Σ_l e^{−2π²σ²l²}`. Some sixty terms give 128 bits, whatever m
//! and σ. Proof: `proofs/messages.md`.

use crate::remembered::Remembered;
use exact::attention::look;
use exact::lazy::Bounds;
use exact::{Enclosure, Integer, Natural, Rational};
use std::sync::{Arc, OnceLock};

/// So many quick bounds are remembered, no more: a block of a few hundred cells meets the same
/// sums, and beyond this the cells cost more than the bounds.
pub(super) const MOST_BOUNDS: usize = 1 << 14;

/// The law of the sum of m discrete Gaussians with parameter σ².
#[derive(Debug)]
pub struct SumLaw {
    variance: Rational,
    cells: u64,
    /// √(mσ²), rounded up to an integer, at least one.
    spread: u64,
    /// Series computed so far, by precision and reach.
    series: Remembered<(usize, u64), Arc<Series>>,
    /// Quick bounds by |sum|.
    quick: Remembered<i64, Bounds>,
}

/// The Fourier coefficients f(2πk/N)^m for k = 0, 1, …, and the period N.
#[derive(Debug)]
struct Series {
    period: u64,
    bits: usize,
    coefficients: Vec<Enclosure>,
    at_zero: OnceLock<Enclosure>,
}

impl SumLaw {
    /// The sum of `cells` ≥ 1 cells.
    pub fn new(variance: &Rational, cells: u64) -> Self {
        let spread = root_above(&(variance * &Rational::integer(cells)), 1);
        let (series, quick) = (Remembered::up_to(usize::MAX), Remembered::up_to(MOST_BOUNDS));
        SumLaw { variance: variance.clone(), cells, spread, series, quick }
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Encloses the probability that the sum is c, within about 2^−bits.
    pub fn probability(&self, c: i64, bits: usize) -> Enclosure {
        self.series(c.unsigned_abs(), bits).probability(c)
    }

    /// Encloses P(c)/P(0).
    pub fn ratio(&self, c: i64, bits: usize) -> Enclosure {
        // P(0) is about 0.4/√(mσ²), so about these bits are lost to the division.
        let working = bits + 2 * self.spread_bits() + 32;
        let series = self.series(c.unsigned_abs(), working);
        ratio_of(&series.probability(c), series.at_zero.get_or_init(|| series.probability(0)), bits)
    }

    /// Quick bounds of P(c)/P(0).
    pub fn bounds(&self, c: i64) -> Bounds {
        if c.unsigned_abs() > 8 * self.spread {
            return Bounds::UNKNOWN;
        }
        self.quick.get(c.abs(), || Bounds::of(&self.ratio(c.abs(), 72)))
    }

    /// The bits before the point of √(mσ²).
    pub(super) fn spread_bits(&self) -> usize {
        64 - self.spread.leading_zeros() as usize
    }

    /// Coefficients good for sums up to `reach` at `bits`, rounded up so that most calls share
    /// them.
    fn series(&self, reach: u64, bits: usize) -> Arc<Series> {
        let bits = bits.next_multiple_of(64);
        let mut shared = 8 * self.spread;
        while shared < reach {
            shared *= 2;
        }
        self.series.get((bits, shared), || Arc::new(Series::new(self, shared, bits)))
    }
}

/// An integer not below the root of a positive number, nor above it by more than an eighth and
/// `least`.
fn root_above(square: &Rational, least: u64) -> u64 {
    let mut root = least.max(1);
    while root < 1 << 60 && &Rational::integer(root) * &Rational::integer(root) < *square {
        root += (root / 8).max(1);
    }
    root
}

/// A quotient of probabilities, which is between 0 and 1 whatever the enclosures say.
fn ratio_of(numerator: &Enclosure, denominator: &Enclosure, bits: usize) -> Enclosure {
    let (zero, one) = (Enclosure::from_integer(0, bits), Enclosure::from_integer(1, bits));
    match numerator.checked_div(denominator) {
        Some(quotient) => quotient.with_bits(bits).max(&zero).min(&one),
        None => hull(&zero, &one),
    }
}

impl Series {
    fn new(law: &SumLaw, reach: u64, bits: usize) -> Self {
        // Aliases are at distance at least N − reach: 2·e^{−(N−reach)²/2mσ²} ≤ 2^−bits.
        // (1387/1000 > 2·ln 2.)
        let total = &law.variance * &Rational::integer(law.cells);
        let margin = root_above(&(&total * &Rational::new(1387 * (bits as u64 + 2), 1000u32)), law.spread);
        let period = (reach + margin).div_ceil(2) * 2;
        let working = bits + 64 - law.cells.leading_zeros() as usize + 24;
        let theta = Theta::new(&law.variance, working);
        let mut coefficients = Vec::new();
        for k in 0..=period / 2 {
            look();
            let coefficient = theta.characteristic(&Rational::new(k, period)).pow(law.cells);
            let negligible = coefficient.upper_rational() <= Rational::new(1, Natural::ONE << (bits + 1));
            coefficients.push(coefficient);
            if negligible {
                break;
            }
        }
        Series { period, bits, coefficients, at_zero: OnceLock::new() }
    }

    /// Encloses P(c) for |c| up to the reach.
    fn probability(&self, c: i64) -> Enclosure {
        look();
        let last = self.coefficients.len() - 1;
        let working = self.coefficients[0].bits() + 32;
        // Chebyshev: cos(k+1)θ = 2·cosθ·cos kθ − cos(k−1)θ, on integers of `working` bits. With
        // cosθ off by at most 2 units and one more unit lost a step, cos kθ is off by at most
        // 4·(k+1)² units, because |sin kθ/sin θ| ≤ k.
        let cosine = Enclosure::cos_turns(&Rational::new(c, self.period), working);
        let one = Integer::ONE << working;
        let cosine = cosine.lower().clone().max(-&one);
        let twice = &cosine * Integer::from(2);
        let (mut before, mut here) = (one, cosine);
        let mut sum = self.coefficients[0].clone();
        for (k, coefficient) in self.coefficients.iter().enumerate().skip(1) {
            let off = Integer::from(4 * (k as u64 + 1) * (k as u64 + 1));
            let cosine = Enclosure::from_bounds(&here - &off, &here + &off, working);
            let term = &cosine.with_bits(coefficient.bits()) * coefficient;
            let both_ends = 2 * k as u64 != self.period;
            sum = if both_ends { &(&sum + &term) + &term } else { &sum + &term };
            let next = ((&twice * &here) >> working) - &before;
            (before, here) = (here, next);
        }
        let quotient = &sum * &Enclosure::from_rational(&Rational::new(1, self.period), sum.bits() + 64);
        // Terms left out: fewer than N/2 pairs, each at most the last coefficient. Aliases only
        // add.
        let left_out = if 2 * (last as u64) < self.period {
            self.coefficients[last].clone()
        } else {
            Enclosure::from_integer(0, self.bits)
        };
        let alias = Enclosure::from_rational(&Rational::new(1, Natural::ONE << self.bits), quotient.bits());
        let zero = Enclosure::from_integer(0, quotient.bits());
        let (high, low) = (&quotient + &left_out, &(&quotient - &left_out) - &alias);
        hull(&low, &high).max(&zero).with_bits(self.bits)
    }
}

/// Everything between two numbers known by enclosures.
pub(super) fn hull(low: &Enclosure, high: &Enclosure) -> Enclosure {
    let (least, most) = (low.min(high), low.max(high));
    Enclosure::from_bounds(least.lower().clone(), most.upper().clone(), least.bits())
}

/// Σ_l e^{−2π²σ²(t+l)²}, and its value at t = 0.
#[derive(Debug)]
struct Theta {
    /// 2π²σ².
    rate: Enclosure,
    at_zero: Option<Enclosure>,
    bits: usize,
}

impl Theta {
    fn new(variance: &Rational, bits: usize) -> Self {
        let pi = Enclosure::pi(bits + 16);
        let twice = &Enclosure::from_rational(variance, bits + 16) + &Enclosure::from_rational(variance, bits + 16);
        let mut theta = Theta { rate: &(&pi * &pi) * &twice, at_zero: None, bits };
        theta.at_zero = Some(theta.sum(&Rational::integer(0)));
        theta
    }

    /// The sum over l at t in [0, ½].
    fn sum(&self, t: &Rational) -> Enclosure {
        let mut sum = self.term(t);
        let mut l = 1i64;
        loop {
            sum = &(&sum + &self.term(&(t + &Rational::integer(l)))) + &self.term(&(t - &Rational::integer(l)));
            l += 1;
            // What follows: at most 2·Σ_{j ≥ l} e^{−rate·(j−½)²}, a series that falls faster than
            // by e^{−2·rate·l}.
            let next = self.term(&(&Rational::integer(l) - &Rational::new(1, 2u8)));
            let ratio = (&self.rate * &Enclosure::from_integer(-2 * l, self.rate.bits())).exp().with_bits(self.bits);
            let half = Rational::new(1, 2u8);
            if ratio.upper_rational() <= half
                && next.upper_rational() <= Rational::new(1, Natural::ONE << (self.bits - 4))
            {
                let most = &(&next + &next) + &(&next + &next);
                return hull(&sum, &(&sum + &most));
            }
        }
    }

    fn term(&self, t: &Rational) -> Enclosure {
        let square = Enclosure::from_rational(&-(t * t), self.rate.bits());
        (&self.rate * &square).exp().with_bits(self.bits)
    }

    fn characteristic(&self, t: &Rational) -> Enclosure {
        let zero = Enclosure::from_integer(0, self.bits);
        let one = Enclosure::from_integer(1, self.bits);
        let quotient = self.at_zero.as_ref().and_then(|at_zero| self.sum(t).checked_div(at_zero));
        quotient.map_or_else(|| hull(&zero, &one), |value| value.max(&zero).min(&one))
    }
}
