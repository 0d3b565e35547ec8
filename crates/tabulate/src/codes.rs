//! `Codes`: from a field of the file to the code of a declared value, one lookup per dimension.

use crate::fault::{Fault, quoted};
use crate::nearest::nearest;
use crate::number::Number;
use declare::{Dimension, Values};
use std::collections::HashMap;

/// The lookup of one dimension.
pub(crate) struct Codes<'a> {
    dimension: &'a Dimension,
    lookup: Lookup<'a>,
}

enum Lookup<'a> {
    Labels(HashMap<&'a [u8], usize>),
    Integers { first: i128, last: i128 },
    Bins { edges: &'a [i64], open: bool },
}

impl<'a> Codes<'a> {
    /// The lookup of a dimension.
    pub fn new(dimension: &'a Dimension) -> Self {
        let labels = |labels: &'a [String]| {
            Lookup::Labels(
                labels
                    .iter()
                    .enumerate()
                    .map(|(code, label)| (label.as_bytes(), code))
                    .collect(),
            )
        };
        let lookup = match &dimension.values {
            Values::List(list) => labels(list),
            Values::Hierarchy(levels) => labels(&levels.keys),
            Values::Integers { first, last } => Lookup::Integers {
                first: i128::from(*first),
                last: i128::from(*last),
            },
            Values::Bins { edges, open } => Lookup::Bins { edges, open: *open },
        };
        Codes { dimension, lookup }
    }

    /// The code of the declared value that the field holds; `None`: outside the domain.
    pub fn code(&self, field: &[u8]) -> Option<usize> {
        match &self.lookup {
            Lookup::Labels(codes) => codes.get(field).copied(),
            Lookup::Integers { first, last } => {
                let value = Number::parse(field)?.integer()?;
                (*first..=*last)
                    .contains(&value)
                    .then(|| (value - first) as usize)
            }
            Lookup::Bins { edges, open } => {
                // Edges are integers, so a number is at or above an edge exactly when its floor is.
                let floor = Number::parse(field)?.floor;
                let bin = edges
                    .partition_point(|edge| i128::from(*edge) <= floor)
                    .checked_sub(1)?;
                (*open || bin + 1 < edges.len()).then_some(bin)
            }
        }
    }

    /// What to tell the curator about a field that has no code.
    pub fn fault(&self, field: &[u8]) -> Box<Fault> {
        let (found, name) = (quoted(field), &self.dimension.name);
        let drop = "`outside = \"drop\"` in [data] leaves such rows out";
        match &self.lookup {
            Lookup::Labels(codes) => {
                let text = String::from_utf8_lossy(field);
                let labels = codes
                    .keys()
                    .filter_map(|label| std::str::from_utf8(label).ok());
                let suggestion = if codes.contains_key(field.trim_ascii()) {
                    format!(
                        "the declared value {} has no spaces around it;",
                        quoted(field.trim_ascii())
                    )
                } else {
                    // The map has no order; the first in declared order must win every time.
                    let mut labels: Vec<&str> = labels.collect();
                    labels.sort_by_key(|label| codes[label.as_bytes()]);
                    match nearest(&text, labels.into_iter()) {
                        Some(label) => format!("did you mean `{label}`?"),
                        None => format!("`{name}` declares {};", self.declared()),
                    }
                };
                Fault::new(
                    format!("{found} is not a declared value of `{name}`"),
                    "not in the declared domain",
                )
                .hint(format!("{suggestion} {drop}"))
            }
            Lookup::Integers { .. } | Lookup::Bins { .. } => {
                let (problem, label) = match (Number::parse(field), &self.lookup) {
                    (None, _) => (
                        format!("{found} is not a number, but `{name}` is numeric"),
                        "not a number",
                    ),
                    (Some(number), Lookup::Integers { .. }) if number.fractional => (
                        format!(
                            "{found} is not a whole number, but `{name}` is declared as integers"
                        ),
                        "not a whole number",
                    ),
                    _ => (
                        format!("{found} is outside the declared domain of `{name}`"),
                        "outside the declared domain",
                    ),
                };
                Fault::new(problem, label)
                    .hint(format!("`{name}` declares {}; {drop}", self.declared()))
            }
        }
    }

    fn declared(&self) -> String {
        const SHOWN: usize = 6;
        let values = &self.dimension.values;
        match values {
            Values::Integers { first, last } => format!("the integers from {first} to {last}"),
            Values::Bins { edges, open } => match edges.as_slice() {
                [first, ..] if *open => format!("numbers from {first} up"),
                [first, .., last] => format!("numbers from {first} to below {last}"),
                _ => "no values".to_owned(),
            },
            Values::List(_) | Values::Hierarchy(_) => {
                let shown: Vec<String> = (0..values.len().min(SHOWN))
                    .map(|code| format!("`{}`", values.label(code)))
                    .collect();
                let more = values.len().saturating_sub(SHOWN);
                let rest = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                format!("{}{rest}", shown.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(values: Values) -> Dimension {
        Dimension {
            name: "d".into(),
            column: "d".into(),
            values,
        }
    }

    #[test]
    fn bins_are_half_open() {
        let closed = dimension(Values::Bins {
            edges: vec![0, 5, 18],
            open: false,
        });
        let codes = Codes::new(&closed);
        for (field, code) in [
            ("-0.1", None),
            ("0", Some(0)),
            ("4.999", Some(0)),
            ("5", Some(1)),
            ("17.9", Some(1)),
            ("18", None),
        ] {
            assert_eq!(codes.code(field.as_bytes()), code, "{field}");
        }
        let open = dimension(Values::Bins {
            edges: vec![0, 5, 18],
            open: true,
        });
        assert_eq!(Codes::new(&open).code(b"18"), Some(2));
        assert_eq!(Codes::new(&open).code("9".repeat(60).as_bytes()), Some(2));
        let single = dimension(Values::Bins {
            edges: vec![65],
            open: true,
        });
        assert_eq!(Codes::new(&single).code(b"64"), None);
        assert_eq!(Codes::new(&single).code(b"65"), Some(0));
    }

    #[test]
    fn integers_are_numbers_and_labels_are_texts() {
        let ages = dimension(Values::Integers { first: -1, last: 3 });
        let codes = Codes::new(&ages);
        for (field, code) in [
            ("-1", Some(0)),
            ("+3", Some(4)),
            ("03", Some(4)),
            ("2.0", Some(3)),
            ("4", None),
            ("2.5", None),
            ("x", None),
        ] {
            assert_eq!(codes.code(field.as_bytes()), code, "{field}");
        }
        let list = dimension(Values::List(vec!["1".into(), "01".into()]));
        assert_eq!(Codes::new(&list).code(b"01"), Some(1));
        assert_eq!(Codes::new(&list).code(b" 1"), None);
    }
}
