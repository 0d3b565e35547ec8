//! A second, slow reading of predicates, groups and coefficients, straight from labels.

use declare::{Comparison, Declaration, Expression, Literal, Rule, Schema, Side, Sums, Values};
use std::cmp::Ordering;

/// The codes of all live cells, in cell order.
pub fn live(declared: &Declaration) -> Vec<Vec<usize>> {
    let mut cells = vec![Vec::new()];
    for dimension in &declared.schema.dimensions {
        let size = dimension.values.len();
        cells = cells
            .into_iter()
            .flat_map(|cell: Vec<usize>| (0..size).map(move |code| [cell.clone(), vec![code]].concat()))
            .collect();
    }
    let zeros = &declared.constraints.zero;
    cells.retain(|cell| !zeros.iter().any(|zero| holds(zero, &declared.schema, cell)));
    cells
}

/// What identifies the group of a cell: one text for every name of `by`.
pub fn group(schema: &Schema, by: &[String], cell: &[usize]) -> Vec<String> {
    by.iter().map(|name| path(schema, name, cell)).collect()
}

/// The labels of the group of a cell: of a level, that of its node alone.
pub fn labels(schema: &Schema, by: &[String], cell: &[usize]) -> Vec<String> {
    let label = |name: &String| match (schema.resolve(name).unwrap(), cell) {
        ((dimension, Some(level)), cell) => match &schema.dimensions[dimension].values {
            Values::Hierarchy(levels) => levels.row(cell[dimension])[level].to_string(),
            values => values.label(cell[dimension]),
        },
        ((dimension, None), cell) => schema.dimensions[dimension].values.label(cell[dimension]),
    };
    by.iter().map(label).collect()
}

/// How many times a cell is taken in totals or terms.
pub fn times(schema: &Schema, sums: &Sums, cell: &[usize]) -> i64 {
    let truth = |filter: &Option<Expression>| filter.as_ref().is_none_or(|filter| holds(filter, schema, cell));
    match sums {
        Sums::Cells(filter) => i64::from(truth(filter)),
        Sums::Terms(terms) => terms.iter().map(|term| if truth(&term.filter) { term.times } else { 0 }).sum(),
        Sums::Matrix(_) => panic!("a matrix has rows"),
    }
}

/// How many times a cell is taken on the left of a rule, less on the right.
pub fn rule_times(schema: &Schema, rule: &Rule, cell: &[usize]) -> i64 {
    let right = match &rule.right {
        Side::Cells(right) => holds(right, schema, cell),
        Side::Number(_) => false,
    };
    i64::from(holds(&rule.left, schema, cell)) - i64::from(right)
}

/// Everything that identifies a cell's node under a name: of a level, the labels of the levels
/// above too.
fn path(schema: &Schema, name: &str, cell: &[usize]) -> String {
    let (dimension, level) = schema.resolve(name).unwrap();
    match (&schema.dimensions[dimension].values, level) {
        (Values::Hierarchy(levels), Some(level)) => {
            format!("{:?}", &levels.row(cell[dimension])[..=level])
        }
        (values, _) => values.label(cell[dimension]),
    }
}

/// A field of the data file that means this value.
pub fn field(values: &Values, code: usize) -> String {
    match values {
        Values::Bins { edges, .. } => format!("{}.5", edges[code].max(0)),
        values => values.label(code),
    }
}

fn holds(expression: &Expression, schema: &Schema, cell: &[usize]) -> bool {
    match expression {
        Expression::Compare { name, op, value } => {
            let ordering = compare(schema, name, cell, value);
            match op {
                Comparison::Equal => ordering == Ordering::Equal,
                Comparison::NotEqual => ordering != Ordering::Equal,
                Comparison::Less => ordering == Ordering::Less,
                Comparison::LessOrEqual => ordering != Ordering::Greater,
                Comparison::Greater => ordering == Ordering::Greater,
                Comparison::GreaterOrEqual => ordering != Ordering::Less,
            }
        }
        Expression::In { name, values } => {
            values.iter().any(|value| compare(schema, name, cell, value) == Ordering::Equal)
        }
        Expression::And(left, right) => holds(left, schema, cell) & holds(right, schema, cell),
        Expression::Or(left, right) => holds(left, schema, cell) | holds(right, schema, cell),
        Expression::Not(inner) => !holds(inner, schema, cell),
    }
}

fn compare(schema: &Schema, name: &str, cell: &[usize], value: &Literal) -> Ordering {
    let (dimension, level) = schema.resolve(name).unwrap();
    let code = cell[dimension];
    match (&schema.dimensions[dimension].values, level, value) {
        (Values::Hierarchy(levels), Some(level), Literal::Text(text)) => levels.row(code)[level].cmp(text),
        (Values::Integers { first, .. }, _, Literal::Integer(integer)) => (first + code as i64).cmp(integer),
        // The middle of a bin is on the same side of an edge as the whole bin.
        (Values::Bins { edges, .. }, _, Literal::Integer(edge)) => (2 * edges[code] + 1).cmp(&(2 * edge)),
        (values, _, Literal::Text(text)) => values.label(code).cmp(text),
        (values, _, Literal::Integer(integer)) => values.label(code).cmp(&integer.to_string()),
    }
}
