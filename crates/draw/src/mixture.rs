//! `mixture`: noise with weight e^{−ε'‖z‖₂} on any lattice, exactly: a discrete Gaussian of a width
//! that is drawn first.
//!
//! `e^{−r} = ∫₀^∞ π^{−1/2}·e^{−v²/4 − r²/v²} dv`, so with `r = ε'‖z‖` the wanted law is nearly a
//! mixture of discrete Gaussians with `σ² = v²/2ε'²` on a grid v = hj. Draw j with weight
//! `e^{−(hj)²/4}·∏θ(t_i(σ_j²), 0)`, then one attempt of `klein` at σ_j²: together (j, z) has weight
//! `e^{−(hj)²/4 − r²/(hj)²}`, whose sum over j is S(r) up to a constant. Accepting z with
//! probability `M·e^{−r}/S(r)`, M at most every S(r)·e^r, gives the law. Proof:
//! `proofs/mixture.md`.
//!
//! ```text
//! profile.rs  the grid, M, and S(r)·e^r
//! widths.rs   the law of j
//! ```

mod profile;
mod widths;

use crate::klein::{LEAST_ACCEPTANCE, Orthogonal};
use declare::Problem;
use exact::lazy::{Bounds, coin};
use exact::shifted::Rate;
use exact::{Enclosure, Entropy, Integer, Rational, Seeded, Source};
use profile::Grid;
use std::sync::{Arc, OnceLock};
use widths::Widths;

/// The attempts, with a seed of their own, that predict the acceptance: at least, and at most where
/// few succeed.
const ATTEMPTS: [u32; 2] = [256, 16_384];

/// So many successes are enough for a prediction.
const SUCCESSES: u32 = 200;

/// Widths whose rates are kept.
const MOST_KEPT: usize = 4096;

/// Noise with weight e^{−ε'‖z‖₂} on a lattice, ready to be drawn as often as wanted.
#[derive(Debug)]
pub struct Mixture {
    orthogonal: Orthogonal,
    rate_square: Rational,
    grid: Grid,
    /// Words below it are accepted whatever was drawn.
    always: u64,
    widths: Widths,
    kept: Vec<OnceLock<Arc<Width>>>,
    acceptance: f64,
}

/// One Gaussian of the mixture.
#[derive(Debug)]
struct Width {
    scale: Rational,
    rates: Vec<Rate>,
}

impl Mixture {
    /// Noise on the lattice with this basis, over this many cells, with ε'² as given: the rate
    /// itself need not be a fraction.
    ///
    /// # Errors
    /// Bad when the rate is not above zero or the vectors depend on each other; refused when the
    /// basis is too long or a draw would succeed too rarely.
    pub fn new(cells: usize, basis: &[Vec<(u32, i64)>], rate_square: &Rational) -> Result<Mixture, Problem> {
        let mut mixture = Mixture::unlimited(cells, basis, rate_square)?;
        mixture.acceptance = mixture.predict();
        if mixture.acceptance < LEAST_ACCEPTANCE {
            return Err(Problem::refused(format!(
                "`mixture` would accept {:.1e} of its attempts, and {LEAST_ACCEPTANCE:.0e} is the least it may",
                mixture.acceptance
            ))
            .hint("a smaller epsilon; or a walk, with `accept = \"estimated\"`"));
        }
        Ok(mixture)
    }

    /// A sampler, however rarely it succeeds, which is not known.
    pub(crate) fn unlimited(
        cells: usize,
        basis: &[Vec<(u32, i64)>],
        rate_square: &Rational,
    ) -> Result<Mixture, Problem> {
        if !rate_square.is_positive() {
            return Err(Problem::bad("a rate is above zero"));
        }
        if rate_square.to_f64() < 2f64.powi(-64) {
            return Err(
                Problem::refused("the noise does not fit 64-bit counts").hint("a larger epsilon makes it narrower")
            );
        }
        let orthogonal = Orthogonal::new(cells, basis)?;
        let grid = Grid::for_squares_from(&(rate_square * &Rational::integer(orthogonal.least_square())));
        let widths = Widths::new(&orthogonal, rate_square, &grid);
        let always = Bounds::of(&Enclosure::from_rational(&(&grid.least / &grid.most), 96)).floor;
        let kept = (0..MOST_KEPT).map(|_| OnceLock::new()).collect();
        let rate_square = rate_square.clone();
        Ok(Mixture { orthogonal, rate_square, grid, always, widths, kept, acceptance: f64::NAN })
    }

    /// The share of attempts that succeed, about: a function of the lattice and ε' alone, by
    /// attempts with a fixed seed.
    pub fn expected_acceptance(&self) -> f64 {
        self.acceptance
    }

    /// The number of free coefficients.
    pub fn dimension(&self) -> usize {
        self.orthogonal.basis.len()
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.orthogonal.cells
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
        let mut coefficients = vec![0; self.dimension()];
        let j = self.draw_width(entropy);
        if j > 0 {
            let width = self.width(j);
            if !self.orthogonal.attempt(entropy, &width.scale, &width.rates, &mut coefficients) {
                return Ok(false);
            }
        }
        self.orthogonal.table(&coefficients, noise).ok_or_else(crate::table::too_large)?;
        Ok(self.accepts(entropy, noise))
    }

    /// Draws which Gaussian is attempted: j with weight `e^{−(hj)²/4}·∏θ(t_i(σ_j²), 0)`, and 0, the
    /// zero table, with weight ½.
    pub fn draw_width<E: Entropy>(&self, entropy: &mut E) -> u64 {
        self.widths.draw(entropy)
    }

    /// Whether noise that a Gaussian has proposed is accepted: with probability `M·e^{−r}/S(r)`.
    pub fn accepts<E: Entropy>(&self, entropy: &mut E, noise: &[i64]) -> bool {
        let square: f64 = noise.iter().map(|value| *value as f64 * *value as f64).sum();
        // Values, squares and their sum are rounded, and so is ε'².
        let error = (noise.len() as f64 + 8.0) * f64::EPSILON;
        let quick = self.grid.quick_share(self.rate_square.to_f64() * square, error);
        let bounds = quick.unwrap_or(Bounds { floor: self.always, last: u64::MAX });
        coin(entropy, bounds, |bits| self.share(noise, bits))
    }

    /// `M·e^{−r}/S(r)` of a table.
    fn share(&self, noise: &[i64], bits: usize) -> Enclosure {
        let square = &self.rate_square * &Rational::integer(norm_square(noise));
        let least = Enclosure::from_rational(&self.grid.least, bits + 8);
        match least.checked_div(&self.grid.profile(&square, bits + 8)) {
            Some(share) => share.with_bits(bits).min(&Enclosure::from_integer(1, bits)),
            None => Enclosure::from_bounds(Integer::ZERO, Integer::ONE << bits, bits),
        }
    }

    fn width(&self, j: u64) -> Arc<Width> {
        let make = || {
            let scale = self.widths.scale(j);
            let rates = self.orthogonal.rates(scale.to_f64());
            Arc::new(Width { scale, rates })
        };
        match self.kept.get(j as usize) {
            Some(kept) => kept.get_or_init(make).clone(),
            None => make(),
        }
    }

    fn predict(&self) -> f64 {
        let Ok(mut entropy) = Seeded::new(0x006d_6978_7475_7265).stream(0) else { return 0.0 };
        let mut noise = vec![0; self.cells()];
        let (mut tried, mut succeeded) = (0u32, 0u32);
        while tried < ATTEMPTS[0] || succeeded < SUCCESSES && tried < ATTEMPTS[1] {
            tried += 1;
            succeeded += u32::from(self.attempt(&mut entropy, &mut noise).unwrap_or(false));
        }
        f64::from(succeeded) / f64::from(tried)
    }
}

/// ‖z‖², exactly.
pub(crate) fn norm_square(noise: &[i64]) -> Integer {
    noise.iter().map(|value| Integer::from(*value) * Integer::from(*value)).sum()
}
