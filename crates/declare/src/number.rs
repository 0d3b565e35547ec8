//! Numbers in the fields of a file, compared exactly.

use exact::Rational;
use std::cmp::Ordering;

/// A number in a field of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Number {
    /// Nearly every field.
    Integer(i64),
    /// Decimals and numbers beyond a machine word.
    Exact(Rational),
}

impl Number {
    /// Reads `18`, `-3`, `2.50`, `1e3`; `None` for anything else. Never rounds.
    pub(crate) fn read(field: &str) -> Option<Number> {
        if let Ok(integer) = field.parse::<i64>() {
            return Some(Number::Integer(integer));
        }
        // `Rational` also reads fractions and trims, which fields of a file should not need.
        if field.contains('/') || field.contains(char::is_whitespace) {
            return None;
        }
        field.parse::<Rational>().ok().map(Number::Exact)
    }

    /// How it compares with an integer.
    pub(crate) fn compare(&self, integer: i64) -> Ordering {
        match self {
            Number::Integer(value) => value.cmp(&integer),
            Number::Exact(value) => value.cmp(&Rational::from(integer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_exactly() {
        let compare = |field: &str, integer| Number::read(field).map(|n| n.compare(integer));
        assert_eq!(compare("18", 18), Some(Ordering::Equal));
        assert_eq!(compare("+18.0", 18), Some(Ordering::Equal));
        assert_eq!(
            compare("17.99999999999999999999999", 18),
            Some(Ordering::Less)
        );
        assert_eq!(compare("1e3", 1000), Some(Ordering::Equal));
        assert_eq!(
            compare("99999999999999999999", i64::MAX),
            Some(Ordering::Greater)
        );
        for field in ["", "a", "1/2", " 1", "0x10", "1_000", "NaN", "inf", "--1"] {
            assert_eq!(Number::read(field), None, "{field}");
        }
    }
}
