//! Tables with margins: a basis by products of neighbouring differences, 2×2 swaps when there are
//! two dimensions.
//!
//! When cells are all combinations of some dimensions, and the rows are the margins by some sets G
//! of them, then for every set S of dimensions that lies in no G the products of `e_j − e_{j+1}`
//! along the dimensions in S, at the last value of all others, are in the kernel: some dimension of
//! S is summed out. Over all S they are a basis (`proofs/lattice.md`).
//!
//! The dimensions are not given but found: margins are partitions of the cells, the finest
//! partition that two of them refine is the margin by what they share, and the coarsest of all
//! these are the dimensions.

use super::Vector;
use crate::union::Union;
use std::collections::HashMap;

/// More margins are not looked at.
const MOST_MARGINS: usize = 16;
/// More dimensions give too many sets of them.
const MOST_DIMENSIONS: usize = 8;

/// Every cell's part, numbered in the order of their first cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Partition {
    of: Vec<u32>,
    parts: usize,
}

/// The vectors with their leading cells, each later vector zero there; `None` when the rows are no
/// margins of a full table.
pub(super) fn product(cells: usize, rows: &[Vector]) -> Option<(Vec<Vector>, Vec<u32>)> {
    let margins = margins(cells, rows)?;
    let dimensions = dimensions(&margins)?;
    let place = places(cells, &dimensions)?;
    let finer = |margin: &Partition, dimension: &Partition| join(margin, dimension) == *dimension;
    let mut generators = Vec::with_capacity(margins.len());
    for margin in &margins {
        let set: Vec<usize> = (0..dimensions.len()).filter(|axis| finer(margin, &dimensions[*axis])).collect();
        let parts: usize = set.iter().map(|axis| dimensions[*axis].parts).product();
        // In a full table the meet of the dimensions in the set has exactly this many parts, and
        // the margin refines it.
        if parts != margin.parts {
            return None;
        }
        generators.push(set.iter().fold(0u32, |mask, axis| mask | 1 << axis));
    }
    let sizes: Vec<usize> = dimensions.iter().map(|dimension| dimension.parts).collect();
    let mut found: Vec<(u32, Vector)> = Vec::new();
    for lead in 0..cells {
        let digits = digits(lead, &sizes);
        let moving = |axis: &usize| digits[*axis] + 1 < sizes[*axis];
        let set: Vec<usize> = (0..sizes.len()).filter(moving).collect();
        let mask = set.iter().fold(0u32, |mask, axis| mask | 1 << axis);
        if generators.iter().any(|generator| mask & !generator == 0) {
            continue;
        }
        let mut vector: Vector = (0..1usize << set.len())
            .map(|corner| {
                let mut at = digits.clone();
                let steps = set.iter().enumerate().filter(|(bit, _)| corner >> bit & 1 == 1);
                steps.for_each(|(_, axis)| at[*axis] += 1);
                (place[number(&at, &sizes)], if corner.count_ones() % 2 == 0 { 1 } else { -1 })
            })
            .collect();
        vector.sort_unstable();
        found.push((place[lead], vector));
    }
    let (leads, basis) = found.into_iter().unzip();
    Some((basis, leads))
}

/// The margins that no other implies. `None` when some row belongs to none.
fn margins(cells: usize, rows: &[Vector]) -> Option<Vec<Partition>> {
    // Rows go to the first family in which they overlap nothing.
    let mut families: Vec<Vec<Option<u32>>> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let times = row.first()?.1;
        if row.iter().any(|(_, other)| *other != times) {
            return None;
        }
        let free = |family: &&mut Vec<Option<u32>>| row.iter().all(|(cell, _)| family[*cell as usize].is_none());
        let family = match families.iter_mut().find(free) {
            Some(family) => family,
            None => {
                families.push(vec![None; cells]);
                families.last_mut()?
            }
        };
        row.iter().for_each(|(cell, _)| family[*cell as usize] = Some(number as u32));
        if families.len() > MOST_MARGINS {
            return None;
        }
    }
    let whole: Vec<Partition> =
        families.iter().filter_map(|family| family.iter().copied().collect::<Option<Vec<u32>>>()).map(named).collect();
    let mut margins: Vec<Partition> = Vec::new();
    for (number, margin) in whole.iter().enumerate() {
        let implied = |(other, finer): (usize, &Partition)| {
            other != number && join(margin, finer) == *margin && (margin != finer || other < number)
        };
        if !whole.iter().enumerate().any(implied) {
            margins.push(margin.clone());
        }
    }
    // A row of a family that is not whole says nothing new when it is made of parts of a margin.
    let made_of_parts = |row: &Vector| {
        margins.iter().any(|margin| {
            let mut inside = vec![0usize; margin.parts];
            row.iter().for_each(|(cell, _)| inside[margin.of[*cell as usize] as usize] += 1);
            let mut sizes = vec![0usize; margin.parts];
            margin.of.iter().for_each(|part| sizes[*part as usize] += 1);
            inside.iter().zip(&sizes).all(|(inside, size)| *inside == 0 || inside == size)
        })
    };
    rows.iter().all(made_of_parts).then_some(margins)
}

/// The coarsest partitions that margins share, or that are margins.
fn dimensions(margins: &[Partition]) -> Option<Vec<Partition>> {
    let mut shared: Vec<Partition> = margins.to_vec();
    let mut looked_at = 0;
    while looked_at < shared.len() {
        for other in 0..looked_at {
            let join = join(&shared[looked_at], &shared[other]);
            if join.parts > 1 && !shared.contains(&join) {
                shared.push(join);
            }
        }
        looked_at += 1;
        if shared.len() > 1 << MOST_DIMENSIONS {
            return None;
        }
    }
    shared.retain(|partition| partition.parts > 1);
    let is_coarsest = |one: &&Partition| !shared.iter().any(|other| other != *one && join(one, other) == *other);
    let dimensions: Vec<Partition> = shared.iter().filter(is_coarsest).cloned().collect();
    (!dimensions.is_empty() && dimensions.len() <= MOST_DIMENSIONS).then_some(dimensions)
}

/// The cell of every combination; `None` when some has no cell or several.
fn places(cells: usize, dimensions: &[Partition]) -> Option<Vec<u32>> {
    let sizes: Vec<usize> = dimensions.iter().map(|dimension| dimension.parts).collect();
    let combinations = sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size))?;
    if combinations != cells {
        return None;
    }
    let mut place = vec![u32::MAX; cells];
    for cell in 0..cells {
        let at: Vec<usize> = dimensions.iter().map(|dimension| dimension.of[cell] as usize).collect();
        let number = number(&at, &sizes);
        if place[number] != u32::MAX {
            return None;
        }
        place[number] = cell as u32;
    }
    Some(place)
}

fn number(at: &[usize], sizes: &[usize]) -> usize {
    at.iter().zip(sizes).fold(0, |number, (digit, size)| number * size + digit)
}

fn digits(mut number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut digits = vec![0; sizes.len()];
    for (digit, size) in digits.iter_mut().zip(sizes).rev() {
        *digit = number % size;
        number /= size;
    }
    digits
}

/// Parts numbered in the order of their first cells.
fn named(labels: Vec<u32>) -> Partition {
    let mut names = HashMap::new();
    let of = labels
        .into_iter()
        .map(|label| {
            let next = names.len() as u32;
            *names.entry(label).or_insert(next)
        })
        .collect();
    Partition { of, parts: names.len() }
}

/// The finest partition that both refine.
fn join(one: &Partition, other: &Partition) -> Partition {
    let mut tied = Union::new(one.parts);
    let mut first_of = vec![u32::MAX; other.parts];
    for (own, others) in one.of.iter().zip(&other.of) {
        let first = &mut first_of[*others as usize];
        if *first == u32::MAX {
            *first = *own;
        } else {
            tied.join(*first, *own);
        }
    }
    named(one.of.iter().map(|part| tied.top(*part)).collect())
}
