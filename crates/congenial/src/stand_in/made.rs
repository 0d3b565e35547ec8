//! A table that is made of exact totals alone: as even as they allow, in whole numbers.

use declare::{Grouping, NO_GROUP, Problem};
use prepare::Prepared;

/// What it is, in words.
pub(super) const WORDS: &str = "a table made of the exact totals alone, as even as they allow: real tables are rougher, and have more small counts";

/// Rounds of fitting; margins that decompose fit after two.
const ROUNDS: usize = 100;

/// The table: every cell is the product of what its totals say, rounded so that running sums are
/// off by less than one.
///
/// # Errors
/// Refused where no total is exact, so that nothing is known, or where the table breaks a rule of
/// the spec.
pub(super) fn of_totals(prepared: &Prepared) -> Result<Vec<i64>, Problem> {
    let conditions = &prepared.opened().conditions;
    let plain = |grouping: &&Grouping| grouping.times.is_none();
    let totals = || conditions.invariants.iter().zip(&prepared.analysed.totals).filter(|(grouping, _)| plain(grouping));
    if prepared.opened().fold.is_some() || totals().next().is_none() {
        return Err(Problem::refused("no total is exact, so nothing public tells how large counts are")
            .hint("name a public table with the same columns: --on FILE"));
    }
    let mut fitted = vec![1.0f64; conditions.cells];
    for (cell, value) in &prepared.plan.fixed {
        fitted[*cell] = *value as f64;
    }
    for _ in 0..ROUNDS {
        for (grouping, totals) in totals() {
            let mut sums = vec![0.0; grouping.groups()];
            let grouped = || grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP);
            grouped().for_each(|(cell, group)| sums[*group as usize] += fitted[cell]);
            for (cell, group) in grouped() {
                let (sum, total) = (sums[*group as usize], totals[*group as usize] as f64);
                fitted[cell] = if sum > 0.0 { fitted[cell] * (total / sum).max(0.0) } else { 0.0 };
            }
        }
    }
    let counts = rounded(&fitted);
    conditions.check_table(&counts).map_err(|_| {
        Problem::refused("a table made of the exact totals does not satisfy the rules of the spec")
            .hint("name a public table with the same columns: --on FILE")
    })?;
    Ok(counts)
}

/// Whole numbers whose running sums are those of the fitted ones, rounded.
fn rounded(fitted: &[f64]) -> Vec<i64> {
    let mut sum = 0.0;
    let mut given = 0i64;
    fitted
        .iter()
        .map(|value| {
            sum += value;
            let count = sum.round() as i64 - given;
            given += count;
            count
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn running_sums_are_kept() {
        assert_eq!(rounded(&[0.4, 0.4, 0.4, 0.8]), [0, 1, 0, 1]);
        assert_eq!(rounded(&[]), [0i64; 0]);
    }
}
