//! The counts of a file: whole numbers in plain digits, not below zero and not beyond 2^53.

use crate::fault::{Fault, quoted};
use declare::{Negative, Number};

/// Beyond this, other programs lose units when they read the release.
pub(crate) const LARGEST: i64 = 1 << 53;

/// A count as it enters the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadCount {
    pub count: i64,
    /// Whether it stands below zero in the file, and is counted as zero.
    pub was_negative: bool,
}

/// Reads a count, or says what is wrong with it.
pub(crate) fn count(field: &str, negative: Negative) -> Result<ReadCount, Box<Fault>> {
    let found = || quoted(field);
    // An exponent nearly always means that a spreadsheet has rounded the count.
    let plain = !field.contains(['e', 'E']);
    let Some(number) = Number::read(field).filter(|_| plain) else {
        return Err(Fault::new(format!("the count {} is not a number", found()), "not a number")
            .hint("counts are whole numbers in plain digits, such as 12"));
    };
    if number.floor < 0 && negative == Negative::Zero && !number.fractional {
        return Ok(ReadCount { count: 0, was_negative: true });
    }
    if number.floor < 0 && negative == Negative::Error {
        return Err(Fault::new(format!("the count {} is negative", found()), "negative").hint(
            "a confidential table counts records, and a released table with noise cannot be released again; \
             `negative = \"zero\"` in [data] counts whole corrections below zero as 0",
        ));
    }
    let Some(count) = number.integer() else {
        return Err(Fault::new(format!("the count {} is not a whole number", found()), "not a whole number").hint(
            "the noise is drawn on whole numbers; round the counts before, and say so \
                    where you publish",
        ));
    };
    let count = i64::try_from(count).ok().filter(|count| *count <= LARGEST);
    count.map(|count| ReadCount { count, was_negative: false }).ok_or_else(|| {
        Fault::new(format!("the count {} is larger than 2^53", found()), "too large")
            .hint("counts this large cannot be published without losing units")
    })
}
