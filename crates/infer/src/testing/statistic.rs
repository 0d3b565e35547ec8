//! `Statistic`: one number of a released table; large values speak against the hypothesis.
//!
//! Every statistic here is a fixed function of the released table and of public numbers, so that
//! the release and fresh releases under the hypothesis are exchangeable whatever its rounding is:
//! the rounding is part of the function. Values are cut to 40 bits, so that tables whose statistics
//! are equal on paper are ties.

use super::hypothesis::{Hypothesis, Layout};
use super::under::Under;
use crate::energy::{energy, log_base_of_table};
use crate::field::Field;
use crate::likelihood::likelihood;
use crate::pick::stream;
use crate::query::Query;
use crate::release::Release;
use declare::{Grouping, NO_GROUP, Problem};
use rayon::prelude::*;

/// What is computed from a release.
#[derive(Debug, Clone, PartialEq)]
pub enum Statistic {
    /// Σ (count − expected)²/expected, with what the hypothesis expects.
    Pearson,
    /// Minus the logarithm of the probability of the release under the hypothesis, all true tables
    /// taken together.
    LikelihoodRatio,
    /// Cochran, Mantel and Haenszel: differences from what is expected, added up over strata, by
    /// their covariance.
    Mantel,
    /// The squared association of scores, by its variance.
    Trend {
        /// One score for every row; none: 0, 1, 2, …
        rows: Option<Vec<i64>>,
        /// One for every column.
        columns: Option<Vec<i64>>,
    },
    /// The value of a query.
    Query(Query),
}

impl Statistic {
    /// The word for scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Statistic::Pearson => "pearson",
            Statistic::LikelihoodRatio => "likelihood-ratio",
            Statistic::Mantel => "mantel-haenszel",
            Statistic::Trend { .. } => "trend",
            Statistic::Query(_) => "query",
        }
    }
}

/// A statistic with the public numbers that it needs.
pub(crate) enum Ready<'a> {
    Pearson {
        expected: Vec<f64>,
        freedom: f64,
    },
    /// Expected counts from the released table itself, where margins are not exact.
    Fitted {
        hypothesis: &'a Hypothesis,
        freedom: f64,
    },
    Mantel {
        layout: &'a Layout,
        expected: Vec<f64>,
        inverse: Vec<f64>,
        freedom: f64,
    },
    Linear {
        weights: Vec<f64>,
        expected: f64,
        variance: f64,
    },
    Query(&'a Query),
    Marginal {
        release: &'a Release,
        tables: Vec<Vec<i64>>,
        logs: Vec<f64>,
    },
}

/// Tables under the hypothesis that the marginal likelihood is the mean over, without bounds and
/// with them.
const TABLES: [u64; 2] = [1000, 100];

impl<'a> Ready<'a> {
    /// Prepares a statistic. `exact`: the margins of the hypothesis are those of the true table.
    ///
    /// # Errors
    /// Bad when it does not fit the hypothesis; refused when what it needs cannot be computed.
    pub(crate) fn new(
        release: &'a Release,
        field: &Field,
        hypothesis: &'a Hypothesis,
        statistic: &'a Statistic,
        under: &Under,
        exact: bool,
        seed: u64,
    ) -> Result<Ready<'a>, Problem> {
        let expected = || {
            let totals =
                |margin: &Grouping| margin.totals(&release.values).into_iter().map(|total| total as f64).collect();
            fit(hypothesis, &hypothesis.margins.iter().map(totals).collect::<Vec<Vec<f64>>>(), release.values.len())
        };
        let needs_layout = || {
            hypothesis.layout.as_ref().filter(|_| exact).ok_or_else(|| {
                let why = match exact {
                    true => "it has none",
                    false => "they are not exact in the release",
                };
                Problem::bad(format!(
                    "the statistic `{}` is one of the exact margins of rows and columns: {why}",
                    statistic.name()
                ))
                .hint("--statistic pearson")
            })
        };
        match statistic {
            Statistic::Pearson => {
                let freedom = (release.values.len() - hypothesis.rank()?) as f64;
                Ok(match exact {
                    true => Ready::Pearson { expected: expected(), freedom },
                    false => Ready::Fitted { hypothesis, freedom },
                })
            }
            Statistic::Query(query) => Ok(Ready::Query(query)),
            Statistic::Mantel => mantel(needs_layout()?, expected(), &release.values),
            Statistic::Trend { rows, columns } => {
                let layout = needs_layout()?;
                trend(layout, expected(), &release.values, rows.as_deref(), columns.as_deref())
            }
            Statistic::LikelihoodRatio => marginal(release, field, under, seed),
        }
    }

    /// Its value in a released table.
    pub(crate) fn value(&self, table: &[i64]) -> f64 {
        let pearson = |expected: &[f64]| {
            let cells = table.iter().zip(expected).filter(|(_, expected)| **expected > 0.0);
            cells.map(|(count, expected)| (*count as f64 - expected).powi(2) / expected).sum::<f64>()
        };
        cut(match self {
            Ready::Pearson { expected, .. } => pearson(expected),
            Ready::Fitted { hypothesis, .. } => {
                let raised: Vec<f64> = table.iter().map(|count| (*count as f64).max(0.5)).collect();
                pearson(&fitted(hypothesis, &raised))
            }
            Ready::Mantel { layout, expected, inverse, .. } => {
                let apart = differences(layout, table, expected);
                let size = apart.len();
                let row = |i: usize| (0..size).map(|j| inverse[i * size + j] * apart[j]).sum::<f64>();
                (0..size).map(|i| apart[i] * row(i)).sum()
            }
            Ready::Linear { weights, expected, variance } => {
                let sum: f64 = table.iter().zip(weights).map(|(count, weight)| *count as f64 * weight).sum();
                (sum - expected).powi(2) / variance
            }
            Ready::Query(query) => query.value(table) as f64,
            Ready::Marginal { release, tables, logs } => {
                let terms: Vec<f64> = match release.plan.cascade() {
                    Some(cascade) => {
                        let log = |truth: &Vec<i64>| cascade.log_likelihood(truth, table).unwrap_or(f64::NEG_INFINITY);
                        tables.iter().map(log).collect()
                    }
                    None => {
                        let base = log_base_of_table(release, table);
                        tables.iter().zip(logs).map(|(truth, log)| base + log - energy(release, table, truth)).collect()
                    }
                };
                let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let mean = terms.iter().map(|term| (term - largest).exp()).sum::<f64>() / terms.len() as f64;
                -(largest + mean.ln())
            }
        })
    }

    /// The degrees of freedom of the chi-square law that it would have without noise, and many
    /// counts.
    pub(crate) fn freedom(&self) -> Option<f64> {
        match self {
            Ready::Pearson { freedom, .. } | Ready::Fitted { freedom, .. } | Ready::Mantel { freedom, .. } => {
                Some(*freedom)
            }
            Ready::Linear { .. } => Some(1.0),
            Ready::Query(_) | Ready::Marginal { .. } => None,
        }
    }
}

/// Cut to 40 bits: what is equal on paper becomes equal here.
fn cut(value: f64) -> f64 {
    let bits = value.to_bits();
    f64::from_bits((bits + (1 << 11)) & !((1 << 12) - 1))
}

fn sums(margin: &Grouping, table: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; margin.groups()];
    for (group, value) in margin.group_of.iter().zip(table).filter(|(group, _)| **group != NO_GROUP) {
        sums[*group as usize] += value;
    }
    sums
}

/// A hypothesis fitted to a table of numbers that are not negative.
pub(super) fn fitted(hypothesis: &Hypothesis, table: &[f64]) -> Vec<f64> {
    let totals: Vec<Vec<f64>> = hypothesis.margins.iter().map(|margin| sums(margin, table)).collect();
    fit(hypothesis, &totals, table.len())
}

/// What a log-linear hypothesis expects of cells, given sums: iterative proportional fitting from
/// the weights.
fn fit(hypothesis: &Hypothesis, totals: &[Vec<f64>], cells: usize) -> Vec<f64> {
    let mut expected: Vec<f64> = match &hypothesis.weights {
        Some(weights) => weights.iter().map(|weight| *weight as f64).collect(),
        None => vec![1.0; cells],
    };
    for _ in 0..500 {
        let mut change = 0.0f64;
        for (margin, totals) in hypothesis.margins.iter().zip(totals) {
            let factor = |(own, total): (f64, &f64)| if own > 0.0 { total.max(0.0) / own } else { 0.0 };
            let factors: Vec<f64> = sums(margin, &expected).into_iter().zip(totals).map(factor).collect();
            change = factors.iter().filter(|factor| **factor > 0.0).fold(change, |most, f| most.max((f - 1.0).abs()));
            for (value, group) in expected.iter_mut().zip(&margin.group_of) {
                *value *= factors[*group as usize];
            }
        }
        if change < 1e-12 {
            break;
        }
    }
    expected
}

/// The sums of every stratum, row and column of a table whose margins are exact.
fn totals_of(layout: &Layout, table: &[i64]) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let empty = (0.0, vec![0.0; layout.rows.len()], vec![0.0; layout.columns.len()]);
    let mut totals = vec![empty; layout.strata.len()];
    for ([stratum, row, column], count) in layout.places.iter().zip(table) {
        let (all, rows, columns) = &mut totals[*stratum as usize];
        *all += *count as f64;
        rows[*row as usize] += *count as f64;
        columns[*column as usize] += *count as f64;
    }
    totals
}

/// Counts minus expected, added up over strata; without the last row and column.
fn differences(layout: &Layout, table: &[i64], expected: &[f64]) -> Vec<f64> {
    let (rows, columns) = (layout.rows.len() - 1, layout.columns.len() - 1);
    let mut apart = vec![0.0; rows * columns];
    for ((place, count), expected) in layout.places.iter().zip(table).zip(expected) {
        let (row, column) = (place[1] as usize, place[2] as usize);
        if row < rows && column < columns {
            apart[row * columns + column] += *count as f64 - expected;
        }
    }
    apart
}

fn needs_full(layout: &Layout) -> Result<(), Problem> {
    match layout.is_full() {
        true => Ok(()),
        false => Err(Problem::bad(
            "some combinations of rows and columns are structural zeros: the variances of this statistic are not known",
        )
        .hint("--statistic pearson")),
    }
}

fn mantel<'a>(layout: &'a Layout, expected: Vec<f64>, table: &[i64]) -> Result<Ready<'a>, Problem> {
    needs_full(layout)?;
    let (rows, columns) = (layout.rows.len() - 1, layout.columns.len() - 1);
    let size = rows * columns;
    let mut covariance = vec![0.0; size * size];
    for (all, of_rows, of_columns) in totals_of(layout, table).into_iter().filter(|(all, ..)| *all > 1.0) {
        let one = |totals: &[f64], i: usize, j: usize| totals[i] * (if i == j { all } else { 0.0 } - totals[j]);
        for i in 0..size {
            for j in 0..size {
                covariance[i * size + j] += one(&of_rows, i / columns, j / columns)
                    * one(&of_columns, i % columns, j % columns)
                    / (all * all * (all - 1.0));
            }
        }
    }
    let (inverse, rank) = inverse(covariance, size);
    if rank == 0 {
        return Err(nothing_to_compare());
    }
    Ok(Ready::Mantel { layout, expected, inverse, freedom: rank as f64 })
}

fn nothing_to_compare() -> Problem {
    Problem::refused("all strata are empty, or have one row or one column alone: nothing is left to compare")
        .hint("the exact margins already tell every such count")
}

/// A generalised inverse of a covariance, and its rank: rows and columns that depend on earlier
/// ones are left out.
fn inverse(mut matrix: Vec<f64>, size: usize) -> (Vec<f64>, usize) {
    let diagonal: Vec<f64> = (0..size).map(|i| matrix[i * size + i]).collect();
    let mut used = vec![false; size];
    // Sweeps: after one, the rows and columns that were swept hold minus the inverse.
    for k in 0..size {
        let pivot = matrix[k * size + k];
        if pivot <= 1e-9 * diagonal[k] || pivot <= 0.0 {
            continue;
        }
        used[k] = true;
        for i in (0..size).filter(|i| *i != k) {
            for j in (0..size).filter(|j| *j != k) {
                matrix[i * size + j] -= matrix[i * size + k] * matrix[k * size + j] / pivot;
            }
        }
        for i in (0..size).filter(|i| *i != k) {
            matrix[i * size + k] /= pivot;
            matrix[k * size + i] /= pivot;
        }
        matrix[k * size + k] = -1.0 / pivot;
    }
    let entry = |place: usize| if used[place / size] && used[place % size] { -matrix[place] } else { 0.0 };
    ((0..size * size).map(entry).collect(), used.iter().filter(|used| **used).count())
}

fn trend<'a>(
    layout: &Layout,
    expected: Vec<f64>,
    table: &[i64],
    rows: Option<&[i64]>,
    columns: Option<&[i64]>,
) -> Result<Ready<'a>, Problem> {
    needs_full(layout)?;
    let scores = |given: Option<&[i64]>, names: &[String], what: &str| -> Result<Vec<f64>, Problem> {
        let scores: Vec<f64> = match given {
            None => (0..names.len()).map(|place| place as f64).collect(),
            Some(scores) => scores.iter().map(|score| *score as f64).collect(),
        };
        if scores.len() != names.len() {
            return Err(Problem::bad(format!("{} scores are given for {} {what}", scores.len(), names.len()))
                .hint(format!("one for each of: {}", names.join("; "))));
        }
        if scores.iter().all(|score| *score == scores[0]) {
            return Err(Problem::bad(format!("all scores of the {what} are the same: there is no trend along them")));
        }
        Ok(scores)
    };
    let (u, v) = (scores(rows, &layout.rows, "rows")?, scores(columns, &layout.columns, "columns")?);
    let weights: Vec<f64> =
        layout.places.iter().map(|[_, row, column]| u[*row as usize] * v[*column as usize]).collect();
    let mean = expected.iter().zip(&weights).map(|(expected, weight)| expected * weight).sum();
    let spread = |totals: &[f64], scores: &[f64], all: f64| {
        let power = |p: i32| totals.iter().zip(scores).map(|(total, score)| total * score.powi(p)).sum::<f64>();
        power(2) - power(1).powi(2) / all
    };
    let strata = totals_of(layout, table).into_iter().filter(|(all, ..)| *all > 1.0);
    let variance: f64 = strata
        .map(|(all, of_rows, of_columns)| spread(&of_rows, &u, all) * spread(&of_columns, &v, all) / (all - 1.0))
        .sum();
    if variance <= 0.0 {
        return Err(nothing_to_compare());
    }
    Ok(Ready::Linear { weights, expected: mean, variance })
}

/// The marginal likelihood as a mean over tables that are drawn once: the same ones for the release
/// and for all fresh releases.
fn marginal<'a>(release: &'a Release, field: &Field, under: &Under, seed: u64) -> Result<Ready<'a>, Problem> {
    let bounded = !release.is_free();
    let count = TABLES[usize::from(bounded)];
    let drawn = (0..count).map(|table| under.draw(&mut stream(seed ^ 0x11e1, table)?));
    let tables: Vec<Vec<i64>> = drawn.collect::<Result<_, Problem>>()?;
    let base = log_base_of_table(release, &release.values);
    // −ln Z(x), which is the same for all where nothing binds the release, and part of the
    // likelihood of a cascade.
    let log = |table: &Vec<i64>| match bounded && release.plan.cascade().is_none() {
        false => Ok(0.0),
        true => {
            let found = likelihood(release, field, table)?.value();
            Ok(found.map_or(f64::NEG_INFINITY, |log| log - base + energy(release, &release.values, table)))
        }
    };
    let logs = tables.par_iter().map(log).collect::<Result<_, Problem>>()?;
    Ok(Ready::Marginal { release, tables, logs })
}
