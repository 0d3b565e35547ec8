//! A comparison as a table for a terminal.

use super::Sweep;
use audit::comparison::{Comparison, Outcome, digits, sizes, with_error};
use audit::measure::{PartErrors, Summary};
use std::fmt::Write as _;

/// The comparison, method by method.
pub fn comparison_text(comparison: &Comparison) -> String {
    let mut text = format!("{}\n", comparison.title);
    // Writing to a String cannot fail.
    if let Some(file) = &comparison.stand_in {
        let _ = writeln!(text, "  on the public stand-in {file}");
    }
    let _ = writeln!(
        text,
        "  {} cells, {} draws of every method, each with the noise at which it is certified at {} per {}\n",
        comparison.truth.len(),
        comparison.draws,
        comparison.loss,
        comparison.unit
    );
    let mut rows = vec![
        ["method", "mean L1", "mean L2", "largest bias", "variance", "made zero", "below zero", "broken", "seconds"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(found(comparison).map(|(name, outcome)| row(name, outcome)));
    text += &aligned(&rows);
    for method in &comparison.methods {
        match &method.outcome {
            Err(reason) => text += &format!("\n{}: does not apply. {reason}\n", method.name),
            Ok(Outcome { remark: Some(remark), .. }) => text += &format!("\n{}: {remark}\n", method.name),
            Ok(_) => {}
        }
    }
    if found(comparison).any(|(_, outcome)| outcome.real_valued) {
        text += "\n(real): tables of real numbers, which are never certified; their noise is that of the same loss.\n";
    }
    let _ = writeln!(
        text,
        "\nmade zero: counts above zero that are zero in the release, per draw; broken: totals and rules that do not hold, of {}, per draw; \
         variance: mean over cells; seconds: per draw. After ±: Monte Carlo standard errors.",
        comparison.kept
    );
    let levels = levels(comparison);
    if levels.len() > 1 {
        let _ = write!(text, "\nBy level: mean absolute error of a sum\n{}", aligned(&levels));
    }
    for (place, title) in [(0, "By the size of the count"), (1, "By the number of cells that share the smallest total")]
    {
        let _ = write!(text, "\n{title}: mean bias, mean variance of a cell\n{}", aligned(&parts(comparison, place)));
    }
    text
}

/// A sweep: the mean error of a cell by method and strength, then every comparison.
pub fn sweep_text(sweep: &Sweep) -> String {
    let strengths = sweep.comparisons.iter().map(|(strength, _, _)| format!("{} {strength}", sweep.of));
    let mut rows = vec![joined(["method"], strengths)];
    let methods = sweep.comparisons.first().map_or(&[][..], |(_, _, comparison)| &comparison.methods);
    for (place, method) in methods.iter().enumerate() {
        let error = |(_, _, comparison): &(String, f64, Comparison)| {
            let outcome = comparison.methods.get(place).and_then(|method| method.outcome.as_ref().ok());
            outcome.map_or("–".to_owned(), |outcome| {
                let cells = comparison.truth.len().max(1) as f64;
                with_error(outcome.errors.l1().mean() / cells, outcome.errors.l1().mean_error() / cells)
            })
        };
        rows.push(joined([method.name], sweep.comparisons.iter().map(error)));
    }
    let mut text = format!("Mean absolute error of a cell, by strength\n{}", aligned(&rows));
    for (strength, _, comparison) in &sweep.comparisons {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{} = {strength}\n{}", sweep.of, comparison_text(comparison));
    }
    text
}

fn row(name: &str, outcome: &Outcome) -> Vec<String> {
    let errors = &outcome.errors;
    let bias = outcome.largest_bias().map_or("–".to_owned(), |(_, bias, error)| with_error(bias, error));
    vec![
        format!("{name}{}", if outcome.real_valued { " (real)" } else { "" }),
        mean(errors.l1()),
        mean(errors.l2()),
        bias,
        digits(outcome.mean_variance()),
        digits(errors.forced_to_zero().mean()),
        digits(errors.negatives().mean()),
        digits(errors.broken().mean()),
        digits(outcome.drawing),
    ]
}

/// The methods that apply, by their names.
fn found(comparison: &Comparison) -> impl Iterator<Item = (&'static str, &Outcome)> {
    comparison.methods.iter().filter_map(|method| Some((method.name, method.outcome.as_ref().ok()?)))
}

/// The errors of the sums of every level by every method.
fn levels(comparison: &Comparison) -> Vec<Vec<String>> {
    let outcomes: Vec<(&str, &Outcome)> = found(comparison).collect();
    let mut rows = vec![joined(["level", "sums"], outcomes.iter().map(|(name, _)| (*name).to_owned()))];
    let levels = outcomes.first().map_or(0, |(_, outcome)| outcome.levels.len());
    for number in 0..levels {
        let level = outcomes[0].1.levels[number].level();
        let found = outcomes.iter().map(|(_, outcome)| mean(outcome.levels[number].absolute()));
        rows.push(joined([&level.name, &level.sums.to_string()], found));
    }
    rows
}

/// Bias and variance of every part by every method.
fn parts(comparison: &Comparison, place: usize) -> Vec<Vec<String>> {
    let outcomes: Vec<(&str, &PartErrors)> =
        found(comparison).filter_map(|(name, outcome)| Some((name, outcome.errors.parts().get(place)?))).collect();
    let Some((_, first)) = outcomes.first() else { return Vec::new() };
    let mut rows = vec![joined(["size", "cells"], outcomes.iter().map(|(name, _)| (*name).to_owned()))];
    for (number, part) in first.partition().parts().iter().enumerate() {
        let found = outcomes.iter().map(|(_, errors)| {
            let variance = digits(errors.variance()[number].mean());
            format!("{}, {variance}", mean(&errors.bias()[number]))
        });
        rows.push(joined([&sizes(part), &part.cells.to_string()], found));
    }
    rows
}

fn mean(summary: &Summary) -> String {
    with_error(summary.mean(), summary.mean_error())
}

/// A row: what it is about, and its figures.
fn joined<const N: usize>(about: [&str; N], figures: impl Iterator<Item = String>) -> Vec<String> {
    about.map(str::to_owned).into_iter().chain(figures).collect()
}

/// Columns under each other: the first to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = if column == 0 { write!(text, "  {cell:width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn columns_stand_under_each_other() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "10".to_owned()]];
        assert_eq!(aligned(&rows), "  a     1\n  bcd  10\n");
    }
}
