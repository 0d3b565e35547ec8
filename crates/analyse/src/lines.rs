//! `Line`: directions whose effects on the totals cancel when their units add up to zero, found
//! from families of totals.
//!
//! Take one family of totals away. The short directions that keep all other families move units
//! between groups of that one; those that move them in the same way, and share no cell, form a
//! line. In a two-way table without its row totals, a unit moved from one row to another inside a
//! column is such a direction, and two rows are a line with as many directions as columns. In a
//! three-way table with all two-way margins, the four cells of a swap inside one layer are, and all
//! layers together are a line. Cells that no total tells apart are a line by themselves.

use crate::fibre::Fibre;
use crate::sums::{Demand, FibreRow, columns};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Directions with separate cells whose units must add up to zero: places of cells with
/// coefficients.
pub type Line = Vec<Vec<(u32, i64)>>;

/// Lines are listed until their directions have so many entries.
const MOST_ENTRIES: usize = 1 << 22;

/// The group of a cell that a family does not sum.
const NONE: u32 = declare::NO_GROUP;

/// A family: disjoint sums that take each cell once. The group of every place, or
/// [`declare::NO_GROUP`]; groups of different families have different numbers.
pub type Family = Vec<u32>;

/// The lines of a fibre, as many as are affordable; none when no families of totals make any.
pub fn lines(fibre: &Fibre) -> Vec<Line> {
    let families = families(fibre);
    let mut lines = classes(fibre);
    let mut entries: usize = lines.iter().map(Vec::len).sum();
    for left_out in 0..families.len() {
        let others: Vec<&Family> =
            families.iter().enumerate().filter(|(index, _)| *index != left_out).map(|(_, family)| family).collect();
        let found = match others.as_slice() {
            [other] => pairs(&families[left_out], other),
            [one, two] => swaps(&families[left_out], one, two),
            _ => Vec::new(),
        };
        for line in found.into_iter().filter(|line| line.len() > 1) {
            entries += line.iter().map(Vec::len).sum::<usize>();
            if entries > MOST_ENTRIES {
                return lines;
            }
            lines.push(line);
        }
    }
    lines
}

/// Longer lines of single cells are cut into parts that overlap by half, so that one is redrawn
/// quickly.
const CLASS_CELLS: usize = 64;
/// The most cells of a line without bounds, rules and noisy sums: its law is the same around every
/// table.
const FREE_CELLS: usize = 1024;

/// Cells that no total tells apart: units may move between any of them.
fn classes(fibre: &Fibre) -> Vec<Line> {
    let columns = columns(fibre.cells.len(), fibre.equalities().map(|(entries, _)| entries));
    let mut classes: BTreeMap<Vec<(u32, i64)>, Vec<u32>> = BTreeMap::new();
    for (place, column) in columns.into_iter().enumerate().filter(|(_, column)| !column.is_empty()) {
        classes.entry(column).or_default().push(place as u32);
    }
    let others = fibre.rows.iter().filter(|row| !matches!(row.demand, Demand::Equal(_)));
    let confined: BTreeSet<u32> = others.flat_map(|row| row.entries.iter().map(|(place, _)| *place)).collect();
    let is_free = |place: &u32| fibre.bounds[*place as usize] == (None, None) && !confined.contains(place);
    let mut lines = Vec::new();
    for cells in classes.into_values().filter(|cells| cells.len() > 1) {
        let single = |cells: &[u32]| cells.iter().map(|place| vec![(*place, 1)]).collect::<Line>();
        let most = if cells.iter().all(is_free) { FREE_CELLS } else { CLASS_CELLS };
        if cells.len() <= most {
            lines.push(single(&cells));
            continue;
        }
        let starts = (0..cells.len()).step_by(most / 2);
        lines.extend(
            starts.map(|start| &cells[start..cells.len().min(start + most)]).filter(|part| part.len() > 1).map(single),
        );
    }
    lines
}

/// The families of totals, without those that follow from a finer one; none when a total takes a
/// cell other than once.
pub fn families(fibre: &Fibre) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let mut groups = 0;
    let equal = |row: &&FibreRow| matches!(row.demand, Demand::Equal(_));
    for row in fibre.rows.iter().filter(equal) {
        if row.entries.iter().any(|(_, times)| *times != 1) {
            return Vec::new();
        }
        let free = |family: &Family| row.entries.iter().all(|(place, _)| family[*place as usize] == NONE);
        if !families.last().is_some_and(free) {
            families.push(vec![NONE; fibre.cells.len()]);
        }
        if let Some(family) = families.last_mut() {
            row.entries.iter().for_each(|(place, _)| family[*place as usize] = groups);
            groups += 1;
        }
    }
    let mut kept: Vec<Family> = Vec::new();
    for (index, family) in families.iter().enumerate() {
        // Of families that say the same the last is kept.
        let says_more = |(other, finer): (usize, &Family)| {
            other != index && follows(family, finer) && (other > index || !follows(finer, family))
        };
        if !families.iter().enumerate().any(says_more) {
            kept.push(family.clone());
        }
    }
    kept
}

/// Whether every group of a family is made of whole groups of a finer one.
fn follows(family: &Family, finer: &Family) -> bool {
    let mut group_of: HashMap<u32, u32> = HashMap::new();
    family.iter().zip(finer).all(|(group, part)| match (*group, *part) {
        (NONE, NONE) => true,
        (_, NONE) => false,
        (group, part) => *group_of.entry(part).or_insert(group) == group,
    })
}

/// With one other family: two groups and, inside each group of the other family, pairs of their
/// cells.
fn pairs(family: &Family, other: &Family) -> Vec<Line> {
    // The cells of every group, by the other family's group.
    let mut members: BTreeMap<u32, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for (place, (group, inside)) in family.iter().zip(other).enumerate().filter(|(_, (group, _))| **group != NONE) {
        members.entry(*group).or_default().entry(*inside).or_default().push(place as u32);
    }
    let groups: Vec<&BTreeMap<u32, Vec<u32>>> = members.values().collect();
    let cells = family.iter().filter(|group| **group != NONE).count();
    let line = |one: usize, two: usize| -> Line {
        let shared = groups[one].iter().filter_map(|(inside, first)| Some((first, groups[two].get(inside)?)));
        let pair = |(first, second): (&Vec<u32>, &Vec<u32>)| -> Line {
            first.iter().zip(second).map(|(first, second)| vec![(*first, 1), (*second, -1)]).collect()
        };
        shared.flat_map(pair).collect()
    };
    distances(groups.len(), 2 * cells)
        .flat_map(|distance| (0..groups.len()).map(move |one| (one, distance)))
        .filter(|(one, distance)| one + distance < groups.len())
        .map(|(one, distance)| line(one, one + distance))
        .collect()
}

/// All distances between two groups if that is affordable; otherwise powers of two, which still
/// join all of them.
fn distances(groups: usize, entries_of_one: usize) -> Box<dyn Iterator<Item = usize>> {
    if groups.saturating_mul(entries_of_one) / 2 <= MOST_ENTRIES / 2 {
        Box::new(1..groups)
    } else {
        Box::new((0..).map(|power| 1usize << power).take_while(move |distance| *distance < groups))
    }
}

/// With two other families: swaps of two groups of each, by what they move between groups of the
/// family that is left out.
fn swaps(family: &Family, one: &Family, two: &Family) -> Vec<Line> {
    let mut cell: HashMap<(u32, u32), u32> = HashMap::new();
    let mut across: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (place, (one, two)) in one.iter().zip(two).enumerate() {
        if *one == NONE || *two == NONE || cell.insert((*one, *two), place as u32).is_some() {
            return Vec::new();
        }
        across.entry(*one).or_default().insert(*two);
    }
    let mut touching: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (group, others) in &across {
        others.iter().for_each(|other| touching.entry(*other).or_default().push(*group));
    }
    let mut by_charge: BTreeMap<Vec<(u32, i64)>, Line> = BTreeMap::new();
    let mut entries = 0;
    for (first, columns) in &across {
        let later: BTreeSet<u32> =
            columns.iter().flat_map(|column| &touching[column]).copied().filter(|group| group > first).collect();
        for second in later {
            let shared: Vec<u32> = columns.intersection(&across[&second]).copied().collect();
            for (index, left) in shared.iter().enumerate() {
                for right in &shared[index + 1..] {
                    let corner = |row: u32, column: u32| cell[&(row, column)];
                    let swap = [
                        (corner(*first, *left), 1),
                        (corner(second, *right), 1),
                        (corner(*first, *right), -1),
                        (corner(second, *left), -1),
                    ];
                    let mut charge: BTreeMap<u32, i64> = BTreeMap::new();
                    swap.iter().for_each(|(place, times)| *charge.entry(family[*place as usize]).or_default() += times);
                    let mut charge: Vec<(u32, i64)> = charge.into_iter().filter(|(_, moved)| *moved != 0).collect();
                    let Some((_, leading)) = charge.first().copied() else { continue };
                    charge.iter_mut().for_each(|(_, moved)| *moved *= leading.signum());
                    let vector = swap.map(|(place, times)| (place, times * leading.signum()));
                    by_charge.entry(charge).or_default().push(vector.to_vec());
                    entries += 4;
                    if entries > MOST_ENTRIES {
                        return Vec::new();
                    }
                }
            }
        }
    }
    by_charge.into_values().map(separate).collect()
}

/// The directions of a line that share no cell with an earlier one.
fn separate(line: Line) -> Line {
    let mut used = BTreeSet::new();
    line.into_iter()
        .filter(|vector| {
            let free = vector.iter().all(|(place, _)| !used.contains(place));
            if free {
                used.extend(vector.iter().map(|(place, _)| *place));
            }
            free
        })
        .collect()
}
