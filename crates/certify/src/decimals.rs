//! Numbers as certificates write them.

use exact::{Natural, Rational};

/// A short fraction as it is, a long one by its digits.
pub(crate) fn decimals(value: &Rational) -> String {
    let digits = value.to_decimal_exact().filter(|_| *value.denominator() > Natural::from(1_000_000u32));
    digits.unwrap_or_else(|| value.to_string())
}
