//! The `[constraints]` section: bounds, structural zeros and rules.

use super::reader::{Content, Node, Section};
use super::refusals::Refusals;
use super::{dimensions, predicates};
use crate::declaration::{Constraints, Rule};
use crate::predicate::Expression;
use crate::problem::Problem;
use crate::schema::Schema;
use exact::Rational;
use toml_edit::Value;

const NONNEGATIVE_HINT: &str = "write `nonnegative = false` under [constraints]; released counts \
                                may then be negative";

pub(super) fn read(
    root: &Section,
    mechanism: &Section,
    schema: &Schema,
    refusals: &mut Refusals,
) -> Result<Constraints, Problem> {
    let what = "keeping every released count at or above zero (`nonnegative = true`, the default)";
    let Some(node) = root.get("constraints") else {
        refusals.not_yet(root.source, mechanism.span.clone(), what, NONNEGATIVE_HINT);
        return Ok(Constraints { nonnegative: true, zero: Vec::new(), rules: Vec::new() });
    };
    let section = node.section("[constraints]")?;
    section.only(&["nonnegative", "zero", "rule"])?;
    let nonnegative = section.get("nonnegative");
    let span = nonnegative.as_ref().map_or(section.span.clone(), |node| node.span.clone());
    let nonnegative = nonnegative.map_or(Ok(true), |node| node.flag())?;
    if nonnegative {
        refusals.not_yet(root.source, span, what, NONNEGATIVE_HINT);
    }
    let mut zero = Vec::new();
    if let Some(node) = section.get("zero") {
        for element in node.list()? {
            zero.push(predicates::over_cells(&element, schema)?.0);
        }
    }
    let mut rules = Vec::new();
    if let Some(node) = section.get("rule") {
        for section in node.sections("[[constraints.rule]]")? {
            rules.push(rule(&section, schema)?);
            refusals.not_yet(
                section.source,
                section.span.clone(),
                "a rule between sums of cells ([[constraints.rule]])",
                "leave the rule out, or declare the sums as invariants",
            );
        }
    }
    Ok(Constraints { nonnegative, zero, rules })
}

fn rule(section: &Section, schema: &Schema) -> Result<Rule, Problem> {
    section.only(&["by", "left", "op", "right"])?;
    let by = match section.get("by") {
        Some(node) => dimensions::names(&node, schema)?,
        None => Vec::new(),
    };
    let left = section.need("left", "say which cells are summed: left = \"measure = 'deaths'\"")?;
    let left = predicates::over_cells(&left, schema)?.0;
    let op = section.need("op", "one of <=, >=, =")?;
    let op = op.choice(&["<=", ">=", "="], |word| word)?.to_string();
    let right = section.need("right", "a predicate or a number: right = \"measure = 'cases'\"")?;
    Ok(Rule { by, left, op, right: side(&right, schema)? })
}

/// A predicate, or a number in quotes or without.
fn side(node: &Node, schema: &Schema) -> Result<Result<Expression, Rational>, Problem> {
    if let Content::Value(Value::String(text)) = node.content
        && text.value().parse::<Rational>().is_err()
    {
        return Ok(Ok(predicates::over_cells(node, schema)?.0));
    }
    Ok(Err(node.number()?))
}
