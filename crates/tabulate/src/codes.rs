//! `Codes`: from a field of the file to the code of a declared value, and what to say when there is
//! none.

use crate::entries::{MISSING, OUTSIDE, UNCLEAR, WholeCodes, flagged};
use crate::fault::{Fault, quoted};
use declare::{Dimension, Field, FieldReader, Holds, Levels, Number, Values, nearest};
use std::fmt::Display;
use std::sync::OnceLock;

/// The lookup of one dimension.
pub(crate) struct Codes<'a> {
    dimension: &'a Dimension,
    reader: FieldReader<'a>,
    /// By how many combinations one step of a code moves.
    pub stride: u64,
    whole: OnceLock<WholeCodes>,
}

impl<'a> Codes<'a> {
    /// The lookup of a dimension with this stride.
    pub fn new(dimension: &'a Dimension, stride: u64) -> Self {
        Codes { dimension, reader: dimension.reader(), stride, whole: OnceLock::new() }
    }

    /// What the field is.
    pub fn read(&self, field: &str) -> Field {
        self.reader.read(field)
    }

    /// The code of the declared value that the field holds.
    fn code(&self, field: &str) -> Option<usize> {
        match self.read(field) {
            Field::Code(code) => Some(code),
            Field::Missing | Field::Outside => None,
        }
    }

    /// Whether numbers and missing values are read as the values alone say: nothing is recoded,
    /// unknown or bounded.
    pub fn is_of_values(&self) -> bool {
        let cleaning = &self.dimension.cleaning;
        cleaning.recode.is_empty()
            && cleaning.unknown.is_none()
            && cleaning.below.is_none()
            && cleaning.holds == Holds::Values
    }

    /// The lookup of whole numbers, made when it is first needed.
    pub fn whole(&self) -> &WholeCodes {
        self.whole.get_or_init(|| WholeCodes::new(&self.dimension.values, |label| self.code(label), self.stride))
    }

    /// The entry of a text.
    pub fn entry_of_text(&self, bytes: &[u8]) -> u64 {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return flagged(UNCLEAR);
        };
        match self.read(text) {
            Field::Code(code) => code as u64 * self.stride,
            Field::Missing => flagged(MISSING),
            Field::Outside => flagged(OUTSIDE),
        }
    }

    /// The entry of a real number; numbers below `exact` in magnitude are whole exactly when their
    /// text is.
    pub fn entry_of_real<T: Copy + Display + Into<f64>>(&self, number: T, exact: f64) -> u64 {
        let value: f64 = number.into();
        if value.is_nan() {
            return flagged(MISSING);
        }
        let floor = value.floor();
        let by_text = || self.entry_of_text(number.to_string().as_bytes());
        if value.abs() >= exact || (value == 0.0 && value.is_sign_negative()) {
            return by_text();
        }
        match &self.dimension.values {
            Values::Integers { .. } if floor < value => flagged(OUTSIDE),
            // In which bin a number is, its floor decides: edges are whole.
            Values::Integers { .. } | Values::Bins { .. } => self.whole().entry(floor as i64),
            _ if floor < value => by_text(),
            _ => self.whole().entry(floor as i64),
        }
    }

    /// What to tell the curator about a field that has no code.
    pub fn fault(&self, field: &str) -> Box<Fault> {
        let (found, name) = (quoted(field), &self.dimension.name);
        let dates = matches!(self.dimension.cleaning.holds, Holds::Dates { .. });
        let (message, label, suggestion) = match &self.dimension.values {
            _ if dates => (
                format!("{found} is no date of the declared periods of `{name}`"),
                "not a date, or another period",
                Some("`date_format` in [data] says how dates are written;".to_owned()),
            ),
            Values::List(labels)
            | Values::Hierarchy(Levels { keys: labels, .. })
            | Values::Measures { columns: labels, .. } => (
                format!("{found} is not a declared value of `{name}`"),
                "not in the declared domain",
                self.label_meant(field, labels),
            ),
            values => {
                let (message, label) = match (Number::read(field), values) {
                    (None, _) => (format!("{found} is not a number, but `{name}` is numeric"), "not a number"),
                    (Some(number), Values::Integers { .. }) if number.fractional => (
                        format!("{found} is not a whole number, but `{name}` is declared as integers"),
                        "not a whole number",
                    ),
                    _ => (format!("{found} is outside the declared domain of `{name}`"), "outside the declared domain"),
                };
                (message, label, None)
            }
        };
        let suggestion = suggestion.unwrap_or_else(|| format!("`{name}` declares {};", self.declared()));
        Fault::new(message, label).hint(format!(
            "{suggestion} `unknown` or `recode` of `{name}` can count such rows, `outside = \"drop\"` in [data] leaves them out"
        ))
    }

    fn label_meant(&self, field: &str, labels: &[String]) -> Option<String> {
        let trimmed = field.trim_ascii();
        if self.code(trimmed).is_some() {
            return Some(format!(
                "the declared value {} has no spaces around it: `trim = true` in [data] ignores them;",
                quoted(trimmed)
            ));
        }
        if let Some(label) = labels.iter().find(|label| label.to_lowercase() == field.trim().to_lowercase()) {
            return Some(format!("`{label}` is declared: `case = \"ignore\"` in [data] ignores capitals;"));
        }
        nearest(field, labels.iter().map(String::as_str)).map(|label| format!("did you mean `{label}`?"))
    }

    fn declared(&self) -> String {
        const SHOWN: usize = 6;
        let values = &self.dimension.values;
        match values {
            Values::Integers { first, last } => format!("the integers from {first} to {last}"),
            Values::Bins { edges, open } => match (edges.as_slice(), self.dimension.cleaning.below) {
                ([first, ..], Some(below)) => format!("numbers from {first} to below {below}"),
                ([first, ..], None) if *open => format!("numbers from {first} up"),
                ([first, .., last], _) => format!("numbers from {first} to below {last}"),
                _ => "no values".to_owned(),
            },
            Values::List(_) | Values::Hierarchy(_) | Values::Measures { .. } => {
                let shown: Vec<String> =
                    (0..values.len().min(SHOWN)).map(|code| format!("`{}`", values.label(code))).collect();
                let more = values.len().saturating_sub(SHOWN);
                let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{rest}", shown.join(", "))
            }
        }
    }
}
