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

    /// Whether the noise is integer-valued: only such a law can be certified.
    pub fn is_integer(&self) -> bool {
        !matches!(self, NoiseLaw::Laplace { .. } | NoiseLaw::Gaussian { .. })
    }

    /// Whether it is a product over cells, so that independent parts of the fibre have independent noise.
    pub fn is_product(&self) -> bool {
        !matches!(self, NoiseLaw::LatticeLaplace { .. })
    }
}

/// The operators of this version, by the names scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Free cells: independent draws.
    Independent,
    /// One total per block: the closed form of the double geometric and of the continuous laws.
    ClosedForm,
    /// Any product law on sums that join in a tree, or nearly: weights of sums up, totals down.
    Messages,
    /// Two-way tables: most rows by themselves, the last two completed and accepted by their weight.
    Divide,
    /// Any integer law on a fibre of few tables: all of them listed, one drawn by its weight.
    Enumerate,
    /// Any fibre: steps along short vectors of the lattice, and whole lines redrawn by messages.
    LatticeWalk,
    /// Gong and Meng's sampler: all free cells proposed at once.
    IndependenceWalk,
    /// Liu's sampler: all leaves proposed, summed upward.
    HierarchyWalk,
    /// Independent noise, then the nearest table by the ℓ₂ norm that keeps the totals.
    ProjectL2,
    /// The same under bounds and rules.
    ProjectNonnegative,
    /// Independent noise, then the nearest table by the ℓ₁ norm.
    ProjectL1,
    /// Independent noise, then nearest tables level by level, from the coarsest to the cells.
    TopDown,
}

impl Operator {
    /// The name scripts rely on.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Independent => "independent",
            Operator::ClosedForm => "closed-form",
            Operator::Messages => "messages",
            Operator::Divide => "divide",
            Operator::Enumerate => "enumerate",
            Operator::LatticeWalk => "lattice-walk",
            Operator::IndependenceWalk => "independence-walk",
            Operator::HierarchyWalk => "hierarchy-walk",
            Operator::ProjectL2 => "project-l2",
            Operator::ProjectNonnegative => "project-nonnegative",
            Operator::ProjectL1 => "project-l1",
            Operator::TopDown => "topdown",
        }
    }
}
