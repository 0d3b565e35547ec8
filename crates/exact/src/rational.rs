//! `Rational`: exact fractions, read from decimals or fractions without rounding.

use dashu_base::{Abs, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

/// An exact fraction in lowest terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

/// Why a text is not a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotANumber(String);

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for NotANumber {}

/// The most digits a number may have: beyond that it is a mistake or an attack.
const MOST_DIGITS: usize = 60;

impl Rational {
    /// `numerator / denominator`.
    ///
    /// # Panics
    /// When the denominator is zero.
    pub fn new(numerator: impl Into<IBig>, denominator: impl Into<UBig>) -> Self {
        Rational(RBig::from_parts(numerator.into(), denominator.into()))
    }

    /// An integer.
    pub fn integer(value: impl Into<IBig>) -> Self {
        Rational(RBig::from(value.into()))
    }

    /// The numerator, which carries the sign.
    pub fn numerator(&self) -> &IBig {
        self.0.numerator()
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> &UBig {
        self.0.denominator()
    }

    /// Whether it is above zero.
    pub fn is_positive(&self) -> bool {
        self.0.sign() == Sign::Positive && !self.is_zero()
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        Rational(self.0.clone().abs())
    }

    /// The nearest machine number: for display, predictions and starting points, never for a draw.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }
}

impl FromStr for Rational {
    type Err = NotANumber;

    /// Reads `3`, `-3`, `0.25`, `.5`, `1e-6`, `1/4`, `0.5/3`; never rounds.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        if let Some((above, below)) = text.split_once('/') {
            let below = decimal(below.trim(), text)?;
            if below.is_zero() {
                return Err(NotANumber(format!("`{text}` divides by zero")));
            }
            return Ok(Rational(decimal(above.trim(), text)? / below));
        }
        Ok(Rational(decimal(text.trim(), text)?))
    }
}

fn decimal(part: &str, whole: &str) -> Result<RBig, NotANumber> {
    let wrong = || NotANumber(format!("`{whole}` is not a decimal or a fraction such as 0.25 or 1/4"));
    let (mantissa, exponent) = match part.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| wrong())?),
        None => (part, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{before}{after}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let scale = i64::from(exponent) - after.len() as i64;
    if digits.len() > MOST_DIGITS || scale.unsigned_abs() > MOST_DIGITS as u64 {
        return Err(NotANumber(format!("`{whole}` has more than {MOST_DIGITS} digits")));
    }
    let magnitude = IBig::from(UBig::from_str_radix(&digits, 10).map_err(|_| wrong())?);
    let signed = if negative { -magnitude } else { magnitude };
    let power = UBig::from(10u8).pow(scale.unsigned_abs() as usize);
    Ok(if scale >= 0 { RBig::from(signed * IBig::from(power)) } else { RBig::from_parts(signed, power) })
}

impl fmt::Display for Rational {
    /// `3` or `1/4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                Rational((&self.0).$method(&other.0))
            }
        }
        impl $trait for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                Rational(self.0.$method(other.0))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-self.0)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational::integer(value)
    }
}
