//! Numbers as explanations write them: short decimals, durations, how many of what.

use exact::{Natural, Rational};

/// Decimals with a larger denominator are not written as fractions.
const LARGEST_DENOMINATOR: u32 = 1_000_000;

/// `1/4 (0.25)`, or just `3` when it is whole, or just its digits when the fraction would be long.
pub(crate) fn number(value: &Rational) -> String {
    let text = decimals(value);
    if text.contains('/') { format!("{text} ({})", decimal(value.to_f64())) } else { text }
}

/// A short fraction as it is, a long one by its digits.
pub fn decimals(value: &Rational) -> String {
    let digits = value.to_decimal_exact().filter(|_| *value.denominator() > Natural::from(LARGEST_DENOMINATOR));
    digits.unwrap_or_else(|| value.to_string())
}

/// Four significant digits, without trailing zeros.
pub fn decimal(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A duration in the unit that suits it.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{} µs", decimal((s * 1e6).round().max(1.0))),
        s if s < 1.0 => format!("{} ms", decimal((s * 1e3).round())),
        s if s < 120.0 => format!("{} s", decimal((s * 10.0).round() / 10.0)),
        s => format!("{} minutes", decimal((s / 60.0).round())),
    }
}

/// `1 cell`, `12 cells`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
