//! Which variance theory gives to a cell, by method, law of the noise and size of the group whose total is kept.

use crate::{conditional, zhu};
use draw::NoiseLaw;

/// What was done with the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Nothing: totals are broken.
    Unconstrained,
    /// The noise given that it keeps the totals.
    Conditioning,
    /// The nearest real-valued table with these totals, negative counts allowed.
    Projection,
}

/// The variance of the noise in one cell before anything is done with it; `None` for laws that are not of single cells.
pub fn variance_of_noise(law: &NoiseLaw) -> Option<f64> {
    match law {
        NoiseLaw::DoubleGeometric { epsilon } => Some(0.5 / (epsilon.to_f64() / 2.0).sinh().powi(2)),
        NoiseLaw::Laplace { epsilon } => Some(2.0 / epsilon.to_f64().powi(2)),
        NoiseLaw::Gaussian { variance } => Some(variance.to_f64()),
        NoiseLaw::DiscreteGaussian { .. } => {
            crate::measure::noise_atoms(law).map(|atoms| atoms.iter().map(|(value, share)| share * value * value).sum())
        }
        NoiseLaw::LatticeLaplace { .. } => None,
    }
}

/// The variance of a cell in a group of `cells` cells whose total is kept, where a formula is known.
///
/// Contract: the cell is in one total alone, and nothing else constrains the release.
pub fn variance(method: Method, law: &NoiseLaw, cells: u64) -> Option<f64> {
    match (method, law) {
        (Method::Unconstrained, _) => variance_of_noise(law),
        (Method::Projection, _) => variance_of_noise(law).map(|of_noise| zhu::variance(of_noise, cells)),
        (Method::Conditioning, NoiseLaw::DoubleGeometric { epsilon }) => {
            Some(conditional::double_geometric_variance(epsilon, cells))
        }
        (Method::Conditioning, NoiseLaw::Laplace { epsilon }) => {
            Some(conditional::laplace(&epsilon.reciprocal()?, cells).to_f64())
        }
        (Method::Conditioning, NoiseLaw::Gaussian { variance }) => {
            Some(conditional::gaussian(variance, cells).to_f64())
        }
        (Method::Conditioning, NoiseLaw::DiscreteGaussian { .. } | NoiseLaw::LatticeLaplace { .. }) => None,
    }
}
