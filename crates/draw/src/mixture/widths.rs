//! Which Gaussian of the mixture: j with weight `c_j·∏θ(t_i(j), 0)`, by levels of enclosures.
//!
//! With `t_i(j) = ‖b̃_i‖²ε'²/(hj)²` and m dimensions,
//! `∏θ(t_i, 0) = C·(hj)^m·∏(1 + 2Σ_k e^{−π²k²/t_i})`, where `C = π^{m/2}/(√∏‖b̃_i‖²·ε'^m)` is the
//! same for all j ≥ 1; j = 0 is the zero table, with weight ½. From some j on the weights fall by
//! more than a half a step, so what a level leaves out is at most twice the bound of the next.

use super::profile::Grid;
use crate::klein::Orthogonal;
use crate::remembered::Remembered;
use crate::sums::coin::first_above;
use exact::lazy::{Bounds, Uniform};
use exact::{Decision, Enclosure, Entropy, Integer, Rational, choose, theta_excess};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fraction bits of the first level; every further level has twice as many.
const FIRST_BITS: usize = 96;

/// The law of j.
#[derive(Debug)]
pub(super) struct Widths {
    step: Rational,
    /// ε'².
    rate_square: Rational,
    /// The squares of the b̃_i, each with how often it occurs.
    squares: Vec<(Rational, u64)>,
    dimension: u64,
    /// A whole number above the logarithm of the largest weight over C, about.
    base: i64,
    levels: Remembered<usize, Arc<Level>>,
}

/// The weights of j = 0, 1, … added up, and of all j together.
#[derive(Debug)]
struct Level {
    sums: Vec<Enclosure>,
    whole: Enclosure,
    /// Bounds of the shares of the sums, for numbers that are not next to one of them.
    shares: Vec<Bounds>,
}

impl Widths {
    pub(super) fn new(orthogonal: &Orthogonal, rate_square: &Rational, grid: &Grid) -> Widths {
        let mut squares: BTreeMap<Rational, u64> = BTreeMap::new();
        orthogonal.squares.iter().for_each(|(square, _)| *squares.entry(square.clone()).or_default() += 1);
        let dimension = orthogonal.squares.len() as u64;
        let mut widths = Widths {
            step: grid.step.clone(),
            rate_square: rate_square.clone(),
            squares: squares.into_iter().collect(),
            dimension,
            base: 0,
            levels: Remembered::up_to(usize::MAX),
        };
        let zero = -widths.constant(64).to_f64();
        let farthest = widths.end(0.0);
        let largest = (1..=farthest).map(|j| widths.guess(j)).fold(zero, f64::max);
        widths.base = largest.ceil() as i64 + 1;
        widths
    }

    /// Draws j.
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E) -> u64 {
        choose(entropy, |level, uniform| {
            self.levels.get(level, || Arc::new(self.weigh(FIRST_BITS << level))).decide(uniform)
        }) as u64
    }

    /// 1/2σ_j² for j ≥ 1.
    pub(super) fn scale(&self, j: u64) -> Rational {
        let v = &self.step * &Rational::integer(j);
        &self.rate_square / &(&v * &v)
    }

    /// All weights over `C·e^{base}`, to this many bits.
    fn weigh(&self, bits: usize) -> Level {
        // Logarithms of large numbers lose bits to the left of the point.
        let working = bits + 64;
        let base = Enclosure::from_integer(self.base, working);
        let zero = -&(&(&self.constant(working) + &Enclosure::ln2(working)) + &base);
        let mut sum = zero.exp();
        let mut sums = vec![sum.clone()];
        let end = self.end(bits as f64 * std::f64::consts::LN_2);
        for j in 1..end {
            let logarithm = &self.logarithm(j, working) - &base;
            sum = &sum + &(&logarithm.exp() * &self.excess(j, working));
            sums.push(sum.clone());
        }
        // The bound of the next weight, twice.
        let largest =
            self.squares.iter().map(|(square, _)| square).max().cloned().unwrap_or_else(|| Rational::integer(1));
        let root = Enclosure::from_rational(&(&largest * &self.scale(end)), working)
            .checked_div(&Enclosure::pi(working))
            .and_then(|quotient| quotient.sqrt());
        let one = Enclosure::from_integer(1, working);
        let factor = root.and_then(|root| (&one + &root).ln()).unwrap_or(one);
        let bound = &self.logarithm(end, working) + &factor.mul_integer(&Integer::from(self.dimension));
        let missing = (&bound - &base).exp().mul_power_of_two(1);
        let whole = Enclosure::from_bounds(sum.lower().clone(), sum.upper() + missing.upper(), working);
        let share = |sum: &Enclosure| sum.checked_div(&whole).map_or(Bounds::UNKNOWN, |share| Bounds::of(&share));
        Level { shares: sums.iter().map(share).collect(), sums, whole }
    }

    /// The first j from which weights fall by a half a step, and whose bound is e^{−depth} of the
    /// largest weight or less.
    fn end(&self, depth: f64) -> u64 {
        let (step, dimension) = (self.step.to_f64(), self.dimension as f64);
        let falls = |j: f64| step * step * (2.0 * j + 1.0) / 4.0 - dimension * (1.0 / j).ln_1p() > 0.75;
        let largest = self.squares.iter().map(|(square, _)| square.to_f64()).fold(0.0, f64::max);
        let bound = |j: u64| {
            let t = largest * self.scale(j).to_f64();
            self.guess(j) + dimension * (t / std::f64::consts::PI).sqrt().ln_1p()
        };
        let mut j = 1;
        while !falls(j as f64) || depth > 0.0 && bound(j) > self.base as f64 - depth - 16.0 {
            j += 1;
        }
        j
    }

    /// `−(hj)²/4 + m·ln hj`, about: the logarithm of a weight over C where the t_i are small.
    fn guess(&self, j: u64) -> f64 {
        let v = self.step.to_f64() * j as f64;
        -v * v / 4.0 + self.dimension as f64 * v.ln()
    }

    /// The logarithm of the weight of a width, enclosed.
    fn logarithm(&self, j: u64, bits: usize) -> Enclosure {
        let v = &self.step * &Rational::integer(j);
        let square = Enclosure::from_rational(&(&(&v * &v) * &Rational::new(1, 4u8)), bits);
        let logarithm = Enclosure::ln_rational(&v, bits).unwrap_or_else(|| Enclosure::from_integer(0, bits));
        &logarithm.mul_integer(&Integer::from(self.dimension)) - &square
    }

    /// The product of `1 + 2Σ_k e^{−π²k²/t_i}`.
    fn excess(&self, j: u64, bits: usize) -> Enclosure {
        let scale = self.scale(j);
        let one = Enclosure::from_integer(1, bits);
        self.squares.iter().fold(one, |product, (square, times)| {
            let excess = theta_excess(&(square * &scale), bits);
            &product * &excess.with_bits(bits).pow(*times)
        })
    }

    /// ln C.
    fn constant(&self, bits: usize) -> Enclosure {
        let zero = || Enclosure::from_integer(0, bits);
        let determinant = self.squares.iter().fold(Rational::integer(1), |product, (square, times)| {
            (0..*times).fold(product, |product, _| &product * square)
        });
        let squares = Enclosure::ln_rational(&determinant, bits).unwrap_or_else(zero);
        let rate = Enclosure::ln_rational(&self.rate_square, bits).unwrap_or_else(zero);
        let pi = Enclosure::pi(bits).ln().unwrap_or_else(zero);
        let each = (&pi - &rate).mul_integer(&Integer::from(self.dimension));
        (&each - &squares).mul_power_of_two(-1)
    }
}

impl Level {
    /// Where a uniform number falls, if this level can tell.
    fn decide(&self, uniform: &Uniform) -> Decision {
        if uniform.known() >= 53 {
            // The 53 bits that are seen, as a word: the number is less than 2¹¹ units above it.
            let word = (uniform.leading() * 2f64.powi(64)) as u64;
            let place = self.shares.partition_point(|share| share.last < word);
            let below = self.shares.get(place).is_some_and(|share| word.saturating_add(1 << 11) <= share.floor);
            if below && (place == 0 || self.shares[place - 1].last < word) {
                return Decision::Index(place);
            }
        }
        match first_above(uniform, &self.sums, &self.whole) {
            Ok(place) if place < self.sums.len() => Decision::Index(place),
            Ok(_) => Decision::MorePrecision,
            Err(undecided) => undecided,
        }
    }
}
