//! `thin`: double geometric noise on a lattice of small dimension, exactly: a thinner law's draws,
//! accepted by what is left.
//!
//! Let a be the smallest `‖z‖₁/‖z‖₂` over the span of the lattice, that of a circuit. Then
//! `e^{−ε'‖z‖₁} ≤ e^{−aε'‖z‖₂}`, the law of `mixture` at rate aε': its draws are accepted with
//! probability `e^{−ε'(‖z‖₁ − a‖z‖₂)}`. Proof: `proofs/thin.md`.
//!
//! ```text
//! circuits.rs  a
//! ```

mod circuits;

use crate::klein::LEAST_ACCEPTANCE;
use crate::mixture::{Mixture, norm_square};
use declare::Problem;
use exact::lazy::coin;
use exact::{Enclosure, Entropy, Integer, Rational, Seeded, Source, decay_bounds};

/// The draws, with a seed of their own, that predict the acceptance.
const PROPOSALS: u32 = 1024;

/// Double geometric noise on a lattice, ready to be drawn as often as wanted.
#[derive(Debug)]
pub struct Thin {
    mixture: Mixture,
    /// ε'.
    rate: Rational,
    /// a².
    ratio_square: Rational,
    acceptance: f64,
}

impl Thin {
    /// Noise with weight e^{−ε'‖z‖₁} on the lattice with this basis, over this many cells.
    ///
    /// # Errors
    /// Bad when the rate is not above zero or the vectors depend on each other; refused when the
    /// basis is too long, it has too many circuits, or a draw would succeed too rarely.
    pub fn new(cells: usize, basis: &[Vec<(u32, i64)>], rate: &Rational) -> Result<Thin, Problem> {
        let Some((above, below)) = circuits::least_ratio(cells, basis) else {
            return Err(Problem::refused(format!(
                "`thin` tries all circuits of the steps between tables, and {} steps have too many",
                basis.len()
            ))
            .hint("a walk draws such tables: `accept = \"estimated\"`; or keep more totals"));
        };
        let ratio_square = &Rational::integer(above) / &Rational::integer(below);
        let mixture = Mixture::unlimited(cells, basis, &(&ratio_square * &(rate * rate)))?;
        let mut thin = Thin { mixture, rate: rate.clone(), ratio_square, acceptance: 0.0 };
        thin.acceptance = thin.predict();
        if thin.acceptance < LEAST_ACCEPTANCE {
            return Err(Problem::refused(format!(
                "`thin` would accept {:.1e} of its attempts, and {LEAST_ACCEPTANCE:.0e} is the least it may",
                thin.acceptance
            ))
            .hint("a walk draws such tables: `accept = \"estimated\"`; or keep more totals"));
        }
        Ok(thin)
    }

    /// a², the smallest `‖z‖₁²/‖z‖₂²`.
    pub fn ratio_square(&self) -> &Rational {
        &self.ratio_square
    }

    /// The share of attempts that succeed, about: a function of the lattice and ε' alone, by draws
    /// with a fixed seed.
    pub fn expected_acceptance(&self) -> f64 {
        self.acceptance
    }

    /// Draws the noise of all cells.
    ///
    /// # Errors
    /// Refused when the noise does not fit 64-bit counts.
    pub fn draw<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> Result<(), Problem> {
        while !self.attempt(entropy, noise)? {}
        Ok(())
    }

    /// One attempt; whether it succeeded. Attempts are independent, and the noise of the first that
    /// succeeds has exactly the law.
    ///
    /// # Errors
    /// Refused when the noise does not fit 64-bit counts.
    pub fn attempt<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> Result<bool, Problem> {
        Ok(self.mixture.attempt(entropy, noise)? && self.accepts(entropy, noise))
    }

    /// Whether noise that the mixture has proposed is accepted: with probability
    /// `e^{−ε'(‖z‖₁ − a‖z‖₂)}`.
    pub fn accepts<E: Entropy>(&self, entropy: &mut E, noise: &[i64]) -> bool {
        let (sum, rest) = self.excess(noise);
        // Both sums are rounded once a cell, their root and products a few times; the difference is
        // not negative.
        let bounds = decay_bounds(rest, sum * (noise.len() as f64 + 16.0) * f64::EPSILON);
        coin(entropy, bounds, |bits| self.share(noise, bits))
    }

    /// ε'‖z‖₁, and how far it is above aε'‖z‖₂: about.
    fn excess(&self, noise: &[i64]) -> (f64, f64) {
        let sum: f64 = noise.iter().map(|value| value.unsigned_abs() as f64).sum();
        let square: f64 = noise.iter().map(|value| *value as f64 * *value as f64).sum();
        let rate = self.rate.to_f64();
        (rate * sum, rate * (sum - (self.ratio_square.to_f64() * square).sqrt()))
    }

    /// `e^{−ε'(‖z‖₁ − a‖z‖₂)}`.
    fn share(&self, noise: &[i64], bits: usize) -> Enclosure {
        let working = bits + 8;
        let sum: Integer = noise.iter().map(|value| Integer::from(value.unsigned_abs())).sum();
        let sum = Enclosure::from_rational(&(&self.rate * &Rational::integer(sum)), working);
        let square = &(&self.ratio_square * &(&self.rate * &self.rate)) * &Rational::integer(norm_square(noise));
        let Some(root) = Enclosure::from_rational(&square, working).sqrt() else {
            return Enclosure::from_bounds(Integer::ZERO, Integer::ONE << bits, bits);
        };
        (&root - &sum).exp().with_bits(bits).min(&Enclosure::from_integer(1, bits))
    }

    /// The mean acceptance of draws with a fixed seed, those of the mixture included.
    fn predict(&self) -> f64 {
        let Ok(mut entropy) = Seeded::new(0x7468_696e).stream(0) else { return 0.0 };
        let mut noise = vec![0; self.mixture.cells()];
        let shares = (0..PROPOSALS).map(|_| match self.mixture.attempt(&mut entropy, &mut noise) {
            Ok(true) => (-self.excess(&noise).1).exp().min(1.0),
            _ => 0.0,
        });
        shares.sum::<f64>() / f64::from(PROPOSALS)
    }
}
