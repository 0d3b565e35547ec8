//! A comparison for scripts.

use super::Sweep;
use audit::comparison::{Compared, Comparison, Outcome};
use audit::measure::{LevelErrors, PartErrors, Summary};
use serde_json::{Value, json};

/// The comparison as JSON: every figure with its Monte Carlo standard error, bias and variance of
/// every cell included. What is not known is null, because JSON has no other numbers.
pub fn comparison_json(comparison: &Comparison) -> Value {
    let method = |method: &Compared| match &method.outcome {
        Ok(outcome) => found(method.name, outcome),
        Err(reason) => not_found(method.name, reason),
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

fn found(name: &str, outcome: &Outcome) -> Value {
    let errors = &outcome.errors;
    let cell = |error: &Summary| {
        json!({
            "bias": error.mean(), "bias_error": error.mean_error(),
            "variance": error.variance(), "variance_error": error.variance_error(),
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
        "largest_bias": outcome.largest_bias().map(|(cell, bias, error)| json!({
            "cell": cell, "bias": bias, "bias_error": error,
        })),
        "coverage": outcome.coverage.as_ref().map(|coverage| json!({
            "stated": coverage.stated,
            "level": 0.9,
            "reach": {"least": coverage.reach.0, "most": coverage.reach.1},
            "right": mean(&coverage.right),
        })),
        "seconds": {"preparing": outcome.preparing, "drawing": outcome.drawing},
        "by_count": errors.parts().first().map(parts),
        "by_group_size": errors.parts().get(1).map(parts),
        "by_level": outcome.levels.iter().map(level).collect::<Vec<Value>>(),
        "by_cell": errors.cells().iter().map(cell).collect::<Vec<Value>>(),
    })
}

/// The errors of the sums of a level.
fn level(errors: &LevelErrors) -> Value {
    let level = errors.level();
    json!({
        "level": level.name, "sums": level.sums,
        "absolute": mean(errors.absolute()), "squared": mean(errors.squared()),
    })
}

/// A method that does not apply: the same keys, and a reason.
fn not_found(name: &str, reason: &str) -> Value {
    let mut value = json!({"method": name, "applies": false, "reason": reason});
    KEYS.split(' ').for_each(|key| value[key] = Value::Null);
    value
}

/// What is told of a method that applies.
const KEYS: &str = "operators noise remark real_valued l1 l2 l2_squared made_zero zeros below_zero broken mean_variance \
                    largest_bias coverage seconds by_count by_group_size by_cell by_level";

/// A sweep as JSON: every strength with its comparison.
pub fn sweep_json(sweep: &Sweep) -> Value {
    let one = |(text, value, comparison): &(String, f64, Comparison)| json!({"strength": text, "value": value, "comparison": comparison_json(comparison)});
    json!({"of": sweep.of, "comparisons": sweep.comparisons.iter().map(one).collect::<Vec<Value>>()})
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
    json!({"mean": summary.mean(), "error": summary.mean_error()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::measure::Errors;

    #[test]
    fn methods_that_do_not_apply_have_the_same_keys() {
        let outcome = Outcome {
            operators: Vec::new(),
            noise: String::new(),
            remark: None,
            real_valued: false,
            errors: Errors::new(&[1, 2], &[]),
            coverage: None,
            levels: Vec::new(),
            preparing: 0.0,
            drawing: 0.0,
        };
        let keys = |value: &Value| {
            let mut keys: Vec<String> =
                value.as_object().into_iter().flat_map(|object| object.keys().cloned()).collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(&found("a", &outcome)), keys(&not_found("a", "because")));
    }
}
