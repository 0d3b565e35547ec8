//! Random small invariant structures: disjoint, nested, crossing, partial, empty.

use crate::fibre::sums;
use declare::{Grouping, NO_GROUP};
use exact::Entropy;
use exact::integer::below;

/// A random set of invariants on a few cells.
#[derive(Debug, Clone)]
pub struct RandomStructure {
    /// The number of cells.
    pub cells: usize,
    /// The invariants.
    pub groupings: Vec<Grouping>,
}

/// Draws invariants on `2..=most_cells` cells. With `nested` every invariant refines the previous
/// one on the cells it sums (so groups are disjoint or nested); otherwise groups are arbitrary and
/// may cross.
pub fn random_structure<E: Entropy>(entropy: &mut E, most_cells: usize, nested: bool) -> RandomStructure {
    let cells = 2 + below(entropy, most_cells as u64 - 1) as usize;
    let invariants = below(entropy, 4) as usize;
    let mut groupings: Vec<Grouping> = Vec::new();
    for level in 0..invariants {
        let parts = 1 + below(entropy, 3) as u32;
        let mut codes: Vec<Option<u32>> = (0..cells)
            .map(|cell| {
                let part = below(entropy, u64::from(parts)) as u32;
                let left_out = below(entropy, 4) == 0;
                let parent = groupings.last().filter(|_| nested);
                match parent {
                    Some(above) if !sums(above, cell) => None,
                    Some(above) => (!left_out).then_some(above.group_of[cell] * parts + part),
                    None => (!left_out).then_some(part),
                }
            })
            .collect();
        let mut used: Vec<u32> = codes.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        for code in codes.iter_mut().flatten() {
            *code = used.binary_search(code).expect("a used code") as u32;
        }
        groupings.push(Grouping {
            times: None,
            label: format!("by level{level}"),
            names: (0..used.len()).map(|group| format!("level{level} = {group}")).collect(),
            group_of: codes.into_iter().map(|code| code.unwrap_or(NO_GROUP)).collect(),
        });
    }
    RandomStructure { cells, groupings }
}
