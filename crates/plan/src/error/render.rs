//! The error profile as a text table and as JSON.

use super::profile::{ErrorProfile, LEVELS, Spread};
use crate::numbers::{count, decimal};
use serde_json::{Value, json};
use std::fmt::Write;

/// Of more lines than this only the first and last are shown.
const MOST_LINES: usize = 12;
/// A label is cut at this many characters.
const WIDEST: usize = 40;

impl ErrorProfile {
    /// The profile as a table for a curator.
    pub fn text(&self) -> String {
        let mut lines: Vec<(String, String)> = Vec::new();
        let titles: Vec<String> = LEVELS.iter().map(|level| format!("{:>8}", format!("{} %", level * 100.0))).collect();
        let heading = format!("{:>10}{}", "std. dev.", titles.concat());
        lines.push((String::new(), heading));
        let kinds = self
            .cells
            .iter()
            .map(|kind| (format!("  {} {}", count(kind.cells, "cell"), kind.name), numbers(&kind.spread)));
        lines.push(("each cell".to_owned(), String::new()));
        lines.extend(shortened(kinds.collect()));
        for margin in &self.margins {
            let values =
                margin.values.iter().map(|values| (format!("  {}", listed(&values.labels)), numbers(&values.spread)));
            lines.push((format!("totals by {}", margin.name), String::new()));
            lines.extend(shortened(values.collect()));
        }
        let width = lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let mut text =
            "Noise in the release: |noise| stays at or below a quantile with that probability\n\n".to_owned();
        for (label, numbers) in lines {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", format!("{label:width$}{numbers}").trim_end());
        }
        if self.incomplete() {
            text.push_str("\n- : a quantile that costs too much to compute; the standard deviation is given alone\n");
        }
        text
    }

    /// The profile as JSON.
    pub fn json(&self) -> Value {
        let cells = self
            .cells
            .iter()
            .map(|kind| json!({"kind": kind.name, "cells": kind.cells, "noise": spread(&kind.spread)}));
        let margins = self.margins.iter().map(|margin| {
            let values =
                margin.values.iter().map(|values| json!({"values": values.labels, "noise": spread(&values.spread)}));
            json!({"by": margin.name, "groups": values.collect::<Vec<_>>()})
        });
        json!({
            "levels": LEVELS,
            "cells": cells.collect::<Vec<_>>(),
            "margins": margins.collect::<Vec<_>>(),
        })
    }

    fn incomplete(&self) -> bool {
        let cells = self.cells.iter().map(|kind| &kind.spread);
        let margins = self.margins.iter().flat_map(|margin| &margin.values);
        cells.chain(margins.map(|values| &values.spread)).any(|spread| spread.quantiles.is_none())
    }
}

fn spread(spread: &Spread) -> Value {
    json!({
        "exact": spread.is_exact(),
        "standard_deviation": spread.standard_deviation,
        "quantiles": spread.quantiles,
    })
}

fn numbers(spread: &Spread) -> String {
    if spread.is_exact() {
        return format!("{:>10}", "exact");
    }
    let quantiles: Vec<String> = match spread.quantiles {
        Some(quantiles) => quantiles.iter().map(|value| format!("{:>8}", decimal(*value))).collect(),
        None => vec![format!("{:>8}", "-"); LEVELS.len()],
    };
    format!("{:>10}{}", decimal(spread.standard_deviation), quantiles.concat())
}

/// `Alpha, Beta`, or `Alpha, Beta, … (12 values)`.
fn listed(labels: &[String]) -> String {
    let all = labels.join(", ");
    if all.chars().count() <= WIDEST {
        return all;
    }
    let mut shown = 1;
    let width = |number: usize| labels[..number].join(", ").chars().count();
    while shown < labels.len() && width(shown + 1) <= WIDEST / 2 {
        shown += 1;
    }
    let start = cut(&labels[..shown].join(", "));
    if shown == labels.len() { start } else { format!("{start}, … ({} values)", labels.len()) }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}

fn shortened(mut lines: Vec<(String, String)>) -> Vec<(String, String)> {
    if lines.len() > MOST_LINES {
        let hidden = lines.len() - (MOST_LINES - 1);
        let middle = (format!("  … {hidden} more lines"), String::new());
        lines.splice(MOST_LINES / 2..MOST_LINES / 2 + hidden, [middle]);
    }
    lines
}
