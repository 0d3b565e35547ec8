//! EXPLAIN: the plan for a curator, as text, and for a script, as JSON.

mod json;
mod text;

use crate::numbers::{count, decimal};
use walk::Evidence;

/// What is assumed about pairs of chains that have not met yet, in words, and how it was tested.
pub fn assumption_in_words(evidence: &Evidence) -> String {
    let first: u64 = evidence.families.iter().map(|family| family.tried.pairs).sum();
    let apart: u64 = evidence.families.iter().filter(|family| family.apart).map(|family| family.tried.pairs).sum();
    let rounds = match evidence.rounds.len() {
        0 => String::new(),
        1 => ", and in 1 further block of pairs that had not met".to_owned(),
        more => format!(", and in {more} further blocks of pairs that had not met"),
    };
    format!(
        "it is assumed that two chains that have not met yet fail to meet in the next {} with a probability of at most {}, \
         wherever they are: seen in the first block of {first} pairs, {apart} of which began far apart{rounds}",
        count(evidence.block as usize, "step"),
        decimal(evidence.unmet())
    )
}
