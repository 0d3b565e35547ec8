//! The noise of a table that is never in memory whole, from a plan on the small table with the same
//! structure.

use super::part::NoisyCells;
use super::profile::{ErrorProfile, Laws, MOST_SINGLE, Margin, Parts, cell_kinds, margin_of, margins, total_over};
use crate::planned::Plan;
use declare::{Dimension, Domain, Fold, Values};
use std::collections::{BTreeMap, HashMap};

/// Sums along a dimension with more values are not listed.
const MOST_VALUES: usize = 1 << 16;

/// The noise of every kind of cell and of every one-way margin, as [`super::error_profile`] tells
/// it, of a table that is folded.
pub fn folded_error_profile(plan: &Plan, domain: &Domain, fold: &Fold) -> ErrorProfile {
    let mut laws = Laws::new(&plan.law);
    let cells = cell_kinds(plan, &mut laws);
    // The last dimension of the small table stands for all those that no total uses.
    let used = fold.domain.schema.dimensions.len() - 1;
    let (first, folded) = domain.schema.dimensions.split_at(used);
    let mut all = margins(plan, &mut laws, &fold.domain, first);
    let mut kinds: BTreeMap<(Option<usize>, usize), usize> = BTreeMap::new();
    for planned in &plan.blocks {
        let size = planned.block.size;
        *kinds.entry((total_over(&planned.block.structure, size), size)).or_default() += 1;
    }
    let listed = |dimension: &&Dimension| match dimension.values.len() {
        size if size == domain.len() => size <= MOST_SINGLE,
        size => size <= MOST_VALUES,
    };
    for dimension in folded.iter().filter(listed) {
        all.extend(even(&mut laws, &kinds, dimension));
    }
    ErrorProfile { cells, margins: all }
}

/// The margins of a dimension whose values divide every block evenly: its coarser levels, then its
/// values.
fn even(laws: &mut Laws, kinds: &BTreeMap<(Option<usize>, usize), usize>, dimension: &Dimension) -> Vec<Margin> {
    let values = dimension.values.len();
    let mut known: HashMap<usize, Parts> = HashMap::new();
    // What is added up in a sum over so many values of the dimension.
    let mut parts = |leaves: usize| {
        let of_kind = |((of, size), blocks): (&(Option<usize>, usize), &usize)| {
            (NoisyCells::new(size / values * leaves, *of), *blocks)
        };
        let parts = || {
            let mut parts = Parts::new();
            for (part, blocks) in kinds.iter().map(of_kind).filter(|(part, _)| part.take > 0) {
                *parts.entry(part).or_default() += blocks;
            }
            parts
        };
        known.entry(leaves).or_insert_with(parts).clone()
    };
    let mut found = Vec::new();
    if let Values::Hierarchy(levels) = &dimension.values {
        let coarser = levels.names.iter().zip(&levels.codes).zip(&levels.labels);
        for ((name, of_leaf), labels) in coarser.take(levels.names.len().saturating_sub(1)) {
            let mut leaves = vec![0; labels.len()];
            of_leaf.iter().for_each(|code| leaves[*code as usize] += 1);
            let sums = leaves.into_iter().map(&mut parts).collect();
            found.push(margin_of(laws, name, sums, |code| labels[code].clone()));
        }
    }
    let sums = (0..values).map(|_| parts(1)).collect();
    found.push(margin_of(laws, &dimension.name, sums, |code| dimension.values.label(code)));
    found
}
