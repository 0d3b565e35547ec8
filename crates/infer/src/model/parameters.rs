//! `Parameters`: what a model says of tables given its parameters, and of its parameters given a table.

use exact::Stream;

/// The parameters of a model, as the steps of a chain need them.
///
/// Counts of cells are Poisson with means exposure·rate, the rate being that of the group of the cell. A model says what the sum of a
/// group weighs beside exposures^x/x! (`log_factor`), and draws its parameters given the sums of all groups (`update`).
pub(crate) trait Parameters: Sync {
    /// Where a chain begins, spread wider than the posterior.
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64>;

    /// The logarithm of what the sum of a group weighs; linear in the sum unless rates are integrated out.
    fn log_factor(&self, state: &[f64], group: usize, sum: i64) -> f64;

    /// Whether that changes from step to step.
    fn changes(&self) -> bool;

    /// Parameters given the sums of groups.
    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream);

    /// The logarithms of the rates of all groups.
    fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]);

    /// The names of parameters that are told beside rates.
    fn names(&self) -> Vec<String>;

    /// Their values.
    fn values(&self, state: &[f64]) -> Vec<f64>;
}
