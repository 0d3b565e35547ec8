//! `Ground`: what rows over a block need to know about the rest of the table, and the rows of a
//! block.

use crate::sums::{Demand, FibreRow};
use crate::union::gathered;
use declare::{Cell, Conditions, Grouping, Kind, NO_GROUP, Problem, Relation};
use exact::Rational;
use std::collections::HashMap;

/// What rows over a block need to know about the rest of the table.
#[derive(Debug, Clone)]
pub struct Ground {
    /// A table of fractions that has all totals: every class's sum on its first cell. Sums over a
    /// block of what the invariants sum there are the same in every table of the fibre, so this one
    /// tells them.
    particular: HashMap<u32, Rational>,
    /// For every rule what the fixed cells add to its groups.
    rules: Vec<HashMap<u32, i64>>,
    /// For every query what the fixed cells add to its groups.
    queries: Vec<HashMap<u32, i64>>,
    /// Whether some totals are pinned to values that are not the table's own.
    pinned: bool,
}

impl Ground {
    /// From the sums of classes (on their first cells) and the cells that the invariants determine.
    pub fn new(conditions: &Conditions, particular: &[(Cell, Rational)], fixed: &[(Cell, i64)]) -> Ground {
        let sums = |grouping: &Grouping| {
            let mut sums: HashMap<u32, i64> = HashMap::new();
            for (cell, value) in fixed.iter().filter(|(cell, _)| grouping.group_of[*cell] != NO_GROUP) {
                *sums.entry(grouping.group_of[*cell]).or_default() += value * grouping.taken(*cell);
            }
            sums
        };
        Ground {
            particular: particular.iter().map(|(cell, value)| (*cell as u32, value.clone())).collect(),
            rules: conditions.rules.iter().map(|rule| sums(&rule.grouping)).collect(),
            queries: conditions.queries.iter().map(|query| sums(&query.grouping)).collect(),
            pinned: conditions.pinned.iter().any(Option::is_some),
        }
    }

    /// Whether fixed cells in a noisy sum may have other values than in the confidential table, so
    /// that the noise of the one free cell beside them is not centred on its own count.
    pub(crate) fn moves_centre(&self, query: u32, group: u32) -> bool {
        self.pinned && self.queries[query as usize].contains_key(&group)
    }

    /// The sum of these cells of a block, if the totals determine it: such a sum is the same in
    /// every table of the fibre.
    ///
    /// # Errors
    /// Infeasible when the totals ask for a sum that no integers have.
    pub fn sum(&self, cells: &[u32]) -> Result<i64, Problem> {
        let entries: Vec<(u32, i64)> = (0..cells.len() as u32).map(|place| (place, 1)).collect();
        self.inside(&entries, cells)
    }

    /// The value that a sum of the invariants has on the block's cells.
    fn inside(&self, entries: &[(u32, i64)], cells: &[u32]) -> Result<i64, Problem> {
        let zero = Rational::integer(0);
        let sum =
            entries.iter().fold(zero, |sum, (position, times)| match self.particular.get(&cells[*position as usize]) {
                Some(value) => &sum + &(value * &Rational::integer(*times)),
                None => sum,
            });
        let whole = if sum.is_integer() { i64::try_from(sum.numerator()).ok() } else { None };
        whole.ok_or_else(|| {
            Problem::new(
                Kind::Infeasible,
                format!("the totals imply that some cells add up to {sum}: no table of counts has these totals"),
            )
        })
    }
}

/// The rows that touch the block, over the block's own cell positions.
pub(crate) fn collect(conditions: &Conditions, ground: &Ground, cells: &[u32]) -> Result<Vec<FibreRow>, Problem> {
    let mut rows = Vec::new();
    for grouping in &conditions.invariants {
        for (_, entries) in members(grouping, cells) {
            let demand = Demand::Equal(ground.inside(&entries, cells)?);
            rows.push(FibreRow { entries, demand });
        }
    }
    for (rule, fixed) in conditions.rules.iter().zip(&ground.rules) {
        for (group, entries) in members(&rule.grouping, cells) {
            let bound = rule.bound - fixed.get(&group).copied().unwrap_or(0);
            let demand = match rule.relation {
                relation @ (Relation::AtMost | Relation::AtLeast) => Demand::of(relation, bound),
                // The analysed system has these rows too: their part inside the block has one
                // value.
                Relation::Equal => Demand::Equal(ground.inside(&entries, cells)?),
            };
            rows.push(FibreRow { entries, demand });
        }
    }
    for (query, (rows_of, fixed)) in conditions.queries.iter().zip(&ground.queries).enumerate() {
        for (group, entries) in members(&rows_of.grouping, cells) {
            let fixed = fixed.get(&group).copied().unwrap_or(0);
            rows.push(FibreRow { entries, demand: Demand::Noisy { query: query as u32, group, fixed } });
        }
    }
    Ok(rows)
}

/// The groups of a grouping that have cells in the block, in order of first cell, with those cells
/// and their coefficients.
pub(crate) fn members(grouping: &Grouping, cells: &[u32]) -> Vec<(u32, Vec<(u32, i64)>)> {
    let taken = (0..)
        .zip(cells)
        .map(|(place, cell)| (grouping.group_of[*cell as usize], (place, grouping.taken(*cell as usize))));
    gathered(taken.filter(|(group, _)| *group != NO_GROUP))
}

/// `times·y ≥ bound` as a bound of y.
pub(crate) fn bind((low, high): &mut (Option<i64>, Option<i64>), times: i64, bound: i64) {
    if times > 0 {
        let least = bound.div_euclid(times) + i64::from(bound.rem_euclid(times) != 0);
        *low = Some(low.map_or(least, |low| low.max(least)));
    } else {
        let most = (-bound).div_euclid(-times);
        *high = Some(high.map_or(most, |high| high.min(most)));
    }
}
