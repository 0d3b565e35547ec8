//! Which structural zero a row falls into: the rule, never the cell.

use declare::{Comparison, Expression, Literal, Schema, Values};

/// The position of the first rule that holds for the cell with these codes.
pub(crate) fn broken_rule(rules: &[Expression], schema: &Schema, codes: &[usize]) -> Option<usize> {
    rules.iter().position(|rule| holds(rule, schema, codes))
}

fn holds(expression: &Expression, schema: &Schema, codes: &[usize]) -> bool {
    match expression {
        Expression::Compare { name, op, value } => compare(schema, codes, name, *op, value),
        Expression::In { name, values } => values
            .iter()
            .any(|value| compare(schema, codes, name, Comparison::Equal, value)),
        Expression::And(left, right) => holds(left, schema, codes) && holds(right, schema, codes),
        Expression::Or(left, right) => holds(left, schema, codes) || holds(right, schema, codes),
        Expression::Not(inner) => !holds(inner, schema, codes),
    }
}

fn compare(schema: &Schema, codes: &[usize], name: &str, op: Comparison, value: &Literal) -> bool {
    let Some((position, level)) = schema.resolve(name) else {
        return false;
    };
    let code = codes[position];
    let values = &schema.dimensions[position].values;
    // A bin is known by its first number: the declaration allows comparisons only at the edges.
    let ordered = match values {
        Values::Integers { first, .. } => Some(first + code as i64),
        Values::Bins { edges, .. } => edges.get(code).copied(),
        Values::List(_) | Values::Hierarchy(_) => None,
    };
    if let (Some(number), Literal::Integer(other)) = (ordered, value) {
        return match op {
            Comparison::Equal => number == *other,
            Comparison::NotEqual => number != *other,
            Comparison::Less => number < *other,
            Comparison::LessOrEqual => number <= *other,
            Comparison::Greater => number > *other,
            Comparison::GreaterOrEqual => number >= *other,
        };
    }
    let label = match (values, level) {
        (Values::Hierarchy(levels), Some(level)) => {
            levels.labels[level][levels.codes[level][code] as usize].clone()
        }
        _ => values.label(code),
    };
    let equal = match value {
        Literal::Text(text) => label == *text,
        Literal::Integer(integer) => label == integer.to_string(),
    };
    equal == (op == Comparison::Equal)
}

/// An expression as it is written in a spec.
pub(crate) fn wording(expression: &Expression) -> String {
    match expression {
        Expression::Compare { name, op, value } => {
            format!("{name} {} {}", operator(*op), literal(value))
        }
        Expression::In { name, values } => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("{name} in ({})", values.join(", "))
        }
        Expression::And(left, right) => format!("{} and {}", inner(left), inner(right)),
        Expression::Or(left, right) => format!("{} or {}", inner(left), inner(right)),
        Expression::Not(negated) => format!("not {}", inner(negated)),
    }
}

fn inner(expression: &Expression) -> String {
    match expression {
        Expression::Compare { .. } | Expression::In { .. } => wording(expression),
        _ => format!("({})", wording(expression)),
    }
}

fn operator(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Literal::Integer(integer) => integer.to_string(),
    }
}
