//! `Grid`: a block whose totals say no more than the sums of the rows and of the columns of a
//! two-way table.
//!
//! The groups inside the block are sets of classes. Sets that overlap without nesting must lie on
//! different sides, rows or columns; so the sides are a two-colouring, and on each side sets are
//! disjoint or nested. A nested family says as much as its sets without the smaller ones inside:
//! disjoint parts. If the parts of one side cover the block, the sum of the whole block is known,
//! and completes the other side. Every part's sum follows from the totals; and if the parts have
//! the rank of the totals, the totals follow from the parts. Proof: `proofs/structure.md`.

use crate::block::{Block, Structure};
use crate::union::Union;
use declare::{Grouping, NO_GROUP};
use std::collections::{BTreeMap, BTreeSet};

/// A block as a two-way table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The number of rows, at least two.
    pub rows: usize,
    /// The number of columns, at least two.
    pub columns: usize,
    /// The cells at every position, row by row, by their places in [`Block::cells`]. A position may
    /// have none.
    pub cells: Vec<Vec<u32>>,
}

/// Families whose sides can be exchanged independently of each other: more than this many are not
/// tried.
const MOST_FAMILIES: usize = 8;

/// A set of classes, increasing.
type Set = BTreeSet<usize>;

/// The block as a two-way table, if that is all its totals say.
pub fn grid(block: &Block, groupings: &[Grouping]) -> Option<Grid> {
    let Structure::Crossing { rank, .. } = block.structure else { return None };
    let (classes, sets) = sets(block, groupings)?;
    let crossings = crossings(&sets, classes.len());
    let families = families(&crossings)?;
    if families.len() > MOST_FAMILIES {
        return None;
    }
    let alone: Vec<&Set> = (0..sets.len()).filter(|set| crossings[*set].is_empty()).map(|set| &sets[set]).collect();
    // The first family may stay as it is: exchanging all sides at once changes nothing but names.
    (0..1usize << families.len().saturating_sub(1)).find_map(|exchanged| {
        let mut sides = [alone.clone(), Vec::new()];
        for (index, family) in families.iter().enumerate() {
            let turn = index > 0 && exchanged >> (index - 1) & 1 == 1;
            for (set, side) in family {
                sides[usize::from(*side != turn)].push(&sets[*set]);
            }
        }
        table(&classes, &sides, rank)
    })
}

/// The classes of the block, as places of cells, and the groups as sets of them; `None` when a
/// group takes cells unequally.
fn sets(block: &Block, groupings: &[Grouping]) -> Option<(Vec<Vec<u32>>, Vec<Set>)> {
    let mut by_groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    let mut taken: BTreeMap<(usize, u32), i64> = BTreeMap::new();
    for (place, cell) in block.cells.iter().enumerate() {
        let groups: Vec<u32> = groupings.iter().map(|grouping| grouping.group_of[*cell as usize]).collect();
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            let times = groupings[index].taken(*cell as usize);
            if *taken.entry((index, *group)).or_insert(times) != times {
                return None;
            }
        }
        by_groups.entry(groups).or_default().push(place as u32);
    }
    let mut classes: Vec<(Vec<u32>, Vec<u32>)> =
        by_groups.into_iter().map(|(groups, places)| (places, groups)).collect();
    classes.sort_unstable();
    let mut members: BTreeMap<(usize, u32), Set> = BTreeMap::new();
    for (class, (_, groups)) in classes.iter().enumerate() {
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            members.entry((index, *group)).or_default().insert(class);
        }
    }
    let sets: BTreeSet<Set> = members.into_values().collect();
    Some((classes.into_iter().map(|(places, _)| places).collect(), sets.into_iter().collect()))
}

/// For every set the sets it overlaps without nesting.
fn crossings(sets: &[Set], classes: usize) -> Vec<Vec<usize>> {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); classes];
    for (index, set) in sets.iter().enumerate() {
        set.iter().for_each(|class| around[*class].push(index));
    }
    let crossed = |(index, set): (usize, &Set)| {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for other in set.iter().flat_map(|class| &around[*class]).filter(|other| **other != index) {
            *shared.entry(*other).or_default() += 1;
        }
        let crosses =
            |(other, shared): (usize, usize)| (shared < set.len() && shared < sets[other].len()).then_some(other);
        shared.into_iter().filter_map(crosses).collect()
    };
    sets.iter().enumerate().map(crossed).collect()
}

/// The sets that cross some other, by connected family, each with its side; `None` when two sides
/// are not enough.
fn families(crossings: &[Vec<usize>]) -> Option<Vec<Vec<(usize, bool)>>> {
    let mut sides: Vec<Option<bool>> = vec![None; crossings.len()];
    let mut families = Vec::new();
    for start in (0..crossings.len()).filter(|set| !crossings[*set].is_empty()) {
        if sides[start].is_some() {
            continue;
        }
        sides[start] = Some(true);
        let mut family = vec![(start, true)];
        let mut next = 0;
        while let Some((set, side)) = family.get(next).copied() {
            next += 1;
            for other in &crossings[set] {
                match sides[*other] {
                    Some(known) if known == side => return None,
                    Some(_) => {}
                    None => {
                        sides[*other] = Some(!side);
                        family.push((*other, !side));
                    }
                }
            }
        }
        families.push(family);
    }
    Some(families)
}

/// The parts of a nested family: every set without the sets inside it, where something is left.
fn parts(family: &[&Set]) -> Vec<Set> {
    let mut family = family.to_vec();
    family.sort_by_key(|set| set.len());
    let mut seen = Set::new();
    let mut parts = Vec::new();
    for set in family {
        // Smaller sets come first, and those that meet this one lie inside it.
        let part: Set = set.difference(&seen).copied().collect();
        seen.extend(&part);
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts.sort_unstable();
    parts
}

/// The table with these sides, if its sums say all that the totals say.
fn table(classes: &[Vec<u32>], sides: &[Vec<&Set>; 2], rank: usize) -> Option<Grid> {
    let whole: Set = (0..classes.len()).collect();
    let covers = |parts: &[Set]| parts.iter().map(Set::len).sum::<usize>() == whole.len();
    let mut parts_of = [parts(&sides[0]), parts(&sides[1])];
    if !parts_of.iter().any(|parts| covers(parts)) {
        return None;
    }
    for side in 0..2 {
        if !covers(&parts_of[side]) {
            let mut family = sides[side].clone();
            family.push(&whole);
            parts_of[side] = parts(&family);
        }
    }
    // Rows are the side on which early cells are together, whatever the order of declaration.
    parts_of.sort_unstable();
    let [rows, columns] = parts_of;
    if rows.len() < 2 || columns.len() < 2 {
        return None;
    }
    let mut place = vec![(0, 0); classes.len()];
    rows.iter().enumerate().for_each(|(row, part)| part.iter().for_each(|class| place[*class].0 = row));
    columns.iter().enumerate().for_each(|(column, part)| part.iter().for_each(|class| place[*class].1 = column));
    let mut cells = vec![Vec::new(); rows.len() * columns.len()];
    for (class, (row, column)) in place.into_iter().enumerate() {
        cells[row * columns.len() + column].extend(&classes[class]);
    }
    cells.iter_mut().for_each(|cells: &mut Vec<u32>| cells.sort_unstable());
    let grid = Grid { rows: rows.len(), columns: columns.len(), cells };
    (grid.rank() == rank).then_some(grid)
}

impl Grid {
    /// The rank of its row and column sums: how many of them, joined cell by cell, are joined to
    /// others for the first time.
    fn rank(&self) -> usize {
        let mut sums = Union::new(self.rows + self.columns);
        let places = self.cells.iter().enumerate().filter(|(_, cells)| !cells.is_empty());
        let sides = |position: usize| (position / self.columns, self.rows + position % self.columns);
        places
            .filter(|(position, _)| {
                let (row, column) = sides(*position);
                sums.join(row as u32, column as u32)
            })
            .count()
    }
}
