//! Inversion of a law on {0, 1, 2, …} by its survival function, one machine word in almost every
//! draw.
//!
//! The outcome is the largest i with `U < P(X ≥ i)`. A table holds the survival function in 64-bit
//! words; a word that falls within the rounding of an entry, or beyond the table, is settled by
//! enclosures with the same random bits: the window is extended lazily, so truncation costs
//! nothing.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::{Bounds, Uniform, words};

/// A law on {0, 1, 2, …} known through enclosures of its survival function.
pub trait Survival {
    /// Encloses `P(X ≥ index)`; at index 0 it is 1. The width must go to zero as `bits` grows.
    fn survival(&self, index: u64, bits: usize) -> Enclosure;
}

/// The survival function of a law in 64-bit words.
#[derive(Debug, Clone)]
pub struct SurvivalTable {
    /// Bounds of P(X ≥ i), for i = 0, 1, …; decreasing.
    entries: Vec<Bounds>,
    /// For the leading bits of a word an index at which the search may start: no larger than the
    /// outcome.
    guide: Vec<u32>,
}

const GUIDE_BITS: u32 = 10;

impl SurvivalTable {
    /// From bounds of `P(X ≥ i)` for i = 0, 1, …, not increasing; the first is ignored (it is 1).
    pub fn new(mut entries: Vec<Bounds>) -> Self {
        assert!(!entries.is_empty(), "a survival table has an entry");
        entries[0] = Bounds { floor: u64::MAX, last: u64::MAX };
        let guide = (0..1u64 << GUIDE_BITS)
            .map(|lead| {
                let (_, high) = words(lead, GUIDE_BITS);
                (entries.partition_point(|entry| entry.floor > high) as u32).saturating_sub(1)
            })
            .collect();
        SurvivalTable { entries, guide }
    }

    /// One draw from the law of which this is the table.
    #[inline]
    pub fn draw<E: Entropy>(&self, entropy: &mut E, law: &impl Survival) -> u64 {
        let stride = entropy.stride();
        if stride == 64 {
            let word = entropy.bits(64);
            let mut index = self.guide[(word >> (64 - GUIDE_BITS)) as usize] as usize;
            while index + 1 < self.entries.len() && word < self.entries[index + 1].floor {
                index += 1;
            }
            if let Some(next) = self.entries.get(index + 1)
                && word > next.last
            {
                return index as u64;
            }
            return search(entropy, law, Uniform::from_bits(word, 64), index as u64);
        }
        self.draw_slowly(entropy, law, stride)
    }

    /// Survival with fewer than 64 bits at a time.
    fn draw_slowly<E: Entropy>(&self, entropy: &mut E, law: &impl Survival, stride: u32) -> u64 {
        let last = self.entries.len() - 1;
        let (mut value, mut known) = (0u64, 0u32);
        let mut reached = 0;
        while known + stride <= 64 && reached < last {
            value = (value << stride) | entropy.bits(stride);
            known += stride;
            let (low, high) = words(value, known);
            reached = self.entries.partition_point(|entry| high < entry.floor).max(1) - 1;
            if reached < last && low > self.entries[reached + 1].last {
                return reached as u64;
            }
        }
        search(entropy, law, Uniform::from_bits(value, known), reached as u64)
    }
}

/// The outcome for a uniform number of which some bits are known, given that it is at least
/// `index`: gallop, then bisect.
#[cold]
pub fn search<E: Entropy>(entropy: &mut E, law: &impl Survival, mut uniform: Uniform, index: u64) -> u64 {
    let (mut inside, mut step) = (index, 1u64);
    let mut outside = loop {
        let next = inside.saturating_add(step);
        if uniform.decide(entropy, |bits| law.survival(next, bits)) {
            (inside, step) = (next, step.saturating_mul(2));
        } else {
            break next;
        }
    };
    while outside - inside > 1 {
        let middle = inside + (outside - inside) / 2;
        if uniform.decide(entropy, |bits| law.survival(middle, bits)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}
