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
    /// `P(z) ∝ e^{−ε'‖z‖₂}` on the integers, of all cells together: not a law of single cells.
    LatticeLaplace {
        /// ε', the loss per unit of ℓ₂ distance.
        epsilon: Rational,
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

impl NoiseLaw {
    /// What people call it.
    pub fn name(&self) -> &'static str {
        match self {
            NoiseLaw::DoubleGeometric { .. } => "double-geometric",
            NoiseLaw::DiscreteGaussian { .. } => "discrete-gaussian",
            NoiseLaw::LatticeLaplace { .. } => "lattice-laplace",
            NoiseLaw::Laplace { .. } => "laplace",
            NoiseLaw::Gaussian { .. } => "gaussian",
        }
    }

    /// The negative log-weight of noise z in one cell and none elsewhere: the single home of the law's formula.
    pub fn energy(&self, z: i64) -> Rational {
        match self {
            NoiseLaw::DoubleGeometric { epsilon }
            | NoiseLaw::LatticeLaplace { epsilon }
            | NoiseLaw::Laplace { epsilon } => epsilon * &Rational::integer(z.unsigned_abs()),
            NoiseLaw::DiscreteGaussian { variance } | NoiseLaw::Gaussian { variance } => {
                let square = Rational::integer(i128::from(z) * i128::from(z));
                &square / &(variance + variance)
            }
        }
    }

    /// The law in words, for messages and explanations.
    pub fn in_words(&self) -> &'static str {
        match self {
            NoiseLaw::DoubleGeometric { .. } => "double-geometric noise",
            NoiseLaw::DiscreteGaussian { .. } => "discrete Gaussian noise",
            NoiseLaw::LatticeLaplace { .. } => "lattice Laplace noise",
            NoiseLaw::Laplace { .. } => "continuous Laplace noise",
            NoiseLaw::Gaussian { .. } => "continuous Gaussian noise",
        }
    }

    /// Whether the noise is integer-valued: only such a law can be certified.
    pub fn is_integer(&self) -> bool {
        !matches!(self, NoiseLaw::Laplace { .. } | NoiseLaw::Gaussian { .. })
    }

    /// Whether it is a product over cells, so that independent parts of the fibre have independent noise.
    pub fn is_product(&self) -> bool {
        !matches!(self, NoiseLaw::LatticeLaplace { .. })
    }
}
