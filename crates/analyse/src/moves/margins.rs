//! What noisy margins and inequalities say about the cells of every class: the worst over the cells, class by class.

use super::Bounds;
use crate::system::System;
use declare::{Conditions, Grouping, NO_GROUP, Relation};

/// One noisy margin, seen from the classes.
pub(super) struct Margin {
    /// How often a cell of the class is taken, at most.
    pub unit: Vec<u64>,
    /// How far the margin moves, in all, when a unit moves from one cell of the class to another, at most.
    pub pair: Vec<u64>,
    /// How often a cell of the class is taken by a sum of its own, at least.
    pub own: Vec<u64>,
    /// Whether the totals alone determine the margin, so that no step moves it.
    pub is_kept: bool,
    /// The margin; without one every cell is its own.
    sums: Option<Grouping>,
}

impl Margin {
    /// How far the margin moves under one step, in all.
    pub(super) fn moved_by(&self, step: impl Iterator<Item = (u32, i64)>) -> u64 {
        let Some(sums) = &self.sums else {
            return step.map(|(_, amount)| amount.unsigned_abs()).sum();
        };
        let mut moved = std::collections::HashMap::new();
        for (cell, amount) in step {
            let group = sums.group_of[cell as usize];
            if group != NO_GROUP {
                *moved.entry(group).or_insert(0i64) += sums.taken(cell as usize) * amount;
            }
        }
        moved.values().map(|amount| amount.unsigned_abs()).sum()
    }
}

/// The margins that have noise.
pub(super) fn margins(conditions: &Conditions, system: &System) -> Vec<Margin> {
    let classes = system.classes.len();
    if conditions.queries.is_empty() {
        let all = |value: u64| vec![value; classes];
        return vec![Margin { unit: all(1), pair: all(2), own: all(1), is_kept: false, sums: None }];
    }
    conditions.queries.iter().map(|query| margin(&query.grouping, system)).collect()
}

fn margin(sums: &Grouping, system: &System) -> Margin {
    let mut members = vec![0u32; sums.groups()];
    sums.group_of.iter().filter(|group| **group != NO_GROUP).for_each(|group| members[*group as usize] += 1);
    let classes = system.classes.len();
    let mut unit = vec![0u64; classes];
    let mut own = vec![u64::MAX; classes];
    let mut range = vec![(i64::MAX, i64::MIN); classes];
    // The groups that the cells of a class lie in: the first met, whether another was, whether some are in none.
    let mut first = vec![NO_GROUP; classes];
    let mut another = vec![false; classes];
    let mut outside = vec![false; classes];
    for (cell, class) in system.classes.of_cell.iter().enumerate() {
        let (class, group) = (*class as usize, sums.group_of[cell]);
        if group == NO_GROUP {
            outside[class] = true;
            own[class] = 0;
            continue;
        }
        let taken = sums.taken(cell);
        unit[class] = unit[class].max(taken.unsigned_abs());
        own[class] = own[class].min(if members[group as usize] == 1 { taken.unsigned_abs() } else { 0 });
        range[class] = (range[class].0.min(taken), range[class].1.max(taken));
        another[class] |= first[class] != NO_GROUP && first[class] != group;
        first[class] = group;
    }
    let spread = |(least, most): (i64, i64)| if least <= most { most.abs_diff(least) } else { 0 };
    let pair = (0..classes)
        .map(|class| match (another[class], outside[class]) {
            (true, _) => 2 * unit[class],
            (false, true) => unit[class].max(spread(range[class])),
            (false, false) => spread(range[class]),
        })
        .collect();
    let is_kept = system.groupings.iter().any(|finer| coarsens(sums, finer));
    Margin { unit, pair, own, is_kept, sums: Some(sums.clone()) }
}

/// Whether every sum of `coarse` is a sum of totals of `fine`.
fn coarsens(coarse: &Grouping, fine: &Grouping) -> bool {
    if coarse.times.is_some() || fine.times.is_some() {
        return false;
    }
    let mut parent = vec![None; fine.groups()];
    coarse.group_of.iter().zip(&fine.group_of).all(|(outer, inner)| match *inner {
        NO_GROUP => *outer == NO_GROUP,
        inner => *parent[inner as usize].get_or_insert(*outer) == *outer,
    })
}

/// Which inequalities the cells of every class may run into.
pub(super) struct Inequalities {
    /// Whether a cell of the class has a bound of its own.
    bounded: Vec<bool>,
    /// Whether a cell of the class is in a rule with other cells that the totals do not determine.
    ruled: Vec<bool>,
    /// Whether cells of the class differ in such rules.
    parted: Vec<bool>,
}

impl Inequalities {
    /// A unit that enters or leaves the class.
    pub(super) fn of_unit(&self, class: u32) -> Bounds {
        self.bounds(self.ruled[class as usize], class)
    }

    /// A unit that moves inside the class.
    pub(super) fn of_pair(&self, class: u32) -> Bounds {
        self.bounds(self.parted[class as usize], class)
    }

    fn bounds(&self, is_tied: bool, class: u32) -> Bounds {
        match (is_tied, self.bounded[class as usize]) {
            (true, _) => Bounds::Tied,
            (false, true) => Bounds::Cells,
            (false, false) => Bounds::Free,
        }
    }
}

/// Reads the bounds and rules.
pub(super) fn inequalities(conditions: &Conditions, system: &System) -> Inequalities {
    let classes = system.classes.len();
    let mut found = Inequalities {
        bounded: vec![conditions.nonnegative; classes],
        ruled: vec![false; classes],
        parted: vec![false; classes],
    };
    for rule in conditions.rules.iter().filter(|rule| rule.relation != Relation::Equal) {
        let sums = &rule.grouping;
        let mut members = vec![0u32; sums.groups()];
        sums.group_of.iter().filter(|group| **group != NO_GROUP).for_each(|group| members[*group as usize] += 1);
        let is_kept = system.groupings.iter().any(|finer| coarsens(sums, finer));
        let mut first: Vec<Option<(u32, i64)>> = vec![None; classes];
        for (cell, class) in system.classes.of_cell.iter().enumerate() {
            let (class, group) = (*class as usize, sums.group_of[cell]);
            let alone = group != NO_GROUP && members[group as usize] == 1;
            found.bounded[class] |= alone;
            let key = if alone || group == NO_GROUP { (NO_GROUP, 0) } else { (group, sums.taken(cell)) };
            found.ruled[class] |= !is_kept && key.0 != NO_GROUP;
            let known = first[class].get_or_insert(key);
            found.parted[class] |= *known != key;
        }
    }
    found
}
