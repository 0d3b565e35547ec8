//! US counties in their states: conditioning against projection, bias by size of the county.

use super::Rehearsal;
use super::findings::{Findings, number};
use crate::beside::counted;
use crate::compare::{CompareOptions, compare_counts};
use audit::comparison::sizes;
use declare::Problem;
use std::fmt::Write as _;

const SPEC: &str = include_str!("../../../../examples/us-counties/project.toml");
const POPULATIONS: &str = include_str!("../../../../data/county_pop_2010.csv");
/// How much smaller the second table is, so that its counts are as small as those of towns.
const SMALLER: i64 = 1000;

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "Counties of the United States in their states, whose totals are exact, no count below zero: every method certified at the same loss. \
             First the populations of 2010; then the same divided by 1,000, rounded down, as small counts: there the bounds bite; then these \
             small counts with exact totals alone, which cost conditioning nothing.",
        ]);
    let spec = SPEC.replace("../../data/county_pop_2010.csv", "counties.csv");
    let (declaration, counts) = counted(&spec, &[("counties.csv", POPULATIONS)])?;
    let mut csv = "table,method,least,most,cells,bias,bias_error,variance,variance_error\n".to_owned();
    let small: Vec<i64> = counts.iter().map(|count| count / SMALLER).collect();
    let mut totals_alone = declaration.clone();
    totals_alone.constraints.nonnegative = false;
    for (name, declaration, counts) in [
        ("populations", &declaration, counts),
        ("thousandths", &declaration, small.clone()),
        ("thousandths, totals alone", &totals_alone, small),
    ] {
        let options = CompareOptions { draws: run.pairs, seed: 47, on: None };
        let comparison = compare_counts(declaration, counts, &options, run.told)?;
        for method in &comparison.methods {
            let Ok(outcome) = &method.outcome else { continue };
            let parts = &outcome.errors.parts()[0];
            let mut biases = Vec::new();
            for (number, part) in parts.partition().parts().iter().enumerate() {
                let (bias, variance) = (&parts.bias()[number], &parts.variance()[number]);
                biases.push(format!("{}: {:.3} ± {:.3}", sizes(part), bias.mean(), bias.mean_error()));
                // Writing to a String cannot fail.
                let _ = writeln!(
                    csv,
                    "\"{name}\",{},{},{},{},{},{},{},{}",
                    method.name,
                    part.least,
                    part.most,
                    part.cells,
                    bias.mean(),
                    bias.mean_error(),
                    variance.mean(),
                    variance.mean_error()
                );
            }
            findings.measured(format!("{name}, {}: bias by size of the county", method.name), biases.join("; "));
            findings.measured(
                format!("{name}, {}: mean L1, counties made zero, broken totals", method.name),
                format!(
                    "{:.1} ± {:.1}, {:.2}, {:.1} ({} draws, {})",
                    outcome.errors.l1().mean(),
                    outcome.errors.l1().mean_error(),
                    outcome.errors.forced_to_zero().mean(),
                    outcome.errors.broken().mean(),
                    number(comparison.draws),
                    comparison.loss
                ),
            );
        }
    }
    findings.file(".csv", csv);
    Ok(findings)
}
