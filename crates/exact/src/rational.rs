//! `Rational`: exact fractions, read from decimals or fractions without rounding.

use dashu_base::{Abs, DivEuclid, DivRem, DivRemEuclid, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

/// An exact fraction in lowest terms.
///
/// Dividing by zero panics, as it does for integers; [`Rational::reciprocal`] answers instead.
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

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.0.sign() == Sign::Negative
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        self.denominator().is_one()
    }

    /// The largest integer at most this.
    pub fn floor(&self) -> IBig {
        self.numerator().div_euclid(self.denominator().as_ibig())
    }

    /// The smallest integer at least this.
    pub fn ceil(&self) -> IBig {
        let (floor, rest) = self.numerator().div_rem_euclid(self.denominator().as_ibig());
        if rest.is_zero() { floor } else { floor + 1 }
    }

    /// The power, by repeated squaring; `0^0` is 1.
    pub fn pow(&self, exponent: u32) -> Self {
        Rational(self.0.pow(exponent as isize))
    }

    /// One divided by this, or `None` for zero.
    pub fn reciprocal(&self) -> Option<Self> {
        let (sign, magnitude) = self.numerator().clone().into_parts();
        let above = IBig::from_parts(sign, self.denominator().clone());
        (!magnitude.is_zero()).then(|| Rational::new(above, magnitude))
    }

    /// A decimal with at most `digits` digits after the point that is never below this, and less
    /// than one unit of its last digit above: for losses, which only round up.
    pub fn to_decimal_up(&self, digits: usize) -> String {
        let scaled = self * &Rational::integer(UBig::from(10u8).pow(digits));
        place_point(&scaled.ceil(), digits)
    }

    /// The exact decimal, or `None` when it never ends.
    pub fn to_decimal_exact(&self) -> Option<String> {
        let mut rest = self.denominator().clone();
        let twos = rest.trailing_zeros().unwrap_or(0);
        rest >>= twos;
        let mut fives = 0;
        while !rest.is_one() {
            let (quotient, remainder) = rest.div_rem(UBig::from(5u8));
            if !remainder.is_zero() {
                return None;
            }
            rest = quotient;
            fives += 1;
        }
        Some(self.to_decimal_up(twos.max(fives)))
    }

    /// The exact decimal, or the fraction when it never ends.
    pub fn digits(&self) -> String {
        self.to_decimal_exact().unwrap_or_else(|| self.to_string())
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
                return Err(NotANumber(format!("`{}` divides by zero", shown(text))));
            }
            return Ok(Rational(decimal(above.trim(), text)? / below));
        }
        Ok(Rational(decimal(text.trim(), text)?))
    }
}

/// The text itself, or the beginning of a long one.
fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST_DIGITS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a number with one comma may mean: `1,5` is 1.5, and `1,000` may be a thousand.
fn meant_by_comma(text: &str) -> String {
    let Some((before, after)) = text.trim().split_once(',') else { return String::new() };
    let digits = |part: &str| !part.is_empty() && part.len() < MOST_DIGITS && part.bytes().all(|b| b.is_ascii_digit());
    let whole = before.strip_prefix(['-', '+']).unwrap_or(before);
    if !digits(after) || !(digits(whole) || whole.is_empty()) {
        return String::new();
    }
    match after.len() {
        3 => format!(": write {before}.{after} or {before}{after}"),
        _ => format!(": write {before}.{after}"),
    }
}

fn decimal(part: &str, whole: &str) -> Result<RBig, NotANumber> {
    let wrong = || {
        let (shown, meant) = (shown(whole), meant_by_comma(whole));
        NotANumber(format!("`{shown}` is not a decimal or a fraction such as 0.25 or 1/4{meant}"))
    };
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
        return Err(NotANumber(format!("`{}` has more than {MOST_DIGITS} digits", shown(whole))));
    }
    let magnitude = IBig::from(UBig::from_str_radix(&digits, 10).map_err(|_| wrong())?);
    let signed = if negative { -magnitude } else { magnitude };
    let power = UBig::from(10u8).pow(scale.unsigned_abs() as usize);
    Ok(if scale >= 0 { RBig::from(signed * IBig::from(power)) } else { RBig::from_parts(signed, power) })
}

/// `value / 10^digits`, without zeros at the end of the fraction.
fn place_point(value: &IBig, digits: usize) -> String {
    let (sign, magnitude) = value.clone().into_parts();
    let minus = if sign == Sign::Negative { "-" } else { "" };
    let text = format!("{magnitude:0>width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{minus}{whole}{point}{fraction}")
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

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-&self.0)
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational::integer(value)
    }
}
