//! The `[disclosure]` section: what the invariants alone must not disclose.

use super::keys;
use super::predicates;
use super::reader::Section;
use crate::declaration::Disclosure;
use crate::problem::Problem;
use crate::schema::Schema;

pub(super) fn read(root: &Section, schema: &Schema) -> Result<Disclosure, Problem> {
    let Some(node) = root.get("disclosure") else { return Ok(Disclosure::default()) };
    let section = node.section("[disclosure]")?;
    section.only(&keys::DISCLOSURE)?;
    let sensitive = predicates::listed(&section, "sensitive", schema)?;
    let Some(node) = section.get("within") else { return Ok(Disclosure { sensitive, within: 0 }) };
    let within = u64::try_from(node.integer()?).map_err(|_| node.bad("`within` must not be negative", "below zero"))?;
    if within > 0 && sensitive.is_empty() {
        return Err(node
            .bad("`within` says how closely, but `sensitive` names no cell", "of which cells?")
            .hint("add sensitive = [\"…\"], or leave `within` out"));
    }
    Ok(Disclosure { sensitive, within })
}
