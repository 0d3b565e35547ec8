//! `klein`: discrete Gaussian noise on any lattice, exactly, for every σ.
//!
//! With Gram–Schmidt vectors b̃_i of a basis and `t_i = ‖b̃_i‖²/2σ²`, coefficients are drawn from
//! the last to the first: v_i around `c_i = −Σ_{j>i} μ_ji v_j` with weight `e^{−t_i(v−c_i)²}`,
//! accepted with probability θ(t_i, c_i)/θ(t_i, 0). The product of all weights is `e^{−‖z‖²/2σ²}`
//! of the table z, and what it is divided by does not depend on z: so the first attempt in which
//! all coefficients are accepted has exactly the law. Proof: `proofs/klein.md`.
//!
//! ```text
//! orthogonal.rs  Gram–Schmidt in exact fractions, and one attempt
//! ```

mod orthogonal;

use declare::Problem;
use exact::shifted::Rate;
use exact::{Entropy, Rational, Seeded, Source};

pub(crate) use orthogonal::Orthogonal;

/// Draws that succeed less often than this are refused.
pub const LEAST_ACCEPTANCE: f64 = 1e-3;

/// The proposals, with a seed of their own, that predict the acceptance where the bound says
/// little.
const PROPOSALS: u32 = 2048;

/// An acceptance is not estimated where its proved bound is above this.
const GOOD_BOUND: f64 = 0.9;

/// σ beyond 2 to this leaves 62-bit numbers too often.
const WIDEST: i32 = 44;

/// Discrete Gaussian noise on a lattice, ready to be drawn as often as wanted.
#[derive(Debug, Clone)]
pub struct Klein {
    orthogonal: Orthogonal,
    /// 1/2σ².
    scale: Rational,
    rates: Vec<Rate>,
    acceptance: f64,
}

impl Klein {
    /// Noise with weight `e^{−‖z‖²/2σ²}` on the lattice with this basis, over this many cells:
    /// places of cells with their values.
    ///
    /// # Errors
    /// Bad when the variance is not above zero or the vectors depend on each other; refused when
    /// the basis is too long, the variance too large, or a draw would succeed too rarely.
    pub fn new(cells: usize, basis: &[Vec<(u32, i64)>], variance: &Rational) -> Result<Klein, Problem> {
        if !variance.is_positive() {
            return Err(Problem::bad("a variance is above zero"));
        }
        let scale = &Rational::new(1, 2u8) / variance;
        let orthogonal = Orthogonal::new(cells, basis)?;
        let rates = orthogonal.rates(scale.to_f64());
        if rates.iter().any(|rate| rate.value() < 2f64.powi(-2 * WIDEST)) {
            return Err(Problem::refused("the noise does not fit 64-bit counts").hint("a larger rho makes it narrower"));
        }
        let mut klein = Klein { orthogonal, scale, rates, acceptance: 1.0 };
        klein.acceptance = klein.predict();
        if klein.acceptance < LEAST_ACCEPTANCE {
            return Err(Problem::refused(format!(
                "`klein` would accept about {:.1e} of its attempts (at least {:.1e}), and {LEAST_ACCEPTANCE:.0e} is the least \
                 it may",
                klein.acceptance,
                klein.bound()
            ))
            .hint("less noise per cell than one unit makes it rare: a smaller rho; or a walk, with `accept = \"estimated\"`"));
        }
        Ok(klein)
    }

    /// The share of attempts that succeed, about: a function of the lattice and σ² alone.
    ///
    /// It is `Θ_Λ/∏θ(t_i, 0)`, at least `∏ √(π/t_i)/θ(t_i, 0)`; where that bound says little,
    /// proposals with a fixed seed estimate it.
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
        let mut coefficients = vec![0; self.rates.len()];
        let accepted = self.orthogonal.attempt(entropy, &self.scale, &self.rates, &mut coefficients);
        if accepted {
            self.orthogonal.table(&coefficients, noise).ok_or_else(crate::table::too_large)?;
        }
        Ok(accepted)
    }

    /// `∏ √(π/t_i)/θ(t_i, 0)`.
    fn bound(&self) -> f64 {
        self.rates.iter().map(excess).product::<f64>().recip()
    }

    fn predict(&self) -> f64 {
        let bound = self.bound();
        if bound > GOOD_BOUND {
            return bound;
        }
        let Ok(mut entropy) = Seeded::new(0x006b_6c65_696e).stream(0) else { return bound };
        let mut coefficients = vec![0; self.rates.len()];
        let shares = (0..PROPOSALS)
            .map(|_| self.orthogonal.propose(&mut entropy, &self.scale, &self.rates, &mut coefficients))
            .sum::<f64>();
        bound.max(shares / f64::from(PROPOSALS))
    }
}

/// `θ(t, 0)·√(t/π)`, about.
fn excess(rate: &Rate) -> f64 {
    let t = rate.value();
    let pi = std::f64::consts::PI;
    if t < pi {
        let term = |k: f64| (-pi * pi * k * k / t).exp();
        return 1.0 + 2.0 * (term(1.0) + term(2.0) + term(3.0));
    }
    let term = |k: f64| (-t * k * k).exp();
    (t / pi).sqrt() * (1.0 + 2.0 * (term(1.0) + term(2.0) + term(3.0)))
}
