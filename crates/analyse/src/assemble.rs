//! Blocks: classes with a determined sum, the free cells, and parts whose totals cross.

use crate::block::{Block, Structure};
use crate::eliminate::Eliminated;
use crate::number::Number;
use crate::peel::{NOT_PEELED, Peeled};
use crate::system::System;
use declare::{Cell, Kind, NO_GROUP, Problem};
use std::collections::{BTreeMap, HashMap};

/// The fixed cells and the blocks of the fibre.
pub(crate) struct Assembled {
    pub fixed: Vec<(Cell, i64)>,
    pub blocks: Vec<Block>,
}

/// Turns what is known about classes into cells and blocks, in cell order.
pub(crate) fn assemble(system: &System, peeled: &Peeled, eliminated: &Eliminated) -> Result<Assembled, Problem> {
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for class in 0..system.classes.len() as u32 {
        if peeled.by[class as usize] == NOT_PEELED && system.rows_of(class).next().is_some() {
            parts.entry(eliminated.part(class)).or_default().push(class);
        }
    }
    let mut solved: HashMap<u32, i64> = HashMap::new();
    let mut rank: HashMap<u32, usize> = HashMap::new();
    for (class, value) in eliminated.basis() {
        let part = eliminated.part(class);
        *rank.entry(part).or_default() += 1;
        if parts[&part].len() == 1 {
            solved.insert(class, whole_class(system, class, value)?);
        }
    }
    let (cells, start) = system.classes.cells();
    let cells_of = |class: u32| &cells[start[class as usize] as usize..start[class as usize + 1] as usize];
    let mut names = Names { system, inside: HashMap::new() };
    let mut fixed = Vec::new();
    let mut blocks = Vec::new();
    for class in 0..system.classes.len() as u32 {
        let total = match peeled.by[class as usize] {
            NOT_PEELED => solved.get(&class).copied(),
            _ => Some(peeled.value[class as usize]),
        };
        match total {
            Some(total) if system.classes.size[class as usize] == 1 => {
                fixed.push((system.classes.first_cell[class as usize] as usize, total));
            }
            Some(total) => {
                let structure = Structure::OneTotal { total, name: names.of(class) };
                blocks.push(Block::new(cells_of(class).to_vec(), 1, structure));
            }
            None if system.rows_of(class).next().is_none() => {
                blocks.push(Block::new(cells_of(class).to_vec(), 1, Structure::Free));
            }
            None => {
                let part = eliminated.part(class);
                let Some(members) = parts.remove(&part) else {
                    continue;
                };
                let mut own: Vec<u32> = members.iter().flat_map(|class| cells_of(*class)).copied().collect();
                own.sort_unstable();
                let rank = rank.get(&part).copied().unwrap_or(0);
                let structure = Structure::Crossing { invariants: crossing(system, &members), rank };
                blocks.push(Block::new(own, members.len(), structure));
            }
        }
    }
    Ok(Assembled { fixed, blocks })
}

/// A class sum found by elimination as an integer; a fraction means that no table of counts has
/// these totals.
fn whole_class(system: &System, class: u32, value: &Number) -> Result<i64, Problem> {
    if let Some(whole) = value.integer() {
        return Ok(whole);
    }
    let names: Vec<String> = system.rows_of(class).map(|row| format!("`{}`", system.name(row))).collect();
    Err(Problem::new(
        Kind::Infeasible,
        format!(
            "the totals contradict each other: together they say that the cells shared by {} add up to {value}, \
             which no table of counts does",
            names.join(" and ")
        ),
    ))
}

/// The labels of the groupings of which two groups overlap without nesting inside these classes.
fn crossing(system: &System, classes: &[u32]) -> Vec<String> {
    let groupings = system.groupings.len();
    let mut crosses = vec![false; groupings];
    for one in 0..groupings {
        for other in one + 1..groupings {
            if !(crosses[one] && crosses[other]) && cross(system, classes, one, other) {
                crosses[one] = true;
                crosses[other] = true;
            }
        }
    }
    if crosses.iter().all(|crosses| !crosses) {
        // Only totals that take cells more than once, or less, tie classes without crossing.
        let ties = |grouping: usize| classes.iter().any(|class| system.row(*class, grouping).is_some());
        crosses = (0..groupings).map(ties).collect();
    }
    let labels = system.groupings.iter().zip(&crosses);
    labels.filter(|(_, crosses)| **crosses).map(|(grouping, _)| grouping.label.clone()).collect()
}

/// Whether groups of two groupings overlap without nesting inside these classes.
pub(crate) fn cross(system: &System, classes: &[u32], one: usize, other: usize) -> bool {
    let group = |class: u32, grouping: usize| {
        system.groupings[grouping].group_of[system.classes.first_cell[class as usize] as usize]
    };
    // For every group whether its classes lie in more than one group (or in none and one) of the
    // other grouping.
    let split = |by: usize, of: usize| {
        let mut seen: HashMap<u32, (u32, bool)> = HashMap::new();
        for class in classes {
            let outer = group(*class, by);
            let entry = seen.entry(group(*class, of)).or_insert((outer, false));
            entry.1 |= entry.0 != outer;
        }
        seen
    };
    let one_split = split(other, one);
    let other_split = split(one, other);
    classes.iter().any(|class| {
        let (inner, outer) = (group(*class, one), group(*class, other));
        inner != NO_GROUP && outer != NO_GROUP && one_split[&inner].1 && other_split[&outer].1
    })
}

/// Names for classes with a determined sum.
struct Names<'a> {
    system: &'a System<'a>,
    /// For a row the largest totals strictly inside it, in words; many classes may ask for the same
    /// row.
    inside: HashMap<usize, Option<String>>,
}

impl Names<'_> {
    /// The smallest group around the class, or what is left of it after the totals inside it.
    fn of(&mut self, class: u32) -> String {
        let system = self.system;
        let around = system.rows_of(class).min_by_key(|row| (system.cell_count[*row], *row));
        let Some(smallest) = around else {
            return "cells in no total".to_owned();
        };
        let name = system.name(smallest);
        if system.cell_count[smallest] == system.classes.size[class as usize] {
            return name.to_owned();
        }
        let plain = system.rows_of(class).all(|row| system.groupings[system.place(row).0].times.is_none());
        let inside = self.inside.entry(smallest).or_insert_with(|| inside(system, smallest));
        match inside {
            Some(inside) if plain => format!("{name} minus {inside}"),
            _ => {
                let all: Vec<&str> = system.rows_of(class).map(|row| system.name(row)).collect();
                all.join(" and ")
            }
        }
    }
}

/// The largest totals strictly inside a row, in words: the first by name, and `…` for more.
fn inside(system: &System, row: usize) -> Option<String> {
    let mut shared: BTreeMap<usize, u32> = BTreeMap::new();
    for class in system.classes_of(row) {
        system.rows_of(*class).for_each(|other| *shared.entry(other).or_default() += 1);
    }
    let mut nested: Vec<usize> = shared
        .into_iter()
        .filter(|(other, classes)| {
            *classes == system.class_count[*other] && system.class_count[*other] < system.class_count[row]
        })
        .map(|(other, _)| other)
        .collect();
    nested.sort_by_key(|other| (std::cmp::Reverse(system.cell_count[*other]), *other));
    let first = *nested.first()?;
    let more = nested.iter().any(|other| {
        let class = system.classes_of(*other)[0];
        !system.rows_of(class).any(|row| row == first)
    });
    let name = system.name(first);
    Some(if more { format!("{name}, …") } else { name.to_owned() })
}
