//! The law of k: how many units go up, and how many down, in double-geometric noise with a
//! prescribed total.
//!
//! A double geometric is G − H with G, H independent geometric. Given `Σ(G_i − H_i) = t` over n
//! cells, `k = ΣH` has weight `C(n+k+t−1, k+t)·C(n+k−1, k)·a^{2k}`, a = e^{−ε}, for k ≥ max(0, −t):
//! log-concave, hence [`crate::unimodal`]. Ratios of weights are short products on machine words,
//! or Stirling's series when n and the distance are both large. Proof:
//! `crates/draw/proofs/closed-form.md`.

use crate::entropy::Entropy;
use crate::rational::Rational;
use crate::unimodal::Unimodal;
use crate::ways::Weights;

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
        Shares { total, law: Unimodal::new(Weights::new(n, epsilon + epsilon, Some(total.unsigned_abs()))) }
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
