//! `Circulation`: a block whose tables are the flows of a graph within bounds, so that its simple
//! cycles join all of them.
//!
//! Two families of disjoint totals: a cell is an edge between its total of one family and its total
//! of the other; a total that it lacks is the ground, one node for both families. Noise that
//! changes no total is a flow that every node but the ground keeps, and so the ground does. Proof
//! that the cycles join all tables, whatever the bounds: `proofs/circulation.md`.

use crate::fibre::Fibre;
use crate::sums::Demand;
use crate::union::two_colours;
use std::collections::BTreeSet;

/// The ground: no total.
const GROUND: u32 = 0;

/// A simple cycle as units of cells.
pub type Cycle = Vec<(u32, i64)>;

/// A block as a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circulation {
    /// The tail and the head of every cell's edge.
    edges: Vec<(u32, u32)>,
    /// The edges of every node, each with whether it leaves it; a loop is there twice.
    around: Vec<Vec<(u32, bool)>>,
}

/// The most work that searching for a far table takes: edges looked at.
const MOST_WORK: usize = 1 << 27;

impl Circulation {
    /// The block as a graph; the reason, in words that follow `because`, when it is none.
    ///
    /// # Errors
    /// A rule compares a sum, a total takes a cell other than once, or totals cross in more than
    /// two ways.
    pub fn of(fibre: &Fibre) -> Result<Circulation, &'static str> {
        let mut sets: Vec<BTreeSet<u32>> = Vec::new();
        for row in &fibre.rows {
            match row.demand {
                Demand::Noisy { .. } => {}
                Demand::AtLeast(_) | Demand::AtMost(_) => return Err("a rule compares sums of several cells"),
                Demand::Equal(_) if row.entries.iter().any(|(_, times)| *times != 1) => {
                    return Err("a total takes a cell other than once");
                }
                Demand::Equal(_) => sets.push(row.entries.iter().map(|(place, _)| *place).collect()),
            }
        }
        let sets = disjointed(sets, fibre.cells.len());
        let mut of_cell: Vec<Vec<u32>> = vec![Vec::new(); fibre.cells.len()];
        for (set, cells) in sets.iter().enumerate() {
            cells.iter().for_each(|place| of_cell[*place as usize].push(set as u32));
        }
        if of_cell.iter().any(|sets| sets.len() > 2) {
            return Err("its totals cross in more than two ways");
        }
        // Two families, such that no cell is in two sets of one.
        let met =
            |set: usize| sets[set].iter().flat_map(|place| &of_cell[*place as usize]).map(|other| *other as usize);
        let heads = two_colours(sets.len(), |set| met(set).filter(move |other| *other != set))
            .ok_or("its totals cross in more than two ways")?;
        let edge = |sets: &Vec<u32>| {
            let node = |head: bool| {
                let found = sets.iter().find(|set| heads[**set as usize] == head);
                found.map_or(GROUND, |set| set + 1)
            };
            (node(false), node(true))
        };
        let edges: Vec<(u32, u32)> = of_cell.iter().map(edge).collect();
        let mut around = vec![Vec::new(); sets.len() + 1];
        for (edge, (tail, head)) in edges.iter().enumerate() {
            around[*tail as usize].push((edge as u32, true));
            around[*head as usize].push((edge as u32, false));
        }
        Ok(Circulation { edges, around })
    }

    /// How many nodes there are, the ground among them.
    pub fn nodes(&self) -> usize {
        self.around.len()
    }

    /// A simple cycle as units of cells: from a node, along edges that `choose` picks by their
    /// number, until a node comes up again; what leads up to that node is no part of it. Nothing
    /// when the way ends. What is picked must not depend on a table.
    pub fn cycle(&self, choose: &mut dyn FnMut(usize) -> usize) -> Option<Cycle> {
        let mut node = choose(self.nodes()) as u32;
        let mut path: Vec<(u32, u32, i64)> = Vec::new();
        let mut seen_at = vec![usize::MAX; self.nodes()];
        loop {
            if seen_at[node as usize] != usize::MAX {
                let cycle = path[seen_at[node as usize]..].iter();
                let mut cycle: Cycle = cycle.map(|(_, edge, times)| (*edge, *times)).collect();
                cycle.sort_unstable();
                return Some(cycle);
            }
            seen_at[node as usize] = path.len();
            let came_by = path.last().map(|(_, edge, _)| *edge);
            let ways = self.ways(node, came_by);
            if ways == 0 {
                return None;
            }
            let (edge, leaves) = self.way(node, came_by, choose(ways))?;
            let (tail, head) = self.edges[edge as usize];
            path.push((node, edge, if leaves { 1 } else { -1 }));
            node = if leaves { head } else { tail };
        }
    }

    /// All cycles that [`Circulation::cycle`] may give, with their probabilities when every choice
    /// is fair.
    pub fn cycles(&self) -> Vec<(Cycle, f64)> {
        let mut found: std::collections::BTreeMap<Cycle, f64> = Default::default();
        let mut choices: Vec<usize> = Vec::new();
        loop {
            // The choices so far, then the first of every further one.
            let (mut at, mut chance, mut sizes) = (0, 1.0, Vec::new());
            let cycle = self.cycle(&mut |size| {
                if at == choices.len() {
                    choices.push(0);
                }
                sizes.push(size);
                chance /= size as f64;
                at += 1;
                choices[at - 1]
            });
            if let Some(cycle) = cycle {
                *found.entry(cycle).or_default() += chance;
            }
            // The next in order.
            while choices.last().is_some_and(|last| last + 1 == sizes[choices.len() - 1]) {
                choices.pop();
            }
            match choices.last_mut() {
                Some(last) => *last += 1,
                None => return found.into_iter().collect(),
            }
        }
    }

    fn ways(&self, node: u32, came_by: Option<u32>) -> usize {
        self.around[node as usize].len() - usize::from(came_by.is_some())
    }

    /// The edge with this number among those of a node but the one that led to it.
    fn way(&self, node: u32, came_by: Option<u32>, number: usize) -> Option<(u32, bool)> {
        let around = &self.around[node as usize];
        let back = came_by.and_then(|back| around.iter().position(|(edge, _)| *edge == back));
        let place = if back.is_some_and(|back| number >= back) { number + 1 } else { number };
        around.get(place).copied()
    }

    /// A table far from this one in the direction of costs: units go round cycles along which costs
    /// fall, until there is none or `far` says that it is enough. At most `most` units go round at
    /// once.
    pub fn far_table(
        &self,
        fibre: &Fibre,
        table: &[i64],
        costs: &[i64],
        most: i64,
        far: &mut dyn FnMut(&[i64]) -> bool,
    ) -> Vec<i64> {
        let mut table = table.to_vec();
        let mut work = 0;
        while work < MOST_WORK && !far(&table) {
            let Some(cycle) = self.falling(fibre, &table, costs, &mut work) else { break };
            let room = |(edge, up): &(u32, bool)| {
                let ((low, high), value) = (fibre.bounds[*edge as usize], table[*edge as usize]);
                if *up { high.map(|high| high - value) } else { low.map(|low| value - low) }
            };
            let units = cycle.iter().filter_map(room).min().unwrap_or(most).min(most);
            if units <= 0 {
                break;
            }
            cycle.iter().for_each(|(edge, up)| table[*edge as usize] += if *up { units } else { -units });
        }
        table
    }

    /// A cycle with room in the bounds along which costs fall: by Bellman and Ford's method.
    fn falling(&self, fibre: &Fibre, table: &[i64], costs: &[i64], work: &mut usize) -> Option<Vec<(u32, bool)>> {
        let mut reached = vec![0i64; self.nodes()];
        let mut came_by: Vec<Option<(u32, bool)>> = vec![None; self.nodes()];
        let mut last = None;
        for _ in 0..=self.nodes() {
            last = None;
            for (edge, (tail, head)) in self.edges.iter().enumerate() {
                *work += 1;
                let ((low, high), value) = (fibre.bounds[edge], table[edge]);
                for (up, from, to) in [(true, tail, head), (false, head, tail)] {
                    let room =
                        if up { high.is_none_or(|high| value < high) } else { low.is_none_or(|low| value > low) };
                    let cost = if up { costs[edge] } else { -costs[edge] };
                    if room && from != to && reached[*from as usize] + cost < reached[*to as usize] {
                        reached[*to as usize] = reached[*from as usize] + cost;
                        came_by[*to as usize] = Some((edge as u32, up));
                        last = Some(*to);
                    }
                }
            }
            last?;
        }
        let before = |node: u32| {
            let (edge, up) = came_by[node as usize]?;
            let (tail, head) = self.edges[edge as usize];
            Some((edge, up, if up { tail } else { head }))
        };
        let mut node = last?;
        for _ in 0..self.nodes() {
            node = before(node)?.2;
        }
        let (mut cycle, first) = (Vec::new(), node);
        loop {
            let (edge, up, from) = before(node)?;
            cycle.push((edge, up));
            node = from;
            if node == first {
                return Some(cycle);
            }
        }
    }
}

/// Totals without the totals inside them: sums of the same lattice, as far apart as that makes
/// them.
fn disjointed(mut sets: Vec<BTreeSet<u32>>, cells: usize) -> Vec<BTreeSet<u32>> {
    sets.sort_by_key(BTreeSet::len);
    let mut kept: Vec<BTreeSet<u32>> = Vec::new();
    let mut of_cell: Vec<Vec<u32>> = vec![Vec::new(); cells];
    for mut set in sets {
        // The first total that is inside, as long as there is one: each takes cells away.
        while let Some(inside) = set.iter().find_map(|place| {
            let inside = |kept_set: &&u32| kept[**kept_set as usize].is_subset(&set);
            of_cell[*place as usize].iter().find(inside).copied()
        }) {
            kept[inside as usize].iter().for_each(|place| {
                set.remove(place);
            });
        }
        if !set.is_empty() {
            set.iter().for_each(|place| of_cell[*place as usize].push(kept.len() as u32));
            kept.push(set);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Circulation, Cycle};
    use crate::fibre::Fibre;
    use crate::sums::Demand;
    use crate::sums::FibreRow;
    use std::collections::BTreeSet;

    /// Totals of a table over these cells, each between zero and a bound.
    fn fibre(cells: usize, sums: &[&[u32]], table: &[i64], high: Option<i64>) -> Fibre {
        let row = |sum: &&[u32]| FibreRow {
            entries: sum.iter().map(|cell| (*cell, 1)).collect(),
            demand: Demand::Equal(sum.iter().map(|cell| table[*cell as usize]).sum()),
        };
        let bounds = vec![(Some(0), high); cells];
        Fibre { cells: (0..cells as u32).collect(), bounds, rows: sums.iter().map(row).collect(), noise_on_cells: true }
    }

    /// All tables of a fibre with cells up to `most`.
    fn tables(fibre: &Fibre, most: i64) -> Vec<Vec<i64>> {
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in &fibre.cells {
            let longer = |table: &Vec<i64>| (0..=most).map(|value| [table.as_slice(), &[value]].concat()).collect();
            all = all.iter().flat_map::<Vec<Vec<i64>>, _>(longer).collect();
        }
        all.retain(|table| fibre.contains(table));
        all
    }

    /// How many tables single units round cycles reach from the first.
    fn reached(tables: &[Vec<i64>], cycles: &[(Cycle, f64)]) -> usize {
        let places: BTreeSet<&Vec<i64>> = tables.iter().collect();
        let mut seen: BTreeSet<Vec<i64>> = [tables[0].clone()].into();
        let mut waiting = vec![tables[0].clone()];
        while let Some(table) = waiting.pop() {
            for (cycle, _) in cycles {
                for sign in [1, -1] {
                    let mut next = table.clone();
                    cycle.iter().for_each(|(cell, times)| next[*cell as usize] += sign * times);
                    if places.contains(&next) && seen.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
            }
        }
        seen.len()
    }

    const ROWS: [&[u32]; 3] = [&[0, 1, 2], &[3, 4, 5], &[6, 7, 8]];
    const COLUMNS: [&[u32]; 3] = [&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]];

    #[test]
    fn cycles_join_all_tables_of_two_way_margins_within_bounds_and_with_zeros() {
        let sums: Vec<&[u32]> = ROWS.into_iter().chain(COLUMNS).collect();
        // No diagonal: two tables, joined by one cycle of six cells.
        let table = [0, 1, 0, 0, 0, 1, 1, 0, 0];
        let mut zeros = fibre(9, &sums, &table, Some(1));
        [0, 4, 8].iter().for_each(|cell| zeros.bounds[*cell] = (Some(0), Some(0)));
        let two = tables(&zeros, 1);
        let cycles = Circulation::of(&zeros).unwrap().cycles();
        assert_eq!((two.len(), reached(&two, &cycles)), (2, 2));
        let swaps: Vec<_> = cycles.iter().filter(|(cycle, _)| cycle.len() == 4).cloned().collect();
        assert_eq!(reached(&two, &swaps), 1);
        // Nine swaps and six cycles of six cells, each in both directions.
        assert_eq!(cycles.len(), 2 * (9 + 6));
        let table = [2, 0, 1, 0, 1, 1, 1, 2, 0];
        for high in [None, Some(2)] {
            let bounded = fibre(9, &sums, &table, high);
            let all = tables(&bounded, 3);
            assert_eq!(reached(&all, &cycles), all.len());
        }
    }

    #[test]
    fn nested_and_single_totals_and_cells_without_any_are_graphs() {
        let table = [1, 2, 0, 1, 1];
        let nested: [&[u32]; 3] = [&[0, 1, 2, 3], &[0, 1], &[0, 1, 2, 3]];
        let fibre = fibre(5, &nested, &table, Some(2));
        let graph = Circulation::of(&fibre).unwrap();
        assert_eq!(graph.nodes(), 3);
        let all = tables(&fibre, 2);
        let cycles = graph.cycles();
        assert_eq!((all.len(), reached(&all, &cycles)), (2 * 2 * 3, all.len()));
        // A cell without a total moves by itself.
        assert!(cycles.iter().any(|(cycle, _)| matches!(cycle[..], [(4, _)])));
        let sum: f64 = cycles.iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn what_is_no_graph_is_said_not_to_be() {
        let table = [1; 8];
        let cube: Vec<Vec<u32>> = (0..3)
            .flat_map(|left_out: u32| (0..4u32).map(move |group| (left_out, group)))
            .map(|(left_out, group)| {
                let step = 1 << left_out;
                let first = (group & (step - 1)) | ((group & !(step - 1)) << 1);
                vec![first, first + step]
            })
            .collect();
        let sums: Vec<&[u32]> = cube.iter().map(Vec::as_slice).collect();
        assert!(Circulation::of(&fibre(8, &sums, &table, None)).is_err());
        let mut weighted = fibre(3, &[&[0, 1, 2]], &[1, 1, 1], None);
        weighted.rows[0].entries[1].1 = 2;
        assert!(Circulation::of(&weighted).is_err());
        let mut ruled = fibre(3, &[&[0, 1, 2]], &[1, 1, 1], None);
        ruled.rows.push(FibreRow { entries: vec![(0, 1), (1, -1)], demand: Demand::AtLeast(0) });
        assert!(Circulation::of(&ruled).is_err());
    }

    #[test]
    fn far_tables_are_in_the_fibre_and_at_its_ends() {
        let sums: Vec<&[u32]> = ROWS.into_iter().chain(COLUMNS).collect();
        let table = [2, 1, 1, 1, 1, 1, 0, 2, 3];
        let fibre = fibre(9, &sums, &table, None);
        let graph = Circulation::of(&fibre).unwrap();
        let all = tables(&fibre, 5);
        for costs in [[3, -1, 4, -1, 5, -9, 2, 6, -5], [-3, 1, 4, 1, 5, 9, -2, -6, 5]] {
            let far = graph.far_table(&fibre, &table, &costs, 1 << 40, &mut |_| false);
            let cost = |table: &[i64]| table.iter().zip(&costs).map(|(value, cost)| value * cost).sum::<i64>();
            assert!(fibre.contains(&far));
            assert_eq!(cost(&far), all.iter().map(|table| cost(table)).min().unwrap());
        }
        let stopped = graph.far_table(&fibre, &table, &[1, 0, 0, 0, 0, 0, 0, 0, 0], 1, &mut |now| now[0] < 2);
        assert_eq!(stopped[0], 1);
    }
}
