//! What was inferred as text and as JSON: every number with its kind.

use super::{Figures, Inferred, Modelled};
use ::infer::model::{Estimate, Model, Sampler};
use ::infer::{Basis, Diagnosis, Likelihood};
use plan::decimal;
use serde_json::{Value, json};

/// Of more lines than this only the first are printed; scripts get all of them.
const MOST_LINES: usize = 60;
/// A name is cut at this many characters.
const WIDEST: usize = 44;

/// What a posterior stands on, in sentences.
pub(super) fn basis(basis: &Basis, exactly: String) -> Vec<String> {
    let mut lines = vec![basis.fact.clone(), format!("prior: {}", basis.prior)];
    match basis.exact {
        true => lines.push(exactly),
        false if basis.distance.is_none() => lines.push("by draws: see the diagnoses".into()),
        false => {}
    }
    if let Some(distance) = basis.distance {
        lines.push(format!("a walk drew the release: within {distance} of its law as coupled chains say, which is evidence and no proof"));
    }
    lines.extend(diagnoses(&basis.diagnoses));
    lines
}

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
fn model_rows(found: &Modelled, level: &str) -> (String, Vec<(String, String)>) {
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
fn estimate_json(one: &Estimate, kind: &str, term: bool) -> Value {
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

fn diagnoses(found: &[Diagnosis]) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut listed, mut tables, mut alone) = (0, 0, 0);
    let (mut importance, mut worst, mut draws) = (0usize, 1.0f64, 0);
    let (mut chains, mut visited, mut kept, mut slowest) = (0usize, 0, 1.0f64, f64::INFINITY);
    for diagnosis in found {
        match diagnosis {
            Diagnosis::Listed { tables: number } => (listed, tables) = (listed + 1, tables + number),
            Diagnosis::Alone { cells } => alone += cells,
            Diagnosis::Importance { draws: number, effective } => {
                (importance, worst, draws) = (importance + 1, worst.min(*effective), *number);
            }
            Diagnosis::Chain { draws, inside, effective } => {
                chains += 1;
                (visited, kept) = (visited.max(*draws), kept.min(*inside));
                slowest = slowest.min(*effective);
            }
            Diagnosis::Exchange { steps, accepted, effective } => lines.push(format!(
                "exchange: {steps} steps, {} % accepted, as good as {} independent draws",
                decimal(100.0 * accepted),
                effective.round()
            )),
        }
    }
    if listed > 0 {
        lines.push(format!("{listed} blocks by listing all their {tables} tables: exact"));
    }
    if alone > 0 {
        lines.push(format!("{alone} cells by themselves: exact"));
    }
    if chains > 0 {
        lines.push(format!(
            "{chains} blocks by chains: {visited} tables kept, {} of those looked at were within bounds; the slowest cell is as good as {} \
             independent draws",
            decimal(kept),
            slowest.round()
        ));
    }
    if importance > 0 {
        lines.push(format!(
            "{importance} blocks by {draws} draws weighted by 1/Z(x); the smallest effective share is {}",
            decimal(worst)
        ));
    }
    lines
}

impl Inferred {
    /// As a table for a reader.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for [folder, title, known] in &self.releases {
            text.push_str(&format!("{title}\n  {folder}: {known}\n"));
        }
        text.push('\n');
        let level = decimal(100.0 * self.level);
        let (heading, rows) = self.rows(&level);
        let width = rows.iter().map(|(name, _)| name.chars().count().min(WIDEST)).max().unwrap_or(0);
        text.push_str(&format!("{:width$}  {heading}\n", ""));
        for (name, numbers) in rows.iter().take(MOST_LINES) {
            text.push_str(&format!("{:width$}  {numbers}\n", cut(name)));
        }
        if rows.len() > MOST_LINES {
            text.push_str(&format!("… {} more rows: --json has all of them\n", rows.len() - MOST_LINES));
        }
        text.push('\n');
        self.basis.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
        self.wrote.iter().for_each(|file| text.push_str(&format!("Wrote {}\n", file.display())));
        text
    }

    /// A heading, and every row: its name and its numbers.
    pub(super) fn rows(&self, level: &str) -> (String, Vec<(String, String)>) {
        let real = |number: f64| format!("{number:.4}");
        match &self.figures {
            Figures::Intervals(intervals) => (
                format!(
                    "{:>12} {:>12} {:>12} {:>8} {:>10}",
                    "released",
                    format!("from ({level} %)"),
                    "to",
                    "±",
                    "std. dev."
                ),
                intervals
                    .iter()
                    .map(|interval| {
                        let deviation = interval.deviation.map_or("by rank".to_string(), real);
                        let (lower, upper) = (interval.lower(), interval.upper());
                        let numbers = format!(
                            "{:>12} {lower:>12} {upper:>12} {:>8} {deviation:>10}",
                            interval.released, interval.reach
                        );
                        (interval.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::Rates(rates) => (
                format!(
                    "{:>12} {:>12} {:>12} {:>12} {:>12}",
                    "numerator",
                    "denominator",
                    "rate",
                    format!("from ({level} %)"),
                    "to"
                ),
                rates
                    .iter()
                    .map(|rate| {
                        let (above, below) = rate.released;
                        let ends = match rate.ends {
                            Some([lower, upper]) => format!("{lower:>12.6} {upper:>12.6}"),
                            None => "  without end: the denominator is not told from zero".to_string(),
                        };
                        (
                            rate.name.clone(),
                            format!("{above:>12} {below:>12} {:>12.6} {ends}", above as f64 / below as f64),
                        )
                    })
                    .collect(),
            ),
            Figures::Believed(believed) => (
                format!(
                    "{:>12} {:>10} {:>10} {:>12} {:>12}",
                    "mean",
                    "std. dev.",
                    "median",
                    format!("from ({level} %)"),
                    "to"
                ),
                believed
                    .iter()
                    .map(|one| {
                        let [lower, upper] = one.interval;
                        let numbers = format!(
                            "{:>12} {:>10} {:>10} {lower:>12} {upper:>12}",
                            real(one.mean),
                            real(one.deviation),
                            one.median
                        );
                        (one.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::BelievedRates(rates) => (
                format!("{:>12} {:>12} {:>12} {:>14}", "median", format!("from ({level} %)"), "to", "without rate"),
                rates
                    .iter()
                    .map(|one| {
                        let [lower, upper] = one.interval;
                        let numbers = format!(
                            "{:>12.6} {lower:>12.6} {upper:>12.6} {:>12} %",
                            one.median,
                            decimal(100.0 * one.without)
                        );
                        (one.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::Combined(combined) => (
                format!("{:>12} {:>14} {:>10}", "mean", "std. error", "freedom"),
                combined
                    .iter()
                    .map(|one| {
                        (
                            one.name.clone(),
                            format!("{:>12} {:>14} {:>10}", real(one.mean), real(one.total.sqrt()), one.freedom),
                        )
                    })
                    .collect(),
            ),
            Figures::Modelled(found) => model_rows(found, level),
            Figures::Likelihoods(found) => {
                let first = found.first().and_then(|(_, likelihood)| likelihood.value());
                (
                    format!("{:>20} {:>20}", "ln likelihood", "against the first"),
                    found
                        .iter()
                        .map(|(file, likelihood)| {
                            let numbers = match (likelihood, first) {
                                (Likelihood::Impossible(why), _) => format!("impossible: {why}"),
                                (Likelihood::Estimated(value, error), first) => {
                                    format!("{value:>20.6} {:>20.6}  ± {error:.6}", value - first.unwrap_or(*value))
                                }
                                (Likelihood::Log(value) | Likelihood::Relative(value), Some(first)) => {
                                    format!("{value:>20.10} {:>20.10}", value - first)
                                }
                                (Likelihood::Log(value) | Likelihood::Relative(value), None) => {
                                    format!("{value:>20.10}")
                                }
                            };
                            (file.display().to_string(), numbers)
                        })
                        .collect(),
                )
            }
        }
    }

    /// For scripts.
    pub fn json(&self) -> Value {
        let releases: Vec<Value> = self
            .releases
            .iter()
            .map(|[folder, title, known]| json!({"folder": folder, "title": title, "known": known}))
            .collect();
        let (kind, figures): (&str, Vec<Value>) = match &self.figures {
            Figures::Intervals(intervals) => (
                "intervals",
                intervals
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "released": number(one.released), "lower": number(one.lower()),
                            "upper": number(one.upper()), "reach": one.reach, "deviation": one.deviation,
                            "how": one.how.name(), "in_words": one.how.in_words()})
                    })
                    .collect(),
            ),
            Figures::Rates(rates) => (
                "rates",
                rates
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "numerator": number(one.released.0), "denominator": number(one.released.1),
                            "lower": one.ends.map(|ends| ends[0]), "upper": one.ends.map(|ends| ends[1]),
                            "without_end": one.ends.is_none(), "how": one.how.name()})
                    })
                    .collect(),
            ),
            Figures::Believed(believed) => (
                "posterior",
                believed
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "mean": one.mean, "deviation": one.deviation, "median": one.median,
                            "lower": one.interval[0], "upper": one.interval[1], "draws": one.draws})
                    })
                    .collect(),
            ),
            Figures::BelievedRates(rates) => (
                "posterior_rates",
                rates
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "median": one.median, "lower": one.interval[0], "upper": one.interval[1],
                            "without_rate": one.without, "draws": one.draws})
                    })
                    .collect(),
            ),
            Figures::Combined(combined) => (
                "imputations",
                combined
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "mean": one.mean, "between": one.between, "total_variance": one.total,
                            "degrees_of_freedom": one.freedom})
                    })
                    .collect(),
            ),
            Figures::Modelled(found) => {
                let terms = matches!(found.model, Model::LogLinear { .. });
                let rates = found.fitted.rates.iter().map(|one| estimate_json(one, "rate", false));
                let parameters = found.fitted.parameters.iter().map(|one| estimate_json(one, "parameter", terms));
                ("model", rates.chain(parameters).collect())
            }
            Figures::Likelihoods(found) => (
                "likelihoods",
                found
                    .iter()
                    .map(|(file, likelihood)| {
                        let file = file.display().to_string();
                        match likelihood {
                            Likelihood::Log(value) => json!({"file": file, "log_likelihood": value, "relative": false}),
                            Likelihood::Relative(value) => json!({"file": file, "log_likelihood": value, "relative": true}),
                            Likelihood::Estimated(value, error) => {
                                json!({"file": file, "log_likelihood": value, "relative": true, "standard_error": error})
                            }
                            Likelihood::Impossible(why) => json!({"file": file, "log_likelihood": null, "impossible": why}),
                        }
                    })
                    .collect(),
            ),
        };
        let mut answer = json!({
            "releases": releases,
            "kind": kind,
            "level": self.level,
            "exact": self.exact,
            "basis": self.basis,
            "figures": figures,
            "wrote": self.wrote.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        });
        if let Figures::Modelled(found) = &self.figures {
            let chains = &found.fitted.chains;
            answer["model"] =
                json!({"name": found.model.name(), "in_words": found.model.in_words(), "against": found.against});
            answer["chains"] = json!({"sampler": found.sampler.name(), "chains": chains.chains, "draws": chains.draws,
                "between": chains.between, "independent": chains.independent, "r_hat": chains.r_hat,
                "r_hat_of": chains.r_hat_of, "effective": chains.effective,
                "effective_of": chains.effective_of, "accepted": chains.accepted});
        }
        answer
    }
}

fn number(value: i128) -> Value {
    i64::try_from(value).map_or_else(|_| json!(value.to_string()), |value| json!(value))
}

fn cut(name: &str) -> String {
    if name.chars().count() <= WIDEST {
        return name.to_owned();
    }
    name.chars().take(WIDEST - 1).chain(['…']).collect()
}
