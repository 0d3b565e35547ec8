//! Predicates over the raw columns of a file: which rows are kept.
//!
//! Text compares letter by letter with `=`, `!=` and `in`. An integer compares as a number, exactly
//! and with any operator: `01` and `1.0` equal 1. A field that is not a number differs from every
//! integer and cannot be ordered; a blank field may stand for any number, so it cannot be compared
//! with an integer at all. A text that is a day, such as `'2024-04-01'`, is ordered as one: the
//! field must be a date in one of the formats of the file, and its day counts.

use super::{Comparison, Expression, Fault, Literal, Name, Positions};
use crate::dates::{DateFormat, Day, read_day};
use crate::number::Number;
use std::cmp::Ordering;
use std::fmt;

/// A predicate bound to the columns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPredicate {
    expression: Bound,
    /// How the file writes dates.
    formats: Vec<DateFormat>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Bound {
    Compare { column: usize, op: Comparison, value: Literal },
    In { column: usize, values: Vec<Literal> },
    And(Box<Bound>, Box<Bound>),
    Or(Box<Bound>, Box<Bound>),
    Not(Box<Bound>),
}

/// A predicate names a column that the file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownColumn {
    /// The name.
    pub name: String,
    /// Which comparison of the predicate names it, from 0, left to right.
    pub comparison: usize,
}

impl fmt::Display for UnknownColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file has no column `{}`", self.name)
    }
}

impl std::error::Error for UnknownColumn {}

/// A field that is not a number was ordered against an integer, one that is no date against a day,
/// or a blank field compared with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotANumber {
    /// The column, from 0.
    pub column: usize,
    /// Whether it was compared with a day.
    pub is_of_day: bool,
}

impl Expression {
    /// The predicate over rows with these columns.
    pub fn bind(&self, columns: &[&str]) -> Result<RowPredicate, UnknownColumn> {
        Ok(RowPredicate { expression: bind(self, columns, &mut 0)?, formats: vec![DateFormat::iso()] })
    }
}

fn bind(expression: &Expression, columns: &[&str], comparisons: &mut usize) -> Result<Bound, UnknownColumn> {
    let column = |name: &str, comparisons: &mut usize| {
        let comparison = *comparisons;
        *comparisons += 1;
        let unknown = || UnknownColumn { name: name.to_string(), comparison };
        columns.iter().position(|column| *column == name).ok_or_else(unknown)
    };
    let boxed = |expression: &Expression, comparisons: &mut usize| bind(expression, columns, comparisons).map(Box::new);
    Ok(match expression {
        Expression::Compare { name, op, value } => {
            Bound::Compare { column: column(name, comparisons)?, op: *op, value: value.clone() }
        }
        Expression::In { name, values } => Bound::In { column: column(name, comparisons)?, values: values.clone() },
        Expression::And(left, right) => Bound::And(boxed(left, comparisons)?, boxed(right, comparisons)?),
        Expression::Or(left, right) => Bound::Or(boxed(left, comparisons)?, boxed(right, comparisons)?),
        Expression::Not(inner) => Bound::Not(boxed(inner, comparisons)?),
    })
}

impl RowPredicate {
    /// Whether the row with these fields satisfies it; `field` gives the field of a column.
    /// Comparisons are made from left to right and only as far as needed.
    pub fn holds<'a>(&self, field: &dyn Fn(usize) -> &'a str) -> Result<bool, NotANumber> {
        self.expression.holds(field, &self.formats)
    }

    /// The predicate on a file that writes dates in these formats.
    pub fn with_dates(self, formats: &[DateFormat]) -> RowPredicate {
        RowPredicate { formats: formats.to_vec(), ..self }
    }
}

impl Bound {
    fn holds<'a>(&self, field: &dyn Fn(usize) -> &'a str, formats: &[DateFormat]) -> Result<bool, NotANumber> {
        match self {
            Bound::Compare { column, op, value } => {
                let is_of_day = matches!(value, Literal::Text(_));
                compare(field(*column), *op, value, formats).ok_or(NotANumber { column: *column, is_of_day })
            }
            Bound::In { column, values } => {
                let field = field(*column);
                let equal = |value| compare(field, Comparison::Equal, value, formats);
                let found = values.iter().any(|value| equal(value) == Some(true));
                // Which value comes first does not matter: one that is equal decides, whatever the
                // others are.
                if !found && values.iter().any(|value| equal(value).is_none()) {
                    return Err(NotANumber { column: *column, is_of_day: false });
                }
                Ok(found)
            }
            Bound::And(left, right) => Ok(left.holds(field, formats)? && right.holds(field, formats)?),
            Bound::Or(left, right) => Ok(left.holds(field, formats)? || right.holds(field, formats)?),
            Bound::Not(inner) => Ok(!inner.holds(field, formats)?),
        }
    }
}

fn compare(field: &str, op: Comparison, value: &Literal, formats: &[DateFormat]) -> Option<bool> {
    match value {
        Literal::Text(text) if op.is_order() => Some(op.accepts(read_day(field, formats)?.cmp(&Day::read(text)?))),
        Literal::Text(text) => Some(op.accepts(field.cmp(text))),
        Literal::Integer(integer) => match Number::read(field) {
            Some(number) => Some(op.accepts(number.compare(*integer))),
            None if field.trim_ascii().is_empty() => None,
            // Any order but equality: the field is no integer at all.
            None => (!op.is_order()).then(|| op.accepts(Ordering::Less)),
        },
    }
}

/// Checks what does not depend on the file: text is not ordered, but for days.
pub(crate) fn check(expression: &Expression, positions: &Positions) -> Result<(), Fault> {
    let Some((comparison, name, op)) = expression.orders_text() else {
        return Ok(());
    };
    let span = positions.get(comparison).map_or(0..0, |p| p.op.clone());
    let message = format!("`{name} {op}` orders text");
    Err(Fault::new(span, message, "needs an integer or a day on its right").hint(format!(
        "compare text with =, != or in; numbers without quotes: {0} {op} 18; days like this: {0} {op} '2024-04-01'",
        Name(name)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(predicate: &str, fields: &[&str]) -> Result<bool, NotANumber> {
        let (expression, _) = super::super::parse(predicate).unwrap();
        expression.bind(&["state", "age"]).unwrap().holds(&|column| fields[column])
    }

    #[test]
    fn numbers_compare_as_numbers_and_text_as_text() {
        assert_eq!(holds("age >= 18", &["x", "018"]), Ok(true));
        assert_eq!(holds("age = 18", &["x", "18.0"]), Ok(true));
        assert_eq!(holds("age = '18'", &["x", "18.0"]), Ok(false));
        assert_eq!(holds("age < 18", &["x", "NA"]), Err(NotANumber { column: 1, is_of_day: false }));
        assert_eq!(holds("age != 18", &["x", "NA"]), Ok(true));
        assert_eq!(holds("age = 18", &["x", " 18 "]), Ok(true));
        assert_eq!(holds("state in ('a', 'x') and age in (1, 2)", &["x", "2"]), Ok(true));
        assert_eq!(holds("state = 'a' and age < 18", &["x", "NA"]), Ok(false));
        assert_eq!(holds("not state = 'a' or age < 18", &["x", "NA"]), Ok(true));
    }

    #[test]
    fn days_are_ordered_as_days() {
        let not_a_day = Err(NotANumber { column: 0, is_of_day: true });
        for (field, expected) in [
            ("2024-04-01", Ok(true)),
            ("2024-04-01T00:00:01", Ok(true)),
            ("2024-03-31 23:59", Ok(false)),
            ("10000-01-01", not_a_day),
            ("4/1/2024", not_a_day),
            ("", not_a_day),
            ("2024-04", not_a_day),
        ] {
            assert_eq!(holds("state >= '2024-04-01'", &[field, "1"]), expected, "{field}");
        }
        let (expression, _) = super::super::parse("state < '2024-04-02' and state > '2024-03-31'").unwrap();
        let formats = ["MM/DD/YYYY", "YYYY-MM-DD"].map(|format| DateFormat::new(format).unwrap());
        let predicate = expression.bind(&["state"]).unwrap().with_dates(&formats);
        assert_eq!(predicate.holds(&|_| "4/1/2024"), Ok(true));
        assert_eq!(predicate.holds(&|_| "2024-04-01"), Ok(true));
        assert_eq!(predicate.holds(&|_| "1/4/2024"), Ok(false));
    }

    #[test]
    fn a_blank_field_is_no_number_to_compare() {
        for predicate in ["age < 18", "age = 18", "age != 18", "age in (1, 2)", "age in ('x', 2)", "not age = 18"] {
            let blank = Err(NotANumber { column: 1, is_of_day: false });
            assert_eq!(holds(predicate, &["x", ""]), blank, "{predicate}");
            assert_eq!(holds(predicate, &["x", " "]), blank, "{predicate}");
        }
        assert_eq!(holds("age = ''", &["x", ""]), Ok(true));
        assert_eq!(holds("age != 'a'", &["x", ""]), Ok(true));
        assert_eq!(holds("age in (2, '')", &["x", ""]), Ok(true));
        assert_eq!(holds("age != '' and age = 2", &["x", ""]), Ok(false));
    }
}
