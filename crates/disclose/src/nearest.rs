//! How near two different tables of the fibre are known to be, from public values alone and within
//! limits of work.
//!
//! Cells that no total and no rule tells apart are one class, whose sum is one variable. A pair of
//! tables at the smallest distance differs in one part only (variables that rows tie together), and
//! there either by one unit between two cells of a class, or by a vector of the kernel of the
//! part's totals. Vectors are listed by length, and of each it is asked whether two tables of the
//! part differ by it: lengths that are done without one are ruled out, a pair that is found exists.
//! What is not decided within the limits is said to be not known. Proof:
//! `crates/certify/proofs/nearest.md`.

mod part;
mod search;

use crate::known::Known;
use analyse::{Analysis, Apart, Classes, Moves, Nearest};
use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};
use part::TablePart;
use search::{PairFound, Work};

/// Tables of more classes are not searched: only pairs that are seen at once are found.
const MOST_CLASSES: usize = 1 << 18;

/// Of more cells it is not asked which rules always hold with equality.
const MOST_TIED_CELLS: usize = 128;

/// The work of asking, in entries that are looked at.
const MOST_TIED_WORK: u64 = 200_000_000;

/// An analysis that says how near two tables are as far as the search for ranges can tell, and not
/// the steps between them alone.
pub fn with_nearest(analysis: Analysis, conditions: &Conditions, totals: &[Vec<i64>]) -> Analysis {
    let shortest = analysis.moves.nearest.first().map(|element| element.length);
    let pair = nearest(conditions, totals, shortest);
    Analysis { moves: Moves { pair, ..analysis.moves }, ..analysis }
}

/// Searches for the nearest pair of tables of counts with these totals, those that are pinned left
/// out: they say nothing about the confidential table. `shortest` is the length of the shortest
/// vector of the kernel that no total of zero rules out, where that is known.
fn nearest(conditions: &Conditions, totals: &[Vec<i64>], shortest: Option<u64>) -> Nearest {
    let least = shortest.unwrap_or(1);
    let own: Vec<(&Grouping, &[i64])> = conditions
        .invariants
        .iter()
        .zip(&conditions.pinned)
        .zip(totals)
        .filter(|((_, pinned), _)| pinned.is_none())
        .map(|((grouping, _), totals)| (grouping, totals.as_slice()))
        .collect();
    let rules = conditions.rules.iter().map(|rule| &rule.grouping);
    let classes = Classes::new(conditions.cells, own.iter().map(|(grouping, _)| *grouping).chain(rules));
    if let Some(seen) = at_once(conditions, &own, &classes) {
        return seen;
    }
    if classes.len() > MOST_CLASSES {
        return Nearest { at_least: least, found: None };
    }
    let mut rows = Vec::new();
    for (grouping, totals) in &own {
        let totals = totals.iter().map(|total| Relation::Equal.interval(*total));
        rows.extend(classes.sums(grouping).into_iter().zip(totals));
    }
    let always = always_equal(conditions, totals);
    for (index, rule) in conditions.rules.iter().enumerate() {
        let within = |group: usize| match always.get(index).and_then(|groups| groups[group]) {
            Some(value) if rule.relation != Relation::Equal => Relation::Equal.interval(value),
            _ => rule.relation.interval(rule.bound),
        };
        rows.extend(classes.sums(&rule.grouping).into_iter().zip((0..).map(within)));
    }
    let variables = classes.size.iter().map(|size| *size > 1).collect();
    among(TablePart::new(variables, rows).components(), least)
}

/// A pair that needs no search: a cell in no total and no rule, or two cells of a class that is
/// alone under its totals, where every class is in a total, so that nothing is nearer.
fn at_once(conditions: &Conditions, own: &[(&Grouping, &[i64])], classes: &Classes) -> Option<Nearest> {
    let group = |grouping: &Grouping, class: usize| {
        let group = grouping.group_of[classes.first_cell[class] as usize];
        (group != NO_GROUP).then_some(group as usize)
    };
    let count = |grouping: &Grouping| {
        let mut members = vec![0u32; grouping.groups()];
        (0..classes.len()).filter_map(|class| group(grouping, class)).for_each(|group| members[group] += 1);
        members
    };
    let members: Vec<Vec<u32>> = own.iter().map(|(grouping, _)| count(grouping)).collect();
    let ruled = |class: usize| conditions.rules.iter().any(|rule| group(&rule.grouping, class).is_some());
    let apart = |distance: u64| {
        let found = Some(Apart { l1: distance, l2_squared: distance });
        Some(Nearest { at_least: distance, found })
    };
    let (mut open, mut pair) = (false, false);
    for class in 0..classes.len() {
        let rows = || own.iter().enumerate().filter_map(|(at, (grouping, _))| Some((at, group(grouping, class)?)));
        let is_free = rows().next().is_none();
        if is_free && !ruled(class) {
            return apart(1);
        }
        open |= is_free;
        // The sum of a class that is alone in a row is that row's total, shared by the times that
        // it is taken.
        let alone = |(at, group): (usize, usize)| members[at][group] == 1 && own[at].1[group] != 0;
        pair |= classes.size[class] > 1 && !pair && !is_free && rows().all(alone) && !ruled(class);
    }
    if pair && !open { apart(2) } else { None }
}

/// The nearest pair of all parts: each is searched until no other can hold a nearer one.
fn among(parts: Vec<TablePart>, least: u64) -> Nearest {
    let mut bounded: Vec<(u64, TablePart)> = parts.into_iter().map(|part| (part.least().max(least), part)).collect();
    bounded.sort_by_key(|(bound, part)| (*bound, part.variables.len()));
    let mut work = Work::new();
    let (mut at_least, mut found) = (u64::MAX, None::<Apart>);
    for (bound, part) in bounded {
        let known = found.map_or(u64::MAX, |found| found.l1);
        // Lower bounds only grow from here: no other part holds a nearer pair.
        if bound >= known {
            break;
        }
        let PairFound { ruled_out_below, pair } = search::search(&part, bound, known.saturating_sub(1), &mut work);
        at_least = at_least.min(ruled_out_below);
        if let Some(pair) = pair.filter(|pair| pair.l1 < known) {
            found = Some(pair);
        }
    }
    // Where every part is known to be one table there is no pair; the bound that was known before
    // still holds.
    let at_least = if at_least == u64::MAX { found.map_or(least, |found| found.l1) } else { at_least };
    Nearest { at_least: at_least.min(found.map_or(u64::MAX, |found| found.l1)), found }
}

/// For every rule and group the value that its sum has in all tables, where that is proved: deaths
/// are all cases where their totals are the same. Only small tables are asked.
fn always_equal(conditions: &Conditions, totals: &[Vec<i64>]) -> Vec<Vec<Option<i64>>> {
    if conditions.rules.is_empty() || conditions.cells > MOST_TIED_CELLS {
        return Vec::new();
    }
    let known = Known::counts(conditions, totals);
    let work = MOST_TIED_WORK / conditions.rules.len() as u64;
    let of_rule = |rule: &RuleRows| match known.margin(&rule.grouping, work, &|_| {}) {
        Ok(margin) => margin.ranges.iter().map(|range| range.value()).collect(),
        Err(_) => vec![None; rule.grouping.groups()],
    };
    conditions.rules.iter().map(of_rule).collect()
}
