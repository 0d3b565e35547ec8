//! The logarithm of the probability of a release, were this the true table: ln b(y) − energy(y − x)
//! − ln Z(x), b a base measure.
//!
//! With equalities alone Z is the same for every table; with bounds it is computed around each
//! (`proofs/posterior.md`). A table with other totals than the release could not have given it: its
//! likelihood is zero, which is told with the reason.

use crate::counted::Counted;
use crate::energy::{energy, log_base_of_table};
use crate::field::Field;
use crate::held::Held;
use crate::norm::OneNorm;
use crate::release::{Known, Release};
use crate::star::{Star, stars_of};
use crate::tree::Tree;
use declare::Problem;

/// What is known of the likelihood of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Likelihood {
    /// The logarithm of the probability of the release.
    Log(f64),
    /// It up to a number that is the same for every table: for comparisons.
    Relative(f64),
    /// It with a normaliser that is estimated: the logarithm and its standard error.
    Estimated(f64, f64),
    /// The release could not have come from this table, for this reason.
    Impossible(String),
}

impl Likelihood {
    /// The logarithm, where there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Likelihood::Log(value) | Likelihood::Relative(value) | Likelihood::Estimated(value, _) => Some(*value),
            Likelihood::Impossible(_) => None,
        }
    }
}

/// The likelihood of a hypothetical true table.
///
/// # Errors
/// Refused when the law of the release is not known; bad when the table has another number of
/// cells.
pub fn likelihood(release: &Release, field: &Field, table: &[i64]) -> Result<Likelihood, Problem> {
    release.check_law()?;
    let conditions = &release.conditions;
    if table.len() != conditions.cells {
        return Err(Problem::bad(format!("the table has {} cells, the release {}", table.len(), conditions.cells)));
    }
    for grouping in release.own_totals() {
        let (own, other) = (grouping.totals(&release.values), grouping.totals(table));
        if let Some(group) = own.iter().zip(&other).position(|(own, other)| own != other) {
            return Ok(Likelihood::Impossible(format!(
                "the release has {} exactly, and for `{}` the table has {}",
                own[group], grouping.names[group], other[group]
            )));
        }
    }
    if let Err(broken) = conditions.check_table(table) {
        return Ok(Likelihood::Impossible(broken.message.replacen("the data break", "the table breaks", 1)));
    }
    if let Some(cascade) = release.plan.cascade() {
        let log = cascade.log_likelihood(table, &release.values)?;
        return Ok(match log == f64::NEG_INFINITY {
            true => Likelihood::Impossible("no split of the cascade leads from this table to the release".into()),
            false => Likelihood::Log(log),
        });
    }
    let base = log_base_of_table(release, &release.values);
    if base == f64::NEG_INFINITY {
        return Ok(Likelihood::Impossible("the base measure of the release gives its counts no weight".into()));
    }
    let weight = base - energy(release, &release.values, table);
    if release.is_free() {
        return Ok(match field.cell_laws()?.log_normaliser {
            Some(log) if matches!(release.known, Known::Free) => Likelihood::Log(weight - log),
            _ => Likelihood::Relative(weight),
        });
    }
    let (mut log, mut variance) = (0.0, None);
    for block in 0..field.blocks.len() {
        if let Some(counted) = Counted::new(field, block) {
            let (found, error) = counted.log_normaliser(field, table, PROPOSALS, block as u64)?;
            log += found;
            variance = Some(variance.unwrap_or(0.0) + error * error);
            continue;
        }
        let sum = |stars: Vec<Star>| stars.iter().map(|star| star.log_normaliser(table)).sum::<Option<f64>>();
        let by_circle = || stars_of(field, block).and_then(sum);
        let by_tree = || Tree::of(field, block).and_then(|tree| tree.log_normaliser(table));
        let by_list = || OneNorm::of(field, block).map(|listed| listed.log_normaliser(table));
        let computed = field.plain(block).is_none().then(|| by_circle().or_else(by_tree).or_else(by_list)).flatten();
        let told = match computed {
            None => field.log_normaliser_around(block, table)?,
            computed => computed,
        };
        log += told.ok_or_else(|| {
            Problem::refused(
                "the operator of the release does not tell Z(x), which depends on the table here: not even a comparison is possible",
            )
        })?;
    }
    Ok(match variance {
        None => Likelihood::Log(weight - log),
        Some(variance) => Likelihood::Estimated(weight - log, variance.sqrt()),
    })
}

/// Proposals that an estimated normaliser is the mean of.
const PROPOSALS: u64 = 20_000;
