//! What noisy margins and inequalities say about the cells of every class: the worst over the
//! cells, class by class.

use super::Bounds;
use super::ties::{Sum, Ties};
use crate::classes::by_key;
use crate::number::{Number, ZERO};
use crate::system::System;
use declare::{Conditions, Grouping, NO_GROUP, Relation};

/// One noisy margin, seen from the classes.
pub(super) struct Margin {
    /// How often a cell of the class is taken by a sum that the totals do not determine, at most.
    pub unit: Vec<u64>,
    /// How far the margin moves, in all, when a unit moves from one cell of the class to another,
    /// at most.
    pub pair: Vec<u64>,
    /// How far sums that move as a cell of the class does, modulo the totals, move with the least
    /// step of that cell: all together, at least.
    pub own: Vec<u64>,
    /// Whether every cell of the class is taken equally often by such sums.
    pub even: Vec<bool>,
    /// The margin; without one every cell is its own.
    sums: Option<Grouping>,
}

impl Margin {
    /// Whether it is the noise of every single cell.
    pub(super) fn is_of_cells(&self) -> bool {
        self.sums.is_none()
    }

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

/// The margins that have noise. Without `ties` nothing is known of sums that totals determine.
pub(super) fn margins(conditions: &Conditions, system: &System, ties: Option<&Ties>) -> Vec<Margin> {
    if conditions.queries.is_empty() {
        return vec![every_cell(system, ties)];
    }
    conditions.queries.iter().map(|query| margin(&query.grouping, system, ties)).collect()
}

/// The margin of single cells.
fn every_cell(system: &System, ties: Option<&Ties>) -> Margin {
    let classes = system.classes.len();
    let mut own = vec![1; classes];
    if let Some(ties) = ties {
        let mut strength = Strength::new(ties, 0);
        for class in 0..classes as u32 {
            if let Some(along) = ties.along(class) {
                strength.add_direction(along.direction, along.times);
            }
        }
        for (class, own) in own.iter_mut().enumerate() {
            if ties.is_pair(class as u32) {
                *own = 2;
            } else if ties.along(class as u32).is_some() {
                *own = strength.of_single(class as u32);
            }
        }
    }
    Margin { unit: vec![1; classes], pair: vec![2; classes], own, even: vec![true; classes], sums: None }
}

/// How far sums move that are tied to cells.
struct Strength<'a> {
    ties: &'a Ties<'a>,
    cells: Vec<u64>,
    directions: Vec<Number>,
}

impl<'a> Strength<'a> {
    fn new(ties: &'a Ties<'a>, cells: usize) -> Strength<'a> {
        Strength { ties, cells: vec![0; cells], directions: vec![ZERO; ties.directions()] }
    }

    fn add(&mut self, sum: &Sum) {
        match sum {
            Sum::Cell(cell, times) => self.cells[*cell as usize] += times.unsigned_abs(),
            Sum::Direction(direction, times) => self.add_direction(*direction, times),
            Sum::Kept | Sum::Spread => {}
        }
    }

    fn add_direction(&mut self, direction: u32, times: &Number) {
        let known = &mut self.directions[direction as usize];
        *known = known.plus(&absolute(times));
    }

    /// Of a class of one cell in a part whose totals cross, rounded down.
    fn of_single(&self, class: u32) -> u64 {
        let Some(along) = self.ties.along(class) else { return 0 };
        let whole = &self.directions[along.direction as usize];
        // Along the one direction of a part the cell moves by multiples of its own entry, and the
        // sums with it.
        let each = if along.is_line { whole.clone() } else { whole.over(&absolute(along.times)) };
        u64::try_from(each.rational().floor()).unwrap_or(0)
    }

    /// Of a cell.
    fn of(&self, cell: usize, class: u32, first: u32) -> u64 {
        match self.ties.along(class) {
            Some(_) => self.of_single(class),
            None if self.ties.is_pair(class) => self.cells[first as usize],
            None => self.cells[cell],
        }
    }
}

fn absolute(value: &Number) -> Number {
    if value.is_positive() { value.clone() } else { value.negated() }
}

/// What the totals say about every sum of a grouping.
fn sums_of(sums: &Grouping, system: &System, ties: &Ties) -> Vec<Sum> {
    if system.groupings.iter().any(|finer| coarsens(sums, finer)) {
        return vec![Sum::Kept; sums.groups()];
    }
    let groups = sums.groups() as u32;
    let key = |group: &u32| if *group == NO_GROUP { groups } else { *group };
    let (order, start) = by_key(sums.group_of.iter().map(key), groups as usize + 1);
    let sum = |group: u32| {
        let cells = &order[start[group as usize] as usize..start[group as usize + 1] as usize];
        let terms: Vec<(u32, i64)> = cells.iter().map(|cell| (*cell, sums.taken(*cell as usize))).collect();
        ties.sum(&terms)
    };
    (0..groups).map(sum).collect()
}

fn margin(sums: &Grouping, system: &System, ties: Option<&Ties>) -> Margin {
    let said = ties.map(|ties| sums_of(sums, system, ties));
    let is_kept = |group: u32| said.as_ref().is_some_and(|said| said[group as usize] == Sum::Kept);
    let strength = ties.map(|ties| {
        let mut strength = Strength::new(ties, sums.group_of.len());
        said.iter().flatten().for_each(|sum| strength.add(sum));
        strength
    });
    let classes = system.classes.len();
    let mut unit = vec![0u64; classes];
    let mut own = vec![u64::MAX; classes];
    let mut range = vec![(i64::MAX, i64::MIN); classes];
    // The groups that the cells of a class lie in: the first met, whether another was, whether some
    // are in none.
    let mut first = vec![NO_GROUP; classes];
    let mut another = vec![false; classes];
    let mut outside = vec![false; classes];
    for (cell, number) in system.classes.of_cell.iter().enumerate() {
        let (class, group) = (*number as usize, sums.group_of[cell]);
        let tied = strength.as_ref().map_or(0, |known| known.of(cell, *number, system.classes.first_cell[class]));
        own[class] = own[class].min(tied);
        if group == NO_GROUP || is_kept(group) {
            outside[class] = true;
            continue;
        }
        let taken = sums.taken(cell);
        unit[class] = unit[class].max(taken.unsigned_abs());
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
    let even = |class: usize| unit[class] == 0 || !outside[class] && range[class].0 == range[class].1;
    let even = (0..classes).map(even).collect();
    Margin { unit, pair, own, even, sums: Some(sums.clone()) }
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
    /// Whether no count is negative.
    nonnegative: bool,
    /// Whether a rule bounds a cell of the class, modulo the totals.
    limited: Vec<bool>,
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

    /// Whether cells of the class are bounded from below at most: by not being negative.
    pub(super) fn are_from_below(&self, class: u32) -> bool {
        !self.limited[class as usize]
    }

    fn bounds(&self, is_tied: bool, class: u32) -> Bounds {
        match (is_tied, self.nonnegative || self.limited[class as usize]) {
            (true, _) => Bounds::Tied,
            (false, true) => Bounds::Cells,
            (false, false) => Bounds::Free,
        }
    }
}

/// Reads the bounds and rules. A rule on a sum that is a cell modulo the totals is a bound of that
/// cell.
pub(super) fn inequalities(conditions: &Conditions, system: &System, ties: &Ties) -> Inequalities {
    let classes = system.classes.len();
    let mut found = Inequalities {
        nonnegative: conditions.nonnegative,
        limited: vec![false; classes],
        ruled: vec![false; classes],
        parted: vec![false; classes],
    };
    let mut bounded = vec![false; ties.directions()];
    for rule in conditions.rules.iter().filter(|rule| rule.relation != Relation::Equal) {
        let sums = &rule.grouping;
        let said = sums_of(sums, system, ties);
        for sum in &said {
            match sum {
                Sum::Cell(cell, _) => found.limited[system.classes.of_cell[*cell as usize] as usize] = true,
                Sum::Direction(direction, _) => bounded[*direction as usize] = true,
                Sum::Kept | Sum::Spread => {}
            }
        }
        let mut first: Vec<Option<(u32, i64)>> = vec![None; classes];
        for (cell, class) in system.classes.of_cell.iter().enumerate() {
            let (class, group) = (*class as usize, sums.group_of[cell]);
            let ties = group != NO_GROUP && said[group as usize] == Sum::Spread;
            let key = if ties { (group, sums.taken(cell)) } else { (NO_GROUP, 0) };
            found.ruled[class] |= ties;
            let known = first[class].get_or_insert(key);
            found.parted[class] |= *known != key;
        }
    }
    for class in 0..classes as u32 {
        let along = ties.along(class);
        found.limited[class as usize] |= along.is_some_and(|along| bounded[along.direction as usize]);
    }
    found
}
