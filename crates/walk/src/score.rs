//! `Score`: the weight of a table over the probability of proposing it, and exact decisions between
//! two of them.

use super::line::{Messages, Present, Tree};
use super::target::Target;
use exact::lazy::Bounds;
use exact::{DECAY_BITS, Enclosure, Integer, Natural, Positive, Rational, Wide, decay};

/// `weight/q`: `2^power·mantissa·e^{exponent}`, the mantissa within a relative error.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    mantissa: f64,
    power: i64,
    /// The sum of relative errors; infinite when nothing is known.
    error: f64,
    /// The exponent in units of every rate.
    pub(super) units: Vec<i128>,
}

/// The weight of one sum of a tree's two top parts, without the scale: the weight, its roundings,
/// what is missing, the scale.
fn meeting<T: Positive>(messages: &[std::sync::Arc<draw::Message<T>>], tree: &Tree, sum: i64) -> (T, u64, T, i64) {
    let (left, right) = tree.nodes[tree.nodes.len() - 1];
    let (left, right) = (&messages[left as usize], &messages[right as usize]);
    let low = left.first.max(sum - (right.end() - 1));
    let high = (left.end() - 1).min(sum - right.first);
    let mut total = T::zero();
    for own in low..=high {
        if let (Some(left), Some(right)) = (left.weight(own), right.weight(sum - own)) {
            total = total.plus(&left.times(right));
        }
    }
    let missing = left.missing.plus(&right.missing).plus(&left.missing.times(&right.missing)).shifted(1);
    let roundings = left.roundings + right.roundings + 2 + (high - low).max(0) as u64;
    (total, roundings, missing, left.scale + right.scale)
}

impl Score {
    pub(super) fn new(target: &Target) -> Score {
        Score { mantissa: 1.0, power: 0, error: 0.0, units: vec![0; target.rates.len()] }
    }

    /// Divides by the probability of what a group adds up to: all weights of its total.
    pub(super) fn meets(&mut self, messages: &Messages<f64>, tree: &Tree, sum: i64) {
        let (total, roundings, missing, scale) = meeting(&messages.nodes, tree, sum);
        if total <= 0.0 {
            self.error = f64::INFINITY;
            return;
        }
        self.error += roundings as f64 * 2f64.powi(-52) + missing / total * 1.01;
        let product = self.mantissa * total;
        let shift = product.magnitude().unwrap_or(0);
        self.mantissa = product.shifted(-shift);
        self.power += shift + scale;
        self.units.iter_mut().zip(&messages.base).for_each(|(units, base)| *units -= base);
    }

    /// Divides by the weights of a group's drawn cells.
    pub(super) fn adds(&mut self, present: &Present<'_>, offsets: &[i64]) {
        let mut change = vec![0i128; self.units.len()];
        for (column, offset) in present.columns.iter().zip(offsets) {
            column.units(present.target, *offset, &mut change);
            self.units.iter_mut().zip(&change).for_each(|(units, change)| *units += change);
        }
    }

    /// Its logarithm, for reading.
    pub(super) fn logarithm(&self, target: &Target) -> f64 {
        let exponent = target.quick.iter().zip(&self.units).map(|(rate, units)| rate * *units as f64);
        self.mantissa.ln() + self.power as f64 * std::f64::consts::LN_2 + exponent.sum::<f64>()
    }

    /// Bounds of this score over another, a probability; `None`: it is at least one.
    pub(super) fn over(&self, other: &Score, target: &Target) -> Option<Bounds> {
        let error = self.error + other.error + 2f64.powi(-44);
        if error > 0.125 || error.is_nan() {
            return Some(Bounds::UNKNOWN);
        }
        // The exponent of two is taken into that of e.
        let power = (self.power - other.power) as f64;
        let (mut exponent, mut size) = (power * std::f64::consts::LN_2, power.abs());
        for ((rate, own), other) in target.quick.iter().zip(&self.units).zip(&other.units) {
            let part = rate * (own - other) as f64;
            exponent += part;
            size += part.abs();
        }
        let error = error + size * 2f64.powi(-48);
        let ratio = self.mantissa / other.mantissa;
        let value = match exponent {
            large if large > 4.0 => return if error < 0.125 { None } else { Some(Bounds::UNKNOWN) },
            above if above > 0.0 => ratio / decay(above),
            below => ratio * decay(-below),
        };
        if error > 0.125 {
            return Some(Bounds::UNKNOWN);
        }
        let slack = 2.0 * error + 2f64.powi(2 - DECAY_BITS);
        if value * (1.0 - slack) >= 1.0 {
            return None;
        }
        let word = 2f64.powi(64);
        let (floor, above) = ((value * (1.0 - slack) * word).floor(), (value * (1.0 + slack) * word).ceil() + 1.0);
        // Casts of numbers beyond a word stop at its ends.
        Some(Bounds { floor: floor as u64, last: above as u64 })
    }
}

/// A score by wide numbers: bounds of the product of all totals' weights, and the exponent.
#[derive(Debug)]
pub(super) struct Precise {
    low: Rational,
    high: Rational,
    exponent: Rational,
}

impl Precise {
    pub(super) fn new() -> Precise {
        let one = || Rational::integer(1);
        Precise { low: one(), high: one(), exponent: Rational::integer(0) }
    }

    pub(super) fn meets(&mut self, messages: &Messages<Wide>, tree: &Tree, sum: i64, bits: u32) {
        let (total, roundings, missing, scale) = meeting(&messages.nodes, tree, sum);
        let unit = Rational::new(2 * (roundings + 2), Natural::ONE << (Wide::precision(bits) as usize));
        let (total, missing) = (rational(&total, scale), rational(&missing, scale));
        let one = Rational::integer(1);
        self.low = &self.low * &(&total * &(&one - &unit));
        self.high = &self.high * &(&(&total * &(&one + &unit)) + &missing);
    }

    pub(super) fn adds(&mut self, target: &Target, units: &[i128]) {
        let parts = target.rates.iter().zip(units).map(|(rate, units)| rate * &Rational::integer(*units));
        self.exponent = parts.fold(self.exponent.clone(), |sum, part| &sum + &part);
    }

    /// An enclosure of this score over another.
    pub(super) fn over(&self, other: &Precise, bits: usize) -> Enclosure {
        if !self.low.is_positive() || !other.low.is_positive() {
            // Nothing is known yet: any probability.
            return Enclosure::from_bounds(Integer::ZERO, Integer::ONE << bits, bits);
        }
        let exponent = &self.exponent - &other.exponent;
        // The weights of totals are within e^{±18} for every cell, and whole tables have at most
        // 2¹⁴: beyond the reach of exponentials they do not matter any more.
        if exponent.abs() > Rational::integer(Enclosure::MOST_EXP_ARGUMENT) {
            return match exponent.is_positive() {
                true => Enclosure::from_integer(2, bits),
                false => Enclosure::from_bounds(Integer::ZERO, Integer::ONE, bits),
            };
        }
        let extra = usize::try_from(exponent.abs().ceil()).unwrap_or(0) * 2 + 64;
        let power = Enclosure::exp_rational(&exponent, bits + extra);
        let low = &(&self.low / &other.high) * &power.lower_rational();
        let high = &(&self.high / &other.low) * &power.upper_rational();
        let scale = Rational::integer(Integer::ONE << bits);
        Enclosure::from_bounds((&low * &scale).floor(), (&high * &scale).ceil(), bits)
    }
}

/// A wide number times a power of two, exactly.
fn rational(value: &Wide, scale: i64) -> Rational {
    let (mantissa, power) = value.parts();
    match power + scale {
        up @ 0.. => Rational::integer(Integer::from(mantissa << up as usize)),
        down => Rational::new(Integer::from(mantissa), Natural::ONE << down.unsigned_abs() as usize),
    }
}
