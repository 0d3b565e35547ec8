//! Numbers of losses as texts: exact fractions for files, short ones for people.

use exact::{Integer, Natural, Rational};
use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// The longest text of a number that is read back.
const LONGEST_NUMBER: usize = 2000;

pub(crate) fn serialize<S: Serializer>(number: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
    let text = String::deserialize(deserializer)?;
    read(&text).ok_or_else(|| D::Error::custom("a number that is not a fraction"))
}

/// Reads what [`Rational`] prints, however long its terms are within reason.
pub(crate) fn read(text: &str) -> Option<Rational> {
    if text.len() > LONGEST_NUMBER {
        return None;
    }
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let above = Integer::from_str_radix(above, 10).ok()?;
    let below = Natural::from_str_radix(below, 10).ok()?;
    (!below.is_zero()).then(|| Rational::new(above, below))
}

/// A number for people: as it is, or rounded up where it is long.
pub(crate) fn shown(number: &Rational) -> String {
    let text = number.to_string();
    if text.len() <= 24 { text } else { format!("{} (rounded up)", number.to_decimal_up(12)) }
}
