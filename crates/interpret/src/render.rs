//! What was inferred as text and as JSON: every number with its kind.

use crate::modelled::{estimate_json, model_rows};
use crate::{Figures, Inferred};
use ::infer::model::Model;
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

/// What comparisons and models stand on beside their posterior.
pub(super) fn basis_of_answers(inferred: &mut Inferred) {
    match &inferred.figures {
        Figures::Compared(pairs) => {
            let drawn = pairs.iter().filter_map(|pair| pair.draws).max();
            inferred.basis.push(of_pairs(drawn, pairs.iter().filter_map(|pair| pair.ratio_draws).max()));
            inferred.exact &= drawn.is_none();
        }
        Figures::Regressed(found) => {
            inferred.exact = false;
            inferred.basis.push(format!(
                "{} by {} imputations: estimates are means over them, variances those of the fits plus (1 + 1/M) times the variance between \
                 fits, intervals by Student's t (Rubin's rules): approximate; std. error (noise) is the share that the release adds",
                match found.family {
                    ::infer::Family::LeastSquares => "least squares of midpoints, every record of a row alike,",
                    ::infer::Family::Poisson => "a Poisson model of the counts",
                },
                found.imputations
            ));
        }
        _ => {}
    }
}

fn of_pairs(drawn: Option<u64>, ratios: Option<u64>) -> String {
    let difference = match drawn {
        None => "differences and P(greater) from their laws, exactly".to_string(),
        Some(draws) => format!("differences and P(greater) are those of {draws} tables, or by rank among them"),
    };
    match ratios {
        None => format!("{difference}; ratios by inversion, exactly"),
        Some(draws) => format!("{difference}; ratios by {draws} draws"),
    }
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
            Diagnosis::Rejection { tried, draws, accepted } => lines.push(format!(
                "rejection: {draws} of {tried} tables kept ({} %), independent draws from the posterior",
                decimal(100.0 * accepted)
            )),
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
                format!(
                    "{:>12} {:>14} {:>10} {:>12} {:>12}",
                    "mean",
                    "std. error",
                    "freedom",
                    format!("from ({level} %)"),
                    "to"
                ),
                combined
                    .iter()
                    .map(|one| {
                        let [lower, upper] = one.interval(self.level).map(real);
                        let numbers = format!(
                            "{:>12} {:>14} {:>10} {lower:>12} {upper:>12}",
                            real(one.mean),
                            real(one.total.sqrt()),
                            one.freedom
                        );
                        (one.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::Compared(pairs) => (
                format!(
                    "{:>12} {:>12} {:>12} {:>12} {:>10} {:>10} {:>10} {:>9}",
                    "first",
                    "second",
                    format!("less ({level} %)"),
                    "to",
                    "ratio from",
                    "to",
                    "P(greater)",
                    "P(equal)"
                ),
                pairs
                    .iter()
                    .map(|one| {
                        let [first, second] = one.figures.map(|figure| match figure.fract() == 0.0 {
                            true => format!("{figure}"),
                            false => real(figure),
                        });
                        let [lower, upper] = one.difference;
                        let ratio = match one.ratio {
                            Some([from, to]) => format!("{from:>10.4} {to:>10.4}"),
                            None => format!("{:>21}", "without end"),
                        };
                        let numbers = format!(
                            "{first:>12} {second:>12} {lower:>12} {upper:>12} {ratio} {:>10.4} {:>9.4}",
                            one.greater, one.equal
                        );
                        (one.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::Regressed(found) => (
                format!(
                    "{:>14} {:>12} {:>12} {:>10} {:>14} {:>14}",
                    "estimate",
                    "std. error",
                    "(noise)",
                    "freedom",
                    format!("from ({level} %)"),
                    "to"
                ),
                found
                    .coefficients
                    .iter()
                    .map(|one| {
                        let noise = (one.total - one.within).max(0.0).sqrt();
                        let freedom = match one.freedom < 1e6 {
                            true => format!("{:.1}", one.freedom),
                            false => "∞".to_string(),
                        };
                        let [lower, upper] = one.interval;
                        let numbers = format!(
                            "{:>14.6} {:>12.6} {noise:>12.6} {freedom:>10} {lower:>14.6} {upper:>14.6}",
                            one.estimate,
                            one.total.sqrt()
                        );
                        (one.name.clone(), numbers)
                    })
                    .collect(),
            ),
            Figures::Tested(tested) => (
                format!(
                    "{:>16} {:>16} {:>10} {:>10}",
                    tested.statistic,
                    format!("critical ({} %)", decimal(100.0 * tested.significance)),
                    "p-value",
                    "draws"
                ),
                vec![(
                    tested.test.to_string(),
                    format!(
                        "{:>16} {:>16} {:>10} {:>10}",
                        real(tested.value),
                        tested.critical.map_or("none".to_string(), real),
                        real(tested.p_value),
                        tested.draws
                    ),
                )],
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
                        let [lower, upper] = one.interval(self.level);
                        json!({"query": one.name, "mean": one.mean, "between": one.between, "total_variance": one.total,
                            "degrees_of_freedom": one.freedom, "lower": lower, "upper": upper})
                    })
                    .collect(),
            ),
            Figures::Compared(pairs) => (
                "comparisons",
                pairs
                    .iter()
                    .map(|one| {
                        json!({"query": one.name, "first": one.figures[0], "second": one.figures[1],
                            "lower": number(one.difference[0]), "upper": number(one.difference[1]),
                            "ratio_lower": one.ratio.map(|ends| ends[0]), "ratio_upper": one.ratio.map(|ends| ends[1]),
                            "greater": one.greater, "equal": one.equal, "draws": one.draws,
                            "ratio_draws": one.ratio_draws})
                    })
                    .collect(),
            ),
            Figures::Regressed(found) => (
                "regression",
                found
                    .coefficients
                    .iter()
                    .map(|one| {
                        json!({"term": one.name, "estimate": one.estimate, "within": one.within, "between": one.between,
                            "total_variance": one.total,
                            "degrees_of_freedom": one.freedom.is_finite().then_some(one.freedom),
                            "lower": one.interval[0], "upper": one.interval[1], "family": found.family.name(),
                            "imputations": found.imputations})
                    })
                    .collect(),
            ),
            Figures::Tested(tested) => (
                "test",
                vec![json!({
                    "test": tested.test, "hypothesis": tested.hypothesis, "statistic": tested.statistic, "value": tested.value,
                    "p_value": tested.p_value, "at_least": tested.at_least, "draws": tested.draws, "critical": tested.critical,
                    "significance": tested.significance, "rejected": tested.rejected(), "exact": tested.exact,
                    "naive_p_value": tested.naive.map(|(_, p)| p), "naive_freedom": tested.naive.map(|(freedom, _)| freedom),
                })],
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
