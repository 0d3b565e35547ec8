//! The law of k: how many units go up, and how many down, in double-geometric noise with a
//! prescribed total.
//!
//! A double geometric is G − H with G, H independent geometric. Given `Σ(G_i − H_i) = t` over n
//! cells, `k = ΣH` has weight `C(n+k+t−1, k+t)·C(n+k−1, k)·a^{2k}`, a = e^{−ε}, for k ≥ max(0, −t):
//! log-concave, hence [`crate::unimodal`]. Ratios of weights are short products on machine words,
//! or Stirling's series when n and the distance are both large. Proof:
//! `crates/draw/proofs/closed-form.md`.

use crate::bracket::Bracket;
use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::Bounds;
use crate::rational::Rational;
use crate::unimodal::{Unimodal, UnimodalLaw, first_fall, is_at_least};
use crate::ways::Ways;
use dashu_int::{IBig, UBig};

#[cfg(test)]
mod tests;

/// The law of (ΣG, ΣH) for n cells with total t.
#[derive(Debug, Clone)]
pub struct Shares {
    total: i64,
    law: Unimodal<Weights>,
}

impl Shares {
    /// For n ≥ 1 cells, parameter a = e^{−ε} and total t.
    ///
    /// # Panics
    /// When n is zero, ε is not positive, or n/ε is so large that k would leave 62-bit integers.
    pub fn new(n: u64, epsilon: &Rational, total: i64) -> Self {
        assert!(n > 0 && epsilon.is_positive(), "cells and ε are positive");
        // With a negative total the roles of G and H are exchanged.
        Shares { total, law: Unimodal::new(Weights::new(n, epsilon.clone(), total.unsigned_abs())) }
    }

    /// Draws (ΣG, ΣH), whose difference is the total.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> (u64, u64) {
        self.pair(self.law.draw(entropy))
    }

    /// One attempt at a draw, as [`Unimodal::attempt`].
    pub fn attempt<E: Entropy>(&self, entropy: &mut E) -> Option<(u64, u64)> {
        self.law.attempt(entropy).map(|k| self.pair(k))
    }

    fn pair(&self, k: i64) -> (u64, u64) {
        let (k, more) = (k as u64, k as u64 + self.total.unsigned_abs());
        if self.total >= 0 { (more, k) } else { (k, more) }
    }
}

/// The weights of k, for a total that is not negative.
#[derive(Debug, Clone)]
struct Weights {
    n: u64,
    total: u64,
    epsilon: Rational,
    mode: u64,
    /// a² to 192 bits.
    squared: Enclosure,
    /// a² as a bracket, if it does not underflow.
    square: Option<Bracket>,
}

impl Weights {
    fn new(n: u64, epsilon: Rational, total: u64) -> Self {
        let exponent = -(&epsilon + &epsilon);
        let squared = Enclosure::exp_rational(&exponent, 192);
        let square = Bracket::of(&squared);
        let mut weights = Weights { n, total, epsilon, mode: 0, squared, square };
        weights.mode = first_fall(|k| weights.rises(k));
        weights
    }

    /// Whether `a²·(n+k)(n+t+k) ≥ (k+1)(t+k+1)`.
    fn rises(&self, k: u64) -> bool {
        let (n, t, k) = (UBig::from(self.n), UBig::from(self.total), UBig::from(k));
        let above = (&n + &k) * (&n + &t + &k);
        let below = (&k + UBig::ONE) * (&t + &k + UBig::ONE);
        let exponent = -(&self.epsilon + &self.epsilon);
        above > below && is_at_least(&self.squared, &exponent, &IBig::from(above), &IBig::from(below))
    }

    fn ways(&self) -> Ways {
        Ways { cells: self.n }
    }
}

impl UnimodalLaw for Weights {
    fn mode(&self) -> i64 {
        self.mode as i64
    }

    fn bounds(&self, offset: i64) -> Bounds {
        let distance = offset.unsigned_abs();
        if offset < 0 && distance > self.mode {
            return Bounds { floor: 0, last: 0 };
        }
        let Some(square) = self.square else { return Bounds::UNKNOWN };
        if !self.ways().is_short(distance) {
            return Bounds::UNKNOWN;
        }
        let (low, high) =
            if offset < 0 { (self.mode - distance, self.mode) } else { (self.mode, self.mode + distance) };
        // C(n+high−1, high)/C(n+low−1, low), once without and once with the total added.
        let rise = |low: u64, high: u64| self.ways().rise(low, high);
        let without = rise(low, high);
        let with = if self.total == 0 { without } else { rise(low + self.total, high + self.total) };
        let rise = without.times(with);
        let rise = rise.times(square.power(distance));
        if offset < 0 { Bracket::integer(1).over(rise).bounds() } else { rise.bounds() }
    }

    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        let Some(k) = self.mode.checked_add_signed(offset) else {
            return Enclosure::from_integer(0, bits);
        };
        // Logarithms of factorials of 62-bit numbers have at most 68 bits before the point.
        let working = bits + 72;
        let twice = &self.epsilon + &self.epsilon;
        let decay = Enclosure::from_rational(&-(&twice * &Rational::integer(offset)), working);
        let ways = |k: u64| self.ways().logarithm(k, working);
        let ways_above = &ways(k + self.total) - &ways(self.mode + self.total);
        let ways = &ways(k) - &ways(self.mode);
        (&(&decay + &ways) + &ways_above).exp().with_bits(bits)
    }
}
