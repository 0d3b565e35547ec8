//! A comparison for scripts.

use audit::comparison::{Compared, Comparison, Outcome};
use audit::measure::{PartErrors, Summary};
use serde_json::{Value, json};

/// The comparison as JSON: every figure with its Monte Carlo standard error, bias and variance of every cell included.
pub fn comparison_json(comparison: &Comparison) -> Value {
    let method = |method: &Compared| match &method.outcome {
        Ok(outcome) => found(method.name, outcome),
        Err(reason) => not_applicable(method.name, reason),
    };
    json!({
        "title": comparison.title,
        "stand_in": comparison.stand_in,
        "cells": comparison.truth.len(),
        "draws": comparison.draws,
        "seed": comparison.seed,
        "loss": comparison.loss,
        "unit": comparison.unit,
        "totals_and_rules": comparison.kept,
        "labels": comparison.labels,
        "truth": comparison.truth,
        "methods": comparison.methods.iter().map(method).collect::<Vec<Value>>(),
    })
}

/// A method that does not apply: the same keys as one that does, each nothing, and why.
fn not_applicable(name: &str, reason: &str) -> Value {
    let mut value = json!({"method": name, "applies": false, "reason": reason});
    FIGURES.iter().for_each(|key| value[*key] = Value::Null);
    value
}

/// The figures of a method.
const FIGURES: [&str; 16] = [
    "operators",
    "noise",
    "remark",
    "real_valued",
    "l1",
    "l2",
    "l2_squared",
    "made_zero",
    "zeros",
    "below_zero",
    "broken",
    "mean_variance",
    "seconds",
    "by_count",
    "by_group_size",
    "by_cell",
];

fn found(name: &str, outcome: &Outcome) -> Value {
    let errors = &outcome.errors;
    let cell = |error: &Summary| {
        json!({
            "bias": error.mean(), "bias_error": finite(error.mean_error()),
            "variance": error.variance(), "variance_error": finite(error.variance_error()),
        })
    };
    json!({
        "method": name,
        "applies": true,
        "reason": null,
        "operators": outcome.operators,
        "noise": outcome.noise,
        "remark": outcome.remark,
        "real_valued": outcome.real_valued,
        "l1": mean(errors.l1()),
        "l2": mean(errors.l2()),
        "l2_squared": mean(errors.l2_squared()),
        "made_zero": mean(errors.forced_to_zero()),
        "zeros": mean(errors.zeros()),
        "below_zero": mean(errors.negatives()),
        "broken": mean(errors.broken()),
        "mean_variance": outcome.mean_variance(),
        "seconds": {"preparing": outcome.preparing, "drawing": outcome.drawing},
        "by_count": errors.parts().first().map(parts),
        "by_group_size": errors.parts().get(1).map(parts),
        "by_cell": errors.cells().iter().map(cell).collect::<Vec<Value>>(),
    })
}

fn parts(errors: &PartErrors) -> Vec<Value> {
    let parts = errors.partition().parts().iter().enumerate();
    parts
        .map(|(number, part)| {
            json!({
                "least": part.least, "most": part.most, "cells": part.cells,
                "bias": mean(&errors.bias()[number]), "variance": mean(&errors.variance()[number]),
            })
        })
        .collect()
}

fn mean(summary: &Summary) -> Value {
    json!({"mean": summary.mean(), "error": finite(summary.mean_error())})
}

/// What JSON can hold: nothing for what is not known.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
