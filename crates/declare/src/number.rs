//! Decimal numbers in the fields of a file, read exactly and without an allocation.

use std::cmp::Ordering;

/// A decimal number, known by its floor and whether it lies above it: all that comparisons with
/// integers need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The largest integer not above it; beyond ±10^36 only the sign and the enormous size are
    /// kept.
    pub floor: i128,
    /// Whether it is above its floor.
    pub fractional: bool,
}

/// Far beyond every 64-bit integer, and safe to multiply by ten and to step by one from.
const ENORMOUS: i128 = 10i128.pow(36);

impl Number {
    /// Reads `18`, `-3`, `+4`, `2.50`, `.5`, `1e3`, with spaces around; `None` for anything else.
    /// Never rounds.
    pub fn read(field: &str) -> Option<Number> {
        let field = field.trim_ascii();
        let (mantissa, exponent) = match field.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (field, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut left_of_point = before.len() as i64 + i64::from(exponent);
        let (mut magnitude, mut fractional) = (0i128, false);
        let mut empty = true;
        for byte in before.bytes().chain(after.bytes()) {
            if !byte.is_ascii_digit() {
                return None;
            }
            empty = false;
            if left_of_point > 0 {
                magnitude = (magnitude * 10 + i128::from(byte - b'0')).min(ENORMOUS);
            } else {
                fractional |= byte != b'0';
            }
            left_of_point -= 1;
        }
        if empty {
            return None;
        }
        while left_of_point > 0 && (1..ENORMOUS).contains(&magnitude) {
            magnitude = (magnitude * 10).min(ENORMOUS);
            left_of_point -= 1;
        }
        let floor = if negative { -magnitude - i128::from(fractional) } else { magnitude };
        Some(Number { floor, fractional })
    }

    /// The number as an integer, if it is one.
    pub fn integer(self) -> Option<i128> {
        (!self.fractional).then_some(self.floor)
    }

    /// How it compares with an integer.
    pub fn compare(self, integer: i64) -> Ordering {
        self.floor.cmp(&i128::from(integer)).then(self.fractional.cmp(&false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exact::Rational;

    fn read(field: &str) -> Option<(i128, bool)> {
        Number::read(field).map(|number| (number.floor, number.fractional))
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(read(" 17 "), Some((17, false)));
        assert_eq!(read("+018.0"), Some((18, false)));
        assert_eq!(read("-0.5"), Some((-1, true)));
        assert_eq!(read("-3.00"), Some((-3, false)));
        assert_eq!(read(".5"), Some((0, true)));
        assert_eq!(read("5."), Some((5, false)));
        assert_eq!(read("17.99999999999999999999999"), Some((17, true)));
        assert_eq!(read("9007199254740993"), Some((9_007_199_254_740_993, false)));
        assert_eq!(read(&"9".repeat(500)), Some((ENORMOUS, false)));
        assert_eq!(read(&format!("-{}.5", "9".repeat(500))).unwrap().0, -ENORMOUS - 1);
    }

    #[test]
    fn exponents_move_the_point() {
        assert_eq!(read("1e3"), Some((1000, false)));
        assert_eq!(read("1.25E+1"), Some((12, true)));
        assert_eq!(read("-1250e-3"), Some((-2, true)));
        assert_eq!(read("1000e-3"), Some((1, false)));
        assert_eq!(read("5e-2000000000"), Some((0, true)));
        assert_eq!(read("0e2000000000"), Some((0, false)));
        assert_eq!(read("-7e2000000000"), Some((-ENORMOUS, false)));
    }

    #[test]
    fn anything_else_is_no_number() {
        for field in [
            "",
            " ",
            ".",
            "-",
            "e5",
            "a",
            "1/2",
            "0x10",
            "1_000",
            "1,000",
            "NaN",
            "inf",
            "١",
            "1.2.3",
            "--1",
            "-+1",
            "1 2",
            "1e",
            "1e1.5",
            "1e99999999999",
        ] {
            assert_eq!(read(field), None, "{field:?}");
        }
    }

    #[test]
    fn comparisons_agree_with_rationals() {
        for field in ["-1.5", "-1", "-0.5", "0", "0.5", "1", "2.0", "1e-1", "-12e-1", "0.02e2"] {
            let exact: Rational = field.parse().unwrap();
            let number = Number::read(field).unwrap();
            for integer in -3..=3 {
                let expected = exact.cmp(&Rational::from(integer));
                assert_eq!(number.compare(integer), expected, "{field} and {integer}");
            }
        }
    }
}
