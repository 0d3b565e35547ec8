//! Two layers of cells whose sums are exact cell by cell: a step in one layer is undone in the
//! other.
//!
//! When one grouping puts every class of a part in a pair with another one, a step is (u, −u). Sums
//! that agree in sign are sums of the u that do, so the Graver basis is that of the u, each taken
//! twice. What the other totals ask of u is a smaller system, whose elements may be known: of a
//! table of two layers with all its two-way margins they are cycles. Proof:
//! `crates/certify/proofs/G3.md`.

use super::circuits::Circuits;
use crate::classes::Classes;
use crate::system::System;
use declare::{Grouping, NO_GROUP};
use std::collections::HashMap;

/// The elements of a part of two layers.
pub(super) struct Layers {
    /// The length of the longest element, at most.
    pub(super) longest: u64,
    /// The length of the shortest, and whether no total of zero rules it out.
    pub(super) shortest: (u64, bool),
}

impl Layers {
    /// The elements, if the part has two layers and the smaller system is one of one or two
    /// families of totals. `may_move` says of a class whether no total of zero rules out that it
    /// moves.
    pub(super) fn new(system: &System, classes: &[u32], may_move: impl Fn(u32) -> bool) -> Option<Layers> {
        let (pairing, pairs) =
            (0..system.groupings.len()).find_map(|grouping| Some((grouping, pairs(system, classes, grouping)?)))?;
        let mut groupings = Vec::new();
        for grouping in (0..system.groupings.len()).filter(|grouping| *grouping != pairing) {
            groupings.extend(reduced(system, grouping, &pairs)?);
        }
        let totals: Vec<Vec<i64>> = groupings.iter().map(|grouping| vec![0; grouping.groups()]).collect();
        let small = Classes::new(pairs.len(), &groupings);
        let system = System::new(&groupings, &totals, &small);
        let all: Vec<u32> = (0..small.len() as u32).collect();
        // A pair that no other total sees would be two cells with the same totals: one class, not
        // two.
        if all.iter().any(|class| system.rows_of(*class).next().is_none()) {
            return None;
        }
        let circuits = Circuits::new(&system, &all)?;
        let moving = |pair: &(u32, u32)| may_move(pair.0) && may_move(pair.1);
        let mut free = vec![0u32; small.len()];
        for (pair, class) in pairs.iter().zip(&small.of_cell) {
            free[*class as usize] += u32::from(moving(pair));
        }
        // Inside a class of the smaller system one unit goes from pair to pair: u has length 2.
        let inside = small.size.iter().any(|size| *size > 1).then(|| (2, free.iter().any(|free| *free > 1)));
        let around = circuits.shortest(|class| free[class as usize] > 0);
        let shortest = [inside, around].into_iter().flatten().min_by_key(|(length, possible)| (!possible, *length))?;
        let around = if around.is_some() { circuits.longest() } else { 0 };
        let longest = around.max(inside.map_or(0, |(length, _)| length));
        Some(Layers { longest: 2 * longest, shortest: (2 * shortest.0, shortest.1) })
    }
}

/// The pairs that a grouping makes of all classes, the lower number first.
fn pairs(system: &System, classes: &[u32], grouping: usize) -> Option<Vec<(u32, u32)>> {
    let mut of_row: HashMap<usize, Vec<u32>> = HashMap::new();
    for class in classes {
        of_row.entry(system.row(*class, grouping)?).or_default().push(*class);
    }
    let mut pairs = Vec::with_capacity(of_row.len());
    for members in of_row.into_values() {
        let [one, other] = members[..] else { return None };
        if system.taken(one, grouping) != system.taken(other, grouping) {
            return None;
        }
        pairs.push((one.min(other), one.max(other)));
    }
    pairs.sort_unstable();
    Some(pairs)
}

/// What a grouping asks of u: its rows, where each contains cells of one layer alone; both cells of
/// a pair in one row cancel.
fn reduced(system: &System, grouping: usize, pairs: &[(u32, u32)]) -> Option<[Grouping; 2]> {
    // For every row the layer of its cells and how many times it takes them.
    let mut kind: HashMap<usize, (usize, i64)> = HashMap::new();
    let mut rows: [Vec<Option<usize>>; 2] = [Vec::new(), Vec::new()];
    for (one, other) in pairs {
        let [first, second] = [*one, *other].map(|class| system.row(class, grouping));
        let cancels = first.is_some() && first == second;
        if cancels && system.taken(*one, grouping) != system.taken(*other, grouping) {
            return None;
        }
        for (layer, (class, row)) in [(*one, first), (*other, second)].into_iter().enumerate() {
            let row = row.filter(|_| !cancels);
            if let Some(row) = row {
                let found = (layer, system.taken(class, grouping));
                if *kind.entry(row).or_insert(found) != found {
                    return None;
                }
            }
            rows[layer].push(row);
        }
    }
    Some(rows.map(|rows| numbered(&rows)))
}

/// A grouping of the pairs by these rows.
fn numbered(rows: &[Option<usize>]) -> Grouping {
    let mut number: HashMap<usize, u32> = HashMap::new();
    let group_of = rows.iter().map(|row| match row {
        None => NO_GROUP,
        Some(row) => {
            let next = number.len() as u32;
            *number.entry(*row).or_insert(next)
        }
    });
    let group_of: Vec<u32> = group_of.collect();
    let names = (0..number.len()).map(|row| row.to_string()).collect();
    Grouping { label: String::new(), names, group_of, times: None }
}
