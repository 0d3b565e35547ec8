//! Balls from urns: hypergeometric and binomial numbers from fair coins and rational coins alone,
//! however large the urn.
//!
//! How many of m uniformly chosen positions fall among the first K of N: the row is halved again
//! and again, and only the half that K ends in is looked at further ([`split_evenly`]). How many of
//! n uniform points lie below a fraction: the unit interval is halved in the same way. No
//! logarithm, no floating point; O(log N) splits, and one random bit per ball that is still in
//! doubt. Proof: `proofs/urn.md`.

use crate::entropy::Entropy;
use crate::integer::fair_heads;
use crate::subset::split_evenly;
use dashu_base::BitTest;
use dashu_int::UBig;

/// How many of `chosen` balls, drawn without replacement from `first + second`, are among the
/// `first`: j has weight C(first, j)·C(second, chosen − j).
///
/// # Panics
/// When more balls are chosen than there are.
pub fn hypergeometric<E: Entropy>(entropy: &mut E, first: u64, second: u64, chosen: u64) -> u64 {
    assert!(second <= u64::MAX - first && chosen <= first + second, "no more balls than there are");
    // The law is the same with the roles of chosen and first exchanged: fewer chosen balls need
    // fewer bits.
    let (mut wanted, mut chosen) = (first.max(chosen), first.min(chosen));
    let mut length = first + second;
    let mut found = 0;
    // The row is `length` positions, `chosen` of them marked; the question is how many of the first
    // `wanted` are.
    while chosen > 0 && wanted > 0 {
        if wanted >= length {
            return found + chosen;
        }
        if chosen == length {
            return found + wanted;
        }
        let half = length / 2;
        let inside = split_evenly(entropy, half, length - half, chosen);
        if wanted < half {
            (length, chosen) = (half, inside);
        } else {
            found += inside;
            (length, chosen, wanted) = (length - half, chosen - inside, wanted - half);
        }
    }
    found
}

/// How many of `trials` independent coins with probability `numerator / denominator` show heads.
///
/// # Panics
/// When the fraction is above one or has no denominator.
pub fn binomial<E: Entropy>(entropy: &mut E, trials: u64, numerator: u64, denominator: u64) -> u64 {
    assert!(denominator > 0 && numerator <= denominator, "a probability");
    let (mut trials, mut below) = (trials, u128::from(numerator));
    let whole = u128::from(denominator);
    let mut heads = 0;
    // `trials` points are uniform in a part of the unit interval, of which the share below/whole
    // counts as heads.
    while trials > 0 && below > 0 {
        if below == whole {
            return heads + trials;
        }
        let lower = fair_heads(entropy, trials);
        below *= 2;
        if below <= whole {
            trials = lower;
        } else {
            heads += lower;
            (trials, below) = (trials - lower, below - whole);
        }
    }
    heads
}

/// Fills a table with fixed margins: every pairing of the row labels with the column labels equally
/// likely, so that a table has weight ∏ 1/x!. Row by row, each split over the columns by
/// hypergeometric numbers.
///
/// # Panics
/// When rows and columns have different totals.
pub fn two_way<E: Entropy>(entropy: &mut E, rows: &[u64], columns: &[u64]) -> Vec<u64> {
    assert_eq!(rows.iter().sum::<u64>(), columns.iter().sum::<u64>(), "one total");
    let mut left = columns.to_vec();
    let mut all: u64 = left.iter().sum();
    let mut table = Vec::with_capacity(rows.len() * columns.len());
    for row in rows {
        let (mut rest, mut after) = (*row, all);
        for column in &mut left {
            after -= *column;
            let drawn = hypergeometric(entropy, *column, after, rest);
            *column -= drawn;
            rest -= drawn;
            table.push(drawn);
        }
        all -= row;
    }
    table
}

/// Spreads `trials` over cells with these weights: a multinomial table.
///
/// # Panics
/// When balls have no cell with weight to go to, or the weights leave 64 bits.
pub fn multinomial<E: Entropy>(entropy: &mut E, trials: u64, weights: &[u64]) -> Vec<u64> {
    let mut left: u64 = weights.iter().sum();
    let mut rest = trials;
    let spread = |weight: &u64| {
        if rest == 0 {
            return 0;
        }
        let drawn = binomial(entropy, rest, *weight, left);
        rest -= drawn;
        left -= weight;
        drawn
    };
    weights.iter().map(spread).collect()
}

/// A uniform whole number below `all`.
///
/// # Panics
/// When there is none.
pub fn below<E: Entropy>(entropy: &mut E, all: &UBig) -> UBig {
    assert!(!all.is_zero(), "there is no number below zero");
    let bits = (all - UBig::ONE).bit_len();
    loop {
        let mut number = UBig::ZERO;
        let mut left = bits;
        while left > 0 {
            let taken = left.min(64);
            number = (number << taken) + UBig::from(entropy.bits(taken as u32));
            left -= taken;
        }
        if number < *all {
            return number;
        }
    }
}
