//! What an audit found, for a terminal and for scripts.

use super::{Audited, Observed};
use audit::comparison::{digits, sizes, with_error};
use audit::measure::{PartErrors, Summary};

use serde_json::{Value, json};
use std::fmt::Write as _;

/// The findings in words and tables.
pub fn audit_text(audited: &Audited) -> String {
    let mut text =
        format!("{}\n  {}, drawn by {}\n\nBias\n", audited.title, audited.method, audited.operators.join(", "));
    // Writing to a String cannot fail.
    let errors = &audited.errors;
    let limit = normal_limit(errors.cells().len());
    let beyond = errors.cells().iter().filter(|cell| standard(cell) > limit).count();
    let chance = match audited.draws < FEWEST_DRAWS {
        true => "with so few draws chance alone may show some",
        false => "where chance alone would make one in 100 audits show any",
    };
    let _ = writeln!(
        text,
        "  {} draws: {beyond} of {} cells have a bias of more than {limit:.1} standard errors, {chance}{}",
        audited.draws,
        errors.cells().len(),
        if audited.unbiased { "; theory: none is biased" } else { "" }
    );
    if let Some(bound) = audited.bias_bound {
        let _ = writeln!(text, "  theory (Zhu and others, theorem 11): no bias is larger than {}", digits(bound));
    }
    let [counts, groups] = [errors.parts().first(), errors.parts().get(1)];
    if let Some(parts) = counts {
        text += "\nBy the size of the count\n";
        rows(&mut text, parts, None, audited);
    }
    if let Some(parts) = groups {
        text +=
            "\nBy the number of cells that share the smallest exact total (fairness: equal groups, equal variance)\n";
        rows(&mut text, parts, Some(&audited.expected), audited);
    }
    if let Some((distance, chance)) = audited.wasserstein {
        let _ = writeln!(
            text,
            "\nLaw of the errors\n  Wasserstein distance from the noise before anything was done with it: {} ({} by chance, at most, on average)",
            digits(distance),
            digits(chance)
        );
    }
    text += "\nPrivacy\n";
    text += &match &audited.privacy.exact {
        Ok(exact) => format!(
            "  exact: a block has {} tables; {} pairs of them at l1 distance {} lose {}{} at most, {} is claimed: {}\n",
            exact.tables,
            exact.pairs,
            exact.distance,
            if exact.concentrated { "ρ = " } else { "" },
            digits(exact.loss.to_f64()),
            digits(exact.claimed.to_f64()),
            if exact.is_contradicted() { "CONTRADICTED" } else { "holds" }
        ),
        Err(why) => format!("  exact: not done; {why}\n"),
    };
    match &audited.privacy.runs {
        Ok(runs) => observed(&mut text, runs),
        Err(why) => text += &format!("  by runs: not done; {why}\n"),
    }
    text
}

fn observed(text: &mut String, runs: &Observed) {
    let finding = &runs.finding;
    let _ = writeln!(
        text,
        "  by runs: two tables at l1 distance {}, {} tested runs on each: ε is at least {} with {} % confidence{}, {} is claimed: {}",
        runs.distance,
        finding.tested,
        digits(finding.epsilon),
        digits(100.0 * finding.confidence),
        if finding.delta > 0.0 { format!(" (δ = {})", digits(finding.delta)) } else { String::new() },
        digits(runs.claimed),
        if finding.contradicts(runs.claimed) { "CONTRADICTED" } else { "not contradicted" }
    );
    if runs.visible < runs.claimed {
        let visible = digits(runs.visible);
        *text += &format!("  so many runs can show at most ε = {visible}: more are needed to contradict the claim\n");
    }
}

fn rows(text: &mut String, parts: &PartErrors, expected: Option<&[Option<f64>]>, audited: &Audited) {
    let absolute = absolute_bias(parts, audited.errors.cells());
    for (number, part) in parts.partition().parts().iter().enumerate() {
        let (bias, variance) = (&parts.bias()[number], &parts.variance()[number]);
        let theory = expected.and_then(|expected| expected[number]);
        let theory = theory.map_or(String::new(), |theory| format!(" (theory {})", digits(theory)));
        let _ = writeln!(
            text,
            "  {:>12}  {:>7} cells  bias {}, of single cells {} on average ({} by chance)  variance {}{theory}",
            sizes(part),
            part.cells,
            with_error(bias.mean(), bias.mean_error()),
            digits(absolute[number].0),
            digits(absolute[number].1),
            with_error(variance.mean(), variance.mean_error())
        );
    }
}

/// By part the mean absolute bias of its cells, and what chance alone makes of it: errors inside a
/// total that is kept add up to zero, so that their mean says nothing.
fn absolute_bias(parts: &PartErrors, cells: &[Summary]) -> Vec<(f64, f64)> {
    let partition = parts.partition();
    let mut sums = vec![(0.0, 0.0); partition.parts().len()];
    for (cell, part) in cells.iter().zip(partition.part_of()) {
        let sum = &mut sums[*part as usize];
        sum.0 += cell.mean().abs();
        // The mean of |z| is √(2/π).
        sum.1 += (2.0 / std::f64::consts::PI).sqrt() * cell.mean_error();
    }
    let shares = sums.iter().zip(partition.parts());
    shares.map(|((bias, chance), part)| (bias / part.cells as f64, chance / part.cells as f64)).collect()
}

/// With fewer draws means are not yet normal.
const FEWEST_DRAWS: u64 = 100;

/// A bias in standard errors.
fn standard(cell: &Summary) -> f64 {
    let error = cell.mean_error();
    match cell.mean().abs() {
        0.0 => 0.0,
        bias if error.is_finite() => bias / error,
        _ => 0.0,
    }
}

/// The standard errors that one of so many independent means exceeds in one audit of 100.
fn normal_limit(cells: usize) -> f64 {
    let level = 0.01 / (2.0 * cells.max(1) as f64);
    // The tail of the normal law is below e^{−z²/2}/2.
    (-2.0 * (2.0 * level).ln()).sqrt()
}

/// The findings for scripts.
pub fn audit_json(audited: &Audited) -> Value {
    let mean = |summary: &Summary| json!({"mean": summary.mean(), "error": summary.mean_error()});
    let parts = |parts: &PartErrors, expected: Option<&[Option<f64>]>| -> Vec<Value> {
        let list = parts.partition().parts().iter().enumerate();
        list.map(|(number, part)| {
            json!({
                "least": part.least, "most": part.most, "cells": part.cells,
                "bias": mean(&parts.bias()[number]), "variance": mean(&parts.variance()[number]),
                "theory": expected.and_then(|expected| expected[number]),
            })
        })
        .collect()
    };
    let errors = &audited.errors;
    let exact = audited.privacy.exact.as_ref().ok().map(|exact| {
        json!({
            "tables": exact.tables, "pairs": exact.pairs, "distance": exact.distance, "loss": exact.loss.to_f64(),
            "claimed": exact.claimed.to_f64(), "contradicted": exact.is_contradicted(),
            "measure": if exact.concentrated { "rho" } else { "epsilon" },
        })
    });
    let runs = match &audited.privacy.runs {
        Ok(runs) => json!({
            "distance": runs.distance, "claimed": runs.claimed, "epsilon": runs.finding.epsilon, "delta": runs.finding.delta,
            "confidence": runs.finding.confidence, "tested": runs.finding.tested, "visible": runs.visible,
            "contradicted": runs.finding.contradicts(runs.claimed),
        }),
        Err(why) => json!({"not_done": why}),
    };
    json!({
        "title": audited.title,
        "method": audited.method,
        "operators": audited.operators,
        "draws": audited.draws,
        "unbiased_in_theory": audited.unbiased,
        "bias_bound": audited.bias_bound,
        "l1": mean(errors.l1()),
        "l2": mean(errors.l2()),
        "by_count": errors.parts().first().map(|part| parts(part, None)),
        "by_group_size": errors.parts().get(1).map(|part| parts(part, Some(&audited.expected))),
        "wasserstein": audited.wasserstein.map(|(distance, chance)| json!({"distance": distance, "by_chance": chance})),
        "privacy": {"exact": exact, "runs": runs, "contradicted": audited.is_contradicted()},
    })
}
