//! A coin whose probability is a quotient of two weights that are known approximately.
//!
//! As [`exact::choose`] does for many weights: one uniform number is compared with bounds of the quotient, and what a level
//! cannot decide is decided by more bits or by the next level, with the bits already seen. So the coin is exact.
//! Proof: `proofs/divide.md`, section 3.

use super::message::Message;
use exact::lazy::Uniform;
use exact::{Decision, Enclosure, Integer, Natural, Positive};

/// A weight that is known approximately: in truth `2^scale·(value·(1 + u)^{±roundings} + missing part)`.
#[derive(Debug, Clone)]
pub struct Approximate<T> {
    /// The weight that is accounted for.
    pub value: T,
    /// The longest chain of roundings behind it.
    pub roundings: u64,
    /// An upper bound of the missing part, which is not negative.
    pub missing: T,
    /// Value and missing part are to be multiplied by 2 to this power.
    pub scale: i64,
}

impl<T: Positive> Approximate<T> {
    /// The weight of one value of a sum.
    pub fn of(message: &Message<T>, value: i64) -> Self {
        Approximate {
            value: message.weight(value).cloned().unwrap_or_else(T::zero),
            roundings: message.roundings,
            missing: message.missing.clone(),
            scale: message.scale,
        }
    }

    /// `4·roundings·u`, above the relative error both ways; `None` when the weight is worth nothing.
    fn relative_error(&self, precision: u32) -> Option<f64> {
        let error = 4.0 * (self.roundings + 2) as f64 * 2f64.powi(-(precision.min(1000) as i32));
        (error < 0.25).then_some(error)
    }

    /// Value and missing part in units of `2^unit`, each rounded outwards: a lower and an upper bound.
    fn bounds(&self, unit: i64, precision: u32) -> (Natural, Natural) {
        let floor = |(mantissa, power): (Natural, i64)| match power + self.scale - unit {
            up @ 0.. => mantissa << up as usize,
            down => mantissa >> down.unsigned_abs() as usize,
        };
        let value = floor(self.value.parts());
        let missing = floor(self.missing.parts());
        let slack = ((&value * Natural::from(4 * (self.roundings + 2))) >> precision as usize) + Natural::ONE;
        let lower = if slack >= value { Natural::ZERO } else { &value - &slack };
        let more = if self.missing.is_zero() { Natural::ZERO } else { missing + Natural::ONE };
        // The value itself was cut by less than one unit.
        let above = if self.value.is_zero() { Natural::ZERO } else { value + slack + Natural::ONE };
        (lower, above + more)
    }

    /// The unit in which the larger of value and missing part has some `bits` bits.
    fn unit(&self, bits: u32) -> Option<i64> {
        let magnitude = self.value.magnitude().max(self.missing.magnitude())?;
        Some(magnitude + self.scale - i64::from(bits))
    }
}

/// Whether a uniform number is below `part/whole`, a quotient of at most one: [`Decision::Index`] 0 if it is, 1 if not.
///
/// `bits` is that of numbers that have a choice of them. Use it with [`exact::choose`].
pub fn below<T: Positive>(uniform: &Uniform, part: &Approximate<T>, whole: &Approximate<T>, bits: u32) -> Decision {
    let precision = T::precision(bits);
    let (Some(part_error), Some(whole_error)) = (part.relative_error(precision), whole.relative_error(precision))
    else {
        return Decision::MorePrecision;
    };
    if uniform.known() >= 53
        && let Some(answer) = quick(uniform.leading(), part, whole, part_error + whole_error)
    {
        return Decision::Index(usize::from(!answer));
    }
    let quotient = enclosure(part, whole, precision);
    match uniform.below(&quotient) {
        Some(answer) => Decision::Index(usize::from(!answer)),
        // The quotient is known no better than the number: more bits would not help for long.
        None if quotient.width() << (uniform.known() + 2) >= Integer::ONE << quotient.bits() => Decision::MorePrecision,
        None => Decision::MoreBits,
    }
}

/// The quotient by machine numbers, for planning.
pub fn quotient<T: Positive>(part: &Approximate<T>, whole: &Approximate<T>) -> f64 {
    let Some(magnitude) = whole.value.magnitude() else { return 0.0 };
    relative(&part.value, part.scale - whole.scale - magnitude) / relative(&whole.value, -magnitude)
}

/// `value·2^power`; a result out of range becomes zero or infinite.
fn relative<T: Positive>(value: &T, power: i64) -> f64 {
    value.magnitude().map_or(0.0, |magnitude| match magnitude + power {
        ..-1000 => 0.0,
        1001.. => f64::INFINITY,
        _ => value.shifted(-magnitude).to_f64().shifted(magnitude + power),
    })
}

/// The answer by machine numbers, when the number is far enough from the quotient.
fn quick<T: Positive>(number: f64, part: &Approximate<T>, whole: &Approximate<T>, error: f64) -> Option<bool> {
    let magnitude = whole.value.magnitude()?;
    let shift = part.scale - whole.scale - magnitude;
    let (above, below) = (relative(&part.value, shift), relative(&whole.value, -magnitude));
    let (more_above, more_below) = (relative(&part.missing, shift), relative(&whole.missing, -magnitude));
    // Errors of both weights, and more than the roundings here and the bits of the number that are not seen.
    let slack = 2f64.powi(-46);
    let lower = above / (below + more_below) * (1.0 - 2.0 * error - slack) - slack;
    let upper = (above + more_above) / below * (1.0 + 2.0 * error + slack) + slack;
    if lower.is_nan() || upper.is_nan() {
        return None;
    }
    if number < lower {
        return Some(true);
    }
    (number > upper).then_some(false)
}

/// Bounds of the quotient, cut to [0, 1].
fn enclosure<T: Positive>(part: &Approximate<T>, whole: &Approximate<T>, precision: u32) -> Enclosure {
    let bits = precision as usize + 64;
    let one = Natural::ONE << bits;
    let unknown = || Enclosure::from_bounds(Integer::ZERO, Integer::from(one.clone()), bits);
    let Some(unit) = whole.unit(precision + 64) else { return unknown() };
    let (part_lower, part_upper) = part.bounds(unit, precision);
    let (whole_lower, whole_upper) = whole.bounds(unit, precision);
    if whole_lower.is_zero() {
        return unknown();
    }
    let lower = ((part_lower << bits) / whole_upper).min(one.clone());
    let upper = ((part_upper << bits) / whole_lower + Natural::ONE).min(one);
    Enclosure::from_bounds(Integer::from(lower), Integer::from(upper), bits)
}
