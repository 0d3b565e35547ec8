//! A coin whose probability is a quotient of two weights that are known approximately.
//!
//! As [`exact::choose`] does for many weights: one uniform number is compared with bounds of the
//! quotient, and what a level cannot decide is decided by more bits or by the next level, with the
//! bits already seen. So the coin is exact. Proof: `proofs/divide.md`, section 3.

use exact::lazy::Uniform;
use exact::{Decision, Enclosure, Integer, Natural, Positive};

/// A weight that is known approximately: in truth
/// `2^scale·(value·(1 + u)^{±roundings} + missing part)`.
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
    /// `4·roundings·u`, above the relative error both ways; `None` when the weight is worth
    /// nothing.
    fn relative_error(&self, precision: u32) -> Option<f64> {
        let error = 4.0 * (self.roundings + 2) as f64 * 2f64.powi(-(precision.min(1000) as i32));
        (error < 0.25).then_some(error)
    }

    /// Value and missing part in units of `2^unit`, each rounded outwards: a lower and an upper
    /// bound.
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

/// Whether a uniform number is below `part/whole`, a quotient of at most one: [`Decision::Index`] 0
/// if it is, 1 if not.
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
    side(uniform, &enclosure(part, whole, precision))
}

/// [`Decision::Index`] 0 if a uniform number is below a share, 1 if not.
pub(crate) fn side(uniform: &Uniform, share: &Enclosure) -> Decision {
    is_below(uniform, share).map_or_else(|undecided| undecided, |below| Decision::Index(usize::from(!below)))
}

/// Whether a uniform number is below a share, or what would decide it.
fn is_below(uniform: &Uniform, share: &Enclosure) -> Result<bool, Decision> {
    match uniform.below(share) {
        Some(below) => Ok(below),
        // Bits help while those that are known are coarser than the enclosure.
        None if share.width() << (uniform.known() + 2) < Integer::ONE << share.bits() => Err(Decision::MoreBits),
        None => Err(Decision::MorePrecision),
    }
}

/// The first of growing sums whose share of the whole is above a uniform number; their count where
/// none is.
pub(crate) fn first_above(uniform: &Uniform, sums: &[Enclosure], whole: &Enclosure) -> Result<usize, Decision> {
    let (mut low, mut high) = (0, sums.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let share = sums[middle].checked_div(whole).ok_or(Decision::MorePrecision)?;
        if is_below(uniform, &share)? { high = middle } else { low = middle + 1 }
    }
    Ok(low)
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
    // Errors of both weights, and more than the roundings here and the bits of the number that are
    // not seen.
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

#[cfg(test)]
mod tests {
    use super::*;
    use exact::{Rational, Wide, choose};
    use testkit::tape_law;

    /// `numerator/denominator` as level n would know it: n + 4 bits, and something missing from
    /// both.
    fn level(value: &Rational, level: usize) -> Approximate<Wide> {
        let bits = 4 << level;
        let unit = Natural::ONE << bits;
        let cut = Natural::try_from((value * &Rational::integer(unit)).floor()).unwrap_or(Natural::ZERO);
        let word = u64::try_from(&cut).unwrap_or(u64::MAX);
        let missing = Wide::integer(1, 0).shifted(-(bits as i64));
        let value = Wide::integer(word, 0).shifted(-(bits as i64));
        Approximate { value: value.shifted(-3), roundings: 0, missing: missing.shifted(-3), scale: 3 }
    }

    #[test]
    fn a_coin_has_exactly_its_probability() {
        for (part, whole) in [("1/3", "1"), ("2/7", "5/7"), ("1", "3"), ("1/1000", "7/8"), ("3/5", "3/5")] {
            let (part, whole): (Rational, Rational) = (part.parse().unwrap(), whole.parse().unwrap());
            let tapes = tape_law(12, |tape| {
                let decide = |n: usize, uniform: &Uniform| {
                    let n = n.min(3);
                    below(uniform, &level(&part, n), &level(&whole, n), 200)
                };
                choose(tape, decide) == 0
            });
            let p = Enclosure::from_rational(&(&part / &whole), 128);
            let one = Enclosure::from_integer(1, 128);
            tapes.agrees_with(|heads| if *heads { p.clone() } else { &one - &p }).unwrap();
            assert!(tapes.unresolved <= 2, "{part}/{whole}: {}", tapes.unresolved);
            let wrong = &p * &Enclosure::from_rational(&"0.95".parse().unwrap(), 128);
            assert!(
                part < Rational::new(1, 100u8)
                    || tapes.agrees_with(|heads| if *heads { wrong.clone() } else { &one - &wrong }).is_err()
            );
        }
    }

    #[test]
    fn machine_numbers_answer_only_when_they_know() {
        let known = |value: f64, missing: f64| Approximate { value, roundings: 10, missing, scale: 0 };
        let number = |word: u64| Uniform::from_bits(word, 64);
        let half = u64::MAX / 2;
        let tell =
            |word: u64, part: f64, missing: f64| below(&number(word), &known(part, missing), &known(1.0, 0.0), 53);
        assert_eq!(tell(half, 0.6, 0.0), Decision::Index(0));
        assert_eq!(tell(half, 0.4, 0.0), Decision::Index(1));
        assert_eq!(tell(half, 0.4, 0.2), Decision::MorePrecision);
        assert_eq!(tell(half, 0.5, 0.0), Decision::MorePrecision);
        // Of a weight that is not known at all, only that it is small.
        assert_eq!(tell(half, 0.0, 1e-9), Decision::Index(1));
        assert_eq!(below(&number(half), &known(0.3, 0.0), &known(0.0, 1.0), 53), Decision::MorePrecision);
        // Too many roundings are worth nothing.
        let worn = Approximate { value: 0.1, roundings: 1 << 50, missing: 0.0, scale: 0 };
        assert_eq!(below(&number(half), &worn, &known(1.0, 0.0), 53), Decision::MorePrecision);
        assert!((quotient(&known(0.25, 0.0), &known(1.0, 0.0)) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn scales_far_apart_do_not_overflow() {
        let weight = |value: f64, scale: i64| Approximate { value, roundings: 2, missing: 0.0, scale };
        let number = Uniform::from_bits(1 << 62, 64);
        assert_eq!(below(&number, &weight(0.7, -5000), &weight(0.9, 300), 53), Decision::Index(1));
        assert_eq!(below(&number, &weight(0.7, -5000), &weight(0.9, -5000), 53), Decision::Index(0));
        assert_eq!(quotient(&weight(0.5, -5000), &weight(0.5, -5001)), 2.0);
        assert_eq!(quotient(&weight(0.5, -5000), &weight(0.5, 5000)), 0.0);
    }
}
