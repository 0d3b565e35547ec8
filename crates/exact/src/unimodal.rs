//! Any log-concave law on the integers by rejection from dyadic blocks, with lazy exact acceptance.
//!
//! Let r(x) = P(mode + x)/P(mode). If `r(±w) ≤ ½` then, r being log-concave with r(0) = 1,
//! `r(x) ≤ 2^{−⌊|x|/w⌋}`. So: choose a side, a block b with probability 2^{−b−1}, a place in the
//! block of width w = 2^e uniformly, and accept with probability `r(x)·2^b`. Only fair bits and one
//! lazy comparison; the mode need not be exact for the law to be exact, but the ratio must never
//! exceed one. Proof: `proofs/unimodal.md`.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::integer::fair_wait;
use crate::lazy::{Bounds, coin};
use crate::rational::Rational;
use dashu_int::IBig;

/// A log-concave law on the integers, known up to a constant.
pub trait UnimodalLaw {
    /// A point of largest weight.
    fn mode(&self) -> i64;

    /// Quick bounds of `P(mode + offset)/P(mode)`; [`Bounds::UNKNOWN`] when there are none.
    fn bounds(&self, offset: i64) -> Bounds;

    /// Encloses `P(mode + offset)/P(mode)`; zero outside the support. All ratios may be smaller by
    /// one common factor of at least 1 − 2⁻³², which keeps them at most one where the mode is known
    /// only up to a tie.
    fn ratio(&self, offset: i64, bits: usize) -> Enclosure;
}

/// The smallest k with P(k+1) < P(k), for weights whose ratio falls with k: gallop and bisect.
///
/// # Panics
/// When it leaves 62-bit integers.
pub(crate) fn first_fall(rises: impl Fn(u64) -> bool) -> u64 {
    if !rises(0) {
        return 0;
    }
    let mut above = 1u64;
    while above < 1 << 61 && rises(above) {
        above *= 2;
    }
    assert!(above < 1 << 61, "the law leaves 62-bit integers");
    let mut below = above / 2;
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if rises(middle) { below = middle } else { above = middle }
    }
    above
}

/// Whether `e^{exponent}·above ≥ below`, with the exponential to 192 bits at hand. Never undecided
/// for ever: it is transcendental.
pub(crate) fn is_at_least(exponential: &Enclosure, exponent: &Rational, above: &IBig, below: &IBig) -> bool {
    let mut bits = 192;
    let mut wider;
    let mut known = exponential;
    loop {
        let one = below << bits;
        if known.lower() * above >= one {
            return true;
        }
        if known.upper() * above < one {
            return false;
        }
        bits *= 2;
        wider = Enclosure::exp_rational(exponent, bits);
        known = &wider;
    }
}

/// An offset from the mode, and its block of width 2^exponent: a side, a block b with probability
/// 2^{−b−1} and a place in it; nothing where it leaves 64-bit integers.
#[inline]
pub(crate) fn propose<E: Entropy>(entropy: &mut E, exponent: u32) -> Option<(i64, u64)> {
    let negative = entropy.bits(1) == 1;
    let block = fair_wait(entropy);
    let place = entropy.bits(exponent);
    let start = i64::try_from(block).ok()?.checked_mul(1 << exponent)?;
    let distance = start.checked_add(place as i64)?;
    Some((if negative { -1 - distance } else { distance }, block))
}

/// A sampler for a [`UnimodalLaw`].
#[derive(Debug, Clone)]
pub struct Unimodal<L> {
    law: L,
    /// The width of a block is 2^exponent.
    exponent: u32,
}

impl<L: UnimodalLaw> Unimodal<L> {
    /// Finds the width of the blocks: the smallest power of two at which the weight has certainly
    /// halved on both sides.
    ///
    /// # Panics
    /// When the law is so wide that its values leave 62-bit integers.
    pub fn new(law: L) -> Self {
        // Halved by a margin of 2⁻³¹, more than the factor by which all ratios may be too small.
        let halved = |offset: i64| {
            let quick = law.bounds(offset);
            if quick.last < (1 << 63) - (1 << 33) {
                return true;
            }
            if quick.floor > 1 << 63 {
                return false;
            }
            *law.ratio(offset, 96).upper() <= (IBig::ONE << 95) - (IBig::ONE << 65)
        };
        let mut exponent = 0;
        while exponent < 61 && !(halved(1 << exponent) && halved(-(1 << exponent))) {
            exponent += 1;
        }
        assert!(exponent < 61, "the law leaves 62-bit integers");
        Unimodal { law, exponent }
    }

    /// The law.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// The width of a block is two to this power.
    #[cfg(test)]
    pub(crate) fn width_exponent(&self) -> u32 {
        self.exponent
    }

    /// One draw.
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        loop {
            if let Some(value) = self.attempt(entropy) {
                return value;
            }
        }
    }

    /// One attempt: a value with probability proportional to its weight, or nothing. Attempts are
    /// independent, so the first value that comes has exactly the law.
    pub fn attempt<E: Entropy>(&self, entropy: &mut E) -> Option<i64> {
        let (offset, block) = propose(entropy, self.exponent)?;
        let bounds = self.law.bounds(offset).shifted(block.min(64) as u32);
        coin(entropy, bounds, |bits| self.law.ratio(offset, bits + block as usize).mul_power_of_two(block as isize))
            .then(|| self.law.mode() + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;

    /// Weights that fall by one factor a step, all ratios made smaller by 1 − 2⁻³².
    struct Falling(Rational);

    impl UnimodalLaw for Falling {
        fn mode(&self) -> i64 {
            0
        }

        fn bounds(&self, offset: i64) -> Bounds {
            Bounds::of(&self.ratio(offset, 96))
        }

        fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
            let kept = &Rational::integer(1) - &Rational::new(1, 1u64 << 32);
            let ratio = (0..offset.unsigned_abs()).fold(kept, |ratio, _| &ratio * &self.0);
            Enclosure::from_rational(&ratio, bits)
        }
    }

    #[test]
    fn ratios_made_smaller_never_lead_to_an_acceptance_above_one() {
        // The ratio at distance 1 is ½ exactly, but the weight has not quite halved: at distance 2
        // it is above ¼.
        let unit = 1u64 << 32;
        let law = Falling(Rational::new(unit, 2 * (unit - 1)));
        let unimodal = Unimodal::new(law);
        for offset in 0..40i64 {
            let block = offset >> unimodal.exponent;
            let acceptance = unimodal.law.ratio(offset, 200).mul_power_of_two(block as isize);
            assert!(acceptance.lower_rational() <= Rational::integer(1), "offset {offset}");
        }
    }
}
