//! How far the noise of cells and sums of a plan reaches, for the columns of a released table:
//! where totals cross or sums are noisy.
//!
//! A function of the plan alone, with a fixed seed, so that whoever verifies a release finds the
//! same numbers. Laws that messages list are exact; the others are found by rank, whose coverage is
//! exact too (`proofs/rank.md`). What would take long is not told.

use crate::field::Field;
use crate::interval::reach_of;
use crate::query::Query;
use crate::rank::{RankDraws, reaches};
use declare::{Conditions, NO_GROUP};
use draw::{Law, NoiseLaw};
use plan::Plan;
use std::sync::{Arc, Mutex, PoisonError};

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
    let noise = NoiseOfPlan::new(plan, &field);
    if let Some(known) = noise.known(|known| known.cells.clone()) {
        return known;
    }
    let found = found_cells(plan, &field, &noise);
    noise.remember(|known| known.cells = Some(found.clone()));
    found
}

fn found_cells(plan: &Plan, field: &Field, noise: &NoiseOfPlan) -> Option<Reaches> {
    let laws = field.cell_laws().ok()?;
    let exact = |cell: usize| laws.of(cell as u32).map(|law: &Law| reach_of(law, 0, LEVEL));
    let known: Vec<Option<u64>> = (0..plan.cells).map(exact).collect();
    let query = |cell: usize| Query { name: String::new(), entries: vec![(cell as u32, 1)] };
    let missing: Vec<Query> = (0..plan.cells).filter(|cell| known[*cell].is_none()).map(query).collect();
    let (ranked, draws) = by_rank(plan, field, noise, missing)?;
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
    let (reach, draws) = by_rank(plan, &field, &NoiseOfPlan::new(plan, &field), sums)?;
    Some(Reaches { reach: reach.into_iter().map(u32::try_from).collect::<Result<_, _>>().ok()?, draws })
}

/// What laws and draws of a fixed seed depend on.
#[derive(Debug, Clone, PartialEq)]
struct NoiseOfPlan {
    law: NoiseLaw,
    conditions: Conditions,
    works: Vec<(&'static str, Vec<u32>)>,
}

/// The reaches of queries, and how many draws they were found among, if among some.
type ByRank = (Vec<u64>, Option<u64>);

/// What was found of a noise.
#[derive(Debug, Default)]
struct Found {
    /// The reach of its cells, or that it is not told.
    cells: Option<Option<Reaches>>,
    /// The draws that ranks are found among, where they are kept.
    tables: Option<Arc<RankDraws>>,
    sums: Vec<(Vec<Query>, ByRank)>,
}

/// What was found last: a release tells intervals, a report and a verification of the same noise,
/// and lists its laws and draws it once.
static FOUND: Mutex<Vec<(NoiseOfPlan, Found)>> = Mutex::new(Vec::new());
const MOST_FOUND: usize = 4;
/// The families of sums that are remembered of each.
const MOST_SUMS: usize = 64;

impl NoiseOfPlan {
    fn new(plan: &Plan, field: &Field) -> NoiseOfPlan {
        let works = plan.blocks.iter().map(|planned| (planned.operator(), planned.block.cells.clone()));
        NoiseOfPlan { law: plan.law.clone(), conditions: field.conditions.clone(), works: works.collect() }
    }

    /// What is known of it.
    fn known<T>(&self, of: impl FnOnce(&Found) -> Option<T>) -> Option<T> {
        let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().find(|(noise, _)| noise == self).and_then(|(_, found)| of(found))
    }

    fn remember(&self, what: impl FnOnce(&mut Found)) {
        let mut all = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|(noise, _)| noise == self).unwrap_or_else(|| {
            // Draws take memory: those of one noise are kept.
            all.iter_mut().for_each(|(_, found)| found.tables = None);
            if all.len() >= MOST_FOUND {
                all.remove(0);
            }
            all.push((self.clone(), Found::default()));
            all.len() - 1
        });
        what(&mut all[place].1);
    }
}

fn by_rank(plan: &Plan, field: &Field, noise: &NoiseOfPlan, queries: Vec<Query>) -> Option<ByRank> {
    if queries.is_empty() {
        return Some((Vec::new(), None));
    }
    let draws = plan.ranked_draws()?;
    let same = |found: &Found| found.sums.iter().find(|(known, _)| *known == queries).map(|(_, reach)| reach.clone());
    if let Some(known) = noise.known(same) {
        return Some(known);
    }
    let tables = match noise.known(|found| found.tables.clone()) {
        None => {
            let made = RankDraws::new(field, draws, SEED).ok()?.map(Arc::new);
            noise.remember(|found| found.tables = made.clone());
            made
        }
        known => known,
    };
    let named: Vec<&Query> = queries.iter().collect();
    let (reach, draws) = match tables {
        Some(tables) => tables.reaches(&named, LEVEL, draws).ok()?,
        None => reaches(field, &named, LEVEL, draws, SEED).ok()?,
    };
    let reach = (reach, Some(draws));
    noise.remember(|found| {
        if found.sums.len() >= MOST_SUMS {
            found.sums.clear();
        }
        found.sums.push((queries, reach.clone()));
    });
    Some(reach)
}

/// The noise of a plan by itself: around a table of zeros, all whose totals are zero.
fn field_of(plan: &Plan, conditions: &Conditions) -> Option<Field> {
    plan.reaches_are_told().then(|| Field::of_noise(plan, conditions).ok()).flatten()
}
