//! What goes wrong in a projection, in words: numbers that are none, solvers that give up, fibres
//! without a table.

use analyse::{Feasibility, Fibre, Lattice};
use declare::{Kind, Problem};

/// Beyond this, machine numbers no longer tell neighbouring integers apart.
pub(crate) const LARGEST: i64 = 1 << 52;

/// The largest part of a fibre in which a contradiction is looked for, so that an error does not
/// take longer than an answer.
const MOST_CELLS_EXPLAINED: usize = 2_000;

/// Whether it is a number that integers can be told from.
pub(crate) fn is_number(value: f64) -> bool {
    value.abs() <= LARGEST as f64
}

/// Checks that as many numbers came as are measured, and that each is one.
pub(crate) fn check_measured(measured: &[f64], expected: usize) -> Result<(), Problem> {
    if measured.len() != expected {
        return Err(Problem::bad(format!(
            "{expected} numbers are measured with noise, but {} were given",
            measured.len()
        ))
        .hint("give one per cell if noise is on the cells, then one per noisy row"));
    }
    match measured.iter().position(|value| !is_number(*value)) {
        None => Ok(()),
        Some(place) => Err(Problem::bad(format!(
            "the noisy measurement number {} is not a number between -2^52 and 2^52",
            place + 1
        ))
        .hint("such a number cannot be projected without rounding; look for noise of a scale that was not meant")),
    }
}

/// Checks that one positive weight came for every query.
pub(crate) fn check_weights(weights: &[f64], queries: usize) -> Result<(), Problem> {
    if weights.len() < queries {
        return Err(Problem::bad(format!("there are {queries} noisy queries, but {} weights", weights.len()))
            .hint("give every query the weight 1/variance of its noise"));
    }
    match weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
        None => Ok(()),
        Some(query) => Err(Problem::bad(format!("the weight of query {} is not a positive number", query + 1))
            .hint("the weight of a query is 1/variance of its noise")),
    }
}

/// No table keeps all totals, bounds and rules of this part: why, as far as it is known.
pub(crate) fn infeasible(fibre: &Fibre, names: &[String]) -> Problem {
    impossible(explained(fibre, names))
}

/// A solver found nothing in this part and does not know why: because there is nothing, if exact
/// arithmetic finds that.
pub(crate) fn stopped(fibre: &Fibre, names: &[String], problem: Problem) -> Problem {
    explained(fibre, names).map_or(problem, |witness| impossible(Some(witness)))
}

/// No table keeps all totals, bounds and rules, because of this witness.
pub(crate) fn impossible(witness: Option<String>) -> Problem {
    let because = witness.map_or(String::new(), |witness| format!(": {witness}"));
    Problem::new(Kind::Infeasible, format!("no table keeps all totals, bounds and rules together{because}"))
        .hint("values pinned with `values` or `from` may contradict the bounds or each other")
}

/// The contradiction, if there is one and it is found.
pub(crate) fn explained(fibre: &Fibre, names: &[String]) -> Option<String> {
    if fibre.cells.len() > MOST_CELLS_EXPLAINED {
        return None;
    }
    match fibre.first_table(&Lattice::of_fibre(fibre).ok()?) {
        Feasibility::Impossible(witness) => Some(witness.in_words(fibre, names)),
        Feasibility::Table(_) | Feasibility::NotFound(_) => None,
    }
}

/// A solver ended without an optimum, for this reason.
pub(crate) fn unsolved(what: &str, reason: impl std::fmt::Display) -> Problem {
    Problem::refused(format!("{what} ended without an optimum: {reason}"))
        .hint("nothing was written; declare fewer totals that cross, or draw with conditioning instead of a projection")
}
