//! Sums modulo the totals: which never move, and which move as one cell does.
//!
//! Two sums are the same to every step if their difference is a combination of totals. A sum that
//! is such a combination is kept; one that is a multiple of a cell plus such a combination rises
//! and falls with that cell alone. What is found is proved; in parts of many classes less is looked
//! for. Proof: `crates/certify/proofs/G3.md`, "Sums tied to a cell".

use super::kernel;
use crate::block::{Block, Structure};
use crate::number::{Number, ONE, ZERO};
use crate::system::System;
use std::collections::{BTreeMap, HashMap};

/// The most classes of a part whose steps are written down as a basis.
const MOST_CLASSES: usize = 128;

/// What the totals say about a sum of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sum {
    /// They determine it: no step moves it.
    Kept,
    /// It moves as this cell does, so many times.
    Cell(u32, i64),
    /// It moves as the cells of a direction do: the direction, and how far it moves when that does.
    Direction(u32, Number),
    /// None of these, as far as is known.
    Spread,
}

/// What is known of every class.
#[derive(Debug, Clone, Copy)]
enum ClassPlace {
    /// Its sum is determined: a single cell, which never moves, or cells with one total.
    Determined,
    /// In no total.
    Free,
    /// In a part whose totals cross: the part, and its place there.
    Crossing(u32, u32),
}

/// The steps of a part whose totals cross, seen from its classes.
struct Space {
    /// For every class of the part its row in a basis of the steps, or the one class that it moves
    /// with and how far.
    rows: Vec<Vec<(u32, Number)>>,
    /// The number of the first direction of this part.
    first: u32,
    /// Directions: rows of single cells that are multiples of each other.
    directions: Vec<Vec<(u32, Number)>>,
    /// The directions by their first step and how many steps they have.
    by_start: HashMap<(u32, usize), Vec<u32>>,
    /// For every class of one cell its direction.
    along: Vec<Option<u32>>,
    /// Whether one direction alone is left to the part.
    is_line: bool,
}

/// A table of steps modulo the totals.
pub(super) struct Ties<'a> {
    system: &'a System<'a>,
    part: Vec<ClassPlace>,
    spaces: Vec<Space>,
    /// For every class the exclusive or of its cells: what is left of it when all but one are taken
    /// away is that one.
    combined: Vec<u32>,
}

/// A direction that cells share, and how far a cell moves when it does.
pub(super) struct Along<'a> {
    pub direction: u32,
    pub times: &'a Number,
    /// Whether every step moves the cell by a multiple of this, as the one direction of a part
    /// does.
    pub is_line: bool,
}

impl<'a> Ties<'a> {
    pub(super) fn new(system: &'a System<'a>, blocks: &[Block]) -> Ties<'a> {
        let classes = &system.classes;
        let mut part = vec![ClassPlace::Determined; classes.len()];
        let mut spaces: Vec<Space> = Vec::new();
        let mut directions = 0;
        for block in blocks {
            let first = |cell: &&u32| classes.first_cell[classes.of_cell[**cell as usize] as usize] == **cell;
            let members = block.cells.iter().filter(first).map(|cell| classes.of_cell[*cell as usize]);
            match block.structure {
                Structure::Free => members.for_each(|class| part[class as usize] = ClassPlace::Free),
                Structure::OneTotal { .. } | Structure::Linked { .. } => {}
                Structure::Crossing { rank, .. } => {
                    let members: Vec<u32> = members.collect();
                    for (place, class) in members.iter().enumerate() {
                        part[*class as usize] = ClassPlace::Crossing(spaces.len() as u32, place as u32);
                    }
                    let space = Space::new(system, &members, rank, directions);
                    directions += space.directions.len() as u32;
                    spaces.push(space);
                }
            }
        }
        let mut combined = vec![0; classes.len()];
        for (cell, class) in classes.of_cell.iter().enumerate() {
            combined[*class as usize] ^= cell as u32;
        }
        Ties { system, part, spaces, combined }
    }

    /// The number of directions.
    pub(super) fn directions(&self) -> usize {
        self.spaces.iter().map(|space| space.directions.len()).sum()
    }

    /// The direction of a class of one cell in a part whose totals cross.
    pub(super) fn along(&self, class: u32) -> Option<Along<'_>> {
        let ClassPlace::Crossing(space, place) = self.part[class as usize] else { return None };
        let space = &self.spaces[space as usize];
        let direction = space.along[place as usize]?;
        let times = &space.rows[place as usize][0].1;
        Some(Along { direction: space.first + direction, times, is_line: space.is_line })
    }

    /// The cell that stands for both cells of a class of two under one total, which move against
    /// each other.
    pub(super) fn is_pair(&self, class: u32) -> bool {
        matches!(self.part[class as usize], ClassPlace::Determined) && self.system.classes.size[class as usize] == 2
    }

    /// What the totals say about the sum of these cells, each taken so many times.
    pub(super) fn sum(&self, cells: &[(u32, i64)]) -> Sum {
        let classes = &self.system.classes;
        let mut cells: Vec<(u32, u32, i64)> =
            cells.iter().map(|(cell, times)| (classes.of_cell[*cell as usize], *cell, *times)).collect();
        cells.sort_unstable();
        let mut odd = None;
        let mut across: Vec<(u32, u32, i64)> = Vec::new();
        for members in cells.chunk_by(|one, other| one.0 == other.0) {
            let class = members[0].0;
            let found = match self.part[class as usize] {
                ClassPlace::Free => match members {
                    [(_, cell, times)] => Some(Some((*cell, *times))),
                    _ => None,
                },
                ClassPlace::Determined | ClassPlace::Crossing(..) => self.inside(class, members).map(|(base, odd)| {
                    if let ClassPlace::Crossing(space, place) = self.part[class as usize] {
                        across.push((space, place, base));
                    }
                    odd
                }),
            };
            match (found, odd) {
                (None, _) | (Some(Some(_)), Some(_)) => return Sum::Spread,
                (Some(Some(one)), None) => odd = Some(one),
                (Some(None), _) => {}
            }
        }
        across.sort_unstable();
        let mut moving = None;
        for terms in across.chunk_by(|one, other| one.0 == other.0) {
            let space = &self.spaces[terms[0].0 as usize];
            let row = space.combine(terms.iter().map(|(_, place, times)| (*place, *times)));
            if row.is_empty() {
                continue;
            }
            match (space.direction_of(&row), &moving) {
                (Some(direction), None) => moving = Some((space.first + direction, row[0].1.clone())),
                _ => return Sum::Spread,
            }
        }
        match (odd, moving) {
            (None, None) => Sum::Kept,
            (Some((cell, times)), None) => Sum::Cell(cell, times),
            (None, Some((direction, times))) => Sum::Direction(direction, times),
            (Some(_), Some(_)) => Sum::Spread,
        }
    }

    /// How often all cells of a class are taken but one, and that one with how much oftener; `None`
    /// where more differ.
    fn inside(&self, class: u32, members: &[(u32, u32, i64)]) -> Option<(i64, Option<(u32, i64)>)> {
        let size = self.system.classes.size[class as usize] as usize;
        let absent = size - members.len();
        let first = members[0].2;
        let differ: Vec<&(u32, u32, i64)> = members.iter().filter(|(_, _, times)| *times != first).collect();
        let agree = members.len() - differ.len();
        let odd = |cell: u32, times: i64, base: i64| Some((base, Some((cell, times - base))));
        match (absent, differ.len()) {
            (0, 0) => Some((first, None)),
            // Of two cells either may be called the odd one: the first, so that both sums of a pair
            // name the same.
            (1, 0) if size == 2 && self.is_pair(class) => {
                let cell = self.system.classes.first_cell[class as usize];
                odd(cell, if members[0].1 == cell { first } else { -first }, 0)
            }
            (_, 0) if agree == 1 => odd(members[0].1, first, 0),
            (1, 0) => {
                let missing = members.iter().fold(self.combined[class as usize], |left, (_, cell, _)| left ^ cell);
                odd(missing, 0, first)
            }
            (0, 1) if size == 2 => odd(members[0].1, first, differ[0].2),
            (0, 1) => odd(differ[0].1, differ[0].2, first),
            (0, others) if agree == 1 && differ.iter().all(|(_, _, times)| *times == differ[0].2) && others > 1 => {
                odd(members[0].1, first, differ[0].2)
            }
            _ => None,
        }
    }
}

impl Space {
    fn new(system: &System, classes: &[u32], rank: usize, first: u32) -> Space {
        let dense = (classes.len() <= MOST_CLASSES).then(|| kernel::basis(system, classes));
        // Of one direction every class moves by a multiple of its entry in the primitive vector,
        // which must be known.
        let is_whole = |basis: &Vec<Vec<Number>>| basis.len() == 1 && basis[0].iter().all(|at| at.integer().is_some());
        let is_line = classes.len() == rank + 1 && dense.as_ref().is_some_and(is_whole);
        let rows: Vec<Vec<(u32, Number)>> = match dense {
            Some(basis) => (0..classes.len())
                .map(|place| {
                    let entries = basis.iter().enumerate().map(|(vector, basis)| (vector as u32, basis[place].clone()));
                    entries.filter(|(_, value)| !value.is_zero()).collect()
                })
                .collect(),
            None => joined(system, classes),
        };
        let along = vec![None; classes.len()];
        let mut space = Space { rows, first, directions: Vec::new(), by_start: HashMap::new(), along, is_line };
        for (place, class) in classes.iter().enumerate() {
            let row = &space.rows[place];
            if system.classes.size[*class as usize] > 1 || row.is_empty() {
                continue;
            }
            let known = space.direction_of(row);
            if known.is_none() {
                let next = space.directions.len() as u32;
                space.by_start.entry((row[0].0, row.len())).or_default().push(next);
                space.directions.push(normalised(row));
                space.along[place] = Some(next);
            } else {
                space.along[place] = known;
            }
        }
        space
    }

    /// A sum of classes as a row of the steps, without zeros.
    fn combine(&self, terms: impl Iterator<Item = (u32, i64)>) -> Vec<(u32, Number)> {
        let mut entries: Vec<(u32, Number)> = Vec::new();
        for (place, times) in terms {
            let times = Number::Small(times);
            entries.extend(self.rows[place as usize].iter().map(|(step, value)| (*step, value.times(&times))));
        }
        entries.sort_by_key(|(step, _)| *step);
        let sums = entries
            .chunk_by(|one, other| one.0 == other.0)
            .map(|terms| (terms[0].0, terms.iter().fold(ZERO, |sum, (_, value)| sum.plus(value))));
        sums.filter(|(_, value)| !value.is_zero()).collect()
    }

    /// The direction that a row is a multiple of.
    fn direction_of(&self, row: &[(u32, Number)]) -> Option<u32> {
        let start = row.first()?.0;
        let alike = self.by_start.get(&(start, row.len()))?;
        let row = normalised(row);
        alike.iter().copied().find(|direction| self.directions[*direction as usize] == row)
    }
}

/// The row divided by its first entry.
fn normalised(row: &[(u32, Number)]) -> Vec<(u32, Number)> {
    row.iter().map(|(step, value)| (*step, value.over(&row[0].1))).collect()
}

/// In a large part: classes that share a total of two move together; all others by themselves, as
/// far as is known.
fn joined(system: &System, classes: &[u32]) -> Vec<Vec<(u32, Number)>> {
    let mut of_row: BTreeMap<usize, Vec<(u32, i64)>> = BTreeMap::new();
    for (place, class) in classes.iter().enumerate() {
        for (row, times) in system.column(*class) {
            of_row.entry(row).or_default().push((place as u32, times));
        }
    }
    // Every class moves so many times as the one that it names.
    let mut parent: Vec<(u32, Number)> = (0..classes.len() as u32).map(|place| (place, ONE)).collect();
    fn root(parent: &[(u32, Number)], place: u32) -> (u32, Number) {
        let (mut at, mut times) = (place, ONE);
        while parent[at as usize].0 != at {
            times = times.times(&parent[at as usize].1);
            at = parent[at as usize].0;
        }
        (at, times)
    }
    for members in of_row.into_values() {
        let [(one, taken), (other, also)] = members[..] else { continue };
        let ((one, one_times), (other, other_times)) = (root(&parent, one), root(&parent, other));
        if one != other {
            // taken · one_times · z(one) + also · other_times · z(other) = 0.
            let (left, right) = (one_times.times(&Number::Small(taken)), other_times.times(&Number::Small(also)));
            let (low, high, times) = match one < other {
                true => (one, other, left.over(&right).negated()),
                false => (other, one, right.over(&left).negated()),
            };
            parent[high as usize] = (low, times);
        }
    }
    (0..classes.len() as u32).map(|place| vec![root(&parent, place)]).collect()
}
