//! Partitions of leaves as label arrays: refinements, what is connected, what one partition says
//! about another.

use declare::NO_GROUP;
use std::collections::HashMap;

/// Labels 0, 1, … in the order of first appearance.
pub(crate) fn dense(labels: impl Iterator<Item = u64> + Clone) -> (Vec<u32>, usize) {
    let (count, most) = labels.clone().fold((0u64, 0), |(count, most), label| (count + 1, most.max(label)));
    let mut next = 0u32;
    // Small labels are looked up in a list, large ones in a map.
    if most <= 16 * count + 1024 {
        let mut known = vec![u32::MAX; most as usize + 1];
        let number = |label: u64| {
            let known = &mut known[label as usize];
            if *known == u32::MAX {
                *known = next;
                next += 1;
            }
            *known
        };
        let dense = labels.map(number).collect();
        return (dense, next as usize);
    }
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut dense = Vec::with_capacity(count as usize);
    for label in labels {
        let fresh = known.len() as u32;
        dense.push(*known.entry(label).or_insert(fresh));
    }
    (dense, known.len())
}

/// The common refinement of families, which label all leaves.
pub(crate) fn refinement(families: &[&[u32]], leaves: usize) -> (Vec<u32>, usize) {
    let mut labels = vec![0u32; leaves];
    let mut count = usize::from(leaves > 0);
    for family in families {
        let wide = family.iter().max().map_or(1, |most| u64::from(*most) + 1);
        let pairs = labels.iter().zip(*family).map(|(one, other)| u64::from(*one) * wide + u64::from(*other));
        (labels, count) = dense(pairs);
    }
    (labels, count)
}

/// Whether every group of `fine` lies in one group of `coarse`: both label all leaves.
pub(crate) fn refines(fine: &[u32], coarse: &[u32]) -> bool {
    let mut inside: Vec<Option<u32>> = vec![None; fine.iter().max().map_or(0, |most| *most as usize + 1)];
    fine.iter().zip(coarse).all(|(fine, coarse)| *inside[*fine as usize].get_or_insert(*coarse) == *coarse)
}

/// The finest partition of which both are refinements: what is connected through either.
pub(crate) fn connected(one: &[u32], other: &[u32]) -> (Vec<u32>, usize) {
    let (one, ones) = dense(one.iter().map(|label| u64::from(*label)));
    let (other, others) = dense(other.iter().map(|label| u64::from(*label)));
    let mut parent: Vec<usize> = (0..ones + others).collect();
    fn find(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (one, other) in one.iter().zip(&other) {
        let (a, b) = (find(&mut parent, *one as usize), find(&mut parent, ones + *other as usize));
        parent[a] = b;
    }
    let roots: Vec<usize> = (0..ones).map(|label| find(&mut parent, label)).collect();
    dense(one.iter().map(|label| roots[*label as usize] as u64))
}

/// Gives every leaf a group, where that is possible: leaves that a family leaves out have an exact
/// sum too if some family that labels all leaves has groups that hold the groups of this one.
pub(crate) fn completed(family: &[u32], others: &[&[u32]]) -> Option<Vec<u32>> {
    if !family.contains(&NO_GROUP) {
        return Some(family.to_vec());
    }
    let fits = |other: &&&[u32]| {
        let mut inside: HashMap<u32, u32> = HashMap::new();
        !other.contains(&NO_GROUP)
            && family
                .iter()
                .zip(other.iter())
                .all(|(own, other)| *own == NO_GROUP || *inside.entry(*own).or_insert(*other) == *other)
    };
    let whole = others.iter().find(fits)?;
    let wide = family.iter().filter(|own| **own != NO_GROUP).max().map_or(0, |most| u64::from(*most) + 1);
    let rest = family.iter().zip(whole.iter()).map(|(own, whole)| match *own {
        NO_GROUP => wide + u64::from(*whole),
        own => u64::from(own),
    });
    Some(dense(rest).0)
}

/// One leaf of every group, and the labels of another family there.
pub(crate) fn carried(labels: &[u32], count: usize, other: &[u32]) -> Vec<u32> {
    let mut carried = vec![0; count];
    labels.iter().zip(other).rev().for_each(|(label, other)| carried[*label as usize] = *other);
    carried
}
