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
use plan::MOST_KEPT_VALUES;
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
    let (draws, place) = placed(queries.len(), level, draws)?;
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

/// So many draws for so many queries, and the place of the order statistic among them.
fn placed(queries: usize, level: f64, draws: u64) -> Result<(u64, u64), Problem> {
    let draws = draws.min(MOST_VALUES / queries as u64);
    let place = place(draws, level).filter(|_| draws >= FEWEST.min(place_needs(level))).ok_or_else(|| {
        Problem::refused(format!("{draws} draws are too few for an interval at level {level}"))
            .hint("ask for fewer queries at once, for more draws, or for a lower level")
    })?;
    Ok((draws, place))
}

/// Draws of noise that several questions are answered from: the first of them are those that
/// [`reaches`] makes.
#[derive(Debug)]
pub(crate) struct RankDraws {
    cells: usize,
    draws: u64,
    /// What every cell of every draw differs by from the centre, draw by draw.
    noise: Vec<i32>,
}

impl RankDraws {
    /// `None` where they would take too much memory.
    ///
    /// # Errors
    /// When the noise cannot be drawn.
    pub(crate) fn new(field: &Field, draws: u64, seed: u64) -> Result<Option<RankDraws>, Problem> {
        let cells = field.centre.len();
        if cells as u64 * draws > MOST_KEPT_VALUES {
            return Ok(None);
        }
        let sampler = field.sampler()?;
        let one = |draw: u64| -> Result<Option<Vec<i32>>, Problem> {
            let table = sampler.draw(&Seeded::draw(seed, draw), &|_| {})?;
            let moved = |(value, centre): (&i64, &i64)| i32::try_from(value.checked_sub(*centre)?).ok();
            Ok(table.values().iter().zip(&field.centre).map(moved).collect())
        };
        let drawn: Vec<Option<Vec<i32>>> = (0..draws).into_par_iter().map(one).collect::<Result<_, Problem>>()?;
        let noise: Option<Vec<Vec<i32>>> = drawn.into_iter().collect();
        Ok(noise.map(|noise| RankDraws { cells, draws, noise: noise.concat() }))
    }

    /// As [`reaches`].
    pub(crate) fn reaches(&self, queries: &[&Query], level: f64, draws: u64) -> Result<(Vec<u64>, u64), Problem> {
        let (draws, place) = placed(queries.len().max(1), level, draws.min(self.draws))?;
        let reach = |query: &&Query| {
            let one = |noise: &[i32]| {
                let sum =
                    query.entries.iter().map(|(cell, times)| i128::from(*times) * i128::from(noise[*cell as usize]));
                u64::try_from(sum.sum::<i128>().unsigned_abs()).unwrap_or(u64::MAX)
            };
            let mut values: Vec<u64> = self.noise.chunks(self.cells).take(draws as usize).map(one).collect();
            *values.select_nth_unstable(place as usize - 1).1
        };
        Ok((queries.par_iter().map(reach).collect(), draws))
    }
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
