//! The noise of a table that is never in memory whole, from a plan on the small table with the same
//! structure.

use super::part::NoisyCells;
use super::profile::{ErrorProfile, Laws, MOST_SINGLE, Margin, Parts, cell_kinds, margin_of, margins, total_over};
use crate::planned::Plan;
use declare::{Dimension, Domain, Fold, Values};
use std::collections::BTreeMap;

/// Sums along a dimension with more values are not listed.
const MOST_VALUES: usize = 1 << 16;

/// The noise of every kind of cell and of every one-way margin; of a table that is folded, by the
/// plan of the small one.
pub fn error_profile(plan: &Plan, domain: &Domain, fold: Option<&Fold>) -> ErrorProfile {
    let mut laws = Laws::new(&plan.law);
    let cells = cell_kinds(plan, &mut laws);
    // The last dimension of the small table stands for all those that no total uses.
    let listed = fold.map_or(domain, |fold| &fold.domain);
    let used = listed.schema.dimensions.len() - usize::from(fold.is_some());
    let (first, folded) = domain.schema.dimensions.split_at(used);
    let mut all = margins(plan, &mut laws, listed, first);
    let mut kinds: BTreeMap<(Option<usize>, usize), usize> = BTreeMap::new();
    for planned in plan.blocks.iter().filter(|_| !folded.is_empty()) {
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
    // What is added up in a sum over so many values of the dimension.
    let parts = |leaves: usize| {
        let mut parts = Parts::new();
        for ((of, size), blocks) in kinds {
            let part = NoisyCells::new(size / values * leaves, *of);
            if part.take > 0 {
                *parts.entry(part).or_default() += blocks;
            }
        }
        parts
    };
    let mut found = Vec::new();
    if let Values::Hierarchy(levels) = &dimension.values {
        let coarser = levels.names.iter().zip(&levels.codes).zip(&levels.labels);
        for ((name, of_leaf), labels) in coarser.take(levels.names.len().saturating_sub(1)) {
            let mut leaves = vec![0; labels.len()];
            of_leaf.iter().for_each(|code| leaves[*code as usize] += 1);
            let sums = leaves.into_iter().map(parts).collect();
            found.push(margin_of(laws, name, sums, |code| labels[code].clone()));
        }
    }
    let sums = (0..values).map(|_| parts(1)).collect();
    found.push(margin_of(laws, &dimension.name, sums, |code| dimension.values.label(code)));
    found
}
