//! A coin whose probability is the weight of a sum over a bound of all such weights.

use crate::sums::coin::side;
use crate::sums::{Message, Precision};
use exact::lazy::Uniform;
use exact::{Decision, Enclosure, Integer, Natural, Positive};

/// A number that no weight of a message exceeds: `leading·2^scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    leading: f64,
    scale: i64,
}

impl Bound {
    /// A bound of all weights of this message, those that are missing included.
    pub(super) fn of<T: Positive>(message: &Message<T>) -> Self {
        let larger = |one: T, two: &T| if two.to_f64() > one.to_f64() { two.clone() } else { one };
        let largest = message.weights.iter().fold(T::zero(), larger).increased(message.roundings + 4);
        let missing = message.missing.to_f64();
        // Far more than the few roundings of machine numbers here.
        Bound { leading: (largest.to_f64() + missing) * (1.0 + 2f64.powi(-40)), scale: message.scale }
    }

    /// What a level says about the coin: index 0 with probability weight/bound, else index 1.
    pub(super) fn decide<T: Positive>(
        &self,
        message: &Message<T>,
        precision: Precision,
        sum: i64,
        uniform: &Uniform,
    ) -> Decision {
        let shift = message.scale - self.scale;
        let zero = T::zero();
        let weight = message.weight(sum).unwrap_or(&zero);
        let unit = T::precision(precision.bits);
        if uniform.known() >= 53 && shift.abs() < 64 {
            let share = weight.shifted(shift).to_f64() / self.leading;
            let missing = message.missing.shifted(shift).to_f64() / self.leading;
            let chain = (message.roundings + 4) as f64;
            let margin = 16.0 * chain * 2f64.powi(-(unit.min(1000) as i32)) + 4.0 * missing + 2f64.powi(-49);
            let number = uniform.leading();
            if margin < 0.25 && (number - share).abs() > margin {
                return Decision::Index(usize::from(number > share));
            }
        }
        // Units so small that rounding up by one of them is nothing, whatever the bits of the
        // weight.
        let fine = 64 + unit as usize;
        let (mantissa, power) = weight.parts();
        let (mantissa, power) = (mantissa << fine, power - fine as i64);
        // (1 + u)^k − 1 ≤ 2ku needs ku ≤ 1.
        let chain = Natural::from(2 * (message.roundings + 2));
        let slack = (&mantissa * &chain) >> unit as usize;
        if (&chain >> unit as usize) > Natural::ZERO {
            return Decision::MorePrecision;
        }
        let lower = if slack >= mantissa { Natural::ZERO } else { &mantissa - &slack };
        let (missing, missing_power) = message.missing.parts();
        let bits = unit as usize + 64;
        let one = Natural::ONE << bits;
        let upper = self.quotient(mantissa + slack, power + shift, bits)
            + self.quotient(missing, missing_power + shift, bits)
            + Natural::from(2u8);
        let lower = self.quotient(lower, power + shift, bits).min(one.clone());
        let share = Enclosure::from_bounds(Integer::from(lower), Integer::from(upper.min(one)), bits);
        side(uniform, &share)
    }

    /// `mantissa·2^power / leading` in units of 2^−bits, rounded down.
    fn quotient(&self, mantissa: Natural, power: i64, bits: usize) -> Natural {
        let (divisor, divisor_power) = self.leading.parts();
        let shift = power - divisor_power + bits as i64;
        if shift >= 0 {
            (mantissa << shift as usize) / divisor
        } else {
            mantissa / (divisor << shift.unsigned_abs() as usize)
        }
    }
}
