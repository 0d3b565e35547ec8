//! Combinations of totals in words: for reasons and for contradictions.

use crate::number::{Number, ONE, ZERO};
use crate::system::System;

/// One side of an equation between totals.
pub(crate) struct Side {
    /// In words, for example ``the 4 totals by county``.
    pub text: String,
    /// Whether it is one total, taken once.
    pub single: bool,
    /// What the public values make of it.
    pub value: Number,
}

impl Side {
    /// ``  `total` is 135 `` or `the 4 totals by county add up to 134`.
    pub(crate) fn says(&self) -> String {
        let verb = if self.single { "is" } else { "add up to" };
        format!("{} {verb} {}", self.text, self.value)
    }
}

/// A vanishing combination of rows as two sides that must be equal: positive coefficients left,
/// negative right.
pub(crate) fn sides(system: &System, dependency: &[(usize, Number)]) -> (Side, Side) {
    let scale = dependency.iter().fold(ONE, |scale, (_, coefficient)| {
        // Multiplying by what is left of each denominator makes every coefficient whole.
        scale.times(&coefficient.times(&scale).denominator())
    });
    let scaled: Vec<(usize, Number)> =
        dependency.iter().map(|(row, coefficient)| (*row, coefficient.times(&scale))).collect();
    let positive: Vec<_> = scaled.iter().filter(|(_, c)| c.is_positive()).cloned().collect();
    let negative: Vec<_> =
        scaled.iter().filter(|(_, c)| c.negated().is_positive()).map(|(row, c)| (*row, c.negated())).collect();
    (side(system, positive), side(system, negative))
}

/// How the totals of a whole grouping are called, for example `the 4 totals by county`.
pub(crate) fn all_totals(system: &System, grouping: usize) -> String {
    let grouping = &system.groupings[grouping];
    let of = if grouping.label.starts_with("by ") { "" } else { "of " };
    format!("the {} totals {of}{}", grouping.groups(), grouping.label)
}

fn side(system: &System, mut rows: Vec<(usize, Number)>) -> Side {
    let value = rows
        .iter()
        .fold(ZERO, |sum, (row, coefficient)| sum.plus(&coefficient.times(&Number::Small(system.total(*row)))));
    let single = matches!(&rows[..], [(_, coefficient)] if *coefficient == ONE);
    rows.sort_by_key(|(row, _)| *row);
    let mut parts: Vec<String> = Vec::new();
    while let Some((first, coefficient)) = rows.first().cloned() {
        let grouping = system.place(first).0;
        let alike = |entry: &(usize, Number)| system.place(entry.0).0 == grouping && entry.1 == coefficient;
        let members: Vec<usize> = rows.iter().filter(|entry| alike(entry)).map(|entry| entry.0).collect();
        rows.retain(|entry| !alike(entry));
        let times = if coefficient == ONE { String::new() } else { format!("{coefficient} × ") };
        parts.extend(members_in_words(system, grouping, &members).iter().map(|m| format!("{times}{m}")));
    }
    Side { text: list(&parts), single, value }
}

/// The most totals of one grouping that are named one by one.
const MOST_NAMES: usize = 3;

fn members_in_words(system: &System, grouping: usize, members: &[usize]) -> Vec<String> {
    let rows = system.first_row[grouping]..system.first_row[grouping + 1];
    let with_cells = rows.filter(|row| system.class_count[*row] > 0).count();
    if members.len() > 1 && members.len() == with_cells {
        return vec![all_totals(system, grouping)];
    }
    if members.len() <= MOST_NAMES {
        return members.iter().map(|row| format!("`{}`", system.name(*row))).collect();
    }
    let all = all_totals(system, grouping);
    vec![format!("{} of {all}", members.len())]
}

/// `a`, `a and b`, `a, b and c`.
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
