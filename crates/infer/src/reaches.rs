//! How far the noise of cells and sums of a plan reaches, for the columns of a released table:
//! where totals cross or sums are noisy.
//!
//! A function of the plan alone, with a fixed seed, so that whoever verifies a release finds the
//! same numbers. Laws that messages list are exact; the others are found by rank, whose coverage is
//! exact too (`proofs/rank.md`). What would take long is not told.

use crate::field::Field;
use crate::interval::reach_of;
use crate::query::Query;
use crate::rank::reaches;
use declare::{Conditions, NO_GROUP};
use draw::{Law, NoiseLaw};
use plan::Plan;
use std::sync::{Mutex, PoisonError};

/// The level of the columns.
const LEVEL: f64 = 0.9;
/// The seed of the draws: public, and independent of every release.
const SEED: u64 = 0x0090_0090;
/// How far noise reaches, and how that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaches {
    /// For every cell or sum the reach.
    pub reach: Vec<u32>,
    /// The fresh draws that ranks were found among, where some were.
    pub draws: Option<u64>,
}

/// The reach of every cell of a plan without bounds; `None` where it would take long.
pub fn cell_reaches(plan: &Plan, conditions: &Conditions) -> Option<Reaches> {
    let field = field_of(plan, conditions)?;
    let laws = field.cell_laws().ok()?;
    let exact = |cell: usize| laws.of(cell as u32).map(|law: &Law| reach_of(law, 0, LEVEL));
    let known: Vec<Option<u64>> = (0..plan.cells).map(exact).collect();
    let query = |cell: usize| Query { name: String::new(), entries: vec![(cell as u32, 1)] };
    let missing: Vec<Query> = (0..plan.cells).filter(|cell| known[*cell].is_none()).map(query).collect();
    let (ranked, draws) = by_rank(plan, &field, missing)?;
    let mut ranked = ranked.into_iter();
    let reach = known.into_iter().map(|known| u32::try_from(known.or_else(|| ranked.next())?).ok());
    Some(Reaches { reach: reach.collect::<Option<_>>()?, draws })
}

/// The reach of sums of a plan without bounds, by rank; `None` where it would take long.
pub fn group_reaches(plan: &Plan, conditions: &Conditions, groups: usize, group_of: &[u32]) -> Option<Reaches> {
    let field = field_of(plan, conditions)?;
    let mut sums: Vec<Query> = vec![Query { name: String::new(), entries: Vec::new() }; groups];
    for (cell, group) in group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
        sums[*group as usize].entries.push((cell as u32, 1));
    }
    let (reach, draws) = by_rank(plan, &field, sums)?;
    Some(Reaches { reach: reach.into_iter().map(u32::try_from).collect::<Result<_, _>>().ok()?, draws })
}

/// What draws of a fixed seed depend on, and what was found among them.
struct Found {
    law: NoiseLaw,
    conditions: Conditions,
    works: Vec<(&'static str, Vec<u32>)>,
    queries: Vec<Query>,
    reach: (Vec<u64>, Option<u64>),
}

/// What was found last: a release tells intervals, a report and a verification of the same noise.
static FOUND: Mutex<Vec<Found>> = Mutex::new(Vec::new());
const MOST_FOUND: usize = 4;

fn by_rank(plan: &Plan, field: &Field, queries: Vec<Query>) -> Option<(Vec<u64>, Option<u64>)> {
    if queries.is_empty() {
        return Some((Vec::new(), None));
    }
    let draws = plan.ranked_draws()?;
    let works = plan.blocks.iter().map(|planned| (planned.operator(), planned.block.cells.clone()));
    let works: Vec<(&'static str, Vec<u32>)> = works.collect();
    let (law, conditions) = (plan.law.clone(), field.conditions.clone());
    let same = |found: &&Found| {
        found.law == law && found.conditions == conditions && found.works == works && found.queries == queries
    };
    let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = found().iter().find(same) {
        return Some(known.reach.clone());
    }
    let named: Vec<&Query> = queries.iter().collect();
    let (reach, draws) = reaches(field, &named, LEVEL, draws, SEED).ok()?;
    let reach = (reach, Some(draws));
    let mut found = found();
    if found.len() >= MOST_FOUND {
        found.remove(0);
    }
    found.push(Found { law, conditions, works, queries, reach: reach.clone() });
    Some(reach)
}

/// The noise of a plan by itself: around a table of zeros, all whose totals are zero.
fn field_of(plan: &Plan, conditions: &Conditions) -> Option<Field> {
    plan.reaches_are_told().then(|| Field::of_noise(plan, conditions).ok()).flatten()
}
