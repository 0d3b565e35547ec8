//! Uniform integers and rational coins, by the same lazy comparison: `⌊U·n⌋`.

use crate::entropy::Entropy;
use crate::rational::Rational;
use dashu_int::UBig;

/// A uniform integer in `0..n`.
///
/// # Panics
/// When n is zero.
#[inline]
pub fn below<E: Entropy>(entropy: &mut E, n: u64) -> u64 {
    assert!(n > 0, "there is no integer below zero");
    let stride = entropy.stride();
    if stride == 64 {
        let product = u128::from(entropy.bits(64)) * u128::from(n);
        let (answer, rest) = ((product >> 64) as u64, product as u64);
        if rest <= u64::MAX - n + 1 {
            return answer;
        }
        return below_carefully(entropy, n, UBig::from(product), 64);
    }
    below_carefully(entropy, n, UBig::ZERO, 0)
}

/// Goes on from `scaled = n·(the known bits)`: the answer is settled once the next unit of U cannot
/// carry into it.
#[cold]
fn below_carefully<E: Entropy>(entropy: &mut E, n: u64, mut scaled: UBig, mut known: usize) -> u64 {
    let n = UBig::from(n);
    loop {
        let answer = &scaled >> known;
        if ((&scaled + &n - UBig::ONE) >> known) == answer {
            return u64::try_from(answer).unwrap_or(u64::MAX);
        }
        let stride = entropy.stride();
        scaled = (scaled << stride as usize) + UBig::from(entropy.bits(stride)) * &n;
        known += stride as usize;
    }
}

/// True with probability `numerator / denominator`, at most one.
#[inline]
pub fn ratio<E: Entropy>(entropy: &mut E, numerator: u64, denominator: u64) -> bool {
    below(entropy, denominator) < numerator
}

/// True with probability p, an exact fraction in [0, 1].
pub fn bernoulli<E: Entropy>(entropy: &mut E, p: &Rational) -> bool {
    crate::lazy::coin(entropy, crate::lazy::Bounds::UNKNOWN, |bits| crate::enclosure::Enclosure::from_rational(p, bits))
}

/// The number of heads in `count` tosses of a fair coin.
#[inline]
pub fn fair_heads<E: Entropy>(entropy: &mut E, count: u64) -> u64 {
    let whole: u64 = (0..count / 64).map(|_| u64::from(entropy.bits(64).count_ones())).sum();
    whole + u64::from(entropy.bits((count % 64) as u32).count_ones())
}

/// The number of tosses of a fair coin before the first head: j with probability 2^−(j+1).
#[inline]
pub fn fair_wait<E: Entropy>(entropy: &mut E) -> u64 {
    let stride = entropy.stride();
    let mut tails = 0;
    loop {
        let word = entropy.bits(stride);
        if word != 0 {
            return tails + u64::from(word.leading_zeros() - (64 - stride));
        }
        tails += u64::from(stride);
    }
}
