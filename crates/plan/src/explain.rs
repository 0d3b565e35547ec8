//! EXPLAIN: the plan for a curator, as text, and for a script, as JSON.

mod json;
mod suppressed;
mod text;

use exact::{Natural, Rational};
use walk::Evidence;

/// Decimals with a larger denominator are not written as fractions.
const LARGEST_DENOMINATOR: u32 = 1_000_000;

/// `1/4 (0.25)`, or just `3` when it is whole, or just its digits when the fraction would be long.
pub(crate) fn number(value: &Rational) -> String {
    if value.denominator().is_one() {
        return value.to_string();
    }
    match value.to_decimal_exact().filter(|_| *value.denominator() > Natural::from(LARGEST_DENOMINATOR)) {
        Some(digits) => digits,
        None => format!("{value} ({})", decimal(value.to_f64())),
    }
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

/// What is assumed about pairs of chains that have not met yet, in words, and how it was tested.
pub fn assumption_in_words(evidence: &Evidence) -> String {
    let first: u64 = evidence.families.iter().map(|family| family.tried.pairs).sum();
    let apart: u64 = evidence.families.iter().filter(|family| family.apart).map(|family| family.tried.pairs).sum();
    let rounds = match evidence.rounds.len() {
        0 => String::new(),
        1 => ", and in 1 further block of pairs that had not met".to_owned(),
        more => format!(", and in {more} further blocks of pairs that had not met"),
    };
    format!(
        "it is assumed that two chains that have not met yet fail to meet in the next {} with a probability of at most {}, \
         wherever they are: seen in the first block of {first} pairs, {apart} of which began far apart{rounds}",
        count(evidence.block as usize, "step"),
        decimal(evidence.unmet())
    )
}

/// `1 cell`, `12 cells`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
