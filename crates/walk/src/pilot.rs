//! A pilot before evidence is gathered: pairs that show in a small part of their patience that they
//! will not meet.
//!
//! A family of pairs that meets at a constant rate, as often as evidence needs (four fifths within
//! the patience), leaves all of these pairs apart in a sixteenth of it with probability
//! `(1/5)^(64/16) = 1/625`. Pairs that come nearer before they meet are judged by how fast they do:
//! only where they would still be apart at the end of the patience if they went on at that speed,
//! without slowing down, are they given up. In every other case the evidence decides, and it is
//! gathered with bits of its own, as if there had been no pilot.

use super::gather::NOT_MET_HINT;
use super::kernel::Kernel;
use super::lag::{in_parallel, together};
use declare::Problem;
use exact::Seeded;
use std::sync::atomic::{AtomicBool, Ordering};

/// The seed of pilots, which is not that of evidence.
const SEED: u64 = 0x0070_696c_6f74_6564;
/// Pairs, over all families in turn; at least one of each.
const PAIRS: usize = 64;
/// The patience in looks, and the looks of a pilot: a sixteenth of it.
const LOOKS_OF_PATIENCE: u64 = 256;
const LOOKS: u64 = 16;
/// Distances are averaged over the last quarter of each half of the pilot.
const AVERAGED: u64 = LOOKS / 4;

/// Two tables that chains start from, and the kernel that moves both.
pub type Apart<'a, K> = (&'a K, &'a [i64], &'a [i64]);

/// Runs a few pairs for a sixteenth of their patience of `most` steps.
///
/// # Errors
/// Refused when none of them has met and their distance does not shrink fast enough to meet within
/// the patience.
pub fn pilot<K: Kernel>(families: &[Apart<'_, K>], most: u64) -> Result<(), Problem> {
    let look = most / LOOKS_OF_PATIENCE;
    if look == 0 || families.is_empty() {
        return Ok(());
    }
    // One pair that meets is enough to go on: the others need not be waited for.
    let met = AtomicBool::new(false);
    let count = PAIRS.max(families.len());
    let pairs = in_parallel(&Seeded::draw(SEED, 0), count, |number, entropy| {
        distances(families[number % families.len()], look, &met, entropy)
    })?;
    let Some(pairs) = pairs.into_iter().collect::<Option<Vec<_>>>() else { return Ok(()) };
    let before = pairs.iter().map(|(before, _)| before).sum::<f64>() / count as f64;
    let after = pairs.iter().map(|(_, after)| after).sum::<f64>() / count as f64;
    if reaches_zero(before, after) {
        return Ok(());
    }
    Err(Problem::refused(format!(
        "the walk was not begun: in a pilot none of {count} coupled pairs of chains met in {} steps, a sixteenth of the {most} \
         that pairs are given, and their mean distance went from {before:.1} to {after:.1} in half of these: at that speed they do \
         not meet, and nothing would be known about how near the walk is to its law",
        look * LOOKS
    ))
    .hint(NOT_MET_HINT))
}

/// Whether a distance that goes on shrinking at the speed of the pilot is gone before the patience
/// is.
fn reaches_zero(before: f64, after: f64) -> bool {
    let speed = (before - after) / (LOOKS / 2) as f64;
    // The mean distance is that of a moment before the end of the pilot.
    let left = (LOOKS_OF_PATIENCE - LOOKS + AVERAGED / 2) as f64;
    speed * left >= after
}

/// The mean distance of a pair at the end of either half of the pilot; `None` where it met, or
/// another did.
fn distances<K: Kernel>(
    (kernel, start, far): Apart<'_, K>,
    look: u64,
    met: &AtomicBool,
    entropy: &mut impl exact::Entropy,
) -> Option<(f64, f64)> {
    let mut one = kernel.start(start.to_vec());
    let mut two = kernel.start(far.to_vec());
    let (mut before, mut after) = (0.0, 0.0);
    for number in 1..=LOOKS {
        if met.load(Ordering::Relaxed) {
            return None;
        }
        if together(kernel, &mut one, &mut two, look, entropy).is_some() {
            met.store(true, Ordering::Relaxed);
            return None;
        }
        let distance = distance(kernel.values(&one), kernel.values(&two)) / AVERAGED as f64;
        match number {
            _ if number > LOOKS - AVERAGED => after += distance,
            _ if number > LOOKS / 2 - AVERAGED && number <= LOOKS / 2 => before += distance,
            _ => {}
        }
    }
    Some((before, after))
}

/// How far two tables are apart, cell by cell.
fn distance(one: &[i64], two: &[i64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one.abs_diff(*two) as f64).sum()
}
