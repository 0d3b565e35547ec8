//! How far noise reaches where its law is not tabulated: whether that is told, and among how many
//! fresh draws it is found. A function of the plan, so that every release with it is told the same.

use crate::planned::Plan;
use draw::{Exactness, Listing, listed};

/// The draws that reaches are found among, and fewer where each takes long.
const DRAWS: [u64; 2] = [9_999, 999];
/// A plan that takes longer, or has more cells, is not told.
const MOST_SECONDS: f64 = 2.0;
const MOST_CELLS: usize = 20_000;
/// All draws together may take so long, as operators are compared, and so much longer by what was
/// measured since.
const MOST_COMPARED: f64 = 20.0;
const MOST_BEYOND: f64 = 5.0;

/// The report has reaches of sums where all of them are predicted to take no more seconds, as
/// operators are compared.
const MOST_RANKED: f64 = 3.0;
/// Draws are kept for all ranks of a noise where they have no more values; others are made again
/// for every family of sums.
pub const MOST_KEPT_VALUES: u64 = 1 << 25;
/// What a value of a draw takes, as it is made and as it is kept.
const KEPT_BYTES: f64 = 8.0;

/// What the intervals of a release need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalWork {
    /// The draws that ranks are found among, where some are.
    pub draws: Option<u64>,
    /// The predicted seconds of listing laws, on one core.
    pub listing_seconds: f64,
    /// The predicted seconds of the draws.
    pub draws_seconds: f64,
    /// The predicted bytes of memory.
    pub bytes: f64,
}

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

    /// What listing the laws of its cells is predicted to take, of blocks whose laws are listed.
    pub fn listing(&self) -> Listing {
        listed(self.blocks.iter().map(|planned| planned.work.as_ref())).1
    }

    /// Whether the reaches of so many families of sums are found among draws for the report.
    pub fn sums_are_ranked(&self, families: usize) -> bool {
        self.compared_seconds() <= MOST_RANKED / (families.max(1) as f64 * DRAWS[0] as f64)
    }

    /// What the intervals of a release need besides its draw, where they need something: the laws
    /// that are listed, and the draws that ranks are found among, all of which are made once.
    pub fn interval_work(&self) -> Option<IntervalWork> {
        let tabulated = self.queries.is_empty() && self.blocks.iter().all(|planned| planned.is_noise());
        if tabulated || self.is_projected() || !self.reaches_are_told() {
            return None;
        }
        let (fits, listing) = listed(self.blocks.iter().map(|planned| planned.work.as_ref()));
        let lists = self.blocks.iter().zip(fits).all(|(planned, fits)| fits && planned.work.lists_laws());
        let draws = self.ranked_draws().filter(|_| !lists || self.sums_are_ranked(1));
        let again: f64 = self.blocks.iter().map(|planned| planned.work.prospect().again_seconds).sum();
        let values = draws.map_or(0, |draws| (draws * self.cells as u64).min(MOST_KEPT_VALUES));
        Some(IntervalWork {
            draws,
            listing_seconds: listing.seconds,
            draws_seconds: draws.map_or(0.0, |draws| draws as f64 * again),
            bytes: listing.peak_bytes().max(KEPT_BYTES * values as f64),
        })
    }
}
