//! `congenial infer`: what release folders tell, exactly, at no cost of privacy.

use crate::output::answer;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use congenial::inferences::model::Sampler;
use congenial::inferences::{Best, Cancel};
use congenial::{InferOptions, ModelOptions, Problem, TestOptions};
use std::path::PathBuf;

/// Tell what a release says about the true table: intervals, posterior tables, likelihoods
#[derive(Args)]
#[command(after_help = "\
Reads release folders and nothing else, verifies them first, and costs no privacy: what it prints follows from what was published.
Without --posterior: intervals that cover whatever the true table is, for releases without bounds (nonnegative = false, no rules).
With --posterior: what may be believed under a prior, with bounds, rules and totals that a reader knows; several folders are
releases of one table. With --model, --exposures or --against: rates, shares and terms of a model that knows the noise, drawn with
diagnostics; chains that do not agree print no number. Every result says what it stands on, its level, and whether it is exact.

Examples:
  congenial infer release --by county --level 0.95
  congenial infer release --where \"age >= 65\"
  congenial infer release --rate \"measure = 'deaths'\" \"measure = 'cases'\" --by county
  congenial infer release --posterior --nonnegative --table best.parquet --best consistent
  congenial infer release --posterior --nonnegative --impute 20 --out imputations
  congenial infer release --rate \"race = 'w'\" --exposures population.csv --by county --against 0.00088
  congenial infer release --model loglinear --terms \"hair + eye + hair:eye\"
  congenial infer release --compare \"sex = 'Female'\" \"sex = 'Male'\" --by county
  congenial infer release --posterior --nonnegative --regress \"hours ~ age + sex\" --open age=75
  congenial infer release --likelihood last-year.csv --likelihood this-year.csv
  congenial infer release --test independence --rows eye --columns hair
  congenial infer release --test homogeneity --rows delay --columns outcome --strata dose
  congenial infer release --test fit --distribution expected.csv

With --test: a p-value that knows the noise. It is exact, whatever the true table is, where the sums that the hypothesis leaves open are
exact totals of the release (of rows and of columns, in every stratum); elsewhere --approximate offers tests that are not.")]
pub struct Infer {
    /// Folders that `congenial release --out` wrote; several: releases of the same table
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Sums for every combination of these dimensions or levels, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    by: Vec<String>,
    /// Only cells that satisfy this predicate
    #[arg(long = "where", value_name = "PREDICATE")]
    filter: Option<String>,
    /// The rows of a derived table that the spec of the release declares
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Queries of a CSV file: columns of the dimensions, `query` and an integer `coefficient`
    #[arg(long, value_name = "FILE")]
    query: Option<PathBuf>,
    /// A rate: two predicates, for its numerator and its denominator; or deaths/cases, with values
    /// of one dimension; with --exposures the numerator alone
    #[arg(long, num_args = 1..=2, value_names = ["NUMERATOR", "DENOMINATOR"])]
    rate: Option<Vec<String>>,
    /// Two sums compared: predicates of the first and of the second; difference, ratio, and the
    /// probability that the first is greater
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"])]
    compare: Option<Vec<String>>,
    /// A model fitted to imputations (20, or --impute M): "hours ~ age + sex" by least squares of
    /// midpoints, "count ~ age" by Poisson
    #[arg(long, value_name = "FORMULA")]
    regress: Option<String>,
    /// A projection of a small public table: tables that become it when they are measured and
    /// projected again, for comparison
    #[arg(long)]
    projected: bool,
    /// What stands for the bin without an end of a dimension in --regress: "age=75"
    #[arg(long, value_name = "NAME=NUMBER")]
    open: Vec<String>,
    /// Learn a model: poisson-gamma, multinomial-dirichlet, loglinear or hierarchical;
    /// poisson-gamma with --exposures or --against
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How much every cell is exposed: a CSV file with a row for every cell and a column `value`;
    /// cells of one row of --by share a rate
    #[arg(long, value_name = "FILE")]
    exposures: Option<PathBuf>,
    /// A rate that others are compared with: the probability that each is above it
    #[arg(long, value_name = "RATE")]
    against: Option<f64>,
    /// The terms of a log-linear model: "a + b + a:b"
    #[arg(long, value_name = "TERMS")]
    terms: Option<String>,
    /// The shape of the gamma prior of rates, or the parameter of the Dirichlet prior of shares
    /// [default: 0.5]; of hierarchical models that of the mean, with --prior-rate
    #[arg(long, value_name = "A")]
    prior_shape: Option<f64>,
    /// The rate of the gamma prior of rates; 0 leaves their scale open [default: 0]; of
    /// hierarchical models that of the mean, above 0, with --prior-shape
    #[arg(long, value_name = "B")]
    prior_rate: Option<f64>,
    /// The standard deviation of log-linear terms [default: 3], or of the logarithm of the mean of
    /// hierarchical models [default: 10], before anything is seen
    #[arg(long, value_name = "S")]
    prior_deviation: Option<f64>,
    /// What draws from the posterior of a model; all but gibbs are baselines for small tables
    #[arg(long, value_name = "HOW", value_parser = words(&SAMPLERS), default_value = "gibbs")]
    sampler: Sampler,
    /// The probability with which an interval covers
    #[arg(long, value_name = "P", default_value_t = 0.9)]
    level: f64,
    /// What may be believed of the true table
    #[arg(long)]
    posterior: bool,
    /// What was believed before: flat, poisson:FILE, gamma-poisson:SHAPE or
    /// dirichlet-multinomial:FILE
    #[arg(long, value_name = "PRIOR")]
    prior: Option<String>,
    /// True counts are known to be at least zero
    #[arg(long)]
    nonnegative: bool,
    /// A rule that the true table is known to satisfy: "sum(measure = 'deaths') <= sum(measure =
    /// 'cases') by county"
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<String>,
    /// Known totals of the true table: a CSV file with a column for every name of its groups, and
    /// `value`; perhaps "FILE where PREDICATE"
    #[arg(long = "total", value_name = "FILE")]
    totals: Vec<String>,
    /// Where the release has bounds: how the normaliser Z(x) is dealt with
    #[arg(long, value_name = "HOW", value_parser = words(&CANCELS), default_value = "automatic")]
    cancel: Cancel,
    /// Draws where a law is not listed: 9999 for intervals by rank and for tests, 4000 for
    /// posteriors, 8000 for models
    #[arg(long, value_name = "N")]
    draws: Option<u64>,
    /// The seed of all draws
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write the table that stands best for all that are believed (.parquet, .csv or .xlsx)
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Which table is the best
    #[arg(long, value_name = "WHICH", value_parser = words(&BESTS), default_value = "median")]
    best: Best,
    /// Draw this many tables from the posterior, for multiple imputation
    #[arg(long, value_name = "M")]
    impute: Option<u64>,
    /// The folder that imputations are written to; it must not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The likelihood of a hypothetical true table: a CSV file with a row for every cell and a
    /// column `value`
    #[arg(long, value_name = "FILE")]
    likelihood: Vec<PathBuf>,
    /// Test a hypothesis about the true table
    #[arg(long, value_name = "TEST", value_parser = congenial::TESTS, conflicts_with_all = ["level", "best", "cancel"])]
    test: Option<String>,
    /// The dimensions of the rows of a test, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "test")]
    rows: Vec<String>,
    /// The dimensions of its columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "test")]
    columns: Vec<String>,
    /// The dimensions of its strata: the hypothesis holds at every value of them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "test")]
    strata: Vec<String>,
    /// A margin of a log-linear hypothesis: dimensions that may depend on each other, separated by
    /// commas
    #[arg(long = "margin", value_name = "NAMES", requires = "test")]
    margins: Vec<String>,
    /// Scores of the columns for a trend: whole numbers between commas in the order of the spec, or
    /// a CSV file with a column `score`
    #[arg(long, value_name = "LIST", requires = "test", allow_hyphen_values = true)]
    scores: Option<String>,
    /// Scores of the rows; without them 0, 1, 2, …
    #[arg(long, value_name = "LIST", requires = "test", allow_hyphen_values = true)]
    row_scores: Option<String>,
    /// The public distribution that a fit is tested to: a CSV file with a row for every cell and a
    /// column `value`
    #[arg(long, value_name = "FILE", requires = "test")]
    distribution: Option<PathBuf>,
    /// What a test computes from a release; with `query`, --query FILE has it, and large values
    /// speak against the hypothesis
    #[arg(long, value_name = "WHICH", value_parser = congenial::STATISTICS, requires = "test")]
    statistic: Option<String>,
    /// Where sums that a hypothesis leaves open are not exact: a test that is approximate
    #[arg(long, value_name = "HOW", value_parser = congenial::APPROXIMATIONS, requires = "test")]
    approximate: Option<String>,
    /// The p-value at or below which a test rejects; 0.05 unless given
    #[arg(long, value_name = "P", requires = "test")]
    significance: Option<f64>,
    /// Also write a page with the intervals; it must not exist
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

/// Words for values, each with what it means.
type Words<T, const N: usize> = [(&'static str, T, &'static str); N];

/// How Z(x) is dealt with.
const CANCELS: Words<Cancel, 3> = [
    ("automatic", Cancel::Automatic, "List all tables where there are few, else importance"),
    ("importance", Cancel::Importance, "Weight draws by 1/Z(x)"),
    ("exchange", Cancel::Exchange, "A chain in which Z cancels"),
];

/// What draws from the posterior of a model.
const SAMPLERS: Words<Sampler, 4> = [
    ("gibbs", Sampler::Gibbs, "Parameters and whole tables in turn"),
    ("rejection", Sampler::Rejection, "Draws from before the release, accepted by its probability"),
    ("importance", Sampler::Importance, "Weighted draws of parameters"),
    ("constrained", Sampler::Constrained, "Constraints of the data on the noise, those of the model on its parameters"),
];

/// Which table is the best.
const BESTS: Words<Best, 3> = [
    ("median", Best::Median, "The median of every cell"),
    ("mean", Best::Mean, "The mean of every cell"),
    ("consistent", Best::Consistent, "Whole numbers with all totals, bounds and rules, nearest to the mean"),
];

/// Takes words for values.
fn words<T: Copy + Send + Sync>(words: &'static [(&str, T, &str)]) -> impl TypedValueParser<Value = T> {
    let values = words.iter().map(|(word, _, meaning)| PossibleValue::new(*word).help(*meaning));
    let value = |word: String| words.iter().find(|(known, ..)| *known == word).map(|(_, value, _)| *value);
    PossibleValuesParser::new(values).try_map(move |word| value(word).ok_or("no such word"))
}

impl Infer {
    /// Infers and prints.
    pub fn run(self) -> Result<(), Problem> {
        let model = self.model_options()?;
        if let Some(page) = &self.page {
            congenial::check_new(page)?;
        }
        let test = self.test.map(|test| TestOptions {
            test,
            rows: self.rows,
            columns: self.columns,
            strata: self.strata,
            margins: self.margins.iter().map(|names| names.split(',').map(str::to_owned).collect()).collect(),
            scores: self.scores,
            row_scores: self.row_scores,
            distribution: self.distribution,
            statistic: self.statistic,
            approximate: self.approximate,
            significance: self.significance,
        });
        let options = InferOptions {
            by: self.by,
            filter: self.filter,
            output: self.output,
            query: self.query,
            rate: self.rate.map(|mut rate| {
                let below = if rate.len() > 1 { rate.swap_remove(1) } else { String::new() };
                (rate.swap_remove(0), below)
            }),
            compare: self.compare.and_then(|two| <[String; 2]>::try_from(two).ok()).map(|[one, two]| (one, two)),
            regress: self.regress,
            projected: self.projected,
            open: self.open.iter().map(|text| stands_for(text)).collect::<Result<_, _>>()?,
            model,
            level: Some(self.level),
            posterior: self.posterior,
            prior: self.prior,
            nonnegative: self.nonnegative,
            rules: self.rules,
            totals: self.totals,
            cancel: self.cancel,
            draws: self.draws,
            seed: Some(self.seed),
            table: self.table,
            best: self.best,
            impute: self.impute,
            out: self.out,
            likelihood: self.likelihood.into_iter().map(Into::into).collect(),
            test,
        };
        let mut inferred = congenial::infer(&self.folders, &options)?;
        if let Some(page) = &self.page {
            congenial::write_page(page, &inferred.html())?;
            inferred.wrote.push(page.clone());
        }
        answer(self.json, || inferred.json(), || inferred.text())
    }

    /// The model that is asked for, if one is.
    fn model_options(&self) -> Result<Option<ModelOptions>, Problem> {
        let asked = self.model.is_some() || self.exposures.is_some() || self.against.is_some();
        let others: [(&str, bool); 5] = [
            ("--terms", self.terms.is_some()),
            ("--prior-shape", self.prior_shape.is_some()),
            ("--prior-rate", self.prior_rate.is_some()),
            ("--prior-deviation", self.prior_deviation.is_some()),
            ("--sampler", self.sampler != Sampler::Gibbs),
        ];
        if let (false, Some((name, _))) = (asked, others.iter().find(|(_, given)| *given)) {
            return Err(Problem::bad(format!("{name} is about a model, and none is asked for"))
                .hint("write --model poisson-gamma, multinomial-dirichlet, loglinear or hierarchical"));
        }
        Ok(asked.then(|| ModelOptions {
            name: self.model.clone().unwrap_or_else(|| "poisson-gamma".to_string()),
            exposures: self.exposures.clone(),
            terms: self.terms.clone(),
            shape: self.prior_shape,
            rate: self.prior_rate,
            deviation: self.prior_deviation,
            against: self.against,
            sampler: self.sampler,
        }))
    }
}

/// `NAME=NUMBER`.
fn stands_for(text: &str) -> Result<(String, f64), Problem> {
    let read =
        text.split_once('=').and_then(|(name, number)| Some((name.trim().to_string(), number.trim().parse().ok()?)));
    read.ok_or_else(|| Problem::bad(format!("`--open {text}` is not a name and a number")).hint("write --open age=75"))
}
