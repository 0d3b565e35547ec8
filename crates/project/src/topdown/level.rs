//! `Level`: the sums over the groups of one level, and what public values and measurements say
//! about them.

use crate::component::{Component, Term, split};
use crate::integer_form::{Limits, within};
use crate::round::Rounding;
use analyse::{Demand, Fibre, FibreRow, Union};
use std::collections::BTreeMap;
use std::mem::discriminant;

/// One level made ready.
#[derive(Debug)]
pub(crate) struct Level {
    pub groups: usize,
    /// Rows with numbers below the number of groups of the level above are the sums over its
    /// groups.
    pub parts: Vec<Component>,
    pub roundings: Vec<Rounding>,
    /// For every row of the level the row of the fibre that it is, if it is one.
    pub origins: Vec<Option<usize>>,
    /// For every measurement of the level the numbers of those it is the sum of.
    sources: Vec<Vec<usize>>,
    group_of: Vec<u32>,
}

/// The groups of a level within those of the level above.
struct Groups<'a> {
    group_of: &'a [u32],
    /// The number of cells of every group.
    sizes: Vec<u32>,
    /// For every group its parent, and for every parent the number of its groups; empty at the
    /// first level.
    parent_of: Vec<u32>,
    children: Vec<u32>,
}

impl Level {
    /// `None` when a group is not within one group of the level above.
    pub fn new(fibre: &Fibre, terms: &[Term], groups: &[u32], above: Option<&Level>) -> Option<Level> {
        let (group_of, count) = numbered(groups);
        let mut sizes = vec![0u32; count];
        group_of.iter().for_each(|group| sizes[*group as usize] += 1);
        let (parent_of, children) = match above {
            None => (Vec::new(), Vec::new()),
            Some(above) => {
                let mut parent_of = vec![u32::MAX; count];
                for (group, parent) in group_of.iter().zip(&above.group_of) {
                    let known = &mut parent_of[*group as usize];
                    if *known != u32::MAX && known != parent {
                        return None;
                    }
                    *known = *parent;
                }
                let mut children = vec![0u32; above.groups];
                parent_of.iter().for_each(|parent| children[*parent as usize] += 1);
                (parent_of, children)
            }
        };
        let groups = Groups { group_of: &group_of, sizes, parent_of, children };
        let mut rows = groups.parent_rows();
        let mut bounds = groups.bounds(fibre);
        let mut origins = vec![None; rows.len()];
        origins.extend(groups.direct(fibre, &mut rows));
        groups.together(fibre, &mut rows, &mut bounds);
        origins.resize(rows.len(), None);
        let (terms, sources) = groups.terms(terms);
        let level = Fibre { cells: (0..count as u32).collect(), bounds, rows, noise_on_cells: false };
        let parts = split(&level, terms);
        let roundings = parts.iter().map(|part| Rounding::new(&part.fibre)).collect();
        Some(Level { groups: count, parts, roundings, origins, sources, group_of })
    }

    /// The measurements of the level.
    pub fn measured(&self, measured: &[f64]) -> Vec<f64> {
        self.sources.iter().map(|sources| sources.iter().map(|source| measured[*source]).sum()).collect()
    }
}

/// Both together, where both have an end.
fn add(sum: Option<i64>, bound: Option<i64>) -> Option<i64> {
    sum?.checked_add(bound?)
}

/// The totals and rules of a fibre with their numbers.
fn asked(fibre: &Fibre) -> impl Iterator<Item = (usize, &FibreRow)> {
    fibre.rows.iter().enumerate().filter(|(_, row)| !matches!(row.demand, Demand::Noisy { .. }))
}

/// Groups numbered in the order of their first cells.
fn numbered(groups: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers = BTreeMap::new();
    let number = |group: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(*group).or_insert(next)
    };
    let numbered: Vec<u32> = groups.iter().map(number).collect();
    let count = numbers.len();
    (numbered, count)
}

/// A sum as a sum over groups of these sizes, if it takes all members of a group alike.
fn whole_groups(entries: impl Iterator<Item = (u32, i64)>, group_of: &[u32], sizes: &[u32]) -> Option<Vec<(u32, i64)>> {
    let mut taken: BTreeMap<u32, (i64, u32)> = BTreeMap::new();
    for (member, times) in entries {
        let (first, count) = taken.entry(group_of[member as usize]).or_insert((times, 0));
        if *first != times {
            return None;
        }
        *count += 1;
    }
    let whole = taken.iter().all(|(group, (_, count))| *count == sizes[*group as usize]);
    whole.then(|| taken.into_iter().map(|(group, (times, _))| (group, times)).collect())
}

impl Groups<'_> {
    fn parent_rows(&self) -> Vec<FibreRow> {
        let row = |_: &u32| FibreRow { entries: Vec::new(), demand: Demand::Equal(0) };
        let mut rows: Vec<FibreRow> = self.children.iter().map(row).collect();
        for (group, parent) in self.parent_of.iter().enumerate() {
            rows[*parent as usize].entries.push((group as u32, 1));
        }
        rows
    }

    /// What the bounds of the cells say about the sums.
    fn bounds(&self, fibre: &Fibre) -> Vec<Limits> {
        let mut bounds = vec![(Some(0i64), Some(0i64)); self.sizes.len()];
        for (group, (low, high)) in self.group_of.iter().zip(&fibre.bounds) {
            let bound = &mut bounds[*group as usize];
            *bound = (add(bound.0, *low), add(bound.1, *high));
        }
        bounds
    }

    /// A sum over cells as a sum over groups, if it takes all cells of a group alike.
    fn coarse(&self, entries: impl Iterator<Item = (u32, i64)>) -> Option<Vec<(u32, i64)>> {
        whole_groups(entries, self.group_of, &self.sizes)
    }

    /// Whether the level above has fixed this sum: it takes all groups of a parent alike.
    fn is_known(&self, entries: &[(u32, i64)]) -> bool {
        !self.parent_of.is_empty() && whole_groups(entries.iter().copied(), &self.parent_of, &self.children).is_some()
    }

    /// The totals and rules over whole groups that the level above has not fixed, and their
    /// numbers.
    fn direct(&self, fibre: &Fibre, rows: &mut Vec<FibreRow>) -> Vec<Option<usize>> {
        let mut origins = Vec::new();
        for (number, row) in asked(fibre) {
            if let Some(entries) = self.coarse(row.entries.iter().copied()).filter(|entries| !self.is_known(entries)) {
                rows.push(FibreRow { entries, demand: row.demand });
                origins.push(Some(number));
            }
        }
        origins
    }

    /// What totals and rules over parts of groups imply together for whole ones.
    fn together(&self, fibre: &Fibre, rows: &mut Vec<FibreRow>, bounds: &mut [Limits]) {
        let own = bounds.to_vec();
        let mut run: Vec<&FibreRow> = Vec::new();
        let mut covered = vec![false; self.group_of.len()];
        for (_, row) in asked(fibre).filter(|(_, row)| self.coarse(row.entries.iter().copied()).is_none()) {
            // Totals of one kind that share no cell can be added up.
            let alike = run.last().is_none_or(|last| discriminant(&last.demand) == discriminant(&row.demand));
            if !alike || row.entries.iter().any(|(cell, _)| covered[*cell as usize]) {
                self.implied(fibre, &own, &run, rows, bounds);
                run.iter().flat_map(|row| &row.entries).for_each(|(cell, _)| covered[*cell as usize] = false);
                run.clear();
            }
            row.entries.iter().for_each(|(cell, _)| covered[*cell as usize] = true);
            run.push(row);
        }
        self.implied(fibre, &own, &run, rows, bounds);
    }

    /// For every component of the groups that these rows join: their sum, if it takes whole groups;
    /// otherwise, for plain sums, what it says together with the bounds of the cells that they
    /// leave out.
    fn implied(
        &self,
        fibre: &Fibre,
        own: &[Limits],
        run: &[&FibreRow],
        rows: &mut Vec<FibreRow>,
        bounds: &mut [Limits],
    ) {
        let entries: Vec<&[(u32, i64)]> = run.iter().map(|row| row.entries.as_slice()).collect();
        for component in self.components(&entries) {
            let value = component.iter().try_fold(0i64, |sum, row| match run[*row].demand {
                Demand::Equal(value) | Demand::AtLeast(value) | Demand::AtMost(value) => sum.checked_add(value),
                Demand::Noisy { .. } => None,
            });
            let Some(value) = value else { continue };
            let taken = || component.iter().flat_map(|row| run[*row].entries.iter().copied());
            let (low, high) = match run[component[0]].demand {
                Demand::Equal(_) => (true, true),
                Demand::AtLeast(_) => (true, false),
                _ => (false, true),
            };
            let found = match self.coarse(taken()) {
                Some(entries) => Some((entries, low.then_some(value), high.then_some(value))),
                None if taken().all(|(_, times)| times == 1) => {
                    let (entries, rest) = self.left_out(fibre, own, taken());
                    let asked = |is_asked: bool, rest: Option<i64>| add(is_asked.then_some(value), rest);
                    Some((entries, asked(low, rest.0), asked(high, rest.1)))
                }
                None => None,
            };
            let Some((entries, low, high)) = found else { continue };
            if self.is_known(&entries) {
                continue;
            }
            match (entries.as_slice(), low, high) {
                ([(group, 1)], low, high) => bounds[*group as usize] = within(bounds[*group as usize], (low, high)),
                (_, Some(low), Some(high)) if low == high => {
                    rows.push(FibreRow { entries, demand: Demand::Equal(low) })
                }
                (_, low, high) => {
                    rows.extend(low.map(|low| FibreRow { entries: entries.clone(), demand: Demand::AtLeast(low) }));
                    rows.extend(high.map(|high| FibreRow { entries, demand: Demand::AtMost(high) }));
                }
            }
        }
    }

    /// All groups that a sum touches, once each, and the bounds of their cells that it leaves out.
    fn left_out(
        &self,
        fibre: &Fibre,
        own: &[Limits],
        taken: impl Iterator<Item = (u32, i64)>,
    ) -> (Vec<(u32, i64)>, Limits) {
        let mut groups: BTreeMap<u32, i64> = BTreeMap::new();
        let (mut low, mut high) = (Some(0i64), Some(0i64));
        let minus = |sum: Option<i64>, bound: Option<i64>| sum?.checked_sub(bound?);
        for (cell, _) in taken {
            groups.insert(self.group_of[cell as usize], 1);
            let bound = fibre.bounds[cell as usize];
            (low, high) = (minus(low, bound.0), minus(high, bound.1));
        }
        for group in groups.keys() {
            (low, high) = (add(low, own[*group as usize].0), add(high, own[*group as usize].1));
        }
        (groups.into_iter().collect(), (low, high))
    }

    /// Which sums hang together by the groups that they touch, in order of their first ones.
    fn components(&self, sums: &[&[(u32, i64)]]) -> Vec<Vec<usize>> {
        let touched: Vec<Vec<u32>> = sums
            .iter()
            .map(|entries| entries.iter().map(|(cell, _)| self.group_of[*cell as usize]).collect())
            .collect();
        let mut tied = Union::new(self.sizes.len());
        for pair in touched.iter().flat_map(|touched| touched.windows(2)) {
            tied.join(pair[0], pair[1]);
        }
        let mut components: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, touched) in touched.iter().enumerate() {
            if let Some(group) = touched.first() {
                components.entry(tied.top(*group)).or_default().push(number);
            }
        }
        components.into_values().collect()
    }

    /// What is measured of the groups: sums over whole groups as they are; groups that have none by
    /// sums of finer measurements.
    fn terms(&self, terms: &[Term]) -> (Vec<Term>, Vec<Vec<usize>>) {
        let (mut found, mut sources): (Vec<Term>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut is_measured = vec![false; self.sizes.len()];
        let mut finer: BTreeMap<u32, Vec<&Term>> = BTreeMap::new();
        let mut add = |query: u32, entries: Vec<(u32, i64)>, weight: f64, fixed: i64, from: Vec<usize>| {
            found.push(Term { measured: sources.len(), query, entries, weight, fixed });
            sources.push(from);
        };
        for term in terms {
            match self.coarse(term.entries.iter().copied()) {
                Some(entries) if entries.len() == 1 || !self.is_known(&entries) => {
                    entries.iter().for_each(|(group, _)| is_measured[*group as usize] = true);
                    add(term.query, entries, term.weight, term.fixed, vec![term.measured]);
                }
                Some(_) => {}
                None => finer.entry(term.query).or_default().push(term),
            }
        }
        for (query, run) in &finer {
            let entries: Vec<&[(u32, i64)]> = run.iter().map(|term| term.entries.as_slice()).collect();
            for component in self.components(&entries) {
                let parts = || component.iter().map(|number| run[*number]);
                let Some(entries) = self.coarse(parts().flat_map(|term| term.entries.iter().copied())) else {
                    continue;
                };
                let fresh = entries.iter().any(|(group, _)| !is_measured[*group as usize]);
                if fresh && (entries.len() == 1 || !self.is_known(&entries)) {
                    let weight = 1.0 / parts().map(|term| 1.0 / term.weight).sum::<f64>();
                    let fixed = parts().map(|term| term.fixed).sum();
                    add(*query, entries, weight, fixed, parts().map(|term| term.measured).collect());
                }
            }
        }
        (found, sources)
    }
}
