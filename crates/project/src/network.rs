//! Rows that are a network: cells as arcs between sums, whenever the rows split into two nested
//! families (`proofs/projections.md`, 2).
//!
//! A row's value is an arc of its own, into the row that contains it or to the hub. Every cell may
//! be taken by one chain of nested rows with one sign and by one chain with the other: it is the
//! arc from the smallest row of the one to the smallest of the other. Rows that share cells without
//! one containing the other must take them with opposite signs; a row as a whole may change its
//! sign. So finding the two families is a colouring of rows with two colours.

use crate::bundle::{Bundles, CellArc};
use crate::convex::Convex;
use crate::flow::{Arc, Circulation, FAR};
use std::collections::HashMap;

/// The bounds and the cost of a row.
#[derive(Debug, Clone)]
pub(crate) struct Sum {
    pub low: Option<i64>,
    pub high: Option<i64>,
    pub cost: Convex,
}

/// Cells and sums as a network.
#[derive(Debug)]
pub(crate) struct Network {
    /// For every row whether it changes its sign.
    turned: Vec<bool>,
    /// For every row the rows that contain it with the same sign, the smallest: its parent.
    parent: Vec<Option<u32>>,
    /// For every cell the smallest row that takes it away, and the smallest that takes it in;
    /// [`NONE`]: the hub.
    ends: Vec<(u32, u32)>,
    /// Rows from small to large.
    order: Vec<u32>,
}

/// Stands for the hub.
const NONE: u32 = u32::MAX;

/// What two rows share: how many cells, and how many of them with the same sign.
#[derive(Default, Clone, Copy)]
struct Shared {
    cells: u32,
    alike: u32,
}

impl Network {
    /// The network of rows with coefficients ±1 over so many cells; `None` when they are none.
    /// Every row has a cell.
    pub fn new(cells: usize, rows: &[Vec<(u32, i64)>]) -> Option<Network> {
        if rows.iter().flatten().any(|(_, times)| times.abs() != 1) {
            return None;
        }
        let mut rows_at: Vec<Vec<(u32, bool)>> = vec![Vec::new(); cells];
        for (number, row) in rows.iter().enumerate() {
            row.iter().for_each(|(cell, times)| rows_at[*cell as usize].push((number as u32, *times < 0)));
        }
        let turned = turn(rows, &rows_at)?;
        let size = |row: u32| (rows[row as usize].len(), row);
        let mut parent = vec![None; rows.len()];
        let mut ends = vec![(NONE, NONE); cells];
        for (cell, at) in rows_at.iter().enumerate() {
            let chain = |negative: bool| {
                let mut chain: Vec<u32> = at
                    .iter()
                    .filter(|(row, sign)| (*sign != turned[*row as usize]) == negative)
                    .map(|(row, _)| *row)
                    .collect();
                chain.sort_unstable_by_key(|row| size(*row));
                chain
            };
            let (plus, minus) = (chain(false), chain(true));
            for pair in plus.windows(2).chain(minus.windows(2)) {
                parent[pair[0] as usize] = Some(pair[1]);
            }
            ends[cell] = (minus.first().copied().unwrap_or(NONE), plus.first().copied().unwrap_or(NONE));
        }
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by_key(|row| size(*row));
        Some(Network { turned, parent, ends, order })
    }

    /// The cheapest integers of the cells; `None` when there are none within the bounds.
    pub fn cheapest(&self, cells: &[CellArc], sums: &[Sum]) -> Option<Vec<i64>> {
        let hub = sums.len() as u32;
        let node = |row: u32| if row == NONE { hub } else { row };
        let arc = |tail, head, low: Option<i64>, high: Option<i64>, cost: &Convex| Arc {
            tail,
            head,
            low: low.unwrap_or(-FAR),
            high: high.unwrap_or(FAR),
            cost: cost.clone(),
        };
        let bundles = Bundles::new(cells, &self.ends)?;
        let mut arcs: Vec<Arc> = Vec::with_capacity(bundles.list.len() + sums.len());
        let mut start: Vec<i64> = Vec::with_capacity(bundles.list.len() + sums.len());
        for bundle in &bundles.list {
            let (low, high) = (Some(bundle.low), Some(bundle.high));
            arcs.push(arc(node(bundle.ends.0), node(bundle.ends.1), low, high, &bundle.cost));
            start.push(bundle.start);
        }
        // What rows would get from cells and rows inside them, so that few nodes start with too
        // much or too little.
        let mut inflow = vec![0i64; sums.len()];
        for bundle in &bundles.list {
            for (end, sign) in [(bundle.ends.0, -1), (bundle.ends.1, 1)] {
                if end != NONE {
                    inflow[end as usize] = inflow[end as usize].saturating_add(sign * bundle.start);
                }
            }
        }
        let mut values = vec![0i64; sums.len()];
        for row in &self.order {
            let row = *row as usize;
            // The arc carries the row's value; a turned row passes on its negative, against the
            // arc.
            let got = if self.turned[row] { -inflow[row] } else { inflow[row] };
            let value = got
                .clamp(sums[row].low.unwrap_or(-FAR), sums[row].high.unwrap_or(FAR).max(sums[row].low.unwrap_or(-FAR)));
            values[row] = value;
            if let Some(parent) = self.parent[row] {
                let passed = if self.turned[row] { -value } else { value };
                inflow[parent as usize] = inflow[parent as usize].saturating_add(passed);
            }
        }
        for (row, sum) in sums.iter().enumerate() {
            let above = self.parent[row].unwrap_or(hub);
            let (tail, head) = if self.turned[row] { (above, row as u32) } else { (row as u32, above) };
            arcs.push(arc(tail, head, sum.low, sum.high, &sum.cost));
            start.push(values[row]);
        }
        let flow = Circulation { nodes: sums.len() + 1, arcs }.cheapest(&start)?;
        Some(bundles.unbundled(&flow))
    }
}

/// Which rows change their sign, so that rows that cross take their common cells with opposite
/// signs.
fn turn(rows: &[Vec<(u32, i64)>], rows_at: &[Vec<(u32, bool)>]) -> Option<Vec<bool>> {
    let mut shared: HashMap<(u32, u32), Shared> = HashMap::new();
    for at in rows_at {
        for (place, (one, sign)) in at.iter().enumerate() {
            for (other, other_sign) in &at[place + 1..] {
                let shared = shared.entry((*one, *other)).or_default();
                shared.cells += 1;
                shared.alike += u32::from(sign == other_sign);
            }
        }
    }
    let mut crossing: Vec<Vec<(u32, bool)>> = vec![Vec::new(); rows.len()];
    for ((one, other), shared) in shared {
        let uniform = shared.alike == 0 || shared.alike == shared.cells;
        let smaller = rows[one as usize].len().min(rows[other as usize].len());
        if uniform && shared.cells as usize == smaller {
            continue;
        }
        if !uniform {
            return None;
        }
        let must_differ = shared.alike > 0;
        crossing[one as usize].push((other, must_differ));
        crossing[other as usize].push((one, must_differ));
    }
    let mut turned: Vec<Option<bool>> = vec![None; rows.len()];
    for first in 0..rows.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let mut queue = vec![(first, false)];
        while let Some((row, turn)) = queue.pop() {
            for (other, must_differ) in &crossing[row] {
                let wanted = turn != *must_differ;
                match turned[*other as usize] {
                    Some(known) if known != wanted => return None,
                    Some(_) => {}
                    None => {
                        turned[*other as usize] = Some(wanted);
                        queue.push((*other as usize, wanted));
                    }
                }
            }
        }
    }
    Some(turned.into_iter().map(|turned| turned.unwrap_or(false)).collect())
}

#[cfg(test)]
mod tests {
    use super::Network;

    fn is_network(cells: usize, rows: &[&[i64]]) -> bool {
        let entries = |row: &&[i64]| (0u32..).zip(row.iter().copied()).filter(|(_, times)| *times != 0).collect();
        Network::new(cells, &rows.iter().map(entries).collect::<Vec<_>>()).is_some()
    }

    #[test]
    fn nested_and_crossing_totals_are_networks() {
        assert!(is_network(4, &[&[1, 1, 1, 1], &[1, 1, 0, 0], &[1, 0, 0, 0]]));
        assert!(is_network(4, &[&[1, 1, 0, 0], &[0, 0, 1, 1], &[1, 0, 1, 0], &[0, 1, 0, 1], &[1, 1, 1, 1]]));
    }

    #[test]
    fn rules_between_pairs_are_networks() {
        // Cases and deaths of two counties, their totals, and deaths at most cases.
        assert!(is_network(4, &[&[1, 1, 0, 0], &[0, 0, 1, 1], &[1, 0, -1, 0], &[0, 1, 0, -1]]));
    }

    #[test]
    fn triangles_and_three_ways_are_not() {
        assert!(!is_network(3, &[&[1, 1, 0], &[0, 1, 1], &[1, 0, 1]]));
        assert!(!is_network(2, &[&[1, 1], &[1, -1]]));
        assert!(!is_network(2, &[&[1, 2]]));
    }
}
