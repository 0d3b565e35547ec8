//! The `[[invariant]]` sections: what is exactly true in the release.

use super::predicates;
use super::reader::Section;
use super::refusals::Refusals;
use super::{data, dimensions};
use crate::declaration::Invariant;
use crate::problem::Problem;
use crate::schema::Schema;

const KEYS: [&str; 6] = ["by", "where", "terms", "matrix", "from", "values"];

/// The most invariants: each is compared with each, and holds a number for every cell.
const MOST_INVARIANTS: usize = 1000;

const BY_HINT: &str = "name dimensions or levels: by = [\"county\"]; by = [] is the grand total";

pub(super) fn read(root: &Section, schema: &Schema, refusals: &mut Refusals) -> Result<Vec<Invariant>, Problem> {
    let Some(node) = root.get("invariant") else {
        return Ok(Vec::new());
    };
    let sections = node.sections("[[invariant]]")?;
    if let Some(section) = sections.get(MOST_INVARIANTS) {
        let message = format!("more than {MOST_INVARIANTS} invariants are declared");
        return Err(section
            .source
            .bad(section.span.clone(), message, "one too many")
            .hint("one invariant with `by` keeps a total for every combination of values"));
    }
    sections.iter().map(|section| invariant(section, schema, refusals)).collect()
}

fn invariant(section: &Section, schema: &Schema, refusals: &mut Refusals) -> Result<Invariant, Problem> {
    section.only(&KEYS)?;
    exclude(section, "matrix", &["by", "where", "terms", "from", "values"])?;
    exclude(section, "terms", &["where", "from", "values"])?;
    exclude(section, "from", &["values"])?;
    let general = section.get("terms").is_some() || section.get("matrix").is_some();
    let by = match section.get("by") {
        Some(node) => dimensions::names(&node, schema)?,
        None if general => Vec::new(),
        None => dimensions::names(&section.need("by", BY_HINT)?, schema)?,
    };
    let filter = match section.get("where") {
        Some(node) => Some(predicates::over_cells(&node, schema)?.0),
        None => None,
    };
    terms(section, schema, refusals)?;
    for (key, what, hint) in [
        ("matrix", "an invariant from a file of coefficients (`matrix`)", "write it as totals with `by` and `where`"),
        (
            "from",
            "an invariant pinned to an earlier release (`from`)",
            "leave `from` out: the totals then come from the data",
        ),
        (
            "values",
            "an invariant with public values (`values`)",
            "leave `values` out: the totals then come from the data",
        ),
    ] {
        if let Some(node) = section.get(key) {
            node.nonempty()?;
            if key != "from" {
                data::check_format(&node)?;
            }
            refusals.not_yet(node.source, section.key_span(key), what, hint);
        }
    }
    Ok(Invariant { by, filter })
}

/// A key that does not go with some others.
fn exclude(section: &Section, key: &str, others: &[&str]) -> Result<(), Problem> {
    if section.get(key).is_none() {
        return Ok(());
    }
    match others.iter().find(|other| section.get(other).is_some()) {
        None => Ok(()),
        Some(other) => {
            let message = format!("`{key}` and `{other}` do not go together");
            Err(section.bad_key(other, message, &format!("`{key}` is given too")))
        }
    }
}

fn terms(section: &Section, schema: &Schema, refusals: &mut Refusals) -> Result<(), Problem> {
    let Some(node) = section.get("terms") else {
        return Ok(());
    };
    let terms = node.sections("a term of [[invariant]]")?;
    if terms.is_empty() {
        return Err(node.bad("`terms` has no terms", "empty"));
    }
    for term in &terms {
        term.only(&["where", "times"])?;
        if let Some(node) = term.get("where") {
            predicates::over_cells(&node, schema)?;
        }
        let times = term.need("times", "write its coefficient: times = 1")?;
        if times.number()?.is_zero() {
            return Err(times.bad("a term is taken 0 times", "no effect"));
        }
    }
    refusals.not_yet(
        node.source,
        section.key_span("terms"),
        "a general linear equality (`terms`)",
        "write it as totals with `by` and `where`",
    );
    Ok(())
}
