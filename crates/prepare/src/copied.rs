//! Whether one table is a copy of another.

use std::collections::BTreeSet;

/// A table with fewer different counts is the copy of many.
const TELLING: usize = 4;

/// Whether one table is the other, up to a number that is added to all counts or by which all are
/// multiplied.
pub fn is_copy(one: &[i64], other: &[i64]) -> bool {
    let different: BTreeSet<i64> = one.iter().copied().collect();
    different.len() >= TELLING && (is_shifted(one, other) || is_multiple(one, other) || is_multiple(other, one))
}

/// Whether all counts differ by the same number.
fn is_shifted(one: &[i64], other: &[i64]) -> bool {
    let mut differences = one.iter().zip(other).map(|(one, other)| i128::from(*one) - i128::from(*other));
    let first = differences.next();
    differences.all(|difference| Some(difference) == first)
}

/// Whether all counts of one table are the same multiple of those of the other.
fn is_multiple(one: &[i64], other: &[i64]) -> bool {
    let Some((first, of)) = one.iter().zip(other).find(|(_, other)| **other != 0) else { return false };
    one.iter()
        .zip(other)
        .all(|(one, other)| i128::from(*one) * i128::from(*of) == i128::from(*other) * i128::from(*first))
}

#[cfg(test)]
mod tests {
    use super::is_copy;

    #[test]
    fn copies_may_be_shifted_or_multiplied() {
        let table = [3, 0, 12, 7, 41];
        assert!(is_copy(&table, &table));
        assert!(is_copy(&table, &table.map(|count| count + 5)) && is_copy(&table, &table.map(|count| 3 * count)));
        assert!(is_copy(&table.map(|count| 2 * count), &table));
        assert!(!is_copy(&table, &[3, 0, 12, 7, 42]));
        assert!(!is_copy(&[1, 1, 2], &[1, 1, 2]), "so few counts are those of many tables");
    }
}
