//! The `[[invariant]]` sections: what is exactly true in the release.
//!
//! ```text
//! by = ["county"], where = "age >= 18"         one total for every combination, over these cells
//! terms = [{ where = "…", times = -1 }]        a linear combination of sums; with `by`, one for every combination
//! matrix = "A.csv"                             rows with the columns row, every dimension, coefficient
//! values = "totals.csv"                        public values: the columns of `by`, and value
//! from = "../2021-05"                          public values: the same sums of an earlier release
//! ```
//!
//! In the canonical spec `matrix` and `values` are written out, `{ rows = [["Alpha", 12]] }`, in
//! the order of these columns.

use super::coefficients;
use super::files::Files;
use super::keys;
use super::predicates;
use super::reader::{Node, Section};
use super::values::Pins;
use super::{dimensions, values};
use crate::invariant::{Invariant, Sums, Term};
use crate::problem::Problem;
use crate::schema::Schema;
use exact::Rational;

/// The most invariants: each is compared with each, and holds a number for every cell.
const MOST_INVARIANTS: usize = 1000;

/// The most terms of one invariant, so that their sums stay small.
const MOST_TERMS: usize = 1000;

/// The largest coefficient: beyond it sums of counts would leave 64 bits.
const LARGEST_TIMES: i64 = 1_000_000_000;

const BY_HINT: &str = "name dimensions or levels: by = [\"county\"]; by = [] is the grand total";

/// The invariants, and the public values of those that have some, to be matched once the live cells
/// are known.
pub(super) fn read<'a>(
    root: &Section<'a>,
    schema: &Schema,
    files: Files<'_>,
) -> Result<(Vec<Invariant>, Vec<Pins<'a>>), Problem> {
    let hint = Some("one invariant with `by` keeps a total for every combination of values");
    let sections = root.sections("invariant", "[[invariant]]", MOST_INVARIANTS, "invariants", hint)?;
    let mut invariants = Vec::with_capacity(sections.len());
    let mut pins = Vec::new();
    for section in &sections {
        let invariant = invariant(section, schema, files)?;
        pins.extend(values::read(section, &invariant, invariants.len(), files)?);
        invariants.push(invariant);
    }
    Ok((invariants, pins))
}

fn invariant(section: &Section, schema: &Schema, files: Files<'_>) -> Result<Invariant, Problem> {
    section.only(&keys::INVARIANT)?;
    exclude(section, "matrix", &["by", "where", "terms", "from", "values"])?;
    exclude(section, "terms", &["where", "from", "values"])?;
    exclude(section, "from", &["values"])?;
    let general = section.get("terms").is_some() || section.get("matrix").is_some();
    let by = match section.get("by") {
        None if general => Vec::new(),
        _ => dimensions::names(&section.need("by", BY_HINT)?, schema)?,
    };
    let sums = match (section.get("terms"), section.get("matrix")) {
        (Some(node), _) => Sums::Terms(terms(&node, schema)?),
        (_, Some(node)) => Sums::Matrix(coefficients::read(&node, schema, files)?),
        _ => Sums::Cells(predicates::filter(section, schema)?),
    };
    Ok(Invariant { by, sums, pinned: None })
}

/// A key that does not go with some others.
fn exclude(section: &Section, key: &str, others: &[&str]) -> Result<(), Problem> {
    match others.iter().find(|other| section.get(key).is_some() && section.get(other).is_some()) {
        None => Ok(()),
        Some(other) => {
            let message = format!("`{key}` and `{other}` do not go together");
            Err(section.bad_key(other, message, &format!("`{key}` is given too")))
        }
    }
}

fn terms(node: &Node, schema: &Schema) -> Result<Vec<Term>, Problem> {
    let sections = node
        .sections("a term of [[invariant]]")
        .map_err(|problem| problem.hint("write terms = [{ where = \"kind = 'home'\", times = -1 }]"))?;
    if sections.is_empty() {
        return Err(node.bad("`terms` has no terms", "empty"));
    }
    if sections.len() > MOST_TERMS {
        return Err(node.bad(format!("`terms` has more than {MOST_TERMS} terms"), "too many"));
    }
    let mut terms = Vec::with_capacity(sections.len());
    for term in &sections {
        term.only(&keys::TERM)?;
        let filter = predicates::filter(term, schema)?;
        let node = term.need("times", "write its coefficient: times = 1")?;
        let times = coefficient(&node.number()?).map_err(|(message, label)| {
            node.bad(format!("`times` {message}"), label)
                .hint("coefficients are whole numbers: multiply or divide all terms")
        })?;
        if times == 0 {
            return Err(node.bad("a term is taken 0 times", "no effect"));
        }
        terms.push(Term { filter, times });
    }
    Ok(terms)
}

/// A coefficient as an integer; else what is wrong with it, as message and label.
pub(super) fn coefficient(number: &Rational) -> Result<i64, (String, &'static str)> {
    if !number.is_integer() {
        return Err((format!("must be a whole number, not {number}"), "not a whole number"));
    }
    let whole = i64::try_from(&number.floor()).ok().filter(|times| times.unsigned_abs() <= LARGEST_TIMES as u64);
    whole.ok_or_else(|| (format!("must be between -{LARGEST_TIMES} and {LARGEST_TIMES}"), "too large"))
}
