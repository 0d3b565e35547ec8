//! Which variance theory gives to a cell, by method, law of the noise and size of the group whose
//! total is kept.

use crate::{conditional, zhu};
use draw::{Growth, NoiseLaw};

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

/// The variance of a cell in a group of `cells` cells whose total is kept, where a formula is
/// known.
///
/// Contract: the cell is in one total alone, and nothing else constrains the release.
pub fn variance(method: Method, law: &NoiseLaw, cells: u64) -> Option<f64> {
    match method {
        Method::Unconstrained => law.variance(),
        Method::Projection => law.variance().map(|of_noise| zhu::variance(of_noise, cells)),
        Method::Conditioning => match (law.growth(), law.is_integer()) {
            (Growth::Absolute, true) => Some(conditional::double_geometric_variance(law.parameter(), cells)),
            (Growth::Absolute, false) => Some(conditional::laplace(&law.parameter().reciprocal()?, cells).to_f64()),
            (Growth::Square, false) => Some(conditional::gaussian(law.parameter(), cells).to_f64()),
            _ => None,
        },
    }
}
