//! Cells by the size of the group whose total is kept, or by the size of their count: bias and
//! variance of each part.

use super::summary::Summary;
use std::collections::BTreeMap;

/// Cells that are summarised together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The smallest size in it.
    pub least: u64,
    /// The largest size in it.
    pub most: u64,
    /// The number of cells.
    pub cells: u64,
}

/// Every cell in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    parts: Vec<Part>,
    part_of: Vec<u32>,
}

/// The group of a cell that is in no total.
pub const IN_NO_TOTAL: u32 = u32::MAX;

/// The size of every cell's group, 0 for cells without one.
pub fn group_sizes(group_of: &[u32]) -> Vec<u64> {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    group_of.iter().filter(|group| **group != IN_NO_TOTAL).for_each(|group| *sizes.entry(*group).or_default() += 1);
    group_of.iter().map(|group| sizes.get(group).copied().unwrap_or(0)).collect()
}

/// So many different sizes are told apart; more are joined.
const MOST_PARTS: usize = 12;

impl Partition {
    /// Cells by any size, such as that of the smallest of several groups ([`group_sizes`]).
    /// Different sizes are told apart when they are at most twelve; more are joined by powers of
    /// two.
    pub fn by_sizes(sizes: &[u64]) -> Partition {
        let mut distinct = sizes.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() <= MOST_PARTS {
            return Partition::by_key(sizes, |size| size);
        }
        Partition::by_key(sizes, |size| size.checked_ilog2().map_or(0, |bits| u64::from(bits) + 1))
    }

    /// Cells by the size of their true count: 0, 1 to 9, 10 to 99, … . A negative count is taken by
    /// its absolute value.
    pub fn by_count(truth: &[i64]) -> Partition {
        let sizes: Vec<u64> = truth.iter().map(|count| count.unsigned_abs()).collect();
        Partition::by_key(&sizes, |size| size.checked_ilog10().map_or(0, |digits| u64::from(digits) + 1))
    }

    /// Cells with equal keys together, in the order of keys.
    fn by_key(sizes: &[u64], key: impl Fn(u64) -> u64) -> Partition {
        let mut keys: Vec<u64> = sizes.iter().map(|size| key(*size)).collect();
        keys.sort_unstable();
        keys.dedup();
        let place = |size: u64| keys.binary_search(&key(size)).unwrap_or(0);
        let mut parts = vec![Part { least: u64::MAX, most: 0, cells: 0 }; keys.len()];
        for size in sizes {
            let part = &mut parts[place(*size)];
            *part = Part { least: part.least.min(*size), most: part.most.max(*size), cells: part.cells + 1 };
        }
        let part_of = sizes.iter().map(|size| place(*size) as u32).collect();
        Partition { parts, part_of }
    }

    /// The parts, smallest sizes first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part of every cell.
    pub fn part_of(&self) -> &[u32] {
        &self.part_of
    }

    /// The mean over the cells of each part of what is known of every cell, such as its variance in
    /// theory; `None` where it is not known of all.
    pub fn means(&self, known: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
        let mut sums = vec![Some(0.0); self.parts.len()];
        for (cell, part) in self.part_of.iter().enumerate() {
            let sum = &mut sums[*part as usize];
            *sum = sum.and_then(|sum| known(cell).map(|value| sum + value));
        }
        sums.iter().zip(&self.parts).map(|(sum, part)| sum.map(|sum| sum / part.cells as f64)).collect()
    }
}

/// Bias and variance of the cells of every part, averaged over its cells.
///
/// Cells of one release depend on each other, releases do not. So each release gives one number per
/// part, and the standard error is that of the mean of these numbers. For the variance the number
/// of the d-th release is the mean over the cells of
/// `(d−1)/d·(error − mean of the earlier errors)²`, whose mean over d = 2, 3, … is the variance
/// itself (`proofs/measure.md`).
#[derive(Debug, Clone, PartialEq)]
pub struct PartErrors {
    partition: Partition,
    bias: Vec<Summary>,
    variance: Vec<Summary>,
    errors: Vec<f64>,
    squares: Vec<f64>,
    counted: bool,
}

impl PartErrors {
    pub(super) fn new(partition: Partition) -> Self {
        let parts = partition.parts.len();
        PartErrors {
            partition,
            bias: vec![Summary::default(); parts],
            variance: vec![Summary::default(); parts],
            errors: vec![0.0; parts],
            squares: vec![0.0; parts],
            counted: false,
        }
    }

    pub(super) fn begin(&mut self) {
        self.errors.fill(0.0);
        self.squares.fill(0.0);
        self.counted = false;
    }

    /// The error of a cell, and what was known of the cell before.
    pub(super) fn add(&mut self, cell: usize, error: f64, known: &Summary) {
        let Some(part) = self.partition.part_of.get(cell).map(|part| *part as usize) else { return };
        self.errors[part] += error;
        if known.count() > 0 {
            let before = known.count() as f64;
            self.squares[part] += before / (before + 1.0) * (error - known.mean()).powi(2);
            self.counted = true;
        }
    }

    pub(super) fn end(&mut self) {
        for (number, part) in self.partition.parts.iter().enumerate() {
            self.bias[number].push(self.errors[number] / part.cells as f64);
            if self.counted {
                self.variance[number].push(self.squares[number] / part.cells as f64);
            }
        }
    }

    pub(super) fn merge(&mut self, other: &PartErrors) {
        self.bias.iter_mut().zip(&other.bias).for_each(|(one, more)| one.merge(more));
        self.variance.iter_mut().zip(&other.variance).for_each(|(one, more)| one.merge(more));
    }

    /// The parts.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// By part, a number per release: the mean error of its cells. Its mean is the mean bias.
    pub fn bias(&self) -> &[Summary] {
        &self.bias
    }

    /// By part, a number per release after the first: its mean is the mean variance of the cells.
    pub fn variance(&self) -> &[Summary] {
        &self.variance
    }
}
