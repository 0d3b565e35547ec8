//! Shifts and quotients that round down or up, whatever the sign.

use crate::Rational;
use dashu_base::DivRemEuclid;
use dashu_int::{IBig, UBig};

/// `ceil(value / 2^shift)`; `>>` on a signed integer is the floor.
pub(super) fn ceiling_shift(value: &IBig, shift: usize) -> IBig {
    (value >> shift) + u8::from(value.trailing_zeros().is_some_and(|zeros| zeros < shift))
}

/// `ceil(value / 2^shift)` for a non-negative value.
pub(super) fn ceiling_shift_unsigned(value: &UBig, shift: usize) -> UBig {
    (value >> shift) + u8::from(value.trailing_zeros().is_some_and(|zeros| zeros < shift))
}

/// `value * 2^(to - from)`, rounded down.
pub(super) fn rescale_down(value: &IBig, from: usize, to: usize) -> IBig {
    if to >= from { value << (to - from) } else { value >> (from - to) }
}

/// `value * 2^(to - from)`, rounded up.
pub(super) fn rescale_up(value: &IBig, from: usize, to: usize) -> IBig {
    if to >= from { value << (to - from) } else { ceiling_shift(value, from - to) }
}

/// `floor(numerator / denominator)` for a positive denominator.
pub(super) fn floor_quotient(numerator: &IBig, denominator: &IBig) -> IBig {
    numerator.div_rem_euclid(denominator).0
}

/// `ceil(numerator / denominator)` for a positive denominator.
pub(super) fn ceiling_quotient(numerator: &IBig, denominator: &IBig) -> IBig {
    let (floor, remainder) = numerator.div_rem_euclid(denominator);
    if remainder.is_zero() { floor } else { floor + 1 }
}

/// `value * 2^-bits`, in lowest terms.
pub(super) fn dyadic(value: &IBig, bits: usize) -> Rational {
    Rational::new(value.clone(), UBig::ONE << bits)
}
