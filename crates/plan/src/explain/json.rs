//! The plan as JSON: the fields that scripts rely on.

use super::assumption_in_words;
use crate::planned::{Plan, PlannedBlock};
use analyse::Structure;
use draw::Exactness;
use exact::Rational;
use loss::{Amount, Loss, Owner};
use serde_json::{Value, json};
use walk::{Evidence, PlannedWalk};

impl Plan {
    /// The plan as JSON, with the fields of `explain --json`. Numbers that scripts compute with are
    /// JSON numbers; the exact fractions stand beside them as text.
    pub fn explain_json(&self) -> Value {
        let mut plan = json!({
            "cells": self.cells,
            "invariants": self.invariants,
            "kept": list(&self.kept, |kept| json!({"label": kept.label, "totals": kept.totals})),
            "conditions": self.conditions_in_words(),
            "queries": list(&self.queries, |query| {
                with_exact(json!({"label": query.label, "sums": query.sums}), "rate", Some(&query.rate))
            }),
            "rank": self.rank,
            "free_dimension": self.free_dimension(),
            "redundant": list(&self.redundant, |redundant| {
                json!({"name": redundant.name, "because": redundant.because, "totals": redundant.totals})
            }),
            "disclosed": self.disclosed.len(),
            "blocks": list(&self.blocks, block),
            "seconds": self.seconds(),
            "interval_seconds": self.interval_work().map_or(0.0, |work| work.listing_seconds + work.draws_seconds),
            "bytes": self.bytes(),
            "loss": loss(&self.loss),
            "refused": list(&self.refused, |refused| json!({"operator": refused.operator, "reason": refused.reason})),
        });
        if let Some(cascaded) = &self.cascade {
            plan["cascade"] = json!({
                "levels": list(&cascaded.levels, |level| {
                    let value = json!({"label": level.label, "sums": level.sums});
                    with_exact(with_exact(value, "variance", Some(&level.variance)), "rho", Some(&level.rho))
                }),
                "kappa": cascaded.kappa.to_f64(),
                "order_sha256": cascaded.ordered_by,
            });
        }
        plan
    }
}

fn list<T>(items: &[T], fields: impl Fn(&T) -> Value) -> Value {
    items.iter().map(fields).collect()
}

/// A value with one more number, and its exact fraction beside it.
fn with_exact(mut value: Value, key: &str, number: Option<&Rational>) -> Value {
    value[key] = json!(number.map(Rational::to_f64));
    value[format!("{key}_exact")] = json!(number.map(Rational::to_string));
    value
}

fn block(planned: &PlannedBlock) -> Value {
    let name = match &planned.block.structure {
        Structure::OneTotal { name, .. } => Some(name.as_str()),
        Structure::Free | Structure::Crossing { .. } | Structure::Linked { .. } => None,
    };
    let mut value = json!({
        "name": name,
        "cells": planned.block.size,
        "classes": planned.block.classes,
        "operator": planned.operator(),
        "exactness": planned.exactness().name(),
        "run_time": planned.run_time().name(),
        "seconds": planned.work.prospect().draw_seconds,
        "bytes": planned.work.prospect().held_bytes() + planned.work.prospect().draw_bytes,
    });
    for (what, number) in planned.work.holds() {
        value[format!("{what}s")] = json!(number);
    }
    if let (Exactness::Estimated { distance, percent }, Some(walk)) =
        (planned.exactness(), PlannedWalk::of(&*planned.work))
    {
        let known = walk.evidence.is_some();
        value = with_exact(value, "distance", Some(distance).filter(|_| known));
        value["confidence_percent"] = json!(percent);
        value["evidence"] = json!(walk.evidence.as_ref().map(evidence));
    }
    value
}

/// What coupled chains say about a walk.
fn evidence(evidence: &Evidence) -> Value {
    json!({
        "steps": evidence.steps,
        "block": evidence.block,
        "pairs": evidence.pairs(),
        "starts": evidence.starts,
        "families": list(&evidence.families, |family| {
            json!({"apart": family.apart, "pairs": family.tried.pairs, "unmet": family.tried.unmet})
        }),
        "rounds": list(&evidence.rounds, |round| json!({"pairs": round.pairs, "unmet": round.unmet})),
        "unmet": evidence.unmet(),
        "assumption": assumption_in_words(evidence),
        "moves": list(&evidence.diagnostics.moves, |count| {
            json!({"kind": count.kind, "proposed": count.proposed, "accepted": count.accepted})
        }),
        "effective": evidence.diagnostics.effective,
        "r_hat": evidence.diagnostics.r_hat,
    })
}

fn loss(loss: &Loss) -> Value {
    let number = |value: Option<&Rational>| value.map(Rational::to_f64);
    let owner =
        |owner: &Owner| with_exact(json!({"column": owner.column, "rows": owner.rows}), "loss", Some(&owner.whole));
    let (delta, nearest) = (loss.delta(), &loss.nearest);
    let mut value = json!({
        "definition": loss.definition().name(),
        "delta": number(delta.as_ref()),
        "epsilon_at_delta": number(loss.implied.as_ref().map(|implied| &implied.epsilon)),
        "unit": loss.unit_in_words(),
        "privacy_unit": loss.owner.as_ref().map(owner),
        "gamma": loss.gamma.to_f64(),
        "noise_alone": loss.plain.as_ref().map(|plain| plain.to_f64() / 2.0).or(number(loss.epsilon())),
        "plain_factor_two": number(loss.plain.as_ref()),
        "theorem": loss.theorems(),
        "because": loss.because,
        "attained": {
            "part": loss.attained.part().map(|part| part.to_f64()),
            "sentence": loss.attained.in_words(),
        },
        "rounding": loss.rounding.to_f64(),
        "nearest": amount(&nearest.amount, json!({
            "distance": nearest.distance,
            "at_least": nearest.at_least,
            "known": nearest.known,
            "step": nearest.step,
            "epsilon_at_delta": number(nearest.implied.as_ref()),
        })),
    });
    if let Some(meaning) = loss.meaning() {
        value["meaning"] = json!({
            "between": meaning.between,
            "prior": meaning.prior.to_f64(),
            "posterior": meaning.posterior.at_most.to_f64(),
            "except": meaning.posterior.except.to_f64(),
            "false_alarms": meaning.false_alarms.to_f64(),
            "detection": meaning.detection.to_f64(),
            "sentence": meaning.sentence(),
        });
    }
    if let Some(estimated) = loss.estimated() {
        let value_of = json!({
            "confidence_percent": estimated.percent,
            "epsilon": estimated.epsilon.to_f64(),
            "delta_exact": delta.as_ref().map(Rational::to_string),
        });
        value["estimated"] = with_exact(value_of, "distance", Some(&estimated.distance));
    }
    amount(&loss.amount, value)
}

/// A value with its ε and ρ, of which a loss has one.
fn amount(amount: &Amount, value: Value) -> Value {
    with_exact(with_exact(value, "epsilon", amount.epsilon()), "rho", amount.rho())
}
