//! `Number`: an exact fraction that is a machine integer almost always.

use exact::Rational;
use std::ops::{Add, Div, Mul, Rem, Sub};

/// An exact number. `Large` holds only what is not an `i64`, so equal numbers are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Number {
    Small(i64),
    Large(Box<Rational>),
}

pub(crate) const ZERO: Number = Number::Small(0);
pub(crate) const ONE: Number = Number::Small(1);

impl Number {
    pub(crate) fn rational(&self) -> Rational {
        match self {
            Number::Small(value) => Rational::integer(*value),
            Number::Large(value) => (**value).clone(),
        }
    }

    fn from_rational(value: Rational) -> Number {
        if value.denominator().is_one()
            && let Ok(small) = i64::try_from(value.numerator())
        {
            return Number::Small(small);
        }
        Number::Large(Box::new(value))
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == ZERO
    }

    pub(crate) fn is_unit(&self) -> bool {
        matches!(self, Number::Small(1 | -1))
    }

    pub(crate) fn is_positive(&self) -> bool {
        match self {
            Number::Small(value) => *value > 0,
            Number::Large(value) => value.is_positive(),
        }
    }

    /// The value, if it is a machine integer.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Number::Small(value) => Some(*value),
            Number::Large(_) => None,
        }
    }

    /// The smallest positive integer that makes the number whole when multiplied with it.
    pub(crate) fn denominator(&self) -> Number {
        match self {
            Number::Small(_) => ONE,
            Number::Large(value) => Number::from_rational(Rational::integer(value.denominator().clone())),
        }
    }

    pub(crate) fn negated(&self) -> Number {
        ZERO.minus(self)
    }

    /// By machine integers where they have the answer, else by fractions.
    #[inline]
    fn by(
        &self,
        other: &Number,
        small: impl Fn(i64, i64) -> Option<i64>,
        large: impl Fn(Rational, Rational) -> Rational,
    ) -> Number {
        if let (Number::Small(left), Number::Small(right)) = (self, other)
            && let Some(answer) = small(*left, *right)
        {
            return Number::Small(answer);
        }
        Number::from_rational(large(self.rational(), other.rational()))
    }

    pub(crate) fn plus(&self, other: &Number) -> Number {
        self.by(other, i64::checked_add, Rational::add)
    }

    pub(crate) fn minus(&self, other: &Number) -> Number {
        self.by(other, i64::checked_sub, Rational::sub)
    }

    pub(crate) fn times(&self, other: &Number) -> Number {
        self.by(other, i64::checked_mul, Rational::mul)
    }

    /// The quotient; the divisor is a pivot and never zero.
    pub(crate) fn over(&self, other: &Number) -> Number {
        let whole = |left: i64, right: i64| (left.checked_rem(right) == Some(0)).then(|| left / right);
        self.by(other, whole, Rational::div)
    }
}

impl From<i128> for Number {
    fn from(value: i128) -> Number {
        Number::from_rational(Rational::integer(value))
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.rational())
    }
}

/// The largest number that divides both.
pub(crate) fn gcd<N: Copy + Default + PartialEq + Rem<Output = N>>(one: N, two: N) -> N {
    if two == N::default() { one } else { gcd(two, one % two) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_and_fractions_stay_exact_and_come_back() {
        let huge = Number::Small(i64::MAX);
        let twice = huge.plus(&huge);
        assert_eq!(twice.to_string(), "18446744073709551614");
        assert_eq!(twice.minus(&huge), huge);
        assert_eq!(huge.times(&huge).over(&huge), huge);
        let half = ONE.over(&Number::Small(2));
        assert_eq!(half.denominator(), Number::Small(2));
        assert_eq!(half.plus(&half), ONE);
        assert_eq!(Number::Small(i64::MIN).negated().negated(), Number::Small(i64::MIN));
        assert_eq!(Number::Small(i64::MIN).over(&Number::Small(-1)).negated().integer(), Some(i64::MIN));
    }
}
