//! `FieldReader`: from a field of the data file, cleaned as declared, to the code of a declared
//! value.

use crate::dates::{DateFormat, Period, read_day};
use crate::number::Number;
use crate::reader::ValueReader;
use crate::schema::{Cleaning, Dimension, Holds, Values};
use std::borrow::Cow;
use std::collections::HashMap;

/// What a field is to a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The value with this code.
    Code(usize),
    /// Not there.
    Missing,
    /// Not a declared value.
    Outside,
}

/// How a field came to be the value that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// As it is written.
    None,
    /// Without the spaces around it, or in other letters.
    Written,
    /// As `recode` says.
    Recoded,
    /// As the unknown value, because it is missing or outside.
    Unknown,
}

impl Dimension {
    /// A reader of fields, to be built once per file.
    pub fn reader(&self) -> FieldReader<'_> {
        FieldReader::new(&self.values, &self.cleaning)
    }
}

/// Finds the code of a field of the data file among the declared values of one dimension.
#[derive(Debug, Clone)]
pub struct FieldReader<'a> {
    values: &'a Values,
    cleaning: &'a Cleaning,
    numeric: bool,
    lookup: Lookup<'a>,
    /// What is recoded, as it is compared.
    recoded: HashMap<String, Field>,
    unknown: Option<usize>,
}

#[derive(Debug, Clone)]
enum Lookup<'a> {
    Values(ValueReader<'a>),
    /// Labels in small letters.
    Folded(HashMap<String, usize>),
    Dates {
        period: Period,
        first: i64,
        last: i64,
        formats: &'a [DateFormat],
    },
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(values: &'a Values, cleaning: &'a Cleaning) -> FieldReader<'a> {
        let numeric = is_numeric(cleaning, values);
        let lookup = match &cleaning.holds {
            Holds::Values if cleaning.ignore_case && !numeric => {
                Lookup::Folded(values.labels().map(|label| label.to_lowercase()).zip(0..).collect())
            }
            Holds::Values => Lookup::Values(values.reader()),
            Holds::Numbers(numbers) => Lookup::Values(numbers.reader()),
            Holds::Dates { period, first, last, formats } => {
                Lookup::Dates { period: *period, first: *first, last: *last, formats }
            }
        };
        let unknown = cleaning.unknown.as_ref();
        let unknown = unknown.and_then(|unknown| values.labels().position(|label| label == *unknown));
        let mut reader = FieldReader { values, cleaning, numeric, lookup, recoded: HashMap::new(), unknown };
        let recoded = cleaning.recode.iter().map(|(found, value)| {
            let field = match Some(value) == cleaning.unknown.as_ref() {
                true => unknown.map_or(Field::Outside, Field::Code),
                false => reader.declared(value),
            };
            (reader.compared_text(found), field)
        });
        reader.recoded = recoded.collect();
        reader
    }

    /// What a field is.
    pub fn read(&self, field: &str) -> Field {
        self.find(field).0
    }

    /// What a field is, and how it came to be that.
    pub fn explain(&self, field: &str) -> (Field, Change) {
        match self.find(field) {
            (Field::Code(code), Change::None) if !self.is_as_written(field, code) => {
                (Field::Code(code), Change::Written)
            }
            found => found,
        }
    }

    fn find(&self, field: &str) -> (Field, Change) {
        let text = if self.cleaning.trim { field.trim() } else { field };
        let is_blank = text.trim_ascii().is_empty();
        if !self.recoded.is_empty() {
            let text = if is_blank { "" } else { text };
            if let Some(found) = self.recoded.get(self.compared(text).as_ref()) {
                return (*found, Change::Recoded);
            }
        }
        let found = if is_blank { Field::Missing } else { self.declared(text) };
        match (found, self.unknown) {
            (Field::Missing | Field::Outside, Some(unknown)) => (Field::Code(unknown), Change::Unknown),
            (found, _) => (found, Change::None),
        }
    }

    /// The code of the declared value that a text, which is not blank, means without being recoded.
    pub(crate) fn declared(&self, text: &str) -> Field {
        let code = match &self.lookup {
            Lookup::Values(reader) => reader.code_of(text).filter(|_| self.is_below(text)),
            Lookup::Folded(labels) => labels.get(text.to_lowercase().as_str()).copied(),
            Lookup::Dates { period, first, last, formats } => read_day(text, formats)
                .map(|day| period.of(day))
                .filter(|number| (*first..=*last).contains(number))
                .map(|number| (number - first) as usize),
        };
        code.map_or(Field::Outside, Field::Code)
    }

    fn is_below(&self, text: &str) -> bool {
        let Some(below) = self.cleaning.below else { return true };
        Number::read(text).is_some_and(|number| number.compare(below).is_lt())
    }

    /// A text that is recoded, as fields are compared with it.
    pub(crate) fn compared_text(&self, found: &str) -> String {
        let found = if self.cleaning.trim { found.trim() } else { found };
        self.compared(if found.trim_ascii().is_empty() { "" } else { found }).into_owned()
    }

    /// A text as it is compared with what is recoded: a number by its value, letters as declared.
    fn compared<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match Number::read(text).and_then(Number::integer).filter(|_| self.numeric) {
            Some(number) => Cow::Owned(number.to_string()),
            None if self.cleaning.ignore_case => Cow::Owned(text.to_lowercase()),
            None => Cow::Borrowed(text),
        }
    }

    /// Whether reading ignored nothing: of numbers and dates spaces around them tell nothing.
    fn is_as_written(&self, field: &str, code: usize) -> bool {
        match &self.lookup {
            Lookup::Values(_) | Lookup::Folded(_) if !self.numeric => self.values.label(code) == field,
            _ => true,
        }
    }
}

/// Whether the fields are numbers.
fn is_numeric(cleaning: &Cleaning, values: &Values) -> bool {
    matches!(cleaning.holds, Holds::Numbers(_))
        || (cleaning.holds == Holds::Values && matches!(values, Values::Integers { .. } | Values::Bins { .. }))
}
