//! `Filter`: the `where` of `[data]` on the raw columns of the file.
//!
//! Labels compare as text by `=`, `!=` and `in`. Integers compare as exact numbers by any operator; a field that is no
//! number differs from every integer, and ordering it is an error. `and` and `or` stop as soon as the answer is known.

use crate::fault::{Fault, quoted};
use crate::number::Number;
use crate::zeros::wording;
use csv::ByteRecord;
use declare::{Comparison, Expression, Literal};

/// A predicate whose names are positions of columns.
pub(crate) enum Filter<'a> {
    Compare {
        column: usize,
        op: Comparison,
        value: &'a Literal,
    },
    In {
        column: usize,
        values: &'a [Literal],
    },
    And(Box<Filter<'a>>, Box<Filter<'a>>),
    Or(Box<Filter<'a>>, Box<Filter<'a>>),
    Not(Box<Filter<'a>>),
}

/// Why a row cannot be judged.
pub(crate) enum Unknown {
    /// The value of this column is missing where a number is needed.
    Missing(usize),
    /// Anything else.
    Fault(Box<Fault>),
}

impl<'a> Filter<'a> {
    /// The filter of an expression, with `position` to find columns.
    pub fn new(
        expression: &'a Expression,
        position: &dyn Fn(&str) -> Result<usize, Box<Fault>>,
    ) -> Result<Self, Box<Fault>> {
        let part = |expression| Filter::new(expression, position).map(Box::new);
        Ok(match expression {
            Expression::Compare {
                op,
                value: Literal::Text(_),
                ..
            } if !matches!(op, Comparison::Equal | Comparison::NotEqual) => {
                let message = format!("`where` in [data] orders a text: {}", wording(expression));
                return Err(Fault::new(message, "the columns of the file")
                    .hint("texts compare by =, != and in; write numbers without quotes"));
            }
            Expression::Compare { name, op, value } => Filter::Compare {
                column: position(name)?,
                op: *op,
                value,
            },
            Expression::In { name, values } => Filter::In {
                column: position(name)?,
                values,
            },
            Expression::And(left, right) => Filter::And(part(left)?, part(right)?),
            Expression::Or(left, right) => Filter::Or(part(left)?, part(right)?),
            Expression::Not(inner) => Filter::Not(part(inner)?),
        })
    }

    /// Whether the row is kept.
    pub fn keeps(&self, record: &ByteRecord) -> Result<bool, Unknown> {
        match self {
            Filter::Compare { column, op, value } => compare(record, *column, *op, value),
            Filter::In { column, values } => {
                for value in *values {
                    if compare(record, *column, Comparison::Equal, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Filter::And(left, right) => Ok(left.keeps(record)? && right.keeps(record)?),
            Filter::Or(left, right) => Ok(left.keeps(record)? || right.keeps(record)?),
            Filter::Not(inner) => Ok(!inner.keeps(record)?),
        }
    }
}

fn compare(
    record: &ByteRecord,
    column: usize,
    op: Comparison,
    value: &Literal,
) -> Result<bool, Unknown> {
    let field = record.get(column).unwrap_or_default();
    match value {
        Literal::Text(text) => Ok((field == text.as_bytes()) == (op == Comparison::Equal)),
        Literal::Integer(_) if field.trim_ascii().is_empty() => Err(Unknown::Missing(column)),
        Literal::Integer(integer) => match (Number::parse(field), op) {
            (Some(number), op) => Ok(number.compare(op, *integer)),
            (None, Comparison::Equal) => Ok(false),
            (None, Comparison::NotEqual) => Ok(true),
            (None, _) => Err(Unknown::Fault(
                Fault::new(
                    format!(
                        "{} is not a number, but `where` in [data] orders it",
                        quoted(field)
                    ),
                    "not a number",
                )
                .at(column)
                .hint("exclude such rows first, for example: column != 'n/a' and column >= 18"),
            )),
        },
    }
}
