//! `Loss`: what the release costs, exactly, in the declared unit: theorems G1 (pure) and G2 (zCDP), equalities only.

use crate::concentrated::epsilon_at;
use analyse::Nearest;
use declare::{Mechanism, Per, Strength};
use draw::NoiseLaw;
use exact::Rational;

/// The ε that a zCDP loss implies is stated at a δ of one in so many.
pub const STATED_DELTA: u32 = 1_000_000;

fn stated_delta() -> Rational {
    Rational::new(1, STATED_DELTA)
}

/// Which privacy definition the loss is stated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// Pure differential privacy.
    Pure,
    /// Zero-concentrated differential privacy.
    ZeroConcentrated,
}

impl Definition {
    /// The definition in words, as certificates and scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            Definition::Pure => "pure differential privacy",
            Definition::ZeroConcentrated => "zero-concentrated differential privacy",
        }
    }
}

/// The privacy loss of a release, for pairs of tables with the same totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The definition.
    pub definition: Definition,
    /// ε in the declared unit; absent for zCDP.
    pub epsilon: Option<Rational>,
    /// δ: zero for pure loss; for zCDP the δ at which `epsilon_at_delta` is stated.
    pub delta: Option<Rational>,
    /// ρ in the declared unit; absent for pure loss.
    pub rho: Option<Rational>,
    /// For zCDP: an ε, rounded up, that one unit of ρ implies at `delta`.
    pub epsilon_at_delta: Option<Rational>,
    /// What the loss is per, for example `unit of l1 distance`.
    pub unit: &'static str,
    /// The price of inequalities: zero, there are none.
    pub gamma: Rational,
    /// What rounding adds: zero, the operators are exact.
    pub rounding: Rational,
    /// The nearest pair of different tables with the same totals, and its loss.
    pub nearest: NearestLoss,
}

/// The loss of the nearest pair of different tables with the same totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLoss {
    /// Their ℓ₁ distance.
    pub distance: u64,
    /// ε of that pair; absent for zCDP.
    pub epsilon: Option<Rational>,
    /// ρ of that pair; absent for pure loss.
    pub rho: Option<Rational>,
    /// For zCDP: an ε, rounded up, that the pair's ρ implies at the loss's δ.
    pub epsilon_at_delta: Option<Rational>,
}

/// The loss of conditioning on equalities: no extra cost, because the normaliser does not depend on the table.
pub(crate) fn loss(mechanism: &Mechanism, law: &NoiseLaw, nearest: Nearest) -> Loss {
    let zero = Rational::integer(0);
    let (epsilon, rho) = match &mechanism.strength {
        Strength::Epsilon(value) => (Some(value.clone()), None),
        Strength::Rho(value) => (None, Some(value.clone())),
    };
    let (definition, unit) = match (&mechanism.strength, mechanism.per) {
        (Strength::Epsilon(_), Per::Unit) => (Definition::Pure, "unit of l1 distance"),
        (Strength::Epsilon(_), Per::Record) => (Definition::Pure, "replaced record"),
        (Strength::Rho(_), Per::Unit) => (Definition::ZeroConcentrated, "unit of l2 distance"),
        (Strength::Rho(_), Per::Record) => (Definition::ZeroConcentrated, "replaced record"),
    };
    let (pair_epsilon, pair_rho) = match law {
        NoiseLaw::DoubleGeometric { epsilon } | NoiseLaw::Laplace { epsilon } => {
            (Some(&Rational::integer(nearest.l1) * epsilon), None)
        }
        NoiseLaw::DiscreteGaussian { variance } | NoiseLaw::Gaussian { variance } => {
            (None, Some(&Rational::integer(nearest.l2_squared) / &(&Rational::integer(2) * variance)))
        }
    };
    let implied = |rho: &Option<Rational>| rho.as_ref().map(|rho| epsilon_at(rho, &stated_delta()));
    Loss {
        definition,
        delta: Some(if rho.is_some() { stated_delta() } else { zero.clone() }),
        epsilon_at_delta: implied(&rho),
        epsilon,
        rho,
        unit,
        gamma: zero.clone(),
        rounding: zero,
        nearest: NearestLoss {
            distance: nearest.l1,
            epsilon: pair_epsilon,
            epsilon_at_delta: implied(&pair_rho),
            rho: pair_rho,
        },
    }
}
