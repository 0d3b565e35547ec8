//! Tests of hypotheses as they are asked for: names, scores and files become what the room `infer`
//! tests.

use crate::{Figures, InferOptions, Inferred, reading};
use ::infer::Release;
use ::infer::testing::{
    Approximation, Association, Hypothesis, Statistic, TEST_DRAWS, Tested, Trial, test, test_equality,
};
use declare::Problem;
use std::path::{Path, PathBuf};

/// What is tested, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TestOptions {
    /// One of [`TESTS`].
    pub test: String,
    /// The dimensions of the rows.
    pub rows: Vec<String>,
    /// Those of the columns.
    pub columns: Vec<String>,
    /// Those of the strata.
    pub strata: Vec<String>,
    /// The margins of a log-linear hypothesis.
    pub margins: Vec<Vec<String>>,
    /// Scores of the columns: whole numbers between commas, or a file.
    pub scores: Option<String>,
    /// Scores of the rows.
    pub row_scores: Option<String>,
    /// A file with the weight of every cell.
    pub distribution: Option<PathBuf>,
    /// One of [`STATISTICS`]; none: the one that belongs to the test.
    pub statistic: Option<String>,
    /// One of [`APPROXIMATIONS`].
    pub approximate: Option<String>,
    /// The p-value at or below which the hypothesis is rejected: 5 % unless another is given.
    pub significance: Option<f64>,
}

/// The tests.
pub const TESTS: [&str; 6] = ["independence", "homogeneity", "trend", "fit", "equality", "log-linear"];
/// The statistics.
pub const STATISTICS: [&str; 5] = ["pearson", "likelihood-ratio", "mantel-haenszel", "trend", "query"];
/// What is done where margins are not exact.
pub const APPROXIMATIONS: [&str; 2] = ["bootstrap", "predictive"];

fn one_of(what: &str, given: &str, known: &[&str]) -> Problem {
    Problem::bad(format!("there is no {what} `{given}`")).hint(format!("one of {}", known.join(", ")))
}

/// Tests what is asked of releases.
pub(super) fn tested(
    releases: &[Release],
    asked: &TestOptions,
    options: &InferOptions,
    seed: u64,
    mut inferred: Inferred,
) -> Result<Inferred, Problem> {
    check(asked, options)?;
    let approximation = match asked.approximate.as_deref() {
        None => None,
        Some("bootstrap") => Some(Approximation::Bootstrap),
        Some("predictive") => Some(Approximation::Predictive),
        Some(other) => return Err(one_of("approximation", other, &APPROXIMATIONS)),
    };
    let significance = asked.significance.unwrap_or(0.05);
    let trial = Trial::new(options.draws.unwrap_or(TEST_DRAWS), seed, significance, approximation)?;
    let found = found(releases, asked, options, trial)?;
    inferred.exact = found.exact;
    inferred.basis = found.basis.clone();
    inferred.figures = Figures::Tested(Box::new(found));
    Ok(inferred)
}

fn found(releases: &[Release], asked: &TestOptions, options: &InferOptions, trial: Trial) -> Result<Tested, Problem> {
    let [first, others @ ..] = releases else { return Err(Problem::bad("no release was given")) };
    if asked.test == "equality" {
        return test_equality(releases, &statistic(first, asked, options)?, trial);
    }
    if !others.is_empty() {
        return Err(Problem::bad(format!("the test of {} is one of a single release", asked.test))
            .hint("two releases are compared by --test equality"));
    }
    let domain = &first.domain;
    let association = |kind| Hypothesis::association(domain, kind, &asked.rows, &asked.columns, &asked.strata);
    let hypothesis = match asked.test.as_str() {
        "independence" => association(Association::Independence)?,
        "homogeneity" => association(Association::Homogeneity)?,
        "trend" => association(Association::Trend)?,
        "fit" => {
            let file = asked.distribution.as_deref().ok_or_else(|| {
                Problem::bad("a fit is tested to a public distribution, and none is given")
                    .hint("--distribution FILE: a CSV file with a row for every cell and a column `value`")
            })?;
            Hypothesis::fit(domain, reading::weights(file, domain)?)?
        }
        "log-linear" => Hypothesis::log_linear(domain, &asked.margins)?,
        other => return Err(one_of("test", other, &TESTS)),
    };
    test(first, &hypothesis, &statistic(first, asked, options)?, trial)
}

/// What does not belong to a test is refused rather than left aside.
fn check(asked: &TestOptions, options: &InferOptions) -> Result<(), Problem> {
    let test = asked.test.as_str();
    if !TESTS.contains(&test) {
        return Err(one_of("test", test, &TESTS));
    }
    let of_tables = matches!(test, "independence" | "homogeneity" | "trend");
    let trend = test == "trend" || asked.statistic.as_deref() == Some("trend");
    let query = asked.statistic.as_deref() == Some("query");
    let given = [
        ("--rows", !asked.rows.is_empty(), of_tables),
        ("--columns", !asked.columns.is_empty(), of_tables),
        ("--strata", !asked.strata.is_empty(), of_tables),
        ("--margin", !asked.margins.is_empty(), test == "log-linear"),
        ("--scores", asked.scores.is_some(), trend),
        ("--row-scores", asked.row_scores.is_some(), trend),
        ("--distribution", asked.distribution.is_some(), test == "fit"),
        ("--approximate", asked.approximate.is_some(), test != "equality"),
        ("--query", options.query.is_some(), query),
        ("--posterior", options.posterior, false),
        ("--by", !options.by.is_empty(), false),
        ("--where", options.filter.is_some(), false),
        ("--output", options.output.is_some(), false),
        ("--rate", options.rate.is_some(), false),
        ("--likelihood", !options.likelihood.is_empty(), false),
    ];
    match given.iter().find(|(_, given, belongs)| *given && !*belongs) {
        Some(("--query", ..)) => {
            Err(Problem::bad("--query is a statistic of a test").hint("write --statistic query --query FILE"))
        }
        Some((name, ..)) => Err(Problem::bad(format!("{name} does not belong to the test of {test}"))
            .hint("`congenial infer --help` says what belongs to which test")),
        None => Ok(()),
    }
}

fn statistic(release: &Release, asked: &TestOptions, options: &InferOptions) -> Result<Statistic, Problem> {
    let own = match asked.test.as_str() {
        "homogeneity" => "mantel-haenszel",
        "trend" => "trend",
        _ => "pearson",
    };
    match asked.statistic.as_deref().unwrap_or(own) {
        "pearson" => Ok(Statistic::Pearson),
        "likelihood-ratio" => Ok(Statistic::LikelihoodRatio),
        "mantel-haenszel" => Ok(Statistic::Mantel),
        "trend" => {
            let scores = |given: &Option<String>, names: &[String]| {
                given.as_deref().map(|text| scores(release, text, names)).transpose()
            };
            Ok(Statistic::Trend {
                rows: scores(&asked.row_scores, &asked.rows)?,
                columns: scores(&asked.scores, &asked.columns)?,
            })
        }
        "query" => {
            let file = options.query.as_deref().ok_or_else(|| {
                Problem::bad("the statistic is a query, and none is given").hint("--statistic query --query FILE")
            })?;
            let mut queries = reading::queries(file, &release.domain)?;
            match (queries.pop(), queries.len()) {
                (Some(query), 0) => Ok(Statistic::Query(query)),
                (_, more) => {
                    Err(Problem::bad(format!("`{}` has {} queries, and a statistic is one", file.display(), more + 1))
                        .hint("keep the rows of one query"))
                }
            }
        }
        other => Err(one_of("statistic", other, &STATISTICS)),
    }
}

/// Scores as they are written: a list, or a file with the labels of one dimension and a column
/// `score`.
fn scores(release: &Release, text: &str, names: &[String]) -> Result<Vec<i64>, Problem> {
    let listed: Result<Vec<i64>, _> = text.split(',').map(|score| score.trim().parse()).collect();
    if let Ok(scores) = listed {
        if let Some(score) = scores.iter().find(|score: &&i64| score.unsigned_abs() > LARGEST_SCORE) {
            return Err(Problem::bad(format!("the score {score} is beyond {LARGEST_SCORE}"))
                .hint("divide all scores by a number"));
        }
        return Ok(scores);
    }
    if !Path::new(text).exists() {
        return Err(Problem::bad(format!("`{text}` is neither a list of whole numbers nor a file"))
            .hint("--scores 0,1,2,5, one for every value in the order of the spec; or a CSV file with the columns of the dimension and `score`"));
    }
    let [name] = names else {
        return Err(
            Problem::bad("scores in a file are those of one dimension").hint("write them as a list: --scores 0,1,2,5")
        );
    };
    let dimension =
        release.domain.schema.position(name).ok_or_else(|| Problem::bad(format!("there is no dimension `{name}`")))?;
    let values = &release.domain.schema.dimensions[dimension].values;
    let labels: Vec<String> = (0..values.len()).map(|code| values.label(code)).collect();
    reading::scores(Path::new(text), name, &labels)
}

/// Scores beyond that would not be exact in machine numbers.
const LARGEST_SCORE: u64 = 1_000_000_000;
