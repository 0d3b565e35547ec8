//! Circuits of a part whose totals form two families, each nested or disjoint in itself: cycles of
//! a graph.
//!
//! Subtracting from every total the largest totals inside it leaves rows that are disjoint in each
//! family, so a class is an edge between its row of one family and its row of the other; a class
//! without a row in a family has its end at the ground. The matrix is a network matrix, and its
//! Graver basis are the simple cycles of the graph.

use crate::assemble::cross;
use crate::system::System;
use crate::union::two_colours;
use declare::NO_GROUP;
use std::collections::HashMap;

/// The ground: the end of an edge whose class is in no total of a family.
const GROUND: u32 = 0;

/// The graph of a part.
pub(super) struct Circuits {
    /// For every class its two ends.
    edges: Vec<(u32, u32, u32)>,
    nodes: u32,
    /// The number of rows of either family.
    rows: [u64; 2],
    /// Whether the ground has a neighbour in either family.
    grounded: [bool; 2],
}

impl Circuits {
    /// The graph, if the totals of the part form two such families that take every cell equally
    /// often.
    pub(super) fn new(system: &System, classes: &[u32]) -> Option<Circuits> {
        let groupings: Vec<usize> = (0..system.groupings.len())
            .filter(|grouping| classes.iter().any(|class| system.row(*class, *grouping).is_some()))
            .collect();
        if groupings.iter().any(|grouping| !is_plain(system, classes, *grouping)) {
            return None;
        }
        let side = sides(system, classes, &groupings)?;
        let mut node_of: [HashMap<Vec<u32>, u32>; 2] = [HashMap::new(), HashMap::new()];
        let mut nodes = GROUND + 1;
        let mut grounded = [false; 2];
        let mut edges = Vec::with_capacity(classes.len());
        for class in classes {
            let end = |family: usize, nodes: &mut u32, node_of: &mut HashMap<Vec<u32>, u32>| {
                let cell = system.classes.first_cell[*class as usize] as usize;
                let own = groupings.iter().zip(&side).filter(|(_, side)| **side == family);
                let rows: Vec<u32> = own.map(|(grouping, _)| system.groupings[*grouping].group_of[cell]).collect();
                if rows.iter().all(|row| *row == NO_GROUP) {
                    return GROUND;
                }
                *node_of.entry(rows).or_insert_with(|| {
                    *nodes += 1;
                    *nodes - 1
                })
            };
            let [first, second] = &mut node_of;
            let (one, other) = (end(0, &mut nodes, first), end(1, &mut nodes, second));
            grounded[0] |= other == GROUND;
            grounded[1] |= one == GROUND;
            edges.push((*class, one, other));
        }
        let rows = [node_of[0].len() as u64, node_of[1].len() as u64];
        Some(Circuits { edges, nodes, rows, grounded })
    }

    /// A bound on the length of a simple cycle: it visits every node at most once, and the families
    /// in turn.
    pub(super) fn longest(&self) -> u64 {
        let [one, other] = self.rows;
        let without = 2 * one.min(other);
        let within = |own: u64, across: u64| 2 * (own.saturating_sub(1).min(across) + 1);
        let through = match self.grounded {
            [false, false] => 0,
            [true, false] => within(one, other),
            [false, true] => within(other, one),
            [true, true] => within(one, other).max(within(other, one)).max(without + 1),
        };
        without.max(through).min(self.edges.len() as u64)
    }

    /// The length of the shortest cycle, through classes that may move if there is one, and whether
    /// there is.
    pub(super) fn shortest(&self, may_move: impl Fn(u32) -> bool) -> Option<(u64, bool)> {
        let possible = self.edges.iter().filter(|(class, _, _)| may_move(*class)).map(|(_, one, other)| (*one, *other));
        match self.girth(possible.collect()) {
            Some(length) => Some((length, true)),
            None => self.girth(self.edges.iter().map(|(_, one, other)| (*one, *other)).collect()).map(|l| (l, false)),
        }
    }

    /// The shortest cycle: from every node in breadth, until one as short as can be is found.
    fn girth(&self, edges: Vec<(u32, u32)>) -> Option<u64> {
        let mut neighbours = vec![Vec::new(); self.nodes as usize];
        for (one, other) in edges {
            neighbours[one as usize].push(other);
            neighbours[other as usize].push(one);
        }
        let least = if self.grounded == [true, true] { 3 } else { 4 };
        let mut shortest = u64::MAX;
        let mut distance = vec![u64::MAX; neighbours.len()];
        for root in 0..neighbours.len() {
            if shortest == least {
                break;
            }
            let mut queue = vec![(root as u32, u32::MAX)];
            distance[root] = 0;
            let mut next = 0;
            while let Some((node, from)) = queue.get(next).copied() {
                next += 1;
                let here = distance[node as usize];
                if 2 * here + 1 >= shortest {
                    break;
                }
                for neighbour in neighbours[node as usize].iter().filter(|neighbour| **neighbour != from) {
                    let known = &mut distance[*neighbour as usize];
                    if *known == u64::MAX {
                        *known = here + 1;
                        queue.push((*neighbour, node));
                    } else {
                        shortest = shortest.min(here + *known + 1);
                    }
                }
            }
            queue.iter().for_each(|(node, _)| distance[*node as usize] = u64::MAX);
        }
        (shortest != u64::MAX).then_some(shortest)
    }
}

/// Whether each total of the grouping takes all its classes of this part equally often.
fn is_plain(system: &System, classes: &[u32], grouping: usize) -> bool {
    if system.groupings[grouping].times.is_none() {
        return true;
    }
    let mut times = HashMap::new();
    classes.iter().all(|class| match system.row(*class, grouping) {
        None => true,
        Some(row) => {
            let taken = system.taken(*class, grouping);
            *times.entry(row).or_insert(taken) == taken
        }
    })
}

/// Two families such that groupings of one family do not cross; `None` when there are none.
fn sides(system: &System, classes: &[u32], groupings: &[usize]) -> Option<Vec<usize>> {
    let crosses = |one: usize, other: usize| cross(system, classes, groupings[one], groupings[other]);
    let crossed = |one: usize| (0..groupings.len()).filter(move |other| *other != one && crosses(one, *other));
    Some(two_colours(groupings.len(), crossed)?.into_iter().map(usize::from).collect())
}
