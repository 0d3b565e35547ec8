//! The law of one number, as formulas: probabilities enclosed as narrowly as asked for, and
//! logarithms by machine numbers.

use crate::bell::{NO_HIGH, NO_LOW};
use exact::{Enclosure, Integer, Rational};

/// One number of a cascade: where it was centred, how it varied, where it could lie, and what it
/// was.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// c.
    pub centre: Rational,
    /// s².
    pub variance: Rational,
    /// The smallest integer it could be, or [`NO_LOW`].
    pub low: i64,
    /// The largest integer it could be, or [`NO_HIGH`].
    pub high: i64,
    /// What it was.
    pub value: i64,
}

impl Step {
    /// This step for a number that is larger by this.
    pub(crate) fn moved(mut self, by: i64) -> Self {
        if by != 0 {
            self.centre = &self.centre + &Rational::integer(by);
            self.low = if self.low == NO_LOW { NO_LOW } else { self.low + by };
            self.high = if self.high == NO_HIGH { NO_HIGH } else { self.high + by };
            self.value += by;
        }
        self
    }

    /// `e^{−(k − c)²/2s²}`, times the power that makes the largest weight of the interval one.
    fn weight(&self, k: &Integer, top: &Rational, bits: usize) -> Enclosure {
        Enclosure::exp_rational(&-(&self.energy(&Rational::integer(k.clone())) - top), bits)
    }

    fn energy(&self, k: &Rational) -> Rational {
        let distance = k - &self.centre;
        &(&distance * &distance) / &(&Rational::integer(2) * &self.variance)
    }

    /// The integer of the interval that is nearest to the centre.
    fn mode(&self) -> Integer {
        let half = Rational::new(1, 2u8);
        let nearest = (&self.centre + &half).floor();
        let low = if self.low == NO_LOW { nearest.clone() } else { Integer::from(self.low) };
        let high = if self.high == NO_HIGH { nearest.clone() } else { Integer::from(self.high) };
        nearest.max(low).min(if self.high == NO_HIGH { Integer::from(i64::MAX) } else { high })
    }

    /// Its probability, with about so many bits; zero outside the interval.
    pub fn probability(&self, bits: usize) -> Enclosure {
        if self.value < self.low || self.value > self.high {
            return Enclosure::from_integer(0, bits);
        }
        let working = bits + 32;
        let mode = self.mode();
        let top = self.energy(&Rational::integer(mode.clone()));
        let mut total = self.weight(&mode, &top, working);
        let least = Integer::from(16);
        for direction in [1i64, -1] {
            let mut k = mode.clone();
            loop {
                let before = self.weight(&k, &top, working);
                k += Integer::from(direction);
                let inside = (self.low == NO_LOW || k >= Integer::from(self.low))
                    && (self.high == NO_HIGH || k <= Integer::from(self.high));
                if !inside {
                    break;
                }
                let weight = self.weight(&k, &top, working);
                total = &total + &weight;
                // Weights are log-concave: once one is at most half of the one before, the rest is
                // at most the last.
                let halves = *weight.upper() <= least && weight.mul_power_of_two(1).upper() <= before.lower();
                if halves || *weight.upper() <= Integer::from(2) && weight.lower() <= &Integer::ZERO {
                    let rest = if halves { weight.upper() << 1usize } else { Integer::from(8) };
                    total = &total + &Enclosure::from_bounds(Integer::ZERO, rest, working);
                    break;
                }
            }
        }
        let own = self.weight(&Integer::from(self.value), &top, working);
        own.checked_div(&total).unwrap_or_else(|| Enclosure::from_integer(0, bits)).with_bits(bits)
    }

    /// The logarithm of its probability, within about 10⁻¹² of its size; minus infinity outside the
    /// interval.
    pub fn log_probability(&self) -> f64 {
        if self.value < self.low || self.value > self.high {
            return f64::NEG_INFINITY;
        }
        let mode = self.mode();
        let variance = self.variance.to_f64();
        let rate = 0.5 / variance;
        // Distances from the mode are exact integers, that of the mode from the centre is small or
        // exact enough.
        let offset = (&Rational::integer(mode.clone()) - &self.centre).to_f64();
        let room = |end: i64, missing: i64| {
            if end == missing { f64::INFINITY } else { (Integer::from(end) - &mode).to_f64().value().abs() }
        };
        let energy = |step: f64| step * (step + 2.0 * offset) * rate;
        let mut total = 1.0;
        for (sign, room) in [(1.0, room(self.high, NO_HIGH)), (-1.0, room(self.low, NO_LOW))] {
            let mut step = 1.0;
            while step <= room {
                let weight = (-energy(sign * step)).exp();
                total += weight;
                if weight < 1e-25 * total {
                    break;
                }
                step += 1.0;
            }
        }
        let own = (Integer::from(self.value) - mode).to_f64().value();
        -energy(own) - f64::ln(total)
    }
}
