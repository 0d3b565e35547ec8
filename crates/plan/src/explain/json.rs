//! The plan as JSON: the fields that scripts rely on.

use super::assumption_in_words;
use crate::planned::{Plan, PlannedBlock};
use analyse::Structure;
use draw::Exactness;
use exact::Rational;
use loss::{Loss, Owner};
use serde_json::{Value, json};
use walk::{Evidence, PlannedWalk};

impl Plan {
    /// The plan as JSON, with the fields of `explain --json`. Numbers that scripts compute with are
    /// JSON numbers; the exact fractions stand beside them as text.
    pub fn explain_json(&self) -> Value {
        let redundant = self
            .redundant
            .iter()
            .map(|redundant| json!({"name": redundant.name, "because": redundant.because, "totals": redundant.totals}));
        let kept = self.kept.iter().map(|kept| json!({"label": kept.label, "totals": kept.totals}));
        let refused =
            self.refused.iter().map(|refused| json!({"operator": refused.operator, "reason": refused.reason}));
        let queries = self.queries.iter().map(|query| {
            json!({"label": query.label, "sums": query.sums, "rate": query.rate.to_f64(), "rate_exact": query.rate.to_string()})
        });
        let cascade = self.cascade.as_ref().map(|cascaded| {
            let levels = cascaded.levels.iter().map(|level| {
                json!({
                    "label": level.label,
                    "sums": level.sums,
                    "variance": level.variance.to_f64(),
                    "variance_exact": level.variance.to_string(),
                    "rho": level.rho.to_f64(),
                    "rho_exact": level.rho.to_string(),
                })
            });
            json!({
                "levels": levels.collect::<Vec<_>>(),
                "kappa": cascaded.kappa.to_f64(),
                "order_sha256": cascaded.ordered_by,
            })
        });
        let mut plan = json!({
            "cells": self.cells,
            "invariants": self.invariants,
            "kept": kept.collect::<Vec<_>>(),
            "conditions": self.conditions_in_words(),
            "queries": queries.collect::<Vec<_>>(),
            "rank": self.rank,
            "free_dimension": self.free_dimension(),
            "redundant": redundant.collect::<Vec<_>>(),
            "disclosed": self.disclosed.len(),
            "blocks": self.blocks.iter().map(block).collect::<Vec<_>>(),
            "seconds": self.seconds(),
            "bytes": self.bytes(),
            "loss": loss(&self.loss),
            "refused": refused.collect::<Vec<_>>(),
        });
        if let Some(cascade) = cascade {
            plan["cascade"] = cascade;
        }
        plan
    }
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
        "seconds": planned.work.prospect().seconds,
        "bytes": planned.work.prospect().bytes,
    });
    for (what, number) in planned.work.holds() {
        value[format!("{what}s")] = json!(number);
    }
    if let (Exactness::Estimated { distance, percent }, Some(walk)) =
        (planned.exactness(), PlannedWalk::of(&*planned.work))
    {
        let known = walk.evidence.is_some();
        value["distance"] = json!(known.then(|| distance.to_f64()));
        value["distance_exact"] = json!(known.then(|| distance.to_string()));
        value["confidence_percent"] = json!(percent);
        value["evidence"] = json!(walk.evidence.as_ref().map(evidence));
    }
    value
}

/// What coupled chains say about a walk.
fn evidence(evidence: &Evidence) -> Value {
    let moves = evidence.diagnostics.moves.iter();
    let moves = moves.map(|count| json!({"kind": count.kind, "proposed": count.proposed, "accepted": count.accepted}));
    let families = evidence.families.iter();
    let families =
        families.map(|family| json!({"apart": family.apart, "pairs": family.tried.pairs, "unmet": family.tried.unmet}));
    let rounds = evidence.rounds.iter().map(|round| json!({"pairs": round.pairs, "unmet": round.unmet}));
    json!({
        "steps": evidence.steps,
        "block": evidence.block,
        "pairs": evidence.pairs(),
        "starts": evidence.starts,
        "families": families.collect::<Vec<_>>(),
        "rounds": rounds.collect::<Vec<_>>(),
        "unmet": evidence.unmet(),
        "assumption": assumption_in_words(evidence),
        "moves": moves.collect::<Vec<_>>(),
        "effective": evidence.diagnostics.effective,
        "r_hat": evidence.diagnostics.r_hat,
    })
}

fn owner(owner: &Owner) -> Value {
    json!({
        "column": owner.column,
        "rows": owner.rows,
        "loss": owner.whole.to_f64(),
        "loss_exact": owner.whole.to_string(),
    })
}

fn loss(loss: &Loss) -> Value {
    let number = |value: Option<&Rational>| value.map(Rational::to_f64);
    let exact = |value: Option<&Rational>| value.map(Rational::to_string);
    let delta = loss.delta();
    let mut value = json!({
        "definition": loss.definition().name(),
        "epsilon": number(loss.epsilon()),
        "epsilon_exact": exact(loss.epsilon()),
        "delta": number(delta.as_ref()),
        "rho": number(loss.rho()),
        "rho_exact": exact(loss.rho()),
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
        "nearest": {
            "distance": loss.nearest.distance,
            "at_least": loss.nearest.at_least,
            "known": loss.nearest.known,
            "step": loss.nearest.step,
            "epsilon": number(loss.nearest.amount.epsilon()),
            "epsilon_exact": exact(loss.nearest.amount.epsilon()),
            "rho": number(loss.nearest.amount.rho()),
            "rho_exact": exact(loss.nearest.amount.rho()),
            "epsilon_at_delta": number(loss.nearest.implied.as_ref()),
        },
    });
    if let Some(meaning) = loss.meaning() {
        value["nearest"]["meaning"] = json!({
            "prior": meaning.prior.to_f64(),
            "posterior": meaning.posterior.at_most.to_f64(),
            "except": meaning.posterior.except.to_f64(),
            "false_alarms": meaning.false_alarms.to_f64(),
            "detection": meaning.detection.to_f64(),
            "sentence": meaning.sentence(),
        });
    }
    if let Some(estimated) = loss.estimated() {
        value["estimated"] = json!({
            "distance": estimated.distance.to_f64(),
            "distance_exact": estimated.distance.to_string(),
            "confidence_percent": estimated.percent,
            "epsilon": estimated.epsilon.to_f64(),
            "delta_exact": exact(delta.as_ref()),
        });
    }
    value
}
