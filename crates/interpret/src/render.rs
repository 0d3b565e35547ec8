//! What was inferred as text and as JSON: every number with its kind.

use crate::{Figures, Inferred, Modelled};
use ::infer::model::{Estimate, Sampler};
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
        let from = format!("from ({level} %)");
        match &self.figures {
            Figures::Intervals(all) => (
                heading(&[("released", 12), (&from, 12), ("to", 12), ("±", 8), ("std. dev.", 10)]),
                each(all, |one| {
                    let deviation = one.deviation.map_or("by rank".to_string(), real);
                    let (released, lower, upper) = (one.released, one.lower(), one.upper());
                    let numbers = format!("{released:>12} {lower:>12} {upper:>12} {:>8} {deviation:>10}", one.reach);
                    (one.name.clone(), numbers)
                }),
            ),
            Figures::Rates(all) => (
                heading(&[("numerator", 12), ("denominator", 12), ("rate", 12), (&from, 12), ("to", 12)]),
                each(all, |one| {
                    let (above, below) = one.released;
                    let ends = match one.ends {
                        Some([lower, upper]) => format!("{lower:>12.6} {upper:>12.6}"),
                        None => "  without end: the denominator is not told from zero".to_string(),
                    };
                    let rate = above as f64 / below as f64;
                    (one.name.clone(), format!("{above:>12} {below:>12} {rate:>12.6} {ends}"))
                }),
            ),
            Figures::Believed(all) => (
                heading(&[("mean", 12), ("std. dev.", 10), ("median", 10), (&from, 12), ("to", 12)]),
                each(all, |one| {
                    let ([mean, deviation], [lower, upper]) = ([one.mean, one.deviation].map(real), one.interval);
                    let numbers = format!("{mean:>12} {deviation:>10} {:>10} {lower:>12} {upper:>12}", one.median);
                    (one.name.clone(), numbers)
                }),
            ),
            Figures::BelievedRates(all) => (
                heading(&[("median", 12), (&from, 12), ("to", 12), ("without rate", 14)]),
                each(all, |one| {
                    let ([lower, upper], without) = (one.interval, decimal(100.0 * one.without));
                    (one.name.clone(), format!("{:>12.6} {lower:>12.6} {upper:>12.6} {without:>12} %", one.median))
                }),
            ),
            Figures::Combined(all) => (
                heading(&[("mean", 12), ("std. error", 14), ("freedom", 10), (&from, 12), ("to", 12)]),
                each(all, |one| {
                    let [lower, upper] = one.interval(self.level).map(real);
                    let [mean, error] = [one.mean, one.total.sqrt()].map(real);
                    (one.name.clone(), format!("{mean:>12} {error:>14} {:>10} {lower:>12} {upper:>12}", one.freedom))
                }),
            ),
            Figures::Compared(all) => (
                heading(&[
                    ("first", 12),
                    ("second", 12),
                    (&format!("less ({level} %)"), 12),
                    ("to", 12),
                    ("ratio from", 10),
                    ("to", 10),
                    ("P(greater)", 10),
                    ("P(equal)", 9),
                ]),
                each(all, |one| {
                    let [first, second] = one.figures.map(|figure| match figure.fract() == 0.0 {
                        true => format!("{figure}"),
                        false => real(figure),
                    });
                    let [lower, upper] = one.difference;
                    let ratio = match one.ratio {
                        Some([from, to]) => format!("{from:>10.4} {to:>10.4}"),
                        None => format!("{:>21}", "without end"),
                    };
                    let numbers = format!("{first:>12} {second:>12} {lower:>12} {upper:>12} {ratio}");
                    (one.name.clone(), format!("{numbers} {:>10.4} {:>9.4}", one.greater, one.equal))
                }),
            ),
            Figures::Regressed(found) => (
                heading(&[
                    ("estimate", 14),
                    ("std. error", 12),
                    ("(noise)", 12),
                    ("freedom", 10),
                    (&from, 14),
                    ("to", 14),
                ]),
                each(&found.coefficients, |one| {
                    let (error, noise) = (one.total.sqrt(), (one.total - one.within).max(0.0).sqrt());
                    let freedom = match one.freedom < 1e6 {
                        true => format!("{:.1}", one.freedom),
                        false => "∞".to_string(),
                    };
                    let [lower, upper] = one.interval;
                    let numbers = format!("{:>14.6} {error:>12.6} {noise:>12.6} {freedom:>10}", one.estimate);
                    (one.name.clone(), format!("{numbers} {lower:>14.6} {upper:>14.6}"))
                }),
            ),
            Figures::Tested(tested) => {
                let critical = format!("critical ({} %)", decimal(100.0 * tested.significance));
                let [value, p_value] = [tested.value, tested.p_value].map(real);
                let least = tested.critical.map_or("none".to_string(), real);
                (
                    heading(&[(tested.statistic, 16), (&critical, 16), ("p-value", 10), ("draws", 10)]),
                    vec![(
                        tested.test.to_string(),
                        format!("{value:>16} {least:>16} {p_value:>10} {:>10}", tested.draws),
                    )],
                )
            }
            Figures::Modelled(found) => model_rows(found, &from),
            Figures::Likelihoods(all) => {
                let first = all.first().and_then(|(_, likelihood)| likelihood.value());
                let row = |(file, likelihood): &(std::path::PathBuf, Likelihood)| {
                    let numbers = match (likelihood, first) {
                        (Likelihood::Impossible(why), _) => format!("impossible: {why}"),
                        (Likelihood::Estimated(value, error), first) => {
                            format!("{value:>20.6} {:>20.6}  ± {error:.6}", value - first.unwrap_or(*value))
                        }
                        (Likelihood::Log(value) | Likelihood::Relative(value), Some(first)) => {
                            format!("{value:>20.10} {:>20.10}", value - first)
                        }
                        (Likelihood::Log(value) | Likelihood::Relative(value), None) => format!("{value:>20.10}"),
                    };
                    (file.display().to_string(), numbers)
                };
                (heading(&[("ln likelihood", 20), ("against the first", 20)]), each(all, row))
            }
        }
    }

    /// For scripts.
    pub fn json(&self) -> Value {
        let (kind, figures) = match &self.figures {
            Figures::Intervals(all) => (
                "intervals",
                each(all, |one| {
                    json!({"query": one.name, "released": number(one.released), "lower": number(one.lower()),
                    "upper": number(one.upper()), "reach": one.reach, "deviation": one.deviation,
                    "how": one.how.name(), "in_words": one.how.in_words()})
                }),
            ),
            Figures::Rates(all) => (
                "rates",
                each(all, |one| {
                    json!({"query": one.name, "numerator": number(one.released.0), "denominator": number(one.released.1),
                    "lower": one.ends.map(|ends| ends[0]), "upper": one.ends.map(|ends| ends[1]),
                    "without_end": one.ends.is_none(), "how": one.how.name()})
                }),
            ),
            Figures::Believed(all) => (
                "posterior",
                each(all, |one| {
                    json!({"query": one.name, "mean": one.mean, "deviation": one.deviation, "median": one.median,
                    "lower": one.interval[0], "upper": one.interval[1], "draws": one.draws})
                }),
            ),
            Figures::BelievedRates(all) => (
                "posterior_rates",
                each(all, |one| {
                    json!({"query": one.name, "median": one.median, "lower": one.interval[0], "upper": one.interval[1],
                    "without_rate": one.without, "draws": one.draws})
                }),
            ),
            Figures::Combined(all) => (
                "imputations",
                each(all, |one| {
                    let [lower, upper] = one.interval(self.level);
                    json!({"query": one.name, "mean": one.mean, "between": one.between, "total_variance": one.total,
                    "degrees_of_freedom": one.freedom, "lower": lower, "upper": upper})
                }),
            ),
            Figures::Compared(all) => (
                "comparisons",
                each(all, |one| {
                    json!({"query": one.name, "first": one.figures[0], "second": one.figures[1],
                    "lower": number(one.difference[0]), "upper": number(one.difference[1]),
                    "ratio_lower": one.ratio.map(|ends| ends[0]), "ratio_upper": one.ratio.map(|ends| ends[1]),
                    "greater": one.greater, "equal": one.equal, "draws": one.draws,
                    "ratio_draws": one.ratio_draws})
                }),
            ),
            Figures::Regressed(found) => (
                "regression",
                each(&found.coefficients, |one| {
                    json!({"term": one.name, "estimate": one.estimate, "within": one.within, "between": one.between,
                    "total_variance": one.total,
                    "degrees_of_freedom": one.freedom.is_finite().then_some(one.freedom),
                    "lower": one.interval[0], "upper": one.interval[1], "family": found.family.name(),
                    "imputations": found.imputations})
                }),
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
                let rates = found.fitted.rates.iter().map(|one| estimate_json(one, "rate", false));
                let parameters = found.fitted.parameters.iter().map(|one| estimate_json(one, "parameter", true));
                ("model", rates.chain(parameters).collect())
            }
            Figures::Likelihoods(all) => (
                "likelihoods",
                each(all, |(file, likelihood)| {
                    let file = file.display().to_string();
                    match likelihood {
                        Likelihood::Log(value) => json!({"file": file, "log_likelihood": value, "relative": false}),
                        Likelihood::Relative(value) => json!({"file": file, "log_likelihood": value, "relative": true}),
                        Likelihood::Estimated(value, error) => {
                            json!({"file": file, "log_likelihood": value, "relative": true, "standard_error": error})
                        }
                        Likelihood::Impossible(why) => json!({"file": file, "log_likelihood": null, "impossible": why}),
                    }
                }),
            ),
        };
        let mut answer = json!({
            "releases": each(&self.releases, |[folder, title, known]| {
                json!({"folder": folder, "title": title, "known": known})
            }),
            "kind": kind,
            "level": self.level,
            "exact": self.exact,
            "basis": self.basis,
            "figures": figures,
            "wrote": each(&self.wrote, |file| file.display().to_string()),
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

/// What is told of each.
pub(super) fn each<T, R>(all: &[T], told: impl Fn(&T) -> R) -> Vec<R> {
    all.iter().map(told).collect()
}

/// The names of columns, each as wide as its numbers.
fn heading(columns: &[(&str, usize)]) -> String {
    each(columns, |(name, width)| format!("{name:>width$}")).join(" ")
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
    if number.is_nan() {
        return "–".to_string();
    }
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let digits = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{number:.digits$}")
}

/// The rows of a model: rates, then parameters; these are logarithms, and told as factors too.
fn model_rows(found: &Modelled, from: &str) -> (String, Vec<(String, String)>) {
    let above = found.against.map(|limit| format!("P(> {limit})"));
    let mut columns = vec![("mean", 12), ("std. dev.", 12), (from, 12), ("to", 12)];
    columns.extend(above.iter().map(|above| (above.as_str(), 14)));
    columns.push(("R̂", 8));
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
            false if one.mean.is_nan() => format!("  no mean; median {}", significant(one.median)),
            false => String::new(),
        };
        let [mean, deviation] = [one.mean, one.deviation].map(significant);
        let numbers = format!("{mean:>12} {deviation:>12} {lower:>12} {upper:>12}{told} {:>8.4}{factor}", one.r_hat);
        (one.name.clone(), numbers)
    };
    let rates = found.fitted.rates.iter().map(|one| row(one, false));
    (heading(&columns), rates.chain(found.fitted.parameters.iter().map(|one| row(one, true))).collect())
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
