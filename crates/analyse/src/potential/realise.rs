//! A tree whose edges are given and in which given sets of edges are paths, if there is one:
//! Tutte's recursion.
//!
//! Take an edge y that lies in a set with three edges or more. Sets without y tie the other edges
//! into *bridges*, each of which lies on one side of y. Every bridge is placed by itself, with y as
//! its border: a set with y then runs from y to one vertex of the bridge. Two bridges fit on one
//! side if a vertex of the one and a vertex of the other can be made one, so that every set with y
//! leaves one of the two there; those that do not fit go to different sides. The middle edge of a
//! path of three has its neighbours on different sides, so where no edge of such a set has two
//! bridges there is no tree. What is found is checked by the caller, so nothing rests on this
//! search but that it does not miss a tree.

use crate::union::{Union, gathered, two_colours};
use std::collections::HashMap;

/// Edges of a tree by number, with the two vertices that each joins.
pub(super) type Ends = HashMap<u32, (u32, u32)>;

/// The last vertex of a tree.
pub(super) fn last_vertex(ends: &Ends) -> u32 {
    ends.values().map(|(one, two)| (*one).max(*two)).max().unwrap_or(0)
}

/// What is left of the work that a search may do.
pub(super) struct Work(pub u64);

impl Work {
    fn take(&mut self, steps: usize) -> Option<()> {
        let left = self.0.checked_sub(steps as u64);
        self.0 = left.unwrap_or(0);
        left.map(drop)
    }
}

/// A tree over these edges in which every set is a path; `None` when there is none, or none was
/// found in time.
pub(super) fn realise(edges: &[u32], sets: &[Vec<u32>], work: &mut Work) -> Option<Ends> {
    work.take(edges.len() + sets.iter().map(Vec::len).sum::<usize>())?;
    let mut sets: Vec<Vec<u32>> = sets.iter().filter(|set| set.len() > 1).cloned().collect();
    sets.sort_unstable();
    sets.dedup();
    let parts = components(edges, sets.iter());
    if parts.len() > 1 {
        return beside_each_other(&parts, &sets, work);
    }
    let Some(long) = sets.iter().find(|set| set.len() > 2) else {
        // Two edges of a star are always a path.
        return Some(edges.iter().enumerate().map(|(place, edge)| (*edge, (0, place as u32 + 1))).collect());
    };
    for y in long {
        work.take(sets.iter().map(Vec::len).sum())?;
        let others: Vec<u32> = edges.iter().copied().filter(|edge| edge != y).collect();
        let bridges = components(&others, sets.iter().filter(|set| !set.contains(y)));
        if bridges.len() > 1 {
            return around(*y, &bridges, &sets, work);
        }
    }
    None
}

/// The edges by which sets tie them together, each part sorted.
fn components<'s>(edges: &[u32], sets: impl Iterator<Item = &'s Vec<u32>>) -> Vec<Vec<u32>> {
    let place: HashMap<u32, usize> = edges.iter().enumerate().map(|(place, edge)| (*edge, place)).collect();
    let mut tied = Union::new(edges.len());
    for set in sets {
        let mut inside = set.iter().filter_map(|edge| place.get(edge).copied());
        let Some(first) = inside.next() else { continue };
        for other in inside {
            tied.join(first as u32, other as u32);
        }
    }
    let parts = gathered((0..).zip(edges).map(|(at, edge)| (tied.top(at), *edge)));
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Parts that no set ties together share one vertex.
fn beside_each_other(parts: &[Vec<u32>], sets: &[Vec<u32>], work: &mut Work) -> Option<Ends> {
    let part_of: HashMap<u32, usize> =
        parts.iter().enumerate().flat_map(|(part, edges)| edges.iter().map(move |edge| (*edge, part))).collect();
    let mut theirs: Vec<Vec<Vec<u32>>> = vec![Vec::new(); parts.len()];
    for set in sets {
        theirs[*part_of.get(set.first()?)?].push(set.clone());
    }
    let mut all = Ends::new();
    let mut next = 1;
    for (edges, sets) in parts.iter().zip(&theirs) {
        let found = realise(edges, sets, work)?;
        let most = last_vertex(&found);
        let moved = |vertex: u32| if vertex == 0 { 0 } else { next + vertex - 1 };
        all.extend(found.into_iter().map(|(edge, (one, two))| (edge, (moved(one), moved(two)))));
        next += most;
    }
    Some(all)
}

/// One side of an edge y: its edges, and the vertex to which every set with y runs; the first of
/// these is y's own end.
#[derive(Clone)]
struct Side {
    ends: Ends,
    reached: Vec<u32>,
}

/// The tree around an edge whose removal leaves these bridges.
fn around(y: u32, bridges: &[Vec<u32>], sets: &[Vec<u32>], work: &mut Work) -> Option<Ends> {
    let through: Vec<&Vec<u32>> = sets.iter().filter(|set| set.contains(&y)).collect();
    let bridge_of: HashMap<u32, usize> =
        bridges.iter().enumerate().flat_map(|(bridge, edges)| edges.iter().map(move |edge| (*edge, bridge))).collect();
    let mut theirs: Vec<Vec<Vec<u32>>> = vec![Vec::new(); bridges.len()];
    for set in sets {
        let mut traces: HashMap<usize, Vec<u32>> = HashMap::new();
        for edge in set.iter().filter(|edge| **edge != y) {
            traces.entry(*bridge_of.get(edge)?).or_default().push(*edge);
        }
        let has_y = set.contains(&y);
        for (bridge, mut trace) in traces {
            if has_y {
                trace.push(y);
                trace.sort_unstable();
            }
            theirs[bridge].push(trace);
        }
    }
    let mut sides = Vec::with_capacity(bridges.len());
    for (edges, sets) in bridges.iter().zip(&theirs) {
        let mut with_y = edges.clone();
        with_y.push(y);
        sides.push(side(y, realise(&with_y, sets, work)?, &through, work)?);
    }
    work.take(sides.len() * sides.len() * (through.len() + 1))?;
    // Two colours: bridges that do not fit on one side go to different sides.
    let unfit = |one: usize, two: usize| one != two && fit(&sides[one], &sides[two]).is_none();
    let colours = two_colours(sides.len(), |one| (0..sides.len()).filter(move |two| unfit(one, *two)))?;
    let of_colour = |wanted: bool| -> Vec<Side> {
        let these = sides.iter().zip(&colours).filter(|(_, colour)| **colour == wanted);
        these.map(|(side, _)| side.clone()).collect()
    };
    let empty = || Side { ends: Ends::new(), reached: vec![0; through.len() + 1] };
    let left = one_of(of_colour(false), work)?.unwrap_or_else(empty);
    let right = one_of(of_colour(true), work)?.unwrap_or_else(empty);
    let shift = left.ends.values().map(|(one, two)| (*one).max(*two)).max().unwrap_or(left.reached[0]) + 1;
    let mut tree = left.ends;
    tree.extend(right.ends.into_iter().map(|(edge, (one, two))| (edge, (one + shift, two + shift))));
    tree.insert(y, (left.reached[0], right.reached[0] + shift));
    Some(tree)
}

/// A bridge that was placed with y as its border.
fn side(y: u32, mut ends: Ends, through: &[&Vec<u32>], work: &mut Work) -> Option<Side> {
    let (one, two) = ends.remove(&y)?;
    let touched = |vertex: u32| ends.values().any(|(a, b)| *a == vertex || *b == vertex);
    let from = match (touched(one), touched(two)) {
        (true, false) => one,
        (false, true) => two,
        _ => return None,
    };
    work.take(ends.len() + through.iter().map(|set| set.len()).sum::<usize>())?;
    let mut reached = vec![from];
    for set in through {
        // The path from y's end: every vertex on it but the two ends is met twice.
        let mut met: HashMap<u32, bool> = HashMap::from([(from, true)]);
        for edge in set.iter() {
            if let Some((one, two)) = ends.get(edge) {
                for vertex in [one, two] {
                    met.entry(*vertex).and_modify(|odd| *odd = !*odd).or_insert(true);
                }
            }
        }
        let mut odd = met.into_iter().filter(|(_, odd)| *odd).map(|(vertex, _)| vertex);
        let last = odd.next()?;
        if odd.next().is_some() {
            return None;
        }
        reached.push(last);
    }
    Some(Side { ends, reached })
}

/// A vertex of each of two bridges such that every set leaves one of the two there.
fn fit(one: &Side, two: &Side) -> Option<(u32, u32)> {
    let pairs = || one.reached.iter().zip(&two.reached);
    let (first, second) = pairs().next()?;
    let same = |mut found: Box<dyn Iterator<Item = u32> + '_>, otherwise: u32| match found.next() {
        None => Some(otherwise),
        Some(vertex) => found.all(|other| other == vertex).then_some(vertex),
    };
    let elsewhere = pairs().filter(|(a, _)| *a != first).map(|(_, b)| *b);
    if let Some(b) = same(Box::new(elsewhere), *second) {
        return Some((*first, b));
    }
    let elsewhere = pairs().filter(|(_, b)| *b != second).map(|(a, _)| *a);
    same(Box::new(elsewhere), *first).map(|a| (a, *second))
}

/// The bridges of one side as one: each next one is a bridge that meets those before it in a
/// vertex, which is seen from the rest, who must still fit.
fn one_of(mut sides: Vec<Side>, work: &mut Work) -> Option<Option<Side>> {
    // Where sets end in many places others are likely to hang: begin there.
    sides.sort_by_key(|side| {
        let mut places = side.reached.clone();
        places.sort_unstable();
        places.dedup();
        places.len()
    });
    let Some(mut all) = sides.pop() else { return Some(None) };
    while !sides.is_empty() {
        let mut found = None;
        for next in (0..sides.len()).rev() {
            work.take((sides.len() + 1) * all.reached.len() + all.ends.len())?;
            let Some(together) = joined(all.clone(), sides[next].clone()) else { continue };
            let rest = sides.iter().enumerate().filter(|(other, _)| *other != next);
            if rest.into_iter().all(|(_, other)| fit(&together, other).is_some()) {
                found = Some((next, together));
                break;
            }
        }
        let (next, together) = found?;
        sides.remove(next);
        all = together;
    }
    Some(Some(all))
}

/// Two bridges on one side, with one vertex in common.
fn joined(one: Side, two: Side) -> Option<Side> {
    let (a, b) = fit(&one, &two)?;
    let shift = last_vertex(&one.ends) + 1;
    let moved = |vertex: u32| if vertex == b { a } else { vertex + shift };
    let mut ends = one.ends;
    ends.extend(two.ends.into_iter().map(|(edge, (one, two))| (edge, (moved(one), moved(two)))));
    let reached = one.reached.iter().zip(&two.reached);
    let reached = reached.map(|(of_one, of_two)| if *of_one == a { moved(*of_two) } else { *of_one }).collect();
    Some(Side { ends, reached })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn is_path(tree: &Ends, set: &[u32]) -> bool {
        let mut degree: HashMap<u32, usize> = HashMap::new();
        for edge in set {
            let (one, two) = tree[edge];
            *degree.entry(one).or_default() += 1;
            *degree.entry(two).or_default() += 1;
        }
        // A subgraph of a tree with no vertex of degree three and two ends is a path.
        degree.values().all(|degree| *degree <= 2) && degree.values().filter(|degree| **degree == 1).count() == 2
    }

    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 33
    }

    /// Every random tree with random paths in it is found again, or one with the same paths.
    #[test]
    fn trees_that_exist_are_found() {
        let mut state = 7;
        for trial in 0..3000u64 {
            let edges = 1 + (next(&mut state) % (4 + trial % 20)) as u32;
            let parent: Vec<u32> = (0..edges).map(|edge| (next(&mut state) % u64::from(edge + 1)) as u32).collect();
            // The edge e joins vertex e + 1 to its parent.
            let path = |mut one: u32, mut two: u32| {
                let mut set = BTreeSet::new();
                while one != two {
                    if one < two {
                        std::mem::swap(&mut one, &mut two);
                    }
                    set.insert(one - 1);
                    one = parent[one as usize - 1];
                }
                set.into_iter().collect::<Vec<u32>>()
            };
            let mut sets = Vec::new();
            for _ in 0..next(&mut state) % 30 {
                let ends = [0, 1].map(|_| (next(&mut state) % u64::from(edges + 1)) as u32);
                sets.push(path(ends[0], ends[1]));
            }
            sets.retain(|set| !set.is_empty());
            let all: Vec<u32> = (0..edges).collect();
            let found = realise(&all, &sets, &mut Work(1 << 30)).unwrap_or_else(|| panic!("trial {trial}: {sets:?}"));
            assert_eq!(found.len(), edges as usize);
            let vertices: BTreeSet<u32> = found.values().flat_map(|(one, two)| [*one, *two]).collect();
            assert_eq!(vertices.len(), edges as usize + 1, "trial {trial}: not a tree");
            assert!(sets.iter().all(|set| is_path(&found, set)), "trial {trial}: {sets:?} {found:?}");
        }
    }

    /// Three edges of which any two and all three are paths are no tree; the margins of a 3 × 3
    /// table neither.
    #[test]
    fn what_no_tree_has_is_not_found() {
        let claws = [vec![vec![0, 1, 2], vec![0, 1], vec![1, 2], vec![0, 2]]];
        // Free cells 0 1 / 2 3 of a 3 × 3 table: the sums of rows, of columns and of all.
        let table = [vec![vec![0, 1], vec![2, 3], vec![0, 2], vec![1, 3], vec![0, 1, 2, 3]]];
        for sets in claws.iter().chain(&table) {
            assert!(realise(&[0, 1, 2, 3], sets, &mut Work(1 << 20)).is_none());
        }
        assert!(realise(&[0, 1, 2], &[vec![0, 1, 2], vec![0, 2]], &mut Work(1 << 20)).is_some());
        assert!(realise(&[0, 1, 2], &[vec![0, 1, 2], vec![0, 2]], &mut Work(3)).is_none(), "work ends");
    }
}
