//! The families of this version.

use super::{Growth, LawFamily};

/// `P(u) ∝ e^{−ε'|u|}` on the integers.
#[derive(Debug)]
pub struct DoubleGeometric;

impl LawFamily for DoubleGeometric {
    fn name(&self) -> &'static str {
        "double-geometric"
    }

    fn title(&self) -> &'static str {
        "double geometric"
    }

    fn in_words(&self) -> &'static str {
        "double-geometric noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("double geometric, P(u) ∝ e^(−ε'|u|)", "ε'")
    }

    fn certified(&self, parameter: &str) -> String {
        format!("double geometric in every cell, P(u) proportional to exp(-{parameter} |u|)")
    }

    fn growth(&self) -> Growth {
        Growth::Absolute
    }
}

/// `P(z) ∝ e^{−z²/2σ²}` on the integers.
#[derive(Debug)]
pub struct DiscreteGaussian;

impl LawFamily for DiscreteGaussian {
    fn name(&self) -> &'static str {
        "discrete-gaussian"
    }

    fn title(&self) -> &'static str {
        "discrete Gaussian"
    }

    fn in_words(&self) -> &'static str {
        "discrete Gaussian noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("discrete Gaussian, P(u) ∝ e^(−u²/2σ²)", "σ²")
    }

    fn certified(&self, parameter: &str) -> String {
        format!("discrete Gaussian in every cell, P(z) proportional to exp(-z^2 / (2 * {parameter}))")
    }

    fn growth(&self) -> Growth {
        Growth::Square
    }
}

/// `P(z) ∝ e^{−ε'‖z‖₂}` on the integers, of all cells together.
#[derive(Debug)]
pub struct LatticeLaplace;

impl LawFamily for LatticeLaplace {
    fn name(&self) -> &'static str {
        "lattice-laplace"
    }

    fn title(&self) -> &'static str {
        "lattice Laplace"
    }

    fn in_words(&self) -> &'static str {
        "lattice Laplace noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("lattice Laplace, P(z) ∝ e^(−ε'‖z‖₂) over all cells together", "ε'")
    }

    fn certified(&self, parameter: &str) -> String {
        format!(
            "lattice Laplace over all cells together, P(z) proportional to exp(-{parameter} ||z||), with the l2 norm"
        )
    }

    fn growth(&self) -> Growth {
        Growth::Norm
    }
}

/// Density `∝ e^{−ε'|u|}` on the reals; never certified.
#[derive(Debug)]
pub struct Laplace;

impl LawFamily for Laplace {
    fn name(&self) -> &'static str {
        "laplace"
    }

    fn title(&self) -> &'static str {
        "Laplace"
    }

    fn in_words(&self) -> &'static str {
        "continuous Laplace noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("continuous Laplace, density ∝ e^(−ε'|u|)", "ε'")
    }

    fn certified(&self, _parameter: &str) -> String {
        REAL.to_owned()
    }

    fn growth(&self) -> Growth {
        Growth::Absolute
    }

    fn is_integer(&self) -> bool {
        false
    }
}

/// Density `∝ e^{−z²/2σ²}` on the reals; never certified.
#[derive(Debug)]
pub struct Gaussian;

impl LawFamily for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn title(&self) -> &'static str {
        "Gaussian"
    }

    fn in_words(&self) -> &'static str {
        "continuous Gaussian noise"
    }

    fn formula(&self) -> (&'static str, &'static str) {
        ("continuous Gaussian, density ∝ e^(−u²/2σ²)", "σ²")
    }

    fn certified(&self, _parameter: &str) -> String {
        REAL.to_owned()
    }

    fn growth(&self) -> Growth {
        Growth::Square
    }

    fn is_integer(&self) -> bool {
        false
    }
}

/// What certificates would say of real-valued noise, which they never state.
const REAL: &str = "real-valued, for research only";
