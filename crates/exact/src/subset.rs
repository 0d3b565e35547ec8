//! How a uniform random subset falls on two halves: hypergeometric splits from fair coins and
//! rational coins alone.
//!
//! The number j of the m chosen positions that fall on the first N₁ of N₁ + N₂ has weight C(N₁,
//! j)·C(N₂, m−j). A fair coin for every chosen position proposes j with weight C(m, j); what is
//! left over, `1 / ((N₁−j)!·(N₂−m+j)!)`, is largest in the middle and its ratio to the middle is a
//! product of fractions below one: rational coins. No logarithm, no floating point, no big number.
//! Proof: `proofs/composition.md`.

use crate::entropy::Entropy;
use crate::integer::{below, fair_heads, ratio};

/// How many of `chosen` uniformly chosen positions out of `first + second` fall among the `first`
/// (where the two parts differ in length by at most one).
pub fn split_evenly<E: Entropy>(entropy: &mut E, first: u64, second: u64, chosen: u64) -> u64 {
    debug_assert!(first.abs_diff(second) <= 1 && chosen <= first + second);
    let total = first + second;
    if chosen > total - chosen {
        return first - split_evenly(entropy, first, second, total - chosen);
    }
    loop {
        if let Some(inside) = attempt_split(entropy, first, second, chosen) {
            return inside;
        }
    }
}

/// One attempt at [`split_evenly`], for at most half of the positions: a number with probability
/// proportional to its weight, or nothing.
pub fn attempt_split<E: Entropy>(entropy: &mut E, first: u64, second: u64, chosen: u64) -> Option<u64> {
    debug_assert!(first.abs_diff(second) <= 1 && 2 * chosen <= first + second);
    let free = first + second - chosen;
    let middle = free / 2;
    let inside = fair_heads(entropy, chosen);
    if inside > first || chosen - inside > second {
        return None;
    }
    let (free_first, free_second) = (first - inside, second - (chosen - inside));
    // The weight relative to the middle is ∏ (smaller + i)/(centre + i) over the distance to the
    // middle.
    let (smaller, centre, distance) = if free_first > middle {
        (free_second, middle, free_first - middle)
    } else {
        (free_first, free - middle, middle - free_first)
    };
    (1..=distance).all(|i| ratio(entropy, smaller + i, centre + i)).then_some(inside)
}

/// The position (from 0) of the `rank`-th (from 1) smallest of `chosen` uniformly chosen positions
/// out of `length`.
pub fn order_statistic<E: Entropy>(entropy: &mut E, length: u64, chosen: u64, rank: u64) -> u64 {
    debug_assert!(1 <= rank && rank <= chosen && chosen <= length);
    let (mut offset, mut length, mut chosen, mut rank) = (0u64, length, chosen, rank);
    loop {
        if chosen == length {
            return offset + rank - 1;
        }
        if chosen == 1 {
            return offset + below(entropy, length);
        }
        let first = length / 2;
        let second = length - first;
        let inside = split_evenly(entropy, first, second, chosen);
        if rank <= inside {
            (length, chosen) = (first, inside);
        } else {
            offset += first;
            (length, chosen, rank) = (second, chosen - inside, rank - inside);
        }
    }
}
