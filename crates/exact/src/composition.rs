//! Uniform weak compositions: k units spread over n cells so that every way of doing it is equally
//! likely.
//!
//! A weak composition of k into n parts is a row of k stars and n − 1 bars. Short rows are drawn by
//! choosing the positions of whichever is rarer; long rows are first split, cells left and cells
//! right, by the position of the bar between them. Both are exact, and the cost per cell depends
//! neither on k nor on n. Proof: `proofs/composition.md`.

use crate::entropy::Entropy;
use crate::integer::below;
use crate::subset::order_statistic;

/// Above this many cells a row is split before it is drawn: what is drawn at once stays in the
/// fastest cache.
const LEAF_CELLS: usize = 1024;

/// How many of `k` uniformly composed units fall on the first `first` of `first + second` cells.
pub fn split_composition<E: Entropy>(entropy: &mut E, first: u64, second: u64, k: u64) -> u64 {
    if k == 0 || first == 0 {
        return 0;
    }
    if second == 0 {
        return k;
    }
    let bars = first + second - 1;
    order_statistic(entropy, bars + k, bars, first) - (first - 1)
}

/// Memory reused between compositions.
#[derive(Debug, Default)]
pub struct Scratch {
    marks: Vec<u64>,
    positions: Vec<u64>,
}

/// Adds `sign` times a uniform weak composition of `k` to `cells`.
pub fn add_composition<E: Entropy>(entropy: &mut E, k: u64, sign: i64, cells: &mut [i64], scratch: &mut Scratch) {
    if k == 0 || cells.is_empty() {
        return;
    }
    if cells.len() == 1 {
        cells[0] += sign * k as i64;
        return;
    }
    if cells.len() > LEAF_CELLS {
        let (first, second) = cells.split_at_mut(cells.len() / 2);
        let inside = split_composition(entropy, first.len() as u64, second.len() as u64, k);
        add_composition(entropy, inside, sign, first, scratch);
        add_composition(entropy, k - inside, sign, second, scratch);
        return;
    }
    let bars = cells.len() as u64 - 1;
    let length = bars + k;
    if bars <= k {
        choose(entropy, length, bars, scratch);
        let mut cell = 0;
        let mut start = 0u64;
        scratch.visit(length, |bar| {
            cells[cell] += sign * (bar - start) as i64;
            cell += 1;
            start = bar + 1;
        });
        cells[cell] += sign * (length - start) as i64;
    } else {
        choose(entropy, length, k, scratch);
        let mut before = 0;
        scratch.visit(length, |star| {
            cells[(star - before) as usize] += sign;
            before += 1;
        });
    }
}

/// Leaves a uniform subset of `0..length` with `chosen` elements in the scratch: iid positions
/// until enough are distinct.
fn choose<E: Entropy>(entropy: &mut E, length: u64, chosen: u64, scratch: &mut Scratch) {
    scratch.positions.clear();
    scratch.marks.clear();
    if length <= 4096 + 64 * chosen {
        scratch.marks.resize(length.div_ceil(64) as usize, 0);
        let mut missing = chosen;
        while missing > 0 {
            let position = below(entropy, length);
            let word = &mut scratch.marks[(position / 64) as usize];
            let bit = 1u64 << (position % 64);
            missing -= u64::from(*word & bit == 0);
            *word |= bit;
        }
        return;
    }
    let positions = &mut scratch.positions;
    positions.extend((0..chosen).map(|_| below(entropy, length)));
    positions.sort_unstable();
    positions.dedup();
    while (positions.len() as u64) < chosen {
        let position = below(entropy, length);
        if let Err(place) = positions.binary_search(&position) {
            positions.insert(place, position);
        }
    }
}

impl Scratch {
    /// The chosen positions, increasing.
    #[inline]
    fn visit(&self, length: u64, mut visitor: impl FnMut(u64)) {
        debug_assert!(self.marks.is_empty() || self.marks.len() as u64 == length.div_ceil(64));
        for (index, word) in self.marks.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                visitor(index as u64 * 64 + u64::from(rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        self.positions.iter().for_each(|position| visitor(*position));
    }
}
