//! Any log-concave law on the integers by rejection from dyadic blocks, with lazy exact acceptance.
//!
//! Let r(x) = P(mode + x)/P(mode). If `r(±w) ≤ ½` then, r being log-concave with r(0) = 1, `r(x) ≤ 2^{−⌊|x|/w⌋}`. So:
//! choose a side, a block b with probability 2^{−b−1}, a place in the block of width w = 2^e uniformly, and accept with
//! probability `r(x)·2^b`. Only fair bits and one lazy comparison; the mode need not be exact for the law to be exact, but
//! the ratio must never exceed one. Proof: `proofs/unimodal.md`.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::integer::fair_wait;
use crate::lazy::{Bounds, coin};
use dashu_int::IBig;

/// A log-concave law on the integers, known up to a constant.
pub trait UnimodalLaw {
    /// A point of largest weight.
    fn mode(&self) -> i64;

    /// Quick bounds of `P(mode + offset)/P(mode)`; [`Bounds::UNKNOWN`] when there are none.
    fn bounds(&self, offset: i64) -> Bounds;

    /// Encloses `P(mode + offset)/P(mode)`; zero outside the support.
    fn ratio(&self, offset: i64, bits: usize) -> Enclosure;
}

/// A sampler for a [`UnimodalLaw`].
#[derive(Debug, Clone)]
pub struct Unimodal<L> {
    law: L,
    /// The width of a block is 2^exponent.
    exponent: u32,
}

impl<L: UnimodalLaw> Unimodal<L> {
    /// Finds the width of the blocks: the smallest power of two at which the weight has certainly halved on both sides.
    pub fn new(law: L) -> Self {
        let halved = |offset: i64| {
            let quick = law.bounds(offset);
            if quick.last < 1 << 63 {
                return true;
            }
            if quick.floor > 1 << 63 {
                return false;
            }
            law.ratio(offset, 96).upper() << 1 <= IBig::ONE << 96
        };
        let mut exponent = 0;
        while exponent < 61 && !(halved(1 << exponent) && halved(-(1 << exponent))) {
            exponent += 1;
        }
        Unimodal { law, exponent }
    }

    /// The law.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// One draw.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        loop {
            if let Some(value) = self.attempt(entropy) {
                return value;
            }
        }
    }

    /// One attempt: a value with probability proportional to its weight, or nothing. Attempts are independent, so the
    /// first value that comes has exactly the law.
    pub fn attempt<E: Entropy>(&self, entropy: &mut E) -> Option<i64> {
        let negative = entropy.bits(1) == 1;
        let block = fair_wait(entropy);
        let place = entropy.bits(self.exponent);
        let start = i64::try_from(block).ok()?.checked_mul(1 << self.exponent)?;
        let distance = start.checked_add(place as i64)?;
        let offset = if negative { -1 - distance } else { distance };
        let bounds = self.law.bounds(offset).shifted(block.min(64) as u32);
        coin(entropy, bounds, |bits| {
            self.law.ratio(offset, bits + block as usize).mul_power_of_two(block as isize)
        })
        .then(|| self.law.mode() + offset)
    }
}
