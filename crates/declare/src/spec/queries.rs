//! The `[[mechanism.query]]` sections: noise on sums of cells instead of the cells.

use super::keys;
use super::mechanism::check_range;
use super::reader::Section;
use super::refusals::Refusals;
use super::{dimensions, predicates};
use crate::declaration::{Method, Noise, Part, Query, Strength};
use crate::problem::Problem;
use crate::schema::Schema;
use exact::Rational;

/// The most queries: each is compared with each, and holds a number for every cell.
const MOST_QUERIES: usize = 100;

/// The queries, each with its section.
pub(super) fn read<'a>(
    section: &Section<'a>,
    noise: Noise,
    schema: &Schema,
) -> Result<Vec<(Query, Section<'a>)>, Problem> {
    let sections = section.sections("query", "[[mechanism.query]]", MOST_QUERIES, "queries", None)?;
    let mut queries: Vec<(Query, Section)> = Vec::with_capacity(sections.len());
    for section in sections {
        let query = query(&section, noise, schema)?;
        for (other, _) in &queries {
            if std::mem::discriminant(&other.part) != std::mem::discriminant(&query.part) {
                let key = if matches!(query.part, Part::Epsilon(_)) { "epsilon" } else { "share" };
                let message = "some queries have an `epsilon`, others a `share`";
                return Err(section.bad_key(key, message, "the other way").hint("say it the same way in all of them"));
            }
            if same(other, &query) {
                return Err(section
                    .bad("this query has the sums of an earlier one", "the second time")
                    .hint("write one query with the strength of both"));
            }
        }
        queries.push((query, section));
    }
    Ok(queries)
}

fn query(section: &Section, noise: Noise, schema: &Schema) -> Result<Query, Problem> {
    section.only(&keys::QUERY)?;
    let by = section.need("by", "name dimensions or levels: by = [\"county\"]; by = [] is the grand total")?;
    let by = dimensions::names(&by, schema)?;
    let filter = predicates::filter(section, schema)?;
    let part = match (section.get("epsilon"), section.get("share")) {
        (Some(_), Some(_)) => {
            let message = "both `epsilon` and `share` are given";
            return Err(section.bad_key("share", message, "the second strength"));
        }
        (Some(_), None) if noise.takes_rho => {
            let message = "the mechanism has `rho`, so a query takes a `share` of it";
            return Err(section.bad_key("epsilon", message, "the wrong strength"));
        }
        (Some(epsilon), None) => {
            let value = epsilon.positive()?;
            check_range(&epsilon, "epsilon", &value)?;
            Part::Epsilon(value)
        }
        (None, None) => {
            return Err(section
                .bad("a query has no strength", "needs `epsilon` or `share`")
                .hint("write epsilon = \"1/2\", or share = \"1/3\" of the mechanism's epsilon"));
        }
        (None, Some(share)) => {
            let value = share.positive()?;
            if value > Rational::from(1) {
                return Err(share.bad("`share` must be at most 1", "more than everything"));
            }
            Part::Share(value)
        }
    };
    Ok(Query { by, filter, part })
}

/// Whether two queries say the same sums, up to the order of `by`.
fn same(left: &Query, right: &Query) -> bool {
    let sorted = |query: &Query| {
        let mut by = query.by.clone();
        by.sort_unstable();
        by
    };
    left.filter == right.filter && sorted(left) == sorted(right)
}

/// The strength of the mechanism when the queries have an ε of their own: their sum, which
/// [mechanism] must not repeat.
pub(super) fn own_strength(section: &Section, queries: &[(Query, Section<'_>)]) -> Result<Option<Strength>, Problem> {
    let mut sum: Option<Rational> = None;
    for (query, _) in queries {
        if let Part::Epsilon(epsilon) = &query.part {
            sum = Some(sum.map_or_else(|| epsilon.clone(), |sum| &sum + epsilon));
        }
    }
    if sum.is_some() && section.get("epsilon").is_some() {
        let message = "the queries have an `epsilon` of their own, so [mechanism] must not have one";
        return Err(section
            .bad_key("epsilon", message, "one strength too many")
            .hint("leave it out, or give every query a `share` of it"));
    }
    Ok(sum.map(Strength::Epsilon))
}

/// Checks the shares against the strength of the mechanism, and refuses what queries do not go
/// with.
pub(super) fn check(
    queries: &[(Query, Section<'_>)],
    noise: Noise,
    method: Method,
    strength: &Strength,
    refusals: &mut Refusals,
) -> Result<(), Problem> {
    let (Strength::Epsilon(whole) | Strength::Rho(whole)) = strength;
    let mut shares = Rational::from(0);
    for (query, section) in queries {
        let Part::Share(share) = &query.part else { continue };
        shares = &shares + share;
        let Some(node) = section.get("share") else { continue };
        if shares > Rational::from(1) {
            return Err(node
                .bad("the shares of the queries add up to more than 1", "more than everything")
                .hint("they divide the strength of [mechanism] among the queries"));
        }
        let key = if noise.takes_rho { "share × rho" } else { "share × epsilon" };
        check_range(&node, key, &(share * whole))?;
    }
    let Some((_, section)) = queries.first() else { return Ok(()) };
    if method == Method::Cascade {
        return match shares == Rational::from(1) {
            true => Ok(()),
            false => Err(section
                .bad(format!("the shares of the queries add up to {shares}, not to 1"), "the first")
                .hint("a cascade divides all of `rho` among its levels; give the rest to the finest one")),
        };
    }
    let mut refuse = |problem: Problem, label: &str| refusals.add(section.source, section.span.clone(), problem, label);
    if !noise.is_product {
        let message = format!("`{}` noise is one norm over all cells: it cannot sit on queries", noise.name);
        let hint = "use double-geometric noise on queries, or leave them out";
        refuse(Problem::refused(message).hint(hint), "noise on sums");
    } else if noise != Noise::DOUBLE_GEOMETRIC {
        let what = format!("`{}` noise on queries ([[mechanism.query]])", noise.name);
        let hint = "use double-geometric noise, or leave the queries out";
        refuse(Problem::not_yet(what).hint(hint), "not yet supported");
    } else if method == Method::Unconstrained {
        let message = "queries need a method that makes one table of them, not \"unconstrained\"";
        let hint = "condition, project and topdown do; or leave the queries out";
        refuse(Problem::refused(message).hint(hint), "noise on sums");
    }
    Ok(())
}
