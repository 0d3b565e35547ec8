//! Steps above a bell curve, the same for all variances: what numbers are proposed from.
//!
//! The distances from the centre are cut into strips of `2^e` integers. Strip j is proposed with
//! probability `g_j/2³²`, and `g_j ≥ S·e^{−j²/2τ²}` for one integer S. A number at distance d of
//! strip j has `d ≥ j·2^e`, so whenever `s² ≤ τ²·4^e` its weight `e^{−d²/2s²}` is at most `g_j/S`:
//! it is accepted with probability `e^{−d²/2s²}·S/g_j`. From strip J on the steps halve. Proof:
//! `proofs/draw.md`.

use exact::{Enclosure, Entropy, Integer, Rational};
use std::sync::OnceLock;

/// τ² is a whole number of these parts.
const PARTS: u64 = 64;
/// The largest τ², 16: narrower strips would be proposed more often in vain.
const LARGEST: u64 = 16 * PARTS;
/// The smallest τ², ¼.
const SMALLEST: u64 = PARTS / 4;
/// The weights add up to two to this power.
const WORD: u32 = 32;
/// The first bits of a word that a guide knows.
const GUIDE: u32 = 8;

/// The steps for one τ².
#[derive(Debug)]
pub(crate) struct Envelope {
    /// τ², exactly a machine number.
    pub(crate) square: f64,
    /// S.
    scale: u64,
    /// `g_0 … g_J`; J is proposed as often as all strips after it together.
    weights: Vec<u64>,
    /// Where the strips end in a word.
    ends: Vec<u64>,
    /// The strip of the first word that starts with these bits.
    guide: [u8; 1 << GUIDE],
    /// `S/g_j`, as machine numbers.
    inverse: Vec<f64>,
}

/// All envelopes, the widest last.
fn envelopes() -> &'static [Envelope] {
    static ALL: OnceLock<Vec<Envelope>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut squares = vec![LARGEST];
        while squares[squares.len() - 1] > SMALLEST {
            squares.push((squares[squares.len() - 1] * 10 / 11).max(SMALLEST));
        }
        squares.iter().rev().map(|square| Envelope::new(*square)).collect()
    })
}

/// The strips for a variance: their width as a power of two, and their steps. The estimate must be
/// within a factor `1 ± 2⁻⁴⁰` of the variance.
pub(crate) fn fitting(variance: f64) -> (u32, &'static Envelope) {
    let wanted = variance * (1.0 + 2f64.powi(-39));
    let (mut exponent, mut unit) = (0, 1.0);
    while wanted > 16.0 * unit {
        exponent += 1;
        unit *= 4.0;
    }
    let all = envelopes();
    let place = all.partition_point(|envelope| envelope.square * unit < wanted);
    (exponent, &all[place.min(all.len() - 1)])
}

impl Envelope {
    fn new(square: u64) -> Self {
        // e^{−j²/2τ²}, until it is below 2⁻²⁴ and at least halves from strip to strip.
        let tau = Rational::new(square, PARTS);
        let height = |strip: u64| {
            let energy = &Rational::integer(strip * strip) / &(&Rational::integer(2) * &tau);
            Enclosure::exp_rational(&-energy, 96)
        };
        let small = Rational::new(1, 1u64 << 24);
        let mut heights = vec![height(0)];
        loop {
            let strip = heights.len() as u64;
            let next = height(strip);
            let after = height(strip + 1);
            let halves = after.mul_power_of_two(1).upper() <= next.lower();
            let done = halves && next.upper_rational() < small;
            heights.push(next);
            if done {
                break;
            }
        }
        let last = heights.len() - 1;
        let total = heights.iter().fold(heights[last].clone(), |sum, height| &sum + height);
        let room = Rational::integer((1u64 << WORD) - heights.len() as u64 - 2);
        let scale = (&room / &total.upper_rational()).floor();
        let scaled = |height: &Enclosure| {
            let weight = (&Rational::integer(scale.clone()) * &height.upper_rational()).ceil();
            u64::try_from(weight).unwrap_or(1).max(1)
        };
        let mut weights: Vec<u64> = heights.iter().map(scaled).collect();
        // What is left over makes the first step a little higher.
        let used: u64 = weights.iter().sum::<u64>() + weights[last];
        weights[0] += (1u64 << WORD) - used;
        let mut ends: Vec<u64> = (1..=last + 1).map(|strips| weights[..strips].iter().sum()).collect();
        ends[last] = 1 << WORD;
        let strip = |first: usize| ends.partition_point(|end| *end <= (first as u64) << (WORD - GUIDE)) as u8;
        let guide = std::array::from_fn(strip);
        let scale = u64::try_from(scale).unwrap_or(1);
        let inverse = weights.iter().map(|weight| scale as f64 / *weight as f64).collect();
        Envelope { square: square as f64 / PARTS as f64, scale, weights, ends, guide, inverse }
    }

    /// The strip of a word of 32 bits.
    #[inline]
    fn strip(&self, word: u64) -> usize {
        let mut strip = usize::from(self.guide[(word >> (WORD - GUIDE)) as usize]);
        while word >= self.ends[strip] {
            strip += 1;
        }
        strip
    }

    /// Whether this is the strip from which on steps halve.
    #[inline]
    pub(crate) fn is_last(&self, strip: usize) -> bool {
        strip + 1 == self.ends.len()
    }

    /// A strip, and a word whose 32 low bits are fresh where bits come in words; otherwise as few
    /// bits as decide it.
    #[inline]
    pub(crate) fn draw<E: Entropy>(&self, entropy: &mut E) -> (usize, Option<u64>) {
        if entropy.stride() == 64 {
            let word = entropy.bits(64);
            return (self.strip(word >> WORD), Some(word));
        }
        let (mut value, mut known) = (0, 0);
        loop {
            let rest = WORD - known;
            let low = self.strip(value << rest);
            if low == self.strip((value << rest) | ((1u64 << rest) - 1)) {
                return (low, None);
            }
            let count = entropy.stride().min(rest);
            value = (value << count) | entropy.bits(count);
            known += count;
        }
    }

    /// `S/g_j` within two roundings.
    #[inline]
    pub(crate) fn inverse(&self, strip: usize) -> f64 {
        self.inverse[strip]
    }

    /// `S/g_j`.
    pub(crate) fn factor(&self, strip: usize) -> Rational {
        Rational::new(Integer::from(self.scale), self.weights[strip])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_above_the_curve_and_fill_the_word() {
        for envelope in envelopes() {
            let last = envelope.weights.len() - 1;
            assert_eq!(envelope.weights.iter().sum::<u64>() + envelope.weights[last], 1 << WORD);
            for strip in 0..last + 40 {
                let square = Rational::new((envelope.square * PARTS as f64) as u64, PARTS);
                let energy = &Rational::integer((strip * strip) as u64) / &(&Rational::integer(2) * &square);
                let mut accepted =
                    &Enclosure::exp_rational(&-energy, 400).upper_rational() * &envelope.factor(strip.min(last));
                for _ in last..strip.max(last) {
                    accepted = &accepted * &Rational::integer(2);
                }
                assert!(accepted <= Rational::integer(1), "τ² {} strip {strip}", envelope.square);
            }
            assert!(envelope.weights.len() < 200);
        }
    }

    #[test]
    fn every_variance_has_strips() {
        let mut variance = 0.01;
        while variance < 1e22 {
            let (exponent, envelope) = fitting(variance);
            assert!(variance <= envelope.square * 4f64.powi(exponent as i32), "{variance}");
            assert!(variance < 0.25 || envelope.square * 4f64.powi(exponent as i32) < variance * 1.2, "{variance}");
            variance *= 1.013;
        }
    }
}
