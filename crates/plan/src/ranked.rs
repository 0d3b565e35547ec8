//! How far noise reaches where its law is not tabulated: whether that is told, and among how many
//! fresh draws it is found. A function of the plan, so that every release with it is told the same.

use crate::planned::Plan;
use draw::Exactness;

/// The draws that reaches are found among, and fewer where each takes long.
const DRAWS: [u64; 2] = [9_999, 999];
/// A plan that takes longer, or has more cells, is not told.
const MOST_SECONDS: f64 = 2.0;
const MOST_CELLS: usize = 20_000;
/// All draws together may take so long, as operators are compared, and so much longer by what was
/// measured since.
const MOST_COMPARED: f64 = 20.0;
const MOST_BEYOND: f64 = 5.0;

impl Plan {
    /// Whether the noise is the same around every table and quick enough to be studied: laws of its
    /// cells are listed, or ranks found among fresh draws.
    pub fn reaches_are_told(&self) -> bool {
        let bounded = self.nonnegative || self.pinned || !self.rules.is_empty();
        let quick = self.compared_seconds() <= MOST_SECONDS && self.cells <= MOST_CELLS;
        let exact = self.walks().next().is_none() && self.exactness() == Exactness::Exact;
        !bounded && quick && exact
    }

    /// Among how many fresh draws reaches are found by rank; `None` where that would take long.
    pub fn ranked_draws(&self) -> Option<u64> {
        let prospects = self.blocks.iter().map(|planned| planned.work.prospect());
        let beyond: f64 = prospects.map(|prospect| (prospect.again_seconds - prospect.seconds).max(0.0)).sum();
        let compared = self.compared_seconds() * DRAWS[0] as f64;
        DRAWS.into_iter().find(|draws| beyond * *draws as f64 <= MOST_BEYOND).filter(|_| compared <= MOST_COMPARED)
    }

    /// The draws that the interval columns of a release need, where they need some, and the seconds
    /// that these are predicted to take on one core.
    pub fn interval_draws(&self) -> Option<(u64, f64)> {
        let lists = self.blocks.iter().all(|planned| planned.work.lists_laws());
        let draws = self.ranked_draws().filter(|_| !lists && self.reaches_are_told() && !self.is_projected())?;
        let again: f64 = self.blocks.iter().map(|planned| planned.work.prospect().again_seconds).sum();
        Some((draws, draws as f64 * again))
    }
}
