//! Decimal numbers in files, compared with integers exactly.

use declare::Comparison;

/// A decimal number, known by its floor and whether it lies above it: all that comparisons with integers need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    /// The largest integer not above it; beyond ±10^36 only the sign and the enormous size are kept.
    pub floor: i128,
    /// Whether it is above its floor.
    pub fractional: bool,
}

/// Far beyond every 64-bit integer, and safe to step by one from.
const ENORMOUS: i128 = 10i128.pow(36);

impl Number {
    /// Reads `17`, `-3`, `+4`, `2.50`, `.5`, with spaces around; anything else is no number.
    pub fn parse(field: &[u8]) -> Option<Number> {
        let field = field.trim_ascii();
        let (negative, digits) = match field {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, field),
        };
        let point = digits
            .iter()
            .position(|byte| *byte == b'.')
            .unwrap_or(digits.len());
        let (whole, after) = (&digits[..point], digits.get(point + 1..).unwrap_or(&[]));
        if whole.is_empty() && after.is_empty() {
            return None;
        }
        let mut magnitude = 0i128;
        for byte in whole {
            if !byte.is_ascii_digit() {
                return None;
            }
            magnitude = (magnitude * 10 + i128::from(byte - b'0')).min(ENORMOUS);
        }
        if !after.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let fractional = after.iter().any(|byte| *byte != b'0');
        let floor = if negative {
            -magnitude - i128::from(fractional)
        } else {
            magnitude
        };
        Some(Number { floor, fractional })
    }

    /// The number as an integer, if it is one.
    pub fn integer(self) -> Option<i128> {
        (!self.fractional).then_some(self.floor)
    }

    /// Whether the comparison with an integer holds.
    pub fn compare(self, op: Comparison, other: i64) -> bool {
        let other = i128::from(other);
        let equal = self.floor == other && !self.fractional;
        let less = self.floor < other;
        match op {
            Comparison::Equal => equal,
            Comparison::NotEqual => !equal,
            Comparison::Less => less,
            Comparison::LessOrEqual => less || equal,
            Comparison::Greater => !less && !equal,
            Comparison::GreaterOrEqual => !less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(i128, bool)> {
        Number::parse(text.as_bytes()).map(|number| (number.floor, number.fractional))
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(parse(" 17 "), Some((17, false)));
        assert_eq!(parse("-0.5"), Some((-1, true)));
        assert_eq!(parse("-3.00"), Some((-3, false)));
        assert_eq!(parse(".5"), Some((0, true)));
        assert_eq!(parse("5."), Some((5, false)));
        assert_eq!(
            parse("9007199254740993"),
            Some((9_007_199_254_740_993, false))
        );
        assert_eq!(parse(&"9".repeat(500)), Some((ENORMOUS, false)));
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in [
            "", " ", ".", "-", "1e5", "0x1", "1,000", "NaN", "١", "1.2.3", "--1", "1 2",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn comparisons_agree_with_arithmetic() {
        for (text, halves) in [
            ("-1.5", -3i64),
            ("-1", -2),
            ("-0.5", -1),
            ("0", 0),
            ("0.5", 1),
            ("1", 2),
        ] {
            let number = Number::parse(text.as_bytes()).expect("a number");
            for other in -3i64..=3 {
                let order = halves.cmp(&(2 * other));
                assert_eq!(number.compare(Comparison::Less, other), order.is_lt());
                assert_eq!(
                    number.compare(Comparison::LessOrEqual, other),
                    order.is_le()
                );
                assert_eq!(number.compare(Comparison::Equal, other), order.is_eq());
                assert_eq!(number.compare(Comparison::NotEqual, other), order.is_ne());
                assert_eq!(number.compare(Comparison::Greater, other), order.is_gt());
                assert_eq!(
                    number.compare(Comparison::GreaterOrEqual, other),
                    order.is_ge()
                );
            }
        }
    }
}
