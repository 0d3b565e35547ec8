//! `NoiseLaw`: the law of the noise in one cell before conditioning; the single home of its log-weight.

use exact::Rational;

/// The law of the noise in one cell, before conditioning on the invariants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoiseLaw {
    /// `P(u) ∝ e^{−ε'|u|}` on the integers.
    DoubleGeometric {
        /// ε', the loss per unit of ℓ₁ distance.
        epsilon: Rational,
    },
    /// `P(z) ∝ e^{−z²/2σ²}` on the integers.
    DiscreteGaussian {
        /// σ².
        variance: Rational,
    },
    /// Density `∝ e^{−ε'|u|}` on the reals; never certified.
    Laplace {
        /// ε' = 1/λ.
        epsilon: Rational,
    },
    /// Density `∝ e^{−z²/2σ²}` on the reals; never certified.
    Gaussian {
        /// σ².
        variance: Rational,
    },
}

/// The operators of this version, by the names scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Free cells: independent draws.
    Independent,
    /// One total per block: the closed form of the double geometric and of the continuous laws.
    ClosedForm,
    /// One total per block, any product law: weights of sums up, totals down.
    Messages,
}

impl Operator {
    /// The name scripts rely on.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Independent => "independent",
            Operator::ClosedForm => "closed-form",
            Operator::Messages => "messages",
        }
    }
}
