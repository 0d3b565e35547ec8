//! The `[constraints]` section: bounds, structural zeros and rules.

use super::keys;
use super::reader::{Content, Node, Section};
use super::{dimensions, predicates};
use crate::declaration::{Constraints, Relation, Rule, Side};
use crate::problem::Problem;
use crate::rules;
use crate::schema::Schema;
use exact::Rational;
use toml_edit::Value;

/// The most rules: each holds a number for every cell.
const MOST_RULES: usize = 1000;

pub(super) fn read(root: &Section, schema: &Schema) -> Result<Constraints, Problem> {
    let Some(node) = root.get("constraints") else {
        return Ok(Constraints { nonnegative: true, zero: Vec::new(), rules: Vec::new() });
    };
    let section = node.section("[constraints]")?;
    section.only(&keys::CONSTRAINTS)?;
    let nonnegative = section.get("nonnegative").map_or(Ok(true), |node| node.flag())?;
    let zero = predicates::listed(&section, "zero", schema)?;
    let hint = Some("one rule with `by` holds for every combination of values");
    let rules = section.sections("rule", "[[constraints.rule]]", MOST_RULES, "rules", hint)?;
    let rules = rules.iter().map(|section| rule(section, schema)).collect::<Result<_, _>>()?;
    Ok(Constraints { nonnegative, zero, rules })
}

fn rule(section: &Section, schema: &Schema) -> Result<Rule, Problem> {
    section.only(&keys::RULE)?;
    let by = section.get("by").map_or(Ok(Vec::new()), |node| dimensions::names(&node, schema))?;
    let left = section.need("left", "say which cells are summed: left = \"measure = 'deaths'\"")?;
    let left = predicates::over_cells(&left, schema)?;
    let op = section.need("op", "one of <=, >=, =")?;
    let relation = op.choice(&Relation::ALL, Relation::name)?;
    let right = section.need("right", "a predicate or a number: right = \"measure = 'cases'\"")?;
    let side = side(&right, schema)?;
    if let Side::Number(number) = &side {
        rules::bound(relation, number).map_err(|message| right.bad(message, "impossible"))?;
    }
    Ok(Rule { by, left, relation, right: side })
}

/// A predicate, or a number in quotes or without.
fn side(node: &Node, schema: &Schema) -> Result<Side, Problem> {
    if let Content::Value(Value::String(text)) = node.content
        && text.value().parse::<Rational>().is_err()
    {
        return Ok(Side::Cells(predicates::over_cells(node, schema)?));
    }
    Ok(Side::Number(node.number()?))
}
