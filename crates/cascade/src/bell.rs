//! One number: the discrete Gaussian `∝ e^{−(k − c)²/2s²}` on the integers of an interval, exactly.
//!
//! Machine numbers propose and decide almost every draw, with bounds of their errors; what they
//! cannot decide is decided by enclosures with the same random bits. Four proposals, by where the
//! centre lies (each is exact wherever it is used):
//!
//! - strips around the centre ([`crate::envelope`]), for an interval that is wide and holds the
//!   centre;
//! - strips on one side of an end, for a centre a little beyond it;
//! - blocks that halve, from the end on, for a centre far beyond it, where the curve falls like a
//!   geometric law;
//! - any number of the interval alike, where the interval is narrow.
//!
//! Proof: `proofs/draw.md`.

use crate::envelope::{Envelope, fitting};
use exact::integer::{below, fair_wait};
use exact::lazy::{Bounds, Uniform, coin};
use exact::{Enclosure, Entropy, Integer, Natural, Rational};
use std::sync::OnceLock;

/// No bound below.
pub const NO_LOW: i64 = i64::MIN;
/// No bound above.
pub const NO_HIGH: i64 = i64::MAX;
/// Numbers farther away than this leave machine integers; no law that is accepted comes near.
const FARTHEST_PLACE: u64 = 1 << 61;

/// A centre `whole + part/unit`, `0 ≤ part < unit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centre {
    /// The largest integer at most the centre.
    whole: i64,
    /// What is above it, in units.
    part: u128,
    /// How many units make one.
    unit: u128,
    /// part/unit as a machine number.
    fraction: f64,
}

/// Up to this machine numbers hold integers and their quotients closely enough to be mended by one.
const CLOSE: i128 = 1 << 50;

impl Centre {
    /// `offset + numerator/unit`, or nothing when it leaves 62-bit integers.
    #[inline]
    pub fn new(offset: i64, numerator: i128, unit: u128) -> Option<Self> {
        if unit >= CLOSE as u128 || numerator.unsigned_abs() >= CLOSE as u128 {
            return Self::slowly(offset, numerator, unit);
        }
        let (numerator, divisor) = (numerator as i64, unit as i64);
        let inverse = 1.0 / divisor as f64;
        // Cut toward zero and within a quarter of a unit: at most one off, mended in integers.
        let mut quotient = (numerator as f64 * inverse) as i64;
        let mut part = numerator - quotient * divisor;
        if part < 0 {
            (quotient, part) = (quotient - 1, part + divisor);
        } else if part >= divisor {
            (quotient, part) = (quotient + 1, part - divisor);
        }
        let whole = offset.checked_add(quotient)?;
        let small = whole.unsigned_abs() < 1 << 62;
        small.then_some(Centre { whole, part: part as u128, unit, fraction: part as f64 * inverse })
    }

    #[cold]
    fn slowly(offset: i64, numerator: i128, unit: u128) -> Option<Self> {
        let signed = i128::try_from(unit).ok()?;
        let quotient = i64::try_from(numerator.div_euclid(signed)).ok()?;
        let part = numerator.rem_euclid(signed) as u128;
        let whole = offset.checked_add(quotient)?;
        let small = whole.unsigned_abs() < 1 << 62;
        small.then_some(Centre { whole, part, unit, fraction: part as f64 / unit as f64 })
    }

    /// As a fraction.
    pub fn to_rational(&self) -> Rational {
        let part = Rational::new(Integer::from(self.part), Natural::from(self.unit));
        &Rational::integer(self.whole) + &part
    }
}

/// A variance, made ready to be drawn with.
#[derive(Debug, Clone, Copy)]
pub struct Bell {
    /// 1/2s² within a factor 1 ± 2⁻⁴⁴.
    rate: f64,
    /// s, roughly.
    deviation: f64,
    /// Strips have two to this power integers.
    exponent: u32,
    envelope: &'static Envelope,
}

/// What is proposed: a number, how much less likely than proposed it may be, and how to say so
/// exactly.
struct Proposal {
    /// (k − c)² − (the distance that has weight one)², times 1/2s², less ln 2 per halving: not
    /// below zero.
    energy: f64,
    /// S/g of its strip.
    factor: f64,
}

impl Bell {
    /// Makes a variance ready, from an estimate within a factor 1 ± 2⁻⁴⁵.
    ///
    /// Variances above 2⁸⁰ are not drawn: the caller refuses them.
    #[inline]
    pub fn new(estimate: f64) -> Self {
        let (exponent, envelope) = fitting(estimate);
        Bell { rate: 0.5 / estimate, deviation: estimate.sqrt(), exponent, envelope }
    }

    /// Draws a number of `low..=high` (each end may be missing) around the centre; `variance` tells
    /// s² exactly, and is asked for only where machine numbers cannot decide.
    ///
    /// An interval without integers has no law: `low` is returned.
    #[inline]
    pub fn draw<E: Entropy>(
        &self,
        entropy: &mut E,
        centre: &Centre,
        low: i64,
        high: i64,
        variance: &impl Fn() -> Rational,
    ) -> i64 {
        if low >= high {
            return low;
        }
        let fraction = if centre.part == 0 { 1.0 } else { centre.fraction };
        // The first integer that is not below the centre, and how far above it lies.
        let first = centre.whole + i64::from(centre.part != 0);
        let rise = 1.0 - fraction;
        let left = if low == NO_LOW { i64::MAX } else { first.saturating_sub(low) };
        let right = if high == NO_HIGH { i64::MAX } else { high.saturating_sub(first).saturating_add(1) };
        let line = Line { bell: self, centre, variance };
        if left <= 0 {
            let gap = low.saturating_sub(first) as f64 + rise;
            return line.beyond(entropy, low, gap, count(low, high), 1);
        }
        if right <= 0 {
            let gap = first.saturating_sub(1).saturating_sub(high) as f64 + fraction;
            return line.beyond(entropy, high, gap, count(low, high), -1);
        }
        let width = (left as u64).saturating_add(right as u64);
        if (width as f64) < 1.5 * self.deviation {
            let energy = |place: u64| {
                let distance = (place as i64 - left) as f64 + rise;
                distance * distance * self.rate
            };
            return line.uniform(entropy, (low, 1), None, width, energy);
        }
        loop {
            let (strip, halvings, place, side) = self.propose(entropy, true);
            let bound = if side { left } else { right }.min(FARTHEST_PLACE as i64) as u64;
            if place >= bound {
                continue;
            }
            let distance = place as f64 + if side { fraction } else { rise };
            let value = if side { first - 1 - place as i64 } else { first + place as i64 };
            let energy = distance * distance * self.rate - halvings as f64 * std::f64::consts::LN_2;
            let proposal = Proposal { energy, factor: self.envelope.inverse(strip) };
            if line.accepts(entropy, &proposal, value, None, halvings, Some(strip)) {
                return value;
            }
        }
    }

    /// A strip, how often it is halved, a place counted from the middle, and a side if one is
    /// wanted.
    #[inline]
    fn propose<E: Entropy>(&self, entropy: &mut E, sides: bool) -> (usize, u64, u64, bool) {
        let (strip, word) = self.envelope.draw(entropy);
        let halvings = if self.envelope.is_last(strip) { fair_wait(entropy) } else { 0 };
        let (inside, side) = match word {
            Some(word) if self.exponent < 32 => ((word >> 1) & ((1 << self.exponent) - 1), sides && word & 1 == 1),
            _ => (entropy.bits(self.exponent), sides && entropy.bits(1) == 1),
        };
        let strips = (strip as u64).saturating_add(halvings).min(FARTHEST_PLACE >> self.exponent);
        (strip, halvings, (strips << self.exponent) + inside, side)
    }
}

/// The number of integers of an interval.
#[inline]
fn count(low: i64, high: i64) -> u64 {
    if low == NO_LOW || high == NO_HIGH { u64::MAX } else { high.abs_diff(low).saturating_add(1) }
}

/// A bell around a centre.
struct Line<'a, V> {
    bell: &'a Bell,
    centre: &'a Centre,
    variance: &'a V,
}

impl<V: Fn() -> Rational> Line<'_, V> {
    /// Draws from `from` on, in the given direction: the centre lies `gap` behind it.
    #[inline(never)]
    fn beyond<E: Entropy>(&self, entropy: &mut E, from: i64, gap: f64, integers: u64, direction: i64) -> i64 {
        let bell = self.bell;
        let energy = |place: u64| place as f64 * (place as f64 + 2.0 * gap) * bell.rate;
        if gap <= bell.deviation {
            if (integers as f64) < 0.75 * bell.deviation {
                return self.uniform(entropy, (from, direction), Some(from), integers, energy);
            }
            loop {
                let (strip, halvings, place, _) = bell.propose(entropy, false);
                if place >= integers.min(FARTHEST_PLACE) {
                    continue;
                }
                let value = from + direction * place as i64;
                let energy = energy(place) - halvings as f64 * std::f64::consts::LN_2;
                let proposal = Proposal { energy, factor: bell.envelope.inverse(strip) };
                if self.accepts(entropy, &proposal, value, Some(from), halvings, Some(strip)) {
                    return value;
                }
            }
        }
        // The weight halves at least once in every block: e^{−gap·w/s²} ≤ ½. A little wider than
        // that, for the roundings.
        let width = (std::f64::consts::LN_2 * (1.0 + 1e-9) / (2.0 * bell.rate * gap)).ceil().max(1.0) as u64;
        if integers <= width {
            return self.uniform(entropy, (from, direction), Some(from), integers, energy);
        }
        loop {
            let halvings = fair_wait(entropy);
            let inside = if width == 1 { 0 } else { below(entropy, width) };
            let place = halvings.saturating_mul(width).saturating_add(inside);
            if place >= integers.min(FARTHEST_PLACE) {
                continue;
            }
            let value = from.saturating_add(direction * place as i64);
            let energy = energy(place) - halvings as f64 * std::f64::consts::LN_2;
            let proposal = Proposal { energy, factor: 1.0 };
            if place == 0 || self.accepts(entropy, &proposal, value, Some(from), halvings, None) {
                return value;
            }
        }
    }

    /// Draws from few integers, all proposed alike. Weights are compared with that of `base` where
    /// the centre lies beyond it, and otherwise with that of the centre itself.
    #[inline(never)]
    fn uniform<E: Entropy>(
        &self,
        entropy: &mut E,
        (from, direction): (i64, i64),
        base: Option<i64>,
        integers: u64,
        energy: impl Fn(u64) -> f64,
    ) -> i64 {
        loop {
            let place = below(entropy, integers);
            let value = from + direction * place as i64;
            let proposal = Proposal { energy: energy(place), factor: 1.0 };
            if self.accepts(entropy, &proposal, value, base, 0, None) {
                return value;
            }
        }
    }

    /// An exact coin: true with probability `e^{−((k − c)² − (from − c)²)/2s²}·2^halvings·S/g`.
    #[inline]
    fn accepts<E: Entropy>(
        &self,
        entropy: &mut E,
        proposal: &Proposal,
        value: i64,
        from: Option<i64>,
        halvings: u64,
        strip: Option<usize>,
    ) -> bool {
        if entropy.stride() < 64 {
            let bounds = proposal.bounds();
            return coin(entropy, bounds, |bits| self.exactly(bits, value, from, halvings, strip));
        }
        // Half a word decides almost always; where it does not, the same bits go on.
        let weight = proposal.weight();
        let word = entropy.bits(32);
        let uniform = word as f64 * (1.0 / (1u64 << 32) as f64);
        if uniform + 1.0 / (1u64 << 32) as f64 <= weight * (1.0 - SLACK) {
            return true;
        }
        // A weight of zero is below 2⁻⁶⁴, not nothing.
        if uniform >= weight * (1.0 + SLACK) + TINY {
            return false;
        }
        let mut uniform = Uniform::from_bits(word, 32);
        uniform.decide(entropy, |bits| self.exactly(bits, value, from, halvings, strip))
    }

    #[cold]
    #[inline(never)]
    fn exactly(&self, bits: usize, value: i64, from: Option<i64>, halvings: u64, strip: Option<usize>) -> Enclosure {
        let centre = self.centre.to_rational();
        let square = |value: i64| {
            let distance = &Rational::integer(value) - &centre;
            &distance * &distance
        };
        let base = from.map_or_else(|| Rational::integer(0), square);
        let energy = &(&square(value) - &base) / &(&Rational::integer(2) * &(self.variance)());
        let more = bits + halvings as usize + 2;
        let weight = Enclosure::exp_rational(&-energy, more).mul_power_of_two(halvings as isize);
        let factor = strip.map_or_else(|| Rational::integer(1), |strip| self.bell.envelope.factor(strip));
        &weight * &Enclosure::from_rational(&factor, more)
    }
}

/// Energies beyond this have weights below 2⁻⁶⁴.
const FARTHEST: f64 = 45.0;
/// e^{−1/32} is the step of the table.
const STEPS: f64 = 32.0;
/// A bound of the relative error of a weight: see `proofs/draw.md`.
const SLACK: f64 = 1.0 / (1u64 << 27) as f64;

/// 2⁻⁶⁰.
const TINY: f64 = 1.0 / (1u64 << 60) as f64;

fn table() -> &'static [f64; 1500] {
    static TABLE: OnceLock<[f64; 1500]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(|n| exact::decay(n as f64 / STEPS)))
}

impl Proposal {
    /// The probability of acceptance, within a factor 1 ± SLACK; zero stands for less than 2⁻⁶⁴.
    #[inline]
    fn weight(&self) -> f64 {
        if self.energy >= FARTHEST {
            return 0.0;
        }
        let energy = self.energy.max(0.0);
        let n = (energy * STEPS) as i32;
        let r = energy - f64::from(n) * (1.0 / STEPS);
        let square = r * r;
        let series = (1.0 - r) + square * ((0.5 - r * (1.0 / 6.0)) + square * (1.0 / 24.0));
        series * table()[(n as usize).min(1499)] * self.factor
    }

    /// The weight as bounds.
    fn bounds(&self) -> Bounds {
        let weight = self.weight();
        let word = 18_446_744_073_709_551_616.0;
        // Casts of numbers beyond a word stop at its ends.
        Bounds { floor: (weight * (1.0 - SLACK) * word) as u64, last: (weight * (1.0 + SLACK) * word) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_weights_are_within_their_bound_of_the_truth() {
        let mut state = 5u64;
        for _ in 0..3000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let thousandths = (state >> 33) % 44_000;
            let energy = thousandths as f64 / 1000.0;
            let truth = Enclosure::exp_rational(&-Rational::new(thousandths, 1000u16), 160).to_f64();
            let claimed = Proposal { energy, factor: 1.0 }.weight();
            assert!((claimed / truth - 1.0).abs() < SLACK / 4.0, "{energy}");
        }
    }

    #[test]
    fn centres_are_divided_exactly() {
        let mut state = 3u64;
        for round in 0..20_000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let unit = u128::from(state >> (14 + round % 50)).max(1);
            let numerator =
                (i128::from(state as i64) >> (round % 40)) * if round % 3 == 0 { unit as i128 % 7 } else { 1 };
            let Some(centre) = Centre::new(5, numerator, unit) else { continue };
            let exactly = &Rational::integer(5) + &Rational::new(Integer::from(numerator), Natural::from(unit));
            assert_eq!(centre.to_rational(), exactly);
            assert!(centre.part < centre.unit);
            assert!((centre.fraction - centre.part as f64 / centre.unit as f64).abs() < 1e-15);
        }
    }
}
