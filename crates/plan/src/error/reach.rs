//! How far the noise of cells and of sums reaches with probability 90 %, where its law is the same
//! for every table.

use super::part::NoisyCells;
use super::profile::{Laws, Parts, parts_of, total_over};
use crate::planned::{Plan, PlannedBlock};
use declare::NO_GROUP;
use std::collections::HashMap;

/// The probability with which |noise| stays within the reach.
const LEVEL: f64 = 0.9;

/// Why the noise of a cell has no reach that could be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoReach {
    /// Counts are kept at or above zero: the law depends on the table.
    AtLeastZero,
    /// Rules bind the release: the law depends on the table.
    Rules,
    /// Totals are pinned to published values: the law depends on the table.
    Pinned,
    /// The noise lies on sums of cells.
    NoisySums,
    /// Totals cross: the law is the same for every table, but it is not tabulated.
    Crossing,
    /// The release is a projection: the law of its errors is not known.
    Projection,
    /// A walk draws it: the law is the same for every table, but it is not tabulated.
    Walk,
    /// The law is too wide to tabulate.
    TooWide,
}

impl NoReach {
    /// The reason, as the end of a sentence that begins with `because`.
    pub fn in_words(self) -> &'static str {
        match self {
            NoReach::AtLeastZero => {
                "counts are kept at or above zero, so that how far noise can move a count depends on the confidential count itself"
            }
            NoReach::Rules => {
                "rules bind the release, so that how far noise can move a count depends on the confidential counts themselves"
            }
            NoReach::Pinned => {
                "totals are pinned to published values, so that how far a count moves depends on the confidential counts themselves"
            }
            NoReach::NoisySums => "the noise lies on sums of cells, and the law of single cells is not tabulated",
            NoReach::Crossing => {
                "exact totals cross or are tied together, and the law of single cells is not tabulated"
            }
            NoReach::Projection => {
                "the noisy figures were projected onto what is exact, and the errors of a projection have no known law"
            }
            NoReach::Walk => "a walk draws the noise, and the law of single cells is not tabulated",
            NoReach::TooWide => "the noise is so wide that its law is not tabulated",
        }
    }
}

/// Why nothing is told about the reach of noise in this plan, if so.
fn not_told(plan: &Plan) -> Option<NoReach> {
    let reasons = [
        (plan.is_projected(), NoReach::Projection),
        (plan.nonnegative, NoReach::AtLeastZero),
        (!plan.rules.is_empty(), NoReach::Rules),
        (plan.pinned, NoReach::Pinned),
        (!plan.queries.is_empty(), NoReach::NoisySums),
        (plan.walks().next().is_some(), NoReach::Walk),
        (plan.blocks.iter().any(|planned| !planned.is_noise()), NoReach::Crossing),
        (!plan.law.is_integer(), NoReach::TooWide),
    ];
    reasons.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}

/// For every block of the plan the smallest q with P(|noise of a cell| ≤ q) ≥ 0.9. Other cells have
/// no noise.
pub fn cell_reach(plan: &Plan) -> Result<Vec<u32>, NoReach> {
    reaches(plan, || {
        let part =
            |planned: &PlannedBlock| NoisyCells::new(1, total_over(&planned.block.structure, planned.block.size));
        plan.blocks.iter().map(|planned| Parts::from([(part(planned), 1)])).collect()
    })
}

/// For every one of `groups` sums the smallest q with P(|noise of the sum| ≤ q) ≥ 0.9; cells belong
/// to sums by `group_of`, or to none ([`NO_GROUP`]).
pub fn group_reach(plan: &Plan, groups: usize, group_of: &[u32]) -> Result<Vec<u32>, NoReach> {
    let group = |cell: u32| Some(group_of[cell as usize]).filter(|group| *group != NO_GROUP);
    reaches(plan, || parts_of(plan, groups, group))
}

/// The reach of every sum of parts; equal ones are found once.
fn reaches(plan: &Plan, sums: impl FnOnce() -> Vec<Parts>) -> Result<Vec<u32>, NoReach> {
    if let Some(reason) = not_told(plan) {
        return Err(reason);
    }
    let mut laws = Laws::new(&plan.law);
    let mut known: HashMap<Parts, u32> = HashMap::new();
    let reach = sums().into_iter().map(|parts| {
        if let Some(reach) = known.get(&parts) {
            return Ok(*reach);
        }
        let reach = match parts.is_empty() {
            true => 0,
            false => {
                laws.sum(&parts).and_then(|law| u32::try_from(law.quantile(LEVEL)).ok()).ok_or(NoReach::TooWide)?
            }
        };
        known.insert(parts, reach);
        Ok(reach)
    });
    reach.collect()
}
