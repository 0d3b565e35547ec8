//! Expected errors as a text table and as JSON.

use super::{ErrorLaws, ExpectedError, QueryErrors};
use declare::Domain;
use draw::Law;
use plan::{count, decimal};
use serde_json::{Value, json};
use std::fmt::{self, Write};

/// The cells with the largest errors that are named.
const NAMED: usize = 5;

/// The smallest, the median and the largest of some numbers.
struct Range([f64; 3]);

impl Range {
    fn new(numbers: impl Iterator<Item = f64>) -> Option<Range> {
        let mut sorted: Vec<f64> = numbers.collect();
        sorted.sort_by(f64::total_cmp);
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        Some(Range([first, sorted[(sorted.len() - 1) / 2], last]))
    }

    fn json(&self) -> Value {
        json!({"smallest": self.0[0], "median": self.0[1], "largest": self.0[2]})
    }
}

/// A figure of an error: its name in JSON and in text, and how it is computed.
type Figure = (&'static str, &'static str, fn(&Law) -> f64);

/// What is told about an error.
const FIGURES: [Figure; 3] = [
    ("mean_absolute", "expected |error|", |law| law.mean_absolute(0)),
    ("standard_deviation", "standard deviation", |law| law.variance().sqrt()),
    ("bias", "bias", |law| tidy(law.mean())),
];

/// A bias that is nothing but rounding is none.
fn tidy(mean: f64) -> f64 {
    if mean.abs() < 1e-9 { 0.0 } else { mean }
}

impl ExpectedError {
    /// For a curator.
    pub fn text(&self, domain: &Domain) -> String {
        match self {
            ExpectedError::Profile(profile) => profile.text(),
            ExpectedError::Laws(laws) => laws.text(domain),
            ExpectedError::Levels(profile) => profile.text(),
            ExpectedError::NotTold { reason, hint } => {
                format!("Noise in the release: not told\n\n  {reason}\n  hint: {hint}\n")
            }
        }
    }

    /// For a script.
    pub fn json(&self, domain: &Domain) -> Value {
        match self {
            ExpectedError::Profile(profile) => profile.json(),
            ExpectedError::Laws(laws) => laws.json(domain),
            ExpectedError::Levels(profile) => profile.json(),
            ExpectedError::NotTold { reason, .. } => json!({"given": null, "reason": reason}),
        }
    }
}

impl ErrorLaws {
    fn given(&self) -> &'static str {
        if self.any_table { "any table" } else { "the public table" }
    }

    /// The cells with the largest expected errors, the first of equals first.
    fn largest(&self) -> Vec<&(usize, Law)> {
        let mut cells: Vec<(f64, &(usize, Law))> =
            self.cells.iter().map(|cell| (cell.1.mean_absolute(0), cell)).collect();
        cells.sort_by(|one, two| two.0.total_cmp(&one.0));
        cells.into_iter().take(NAMED).map(|(_, cell)| cell).collect()
    }

    /// The expected errors as a table for a curator.
    pub fn text(&self, domain: &Domain) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut text, domain);
        text
    }

    fn write(&self, text: &mut String, domain: &Domain) -> fmt::Result {
        if self.cells.is_empty() && self.log_probability.is_none() {
            writeln!(text, "Error of the release: not available\n")?;
            return self.write_missing(text);
        }
        let given = if self.any_table { "the same for every table" } else { "given the public table" };
        writeln!(text, "Error of the release, released minus true: exact, {given}\n")?;
        let whole = [
            ("all cells: expected sum of |error|", self.expected_l1()),
            ("all cells: expected sum of squared errors", self.expected_l2_squared()),
            ("ln P(independent noise meets all that must hold)", self.log_probability),
        ];
        for (name, value) in whole {
            writeln!(text, "  {name:50}{:>12}", value.map_or("-".to_owned(), decimal))?;
        }
        if !self.cells.is_empty() {
            writeln!(text, "\n{:34}{:>12}{:>12}{:>12}", "each cell", "smallest", "median", "largest")?;
            for (_, name, figure) in FIGURES {
                write_range(text, name, self.cells.iter().map(|(_, law)| figure(law)))?;
            }
        }
        if !self.queries.is_empty() {
            writeln!(
                text,
                "\n{:34}{:>12}{:>12}{:>12}",
                "expected |error| of noisy sums", "smallest", "median", "largest"
            )?;
            for query in &self.queries {
                let sums = query.sums.iter().flatten().map(|law| law.mean_absolute(0));
                write_range(text, &format!("{} ({})", query.label, count(query.sums.len(), "sum")), sums)?;
            }
        }
        if !self.any_table && !self.cells.is_empty() {
            writeln!(text, "\n{:34}{:>12}{:>12}{:>12}", "largest", "|error|", "std. dev.", "bias")?;
            for (cell, law) in self.largest() {
                let figures: Vec<String> =
                    FIGURES.iter().map(|(_, _, figure)| format!("{:>12}", decimal(figure(law)))).collect();
                writeln!(text, "  {:32}{}", domain.describe(*cell), figures.concat())?;
            }
        }
        if !self.not_available.is_empty() {
            writeln!(text, "\nnot available")?;
        }
        self.write_missing(text)
    }

    fn write_missing(&self, text: &mut String) -> fmt::Result {
        for missing in &self.not_available {
            writeln!(text, "  {}: {}", count(missing.cells, "cell"), missing.reason)?;
        }
        Ok(())
    }

    /// The expected errors as JSON: `given` says whether they hold for any table or for the public
    /// one.
    pub fn json(&self, domain: &Domain) -> Value {
        let figures = |law: &Law| FIGURES.map(|(key, _, figure)| (key.to_owned(), json!(figure(law))));
        let largest = self.largest().into_iter().map(|(cell, law)| {
            let named = std::iter::once(("cell".to_owned(), json!(domain.describe(*cell))));
            Value::Object(named.chain(figures(law)).collect())
        });
        let ranges = FIGURES.iter().map(|(key, _, figure)| {
            let range = Range::new(self.cells.iter().map(|(_, law)| figure(law)));
            ((*key).to_owned(), range.map_or(Value::Null, |range| range.json()))
        });
        let missing =
            self.not_available.iter().map(|missing| json!({"cells": missing.cells, "reason": missing.reason}));
        json!({
            "given": self.given(),
            "log_probability": self.log_probability,
            "expected_l1": self.expected_l1(),
            "expected_l2_squared": self.expected_l2_squared(),
            "cells": Value::Object(ranges.collect()),
            "largest": largest.collect::<Vec<_>>(),
            "queries": self.queries.iter().map(QueryErrors::json).collect::<Vec<_>>(),
            "not_available": missing.collect::<Vec<_>>(),
        })
    }
}

impl QueryErrors {
    fn json(&self) -> Value {
        let range = Range::new(self.sums.iter().flatten().map(|law| law.mean_absolute(0)));
        json!({
            "label": self.label,
            "sums": self.sums.len(),
            "expected_l1": self.expected_l1(),
            "mean_absolute": range.map_or(Value::Null, |range| range.json()),
        })
    }
}

fn write_range(text: &mut String, name: &str, numbers: impl Iterator<Item = f64>) -> fmt::Result {
    let figures = match Range::new(numbers) {
        Some(Range(figures)) => figures.map(|figure| format!("{:>12}", decimal(figure))).concat(),
        None => format!("{:>12}", "-").repeat(3),
    };
    writeln!(text, "  {name:32}{figures}")
}
