//! The sheets of a workbook that are for reading: what is exact, and what is guaranteed.

use super::Facts;
use crate::files::{Cell, LARGEST_NUMBER, LONGEST_TEXT, MOST_ROWS};
use certify::VERSION;
use std::borrow::Cow;

pub(super) const INVARIANTS_WIDTHS: [f64; 3] = [36.0, 60.0, 18.0];
pub(super) const GUARANTEE_WIDTHS: [f64; 2] = [26.0, 110.0];

/// A text, cut where a spreadsheet would refuse it.
fn text<'a>(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
    let text = text.into();
    if text.encode_utf16().count() <= LONGEST_TEXT {
        return Cell::Text(text);
    }
    let start: String = text.chars().take(LONGEST_TEXT / 2 - 1).collect();
    Cell::Text(Cow::Owned(start + "…"))
}

/// A whole number, as text where a spreadsheet would round it.
fn number(value: i64) -> Cell<'static> {
    if value.unsigned_abs() <= LARGEST_NUMBER { Cell::Integer(value) } else { text(value.to_string()) }
}

/// Every exact total with its value, then bounds and rules.
pub(super) fn invariants(facts: Facts<'_>) -> Vec<Vec<Cell<'_>>> {
    let mut rows = vec![vec![text("Exactly true"), text("Which"), text("Value")]];
    for invariant in facts.invariants {
        let label = match invariant.pinned {
            true => Cow::Owned(format!("{} (pinned to published values)", invariant.label)),
            false => Cow::Borrowed(invariant.label.as_str()),
        };
        let totals = invariant.totals.iter();
        rows.extend(totals.map(|total| vec![text(label.clone()), text(&total.name), number(total.value)]));
    }
    let first = |condition: &'_ str| vec![text("bound or rule"), text(condition.to_string()), Cell::Empty];
    rows.extend(facts.conditions.iter().map(|condition| first(condition)));
    if rows.len() == 1 {
        rows.push(vec![text("nothing"), text("no total was kept exactly"), Cell::Empty]);
    }
    if rows.len() > MOST_ROWS {
        rows.truncate(MOST_ROWS - 1);
        rows.push(vec![text("and more"), text("certificate.json lists all of them"), Cell::Empty]);
    }
    rows
}

/// The guarantee in words and numbers, and how to check it.
pub(super) fn guarantee(facts: Facts<'_>) -> Vec<Vec<Cell<'_>>> {
    let guarantee = facts.guarantee;
    let mut rows = vec![vec![text("What"), text("Statement")]];
    let mut add = |name: &'static str, value: &str| rows.push(vec![text(name), text(value.to_string())]);
    add("Title", facts.title);
    add("Guarantee", &guarantee.statement);
    add("Definition", &guarantee.definition);
    add("Loss is per", &guarantee.unit);
    let numbers = [
        ("Epsilon", &guarantee.epsilon),
        ("Rho", &guarantee.rho),
        ("Delta", &guarantee.delta),
        ("Epsilon at delta", &guarantee.epsilon_at_delta),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            add(name, value);
        }
    }
    add("Between", &guarantee.neighbours);
    add("Noise", &guarantee.noise);
    add("Theorem", &format!("{}, proved in {}", guarantee.theorem, guarantee.proof));
    add("SHA-256 of the spec", facts.spec_sha256);
    add("Program", &format!("congenial {VERSION}"));
    add(
        "How to check",
        "congenial verify DIR, where DIR is the folder with this workbook, certificate.json and the other files of the \
         release. It needs no access to the confidential data.",
    );
    rows
}
