//! `ValueReader`: from a field of a data file to the code of a declared value.

use crate::number::Number;
use crate::schema::Values;
use std::collections::HashMap;

/// Finds the code of a field of the data file among the declared values of one dimension.
///
/// Labels and keys match exactly, letter by letter. Integers and bins take any decimal number,
/// compared exactly: `18.0` is 18, and 17.5 is in `[5,18)` but is no value of an integer dimension.
/// No lookup allocates.
#[derive(Debug, Clone)]
pub struct ValueReader<'a> {
    lookup: Lookup<'a>,
}

#[derive(Debug, Clone)]
enum Lookup<'a> {
    Labels(HashMap<&'a str, usize>),
    Integers { first: i64, last: i64 },
    Bins { edges: &'a [i64], open: bool },
}

impl Values {
    /// A reader of fields, to be built once per file.
    pub fn reader(&self) -> ValueReader<'_> {
        let lookup = match self {
            Values::List(labels) | Values::Measures { columns: labels, .. } => Lookup::Labels(numbered(labels)),
            Values::Hierarchy(levels) => Lookup::Labels(numbered(&levels.keys)),
            Values::Integers { first, last } => Lookup::Integers { first: *first, last: *last },
            Values::Bins { edges, open } => Lookup::Bins { edges, open: *open },
        };
        ValueReader { lookup }
    }
}

fn numbered(labels: &[String]) -> HashMap<&str, usize> {
    labels.iter().enumerate().map(|(code, label)| (label.as_str(), code)).collect()
}

impl ValueReader<'_> {
    /// The code of the value written in `field`, or `None` when it is outside the declared domain.
    pub fn code_of(&self, field: &str) -> Option<usize> {
        match &self.lookup {
            Lookup::Labels(codes) => codes.get(field).copied(),
            Lookup::Integers { first, last } => integer(field, *first, *last),
            Lookup::Bins { edges, open } => bin(field, edges, *open),
        }
    }
}

fn integer(field: &str, first: i64, last: i64) -> Option<usize> {
    let (first, last) = (i128::from(first), i128::from(last));
    let value = Number::read(field)?.integer()?;
    (first..=last).contains(&value).then(|| (value - first) as usize)
}

fn bin(field: &str, edges: &[i64], open: bool) -> Option<usize> {
    let number = Number::read(field)?;
    let started = edges.partition_point(|edge| number.compare(*edge).is_ge());
    let bins = edges.len() - 1 + usize::from(open);
    (1..=bins).contains(&started).then(|| started - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_bins_take_decimals() {
        let ages = Values::Integers { first: -2, last: 5 };
        let reader = ages.reader();
        assert_eq!(reader.code_of("-2"), Some(0));
        assert_eq!(reader.code_of("5.0"), Some(7));
        assert_eq!(reader.code_of("+03"), Some(5));
        assert_eq!(reader.code_of(" 3 "), Some(5));
        assert_eq!(reader.code_of("x"), None);
        assert_eq!(reader.code_of("4.5"), None);
        assert_eq!(reader.code_of("6"), None);
        assert_eq!(reader.code_of(""), None);
        let bins = Values::Bins { edges: vec![0, 5, 18], open: false };
        let reader = bins.reader();
        assert_eq!(reader.code_of("0"), Some(0));
        assert_eq!(reader.code_of("4.999"), Some(0));
        assert_eq!(reader.code_of("5"), Some(1));
        assert_eq!(reader.code_of("17.9"), Some(1));
        assert_eq!(reader.code_of("18"), None);
        assert_eq!(reader.code_of("-0.1"), None);
        let open = Values::Bins { edges: vec![18], open: true };
        assert_eq!(open.reader().code_of("1e9"), Some(0));
        assert_eq!(open.reader().code_of(&"9".repeat(500)), Some(0));
        assert_eq!(open.reader().code_of("18"), Some(0));
        assert_eq!(open.reader().code_of("17"), None);
    }

    #[test]
    fn labels_match_letter_by_letter() {
        let list = Values::List(vec!["a".into(), "B".into(), "1".into(), "01".into()]);
        assert_eq!(list.reader().code_of("B"), Some(1));
        assert_eq!(list.reader().code_of("b"), None);
        assert_eq!(list.reader().code_of("01"), Some(3));
        assert_eq!(list.reader().code_of(" 1"), None);
    }
}
