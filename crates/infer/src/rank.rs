//! Intervals by rank: fresh exact draws of the noise, and the order statistics of |query|.
//!
//! The noise of the release is one more draw from the same law, so its rank among N fresh ones is
//! uniform: with the m-th smallest of N as reach, m ≥ (N + 1)·level, the interval covers with
//! probability at least the level, for every N. Nothing is estimated; more draws make the reach
//! vary less. Proof: `proofs/rank.md`.

use crate::field::Field;
use crate::query::Query;
use declare::Problem;
use exact::Seeded;
use rayon::prelude::*;

/// The draws that are made unless there are very many queries.
pub const DRAWS: u64 = 9_999;
/// The most values that are kept at once.
const MOST_VALUES: u64 = 50_000_000;
/// Fewer draws make reaches that vary too much.
const FEWEST: u64 = 199;

/// The place of the order statistic of N draws whose interval covers with this probability: the
/// least m with m/(N+1) at least the level; `None` when N is too small.
pub fn place(draws: u64, level: f64) -> Option<u64> {
    let wanted = ((draws + 1) as f64 * level - 1e-9).ceil() as u64;
    (1..=draws).contains(&wanted.max(1)).then_some(wanted.max(1))
}

/// How far |query of the noise| reaches in fresh draws: for every query the order statistic, and
/// how many draws were made.
///
/// # Errors
/// Refused when there are so many queries that too few draws would be kept, or when the noise
/// cannot be drawn.
pub fn reaches(
    field: &Field,
    queries: &[&Query],
    level: f64,
    draws: u64,
    seed: u64,
) -> Result<(Vec<u64>, u64), Problem> {
    if queries.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let draws = draws.min(MOST_VALUES / queries.len() as u64);
    let place = place(draws, level).filter(|_| draws >= FEWEST.min(place_needs(level))).ok_or_else(|| {
        Problem::refused(format!("{draws} draws are too few for an interval at level {level}"))
            .hint("ask for fewer queries at once, for more draws, or for a lower level")
    })?;
    let sampler = field.sampler()?;
    let own: Vec<i128> = queries.iter().map(|query| query.value(&field.centre)).collect();
    let one = |draw: u64| {
        let table = sampler.draw(&Seeded::draw(seed, draw), &|_| {})?;
        let reach = |(query, own): (&&Query, &i128)| {
            u64::try_from((query.value(table.values()) - own).unsigned_abs()).unwrap_or(u64::MAX)
        };
        Ok(queries.iter().zip(&own).map(reach).collect())
    };
    let drawn: Vec<Vec<u64>> = (0..draws).into_par_iter().map(one).collect::<Result<_, Problem>>()?;
    let reach = |query: usize| {
        let mut values: Vec<u64> = drawn.iter().map(|values| values[query]).collect();
        *values.select_nth_unstable(place as usize - 1).1
    };
    Ok(((0..queries.len()).into_par_iter().map(reach).collect(), draws))
}

/// The least number of draws that has an order statistic for this level.
fn place_needs(level: f64) -> u64 {
    (1..).find(|draws| place(*draws, level).is_some()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_the_least_that_covers() {
        assert_eq!(place(9, 0.9), Some(9));
        assert_eq!(place(8, 0.9), None);
        assert_eq!(place(9_999, 0.9), Some(9_000));
        assert_eq!(place(19, 0.95), Some(19));
        assert_eq!(place(18, 0.95), None);
        assert_eq!(place_needs(0.99), 99);
    }
}
