//! What release folders tell, read, asked and written; the reasoning itself is in the room `infer`.

mod asking;
mod formula;
mod modelling;
mod page;
mod reading;
mod render;
mod rows;
mod testing;
mod writing;

use ::infer::testing::Tested;
use ::infer::{
    Asked, Believed, BelievedRate, Best, Cancel, Combined, Comparison, Field, Interval, Knowledge, KnownTotals,
    Likelihood, Origin, Posterior, Prior, Query, RateSet, Regression, Release, Wanted, best, check_different, compare,
    intervals, likelihood, rate,
};
use asking::{Question, questions};
use declare::Problem;
pub use modelling::{ModelOptions, Modelled};
use prepare::StandIn;
use publish::{STREAM_ABOVE, check_new, verify_parts};
use std::path::{Path, PathBuf};

pub use testing::{APPROXIMATIONS, STATISTICS, TESTS, TestOptions};

/// What is asked of releases: by default intervals of every cell.
#[derive(Debug, Clone, Default)]
pub struct InferOptions {
    /// Names of dimensions or levels: one sum for each of their values.
    pub by: Vec<String>,
    /// Only cells that satisfy this.
    pub filter: Option<String>,
    /// A derived table that the spec of the release declares.
    pub output: Option<String>,
    /// A file of queries with coefficients.
    pub query: Option<PathBuf>,
    /// A rate: predicates of its numerator and its denominator. Without a denominator:
    /// `deaths/cases`, or of a model with exposures the numerator alone.
    pub rate: Option<(String, String)>,
    /// Two sums to be compared: their predicates.
    pub compare: Option<(String, String)>,
    /// A formula of a model that is fitted to imputations.
    pub regress: Option<String>,
    /// That a projection of a small public table is compared, by rejection.
    pub projected: bool,
    /// What stands for the bin without an end of a dimension of the formula.
    pub open: Vec<(String, f64)>,
    /// A model that is learnt.
    pub model: Option<ModelOptions>,
    /// The level of intervals: 90 % unless another is given.
    pub level: Option<f64>,
    /// Whether the posterior is asked for.
    pub posterior: bool,
    /// The prior as it is written: `flat`, `poisson:FILE`, `gamma-poisson:SHAPE`,
    /// `dirichlet-multinomial:FILE`.
    pub prior: Option<String>,
    /// That true counts are at least zero.
    pub nonnegative: bool,
    /// Rules that the true table satisfies.
    pub rules: Vec<String>,
    /// Files with totals of the true table, each perhaps with ` where PREDICATE`.
    pub totals: Vec<String>,
    /// How Z is cancelled where a release has bounds.
    pub cancel: Cancel,
    /// Draws where a law is not listed.
    pub draws: Option<u64>,
    /// The seed of all draws: 1 unless another is given.
    pub seed: Option<u64>,
    /// Where the best table is written.
    pub table: Option<PathBuf>,
    /// Which table is the best.
    pub best: Best,
    /// So many imputations …
    pub impute: Option<u64>,
    /// … into this folder.
    pub out: Option<PathBuf>,
    /// Hypothetical tables whose likelihood is asked for.
    pub likelihood: Vec<StandIn>,
    /// A test of a hypothesis.
    pub test: Option<TestOptions>,
}

/// What releases tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// The titles and folders of the releases, with what is known of each.
    pub releases: Vec<[String; 3]>,
    /// The level.
    pub level: f64,
    /// What was asked for.
    pub figures: Figures,
    /// What the numbers stand on, in sentences.
    pub basis: Vec<String>,
    /// Whether all numbers are exact.
    pub exact: bool,
    /// Files that were written.
    pub wrote: Vec<PathBuf>,
}

/// The numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Figures {
    /// Intervals around the released figures.
    Intervals(Vec<Interval>),
    /// Sets of rates.
    Rates(Vec<RateSet>),
    /// What is believed.
    Believed(Vec<Believed>),
    /// What is believed of rates.
    BelievedRates(Vec<BelievedRate>),
    /// Figures of imputations, combined.
    Combined(Vec<Combined>),
    /// Pairs of sums, compared.
    Compared(Vec<Comparison>),
    /// A model fitted to imputations.
    Regressed(Regression),
    /// Likelihoods of tables, by file.
    Likelihoods(Vec<(PathBuf, Likelihood)>),
    /// What a test found.
    Tested(Box<Tested>),
    /// What a model says.
    Modelled(Box<Modelled>),
}

/// Verifies the release in a folder and types it by what is known of its noise.
///
/// # Errors
/// As [`publish::verify`]: what was altered is refused.
pub fn open_release(folder: &Path) -> Result<Release, Problem> {
    let (verified, parts) = verify_parts(folder, STREAM_ABOVE, None)?;
    let release = Release::new(&folder.display().to_string(), parts.restored, parts.plan, parts.counts)?;
    let paid = verified.certificate.ledger.map(|paid| paid.seal);
    Ok(release.with_origin(Origin { time: verified.certificate.time, draw: verified.certificate.draw, seal: paid }))
}

/// The level of intervals, and the seed of all draws, unless others are given.
const LEVEL: f64 = 0.9;
const SEED: u64 = 1;
/// Draws of rank intervals, and of posteriors, unless another number is asked for.
const POSTERIOR_DRAWS: u64 = 4_000;
/// Imputations that a model is fitted to, unless another number is asked for.
const IMPUTATIONS: u64 = 20;

/// Reads releases, answers what is asked and writes what is asked for.
///
/// # Errors
/// Bad usage, what cannot be told of such releases, and what no table satisfies.
pub fn infer(folders: &[PathBuf], options: &InferOptions) -> Result<Inferred, Problem> {
    check_options(options)?;
    let (level, seed) = (options.level.unwrap_or(LEVEL), options.seed.unwrap_or(SEED));
    let asked = Asked::new(level, options.draws.unwrap_or(::infer::rank::DRAWS), seed)?;
    let releases: Vec<Release> = folders.iter().map(|folder| open_release(folder)).collect::<Result<_, _>>()?;
    let first = releases.first().ok_or_else(|| Problem::bad("no release was given"))?;
    let told = |one: &Release| [one.name.clone(), one.declaration.title.clone(), one.known.in_words()];
    let mut inferred = Inferred {
        releases: releases.iter().map(told).collect(),
        level,
        figures: Figures::Intervals(Vec::new()),
        basis: Vec::new(),
        exact: true,
        wrote: Vec::new(),
    };
    if let Some(test) = &options.test {
        return testing::tested(&releases, test, options, seed, inferred);
    }
    if !options.likelihood.is_empty() {
        return likelihoods(&releases, options, inferred);
    }
    let quotient = match &options.rate {
        Some((text, below)) if below.is_empty() => modelling::quotient(text, first)?,
        _ => None,
    };
    let options = &InferOptions { rate: quotient.or_else(|| options.rate.clone()), ..options.clone() };
    if let Some(wanted) = &options.model {
        let found = modelling::modelled(&releases, options, wanted, asked)?;
        (inferred.basis, inferred.exact) = (render::model_basis(&found), false);
        inferred.figures = Figures::Modelled(Box::new(found));
        return Ok(inferred);
    }
    let question = questions(first, options)?;
    let wanted = Wanted { cancel: options.cancel, draws: options.draws.unwrap_or(POSTERIOR_DRAWS), seed };
    if !options.posterior {
        if releases.len() > 1 {
            return Err(Problem::bad("intervals from the noise alone are of one release")
                .hint("several releases of one table are put together by --posterior"));
        }
        inferred.figures = match &question {
            Question::Sums(queries) => Figures::Intervals(intervals(first, queries, asked)?),
            Question::Rates(rates) => {
                let one = |(name, above, below): &(String, Query, Query)| rate(first, name, above, below, asked);
                Figures::Rates(rates.iter().map(one).collect::<Result<_, _>>()?)
            }
            Question::Compared(pairs) => Figures::Compared(compare(first, pairs, asked, wanted)?),
            // Refused before anything was read: a model is fitted to imputations.
            Question::Regressed(_) => return Err(Problem::bad("--regress is about the posterior")),
        };
        inferred.basis = basis_of_intervals(&inferred.figures);
        inferred.exact = inferred.basis.iter().all(|basis| !basis.contains("evidence, not proof"));
        render::basis_of_answers(&mut inferred);
        return Ok(inferred);
    }
    let knowledge = knowledge(first, options)?;
    let posterior = match options.projected {
        true => Posterior::projected(&releases, &knowledge, wanted)?,
        false => Posterior::new(&releases, &knowledge, wanted)?,
    };
    // How many figures there are, how many of them have laws of draws, and of how many.
    let mut sampled = (0, 0, 0);
    let mut count = |rows: &[Believed]| {
        let drawn = rows.iter().filter_map(|row| row.draws);
        sampled = (sampled.0 + rows.len(), sampled.1 + drawn.clone().count(), drawn.max().unwrap_or(sampled.2));
    };
    let mut by_steps = false;
    if let Some(file) = &options.table {
        let found = best(&posterior, first, options.best, level, wanted)?;
        writing::best_table(file, &first.domain, &found, level)?;
        count(&found.cells);
        by_steps = found.by_steps;
        inferred.wrote.push(file.clone());
    }
    inferred.figures = match (&question, options.impute, &options.out) {
        (Question::Regressed(model), ..) => {
            let number = options.impute.unwrap_or(IMPUTATIONS);
            let found = posterior.regress(model, number, level, seed)?;
            if let Some(out) = &options.out {
                // The same seed draws the same tables once more.
                writing::imputations(out, &first.domain, &posterior, number, seed, &[])?;
                inferred.wrote.push(out.clone());
            }
            Figures::Regressed(found)
        }
        (question, Some(number), Some(out)) => {
            let figures = writing::imputations(out, &first.domain, &posterior, number, seed, &question.queries())?;
            inferred.wrote.push(out.clone());
            Figures::Combined(question.combined(&figures)?)
        }
        (Question::Sums(queries), ..) => Figures::Believed(posterior.believed(queries, level, wanted)?),
        (Question::Rates(rates), ..) => Figures::BelievedRates(posterior.rates(rates, level, wanted)?),
        (Question::Compared(pairs), ..) => Figures::Compared(posterior.compare(pairs, level, wanted)?),
    };
    if let Figures::Believed(rows) = &inferred.figures {
        count(rows);
    }
    let exactly = match (&inferred.figures, sampled) {
        (Figures::Combined(_) | Figures::Regressed(_), _) => {
            "imputations are exact draws from the posterior, independent of each other".to_string()
        }
        (_, (_, 0, _)) => "laws to about twelve digits, nothing estimated".to_string(),
        (_, (all, drawn, draws)) if all == drawn => {
            format!("laws are those of {draws} tables, drawn exactly from the posterior")
        }
        (_, (all, drawn, draws)) => format!(
            "laws of {drawn} of {all} figures are those of {draws} tables, drawn exactly from the posterior; the others are listed to about \
             twelve digits"
        ),
    };
    inferred.exact = posterior.basis.exact && sampled.1 == 0;
    inferred.basis = render::basis(&posterior.basis, exactly);
    if by_steps {
        inferred.basis.push(
            "the search for the whole numbers nearest to the mean did not end: those of the table have all totals, bounds and rules, and no short \
             step of the lattice leads nearer, but another table might be nearer"
                .into(),
        );
    }
    render::basis_of_answers(&mut inferred);
    if let Figures::BelievedRates(rates) = &inferred.figures {
        inferred.exact = false;
        inferred.basis.push(format!(
            "rates are those of {} tables drawn from the posterior; tables whose denominator is not above zero have none",
            rates.first().map_or(0, |rate| rate.draws)
        ));
    }
    Ok(inferred)
}

/// What contradicts itself is refused before anything is read.
fn check_options(options: &InferOptions) -> Result<(), Problem> {
    let modelled = options.model.is_some();
    let posterior_alone: [(&str, bool); 8] = [
        ("--prior", options.prior.is_some()),
        ("--nonnegative", options.nonnegative && !modelled),
        ("--rule", !options.rules.is_empty() && !modelled),
        ("--total", !options.totals.is_empty() && !modelled),
        ("--table", options.table.is_some()),
        ("--impute", options.impute.is_some()),
        ("--regress", options.regress.is_some()),
        ("--projected", options.projected),
    ];
    if !options.open.is_empty() && options.regress.is_none() {
        return Err(Problem::bad("--open is about a term of --regress, which is not given"));
    }
    if let Some((name, _)) = options.open.iter().find(|(_, value)| !value.is_finite()) {
        return Err(Problem::bad(format!("what stands for the open bin of `{name}` must be a number")));
    }
    if options.compare.is_some() && options.impute.is_some() {
        return Err(Problem::bad("pairs are compared by the posterior itself, and --impute asks for imputations")
            .hint("leave out --impute, or ask for the two sums with --query"));
    }
    if let Some((name, _)) = posterior_alone.iter().find(|(_, given)| *given && !options.posterior) {
        return Err(Problem::bad(format!("{name} is about the posterior, and --posterior is not given"))
            .hint(format!("write --posterior {name}")));
    }
    match (options.impute, &options.out) {
        (Some(number), _) if number < 2 => {
            return Err(Problem::bad("imputations are combined from at least two").hint("write --impute 20"));
        }
        (Some(_), None) if options.regress.is_none() => {
            return Err(Problem::bad("--impute writes imputations into a folder").hint("name it: --out imputations"));
        }
        (None, Some(_)) if options.regress.is_none() => {
            return Err(Problem::bad("--out is where imputations are written").hint("write --impute 20"));
        }
        _ => {}
    }
    options.out.iter().chain(&options.table).try_for_each(|file| check_new(file))
}

/// What the reader adds.
fn knowledge(release: &Release, options: &InferOptions) -> Result<Knowledge, Problem> {
    let totals = options.totals.iter().map(|text| {
        let (file, filter) = match text.split_once(" where ") {
            Some((file, filter)) => (file, Some(filter.to_string())),
            None => (text.as_str(), None),
        };
        let file = PathBuf::from(file);
        let by = reading::header(&file)?.into_iter().filter(|name| name != "value").collect();
        Ok(KnownTotals { file, by, filter })
    });
    Ok(Knowledge {
        nonnegative: options.nonnegative,
        rules: options.rules.clone(),
        totals: totals.collect::<Result<_, Problem>>()?,
        prior: match options.prior.as_deref() {
            None => Prior::Flat,
            Some(text) => reading::prior(text, &release.domain)?,
        },
    })
}

fn likelihoods(releases: &[Release], options: &InferOptions, mut inferred: Inferred) -> Result<Inferred, Problem> {
    let first = &releases[0];
    check_different(releases)?;
    let fields: Vec<Field> = releases.iter().map(Field::of_release).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for (number, source) in options.likelihood.iter().enumerate() {
        let table = reading::table_of(source, &first.domain)?;
        let mut sum = Likelihood::Log(0.0);
        for (release, field) in releases.iter().zip(&fields) {
            if release.domain != first.domain {
                return Err(Problem::bad("the releases are of different tables: their dimensions or values differ"));
            }
            let one = likelihood(release, field, &table)?;
            sum = match (sum, one) {
                (Likelihood::Impossible(why), _) | (_, Likelihood::Impossible(why)) => Likelihood::Impossible(why),
                (Likelihood::Log(sum), Likelihood::Log(one)) => Likelihood::Log(sum + one),
                (sum, one) => {
                    let value = sum.value().unwrap_or(0.0) + one.value().unwrap_or(0.0);
                    let error = |likelihood: &Likelihood| match likelihood {
                        Likelihood::Estimated(_, error) => Some(*error),
                        _ => None,
                    };
                    match (error(&sum), error(&one)) {
                        (None, None) => Likelihood::Relative(value),
                        (sum, one) => Likelihood::Estimated(value, sum.unwrap_or(0.0).hypot(one.unwrap_or(0.0))),
                    }
                }
            };
        }
        let name = match source {
            StandIn::File(file) => file.clone(),
            StandIn::Frame(_) => PathBuf::from(format!("frame {}", number + 1)),
        };
        found.push((name, sum));
    }
    let weighted = releases.iter().any(|release| release.plan.law.base().is_some());
    inferred.basis = vec![format!(
        "the probability of the release, were this the true table: {}, Z included; logarithms are natural, to about twelve digits",
        if weighted { "b(y)·w(y − x)/Z(x) with its base measure b" } else { "w(y − x)/Z(x)" }
    )];
    if found.iter().any(|(_, likelihood)| matches!(likelihood, Likelihood::Relative(_))) {
        inferred.basis.push(
            "an operator of the release does not tell Z, which is the same for every table: compare these logarithms with each other".into(),
        );
    }
    if found.iter().any(|(_, likelihood)| matches!(likelihood, Likelihood::Estimated(..))) {
        inferred.exact = false;
        inferred.basis.push(
            "Z of a two-way table with bounds is estimated from proposals, up to a factor that is the same for every table: compare these \
             logarithms with each other, within their standard errors"
                .into(),
        );
    }
    inferred.figures = Figures::Likelihoods(found);
    Ok(inferred)
}

fn basis_of_intervals(figures: &Figures) -> Vec<String> {
    let mut basis = vec![
        "equalities alone: released minus true table is noise with one law, so an interval covers whatever the true table is".to_string(),
    ];
    let mut kinds: Vec<String> = match figures {
        Figures::Intervals(intervals) => intervals.iter().map(|interval| interval.how.in_words()).collect(),
        Figures::Rates(rates) => rates.iter().map(|rate| rate.how.in_words()).collect(),
        _ => Vec::new(),
    };
    kinds.sort_unstable();
    kinds.dedup();
    basis.extend(kinds);
    if matches!(figures, Figures::Compared(_)) {
        basis.push(
            "P(greater) and P(equal) are those of the release minus its noise, the posterior of the flat prior".into(),
        );
    }
    if matches!(figures, Figures::Rates(_) | Figures::Compared(_)) {
        basis.push("a rate r is kept if the interval of numerator − r·denominator contains 0 (Fieller)".into());
    }
    basis
}
