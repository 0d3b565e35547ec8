//! How far the noise of cells and of sums reaches with probability 90 %, where its law is the same
//! for every table.

use super::part::NoisyCells;
use super::profile::{Laws, Parts, parts_of, total_over};
use crate::planned::Plan;
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
    if plan.is_projected() {
        Some(NoReach::Projection)
    } else if plan.nonnegative {
        Some(NoReach::AtLeastZero)
    } else if !plan.rules.is_empty() {
        Some(NoReach::Rules)
    } else if plan.pinned {
        Some(NoReach::Pinned)
    } else if !plan.queries.is_empty() {
        Some(NoReach::NoisySums)
    } else if plan.walks().next().is_some() {
        Some(NoReach::Walk)
    } else if plan.blocks.iter().any(|planned| !planned.is_noise()) {
        Some(NoReach::Crossing)
    } else if !plan.law.is_integer() {
        Some(NoReach::TooWide)
    } else {
        None
    }
}

/// For every block of the plan the smallest q with P(|noise of a cell| ≤ q) ≥ 0.9. Other cells have
/// no noise.
pub fn cell_reach(plan: &Plan) -> Result<Vec<u32>, NoReach> {
    if let Some(reason) = not_told(plan) {
        return Err(reason);
    }
    let mut laws = Laws::new(&plan.law);
    let mut known: HashMap<NoisyCells, u32> = HashMap::new();
    let reach = plan.blocks.iter().map(|planned| {
        let part = NoisyCells::new(1, total_over(&planned.block.structure, planned.block.size));
        if let Some(reach) = known.get(&part) {
            return Ok(*reach);
        }
        let reach = reach_of(&mut laws, &Parts::from([(part, 1)]))?;
        known.insert(part, reach);
        Ok(reach)
    });
    reach.collect()
}

/// For every one of `groups` sums the smallest q with P(|noise of the sum| ≤ q) ≥ 0.9; cells belong
/// to sums by `group_of`, or to none ([`NO_GROUP`]).
pub fn group_reach(plan: &Plan, groups: usize, group_of: &[u32]) -> Result<Vec<u32>, NoReach> {
    if let Some(reason) = not_told(plan) {
        return Err(reason);
    }
    let mut laws = Laws::new(&plan.law);
    let mut known: HashMap<Vec<(NoisyCells, usize)>, u32> = HashMap::new();
    let parts = parts_of(plan, groups, |cell| Some(group_of[cell as usize]).filter(|group| *group != NO_GROUP));
    let reach = parts.iter().map(|parts| {
        let key: Vec<(NoisyCells, usize)> = parts.iter().map(|(part, count)| (*part, *count)).collect();
        if let Some(reach) = known.get(&key) {
            return Ok(*reach);
        }
        let reach = reach_of(&mut laws, parts)?;
        known.insert(key, reach);
        Ok(reach)
    });
    reach.collect()
}

fn reach_of(laws: &mut Laws<'_>, parts: &Parts) -> Result<u32, NoReach> {
    if parts.is_empty() {
        return Ok(0);
    }
    let law = laws.sum(parts).ok_or(NoReach::TooWide)?;
    u32::try_from(law.quantile(LEVEL)).map_err(|_| NoReach::TooWide)
}
