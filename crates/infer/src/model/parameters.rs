//! `Parameters`: what a model says of tables given its parameters, and of its parameters given a
//! table.

use crate::knowledge::log_rising;
use exact::Stream;

/// ln of slope^sum, from the first sum on.
pub(crate) fn linear(slope: f64, first: i64, factors: &mut [f64]) {
    (first..).zip(factors).for_each(|(sum, factor)| *factor = slope * sum as f64);
}

/// ln of Γ(shape + sum)/Γ(shape)·e^{slope·sum}, from the first sum on; every Γ from the one before.
pub(crate) fn rising(shape: f64, slope: f64, first: i64, factors: &mut [f64]) {
    let mut log = log_rising(shape, first as f64) + first as f64 * shape.ln();
    for (sum, factor) in (first..).zip(factors) {
        *factor = log + slope * sum as f64;
        log += (shape + sum as f64).ln();
    }
}

/// The parameters of a model, as the steps of a chain need them.
///
/// Counts of cells are Poisson with means exposure·rate, the rate being that of the group of the
/// cell. A model says what the sum of a group weighs beside exposures^x/x! (`log_factors`), and
/// draws its parameters given the sums of all groups (`update`).
pub(crate) trait Parameters: Sync {
    /// Where a chain begins, spread wider than the posterior.
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64>;

    /// The logarithms of what sums of a group weigh, from the first on; linear in the sum unless
    /// rates are integrated out.
    fn log_factors(&self, state: &[f64], group: usize, first: i64, factors: &mut [f64]);

    /// Whether that changes from step to step.
    fn changes(&self) -> bool {
        true
    }

    /// Parameters given the sums of groups.
    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream);

    /// What an update takes, about: counted, not measured, so that what follows from it is the same
    /// on every machine.
    fn seconds(&self) -> f64;

    /// The logarithms of the rates of all groups.
    fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]);

    /// The names of parameters that are told beside rates: logarithms, so that they have moments.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Their values.
    fn values(&self, _: &[f64]) -> Vec<f64> {
        Vec::new()
    }
}
