//! What a model said, as rows of a table, as JSON and in sentences.

use crate::Modelled;
use ::infer::model::{Estimate, Model, Sampler};
use plan::decimal;
use serde_json::{Value, json};

/// What a model stands on, in sentences.
pub(super) fn model_basis(found: &Modelled) -> Vec<String> {
    let chains = &found.fitted.chains;
    let mut lines = vec![
        "the posterior of a model given the releases: the noise, the totals and the bounds are part of it".to_string(),
        format!("model: {}", found.model.in_words()),
    ];
    let many = chains.chains * chains.draws;
    lines.push(match (found.sampler, chains.independent) {
        (Sampler::Gibbs, true) => format!("{many} independent draws of table and rates from the posterior itself"),
        (Sampler::Gibbs, false) => format!(
            "{} chains of {} draws, {} steps apart; every table is one exact draw of all cells given the parameters",
            chains.chains, chains.draws, chains.between
        ),
        (sampler, _) => format!("{many} draws by {}", sampler.name()),
    });
    if let Some(accepted) = chains.accepted {
        lines.push(format!("{} % of proposals accepted", decimal(100.0 * accepted)));
    }
    lines.push(match found.sampler {
        Sampler::Gibbs => format!("largest R̂ {:.4}, least effective size {:.0}", chains.r_hat, chains.effective),
        _ => format!("effective size {:.0}", chains.effective),
    });
    if let Some(distance) = found.fitted.distance {
        lines.push(format!("a walk drew the release: within {distance} of its law as coupled chains say, which is evidence and no proof"));
    }
    lines
}

/// A number with four digits that tell something.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let digits = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{number:.digits$}")
}

/// The rows of a model: rates, then parameters; terms of a log-linear model also as factors.
pub(super) fn model_rows(found: &Modelled, level: &str) -> (String, Vec<(String, String)>) {
    let above = found.against.map_or(String::new(), |limit| format!(" {:>14}", format!("P(> {limit})")));
    let heading = format!(
        "{:>12} {:>12} {:>12} {:>12}{above} {:>8}",
        "mean",
        "std. dev.",
        format!("from ({level} %)"),
        "to",
        "R̂"
    );
    let row = |one: &Estimate, term: bool| {
        let [lower, upper] = one.interval.map(significant);
        let told = match (found.against, one.above) {
            (Some(_), Some(above)) => format!(" {above:>14.4}"),
            (Some(_), None) => format!(" {:>14}", ""),
            (None, _) => String::new(),
        };
        let factor = match term {
            true => {
                let [low, high] = one.interval.map(|end| significant(end.exp()));
                format!("  × {} ({low} to {high})", significant(one.median.exp()))
            }
            false => String::new(),
        };
        let numbers = format!(
            "{:>12} {:>12} {lower:>12} {upper:>12}{told} {:>8.4}{factor}",
            significant(one.mean),
            significant(one.deviation),
            one.r_hat
        );
        (one.name.clone(), numbers)
    };
    let terms = matches!(found.model, Model::LogLinear { .. });
    let rates = found.fitted.rates.iter().map(|one| row(one, false));
    (heading, rates.chain(found.fitted.parameters.iter().map(|one| row(one, terms))).collect())
}

/// One estimate of a model for scripts.
pub(super) fn estimate_json(one: &Estimate, kind: &str, term: bool) -> Value {
    let mut value = json!({"query": one.name, "kind": kind, "mean": one.mean, "deviation": one.deviation, "median": one.median,
        "lower": one.interval[0], "upper": one.interval[1], "r_hat": one.r_hat, "effective": one.effective});
    if let Some(above) = one.above {
        value["above"] = json!(above);
    }
    if term {
        value["factor"] = json!(one.median.exp());
        value["factor_lower"] = json!(one.interval[0].exp());
        value["factor_upper"] = json!(one.interval[1].exp());
    }
    value
}
