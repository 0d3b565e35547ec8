//! Two sums compared: their difference and their ratio with intervals, and the probability that the
//! first is greater.
//!
//! A difference of sums is an integer query, so a release without bounds has its exact interval,
//! and a ratio its Fieller set. Under a posterior the law of the difference gives the probability
//! that the first sum is greater, exactly where that law is listed; ratios are those of draws of
//! whole tables. Cells that are in both sums cancel in the difference. Proof: `proofs/location.md`.

use crate::basis::Wanted;
use crate::believed::quantile;
use crate::interval::{Asked, How, Interval, check_free, intervals};
use crate::knowledge::Knowledge;
use crate::posterior::Posterior;
use crate::query::Query;
use crate::rate::rate;
use crate::release::Release;
use declare::Problem;
use draw::Law;

/// Two sums, the first against the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// How results call it.
    pub name: String,
    /// The first sum.
    pub first: Query,
    /// The second.
    pub second: Query,
    difference: Query,
}

impl Pair {
    /// Two sums to be compared.
    ///
    /// # Errors
    /// Bad when both are sums of the same cells.
    pub fn new(name: impl Into<String>, first: Query, second: Query) -> Result<Pair, Problem> {
        let name = name.into();
        let difference = first.minus(1, &second, 1)?;
        if difference.entries.is_empty() {
            return Err(Problem::bad(format!("`{name}` compares the same cells with themselves"))
                .hint("write two predicates that hold for different cells"));
        }
        Ok(Pair { name: name.clone(), first, second, difference: Query { name, ..difference } })
    }
}

/// What is told of two sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Its name.
    pub name: String,
    /// Both figures: as released, or their means under the posterior.
    pub figures: [f64; 2],
    /// The ends of the interval of first less second.
    pub difference: [i128; 2],
    /// The ends of the ratio of first and second; `None`: without end, because the second is not
    /// told from zero.
    pub ratio: Option<[f64; 2]>,
    /// The probability that the first is greater, given the release; under the flat prior unless
    /// another is asked for.
    pub greater: f64,
    /// The probability that both are the same.
    pub equal: f64,
    /// How the difference and its probabilities are known: exactly, or as those of so many draws.
    pub draws: Option<u64>,
    /// How the ratio is known: exactly, or by so many draws.
    pub ratio_draws: Option<u64>,
}

/// P(above zero) and P(zero) of a law.
fn above(law: &Law) -> (f64, f64) {
    let greater: f64 = law.listed().filter(|(value, _)| *value > 0).map(|(_, mass)| mass).sum();
    // The sum of nothing is −0 in machine numbers.
    ((greater + 0.0).min(1.0), law.probability(0))
}

/// The comparison of draws.
fn above_of_draws(values: &[i128]) -> (f64, f64) {
    let share = |holds: &dyn Fn(i128) -> bool| {
        values.iter().filter(|value| holds(**value)).count() as f64 / values.len().max(1) as f64
    };
    (share(&|value| value > 0), share(&|value| value == 0))
}

/// What a release without bounds tells of pairs: intervals that cover whatever the true table is.
///
/// # Errors
/// Refused as intervals are.
pub fn compare(release: &Release, pairs: &[Pair], asked: Asked, wanted: Wanted) -> Result<Vec<Comparison>, Problem> {
    check_free(release)?;
    let differences: Vec<Query> = pairs.iter().map(|pair| pair.difference.clone()).collect();
    let found = intervals(release, &differences, asked)?;
    let knowledge = Knowledge::default();
    let posterior = Posterior::new(std::slice::from_ref(release), &knowledge, wanted)?;
    let chances = posterior.chances(&differences, wanted)?;
    let draws_of = |how: &How| match how {
        How::Exact => None,
        How::Rank { draws } | How::Walked { draws, .. } => Some(*draws),
    };
    let one = |((pair, interval), (greater, equal, drawn)): ((&Pair, &Interval), _)| {
        let ratio = rate(release, &pair.name, &pair.first, &pair.second, asked)?;
        Ok(Comparison {
            name: pair.name.clone(),
            figures: [ratio.released.0 as f64, ratio.released.1 as f64],
            difference: [interval.lower(), interval.upper()],
            ratio: ratio.ends,
            greater,
            equal,
            draws: draws_of(&interval.how).or(drawn),
            ratio_draws: draws_of(&ratio.how),
        })
    };
    pairs.iter().zip(&found).zip(chances).map(one).collect()
}

impl Posterior<'_> {
    /// For every query the probabilities that it is above zero, and zero; and of how many draws,
    /// where its law is not listed.
    fn chances(&self, queries: &[Query], wanted: Wanted) -> Result<Vec<(f64, f64, Option<u64>)>, Problem> {
        let laws = self.laws(queries);
        let drawn = match laws.iter().any(Option::is_none) {
            true => self.values(queries, wanted)?,
            false => vec![Vec::new(); queries.len()],
        };
        let one = |(law, drawn): (Option<Law>, Vec<i128>)| {
            let (greater, equal) = law.as_ref().map_or_else(|| above_of_draws(&drawn), above);
            (greater, equal, (law.is_none() || !self.basis.exact).then_some(wanted.draws))
        };
        Ok(laws.into_iter().zip(drawn).map(one).collect())
    }

    /// What is believed of pairs.
    ///
    /// # Errors
    /// As [`Posterior::draw`].
    pub fn compare(&self, pairs: &[Pair], level: f64, wanted: Wanted) -> Result<Vec<Comparison>, Problem> {
        let both: Vec<Query> = pairs.iter().flat_map(|pair| [pair.first.clone(), pair.second.clone()]).collect();
        let drawn = self.values(&both, wanted)?;
        let differences: Vec<Query> = pairs.iter().map(|pair| pair.difference.clone()).collect();
        let laws = self.laws(&differences);
        let tail = (1.0 - level) / 2.0;
        let one = |((pair, sums), law): ((&Pair, &[Vec<i128>]), Option<Law>)| {
            let (difference, (greater, equal), draws) = match law {
                Some(law) => {
                    let ends = [law.quantile(tail).into(), law.quantile(1.0 - tail).into()];
                    (ends, above(&law), (!self.basis.exact).then_some(wanted.draws))
                }
                None => {
                    let mut values: Vec<i128> = sums[0].iter().zip(&sums[1]).map(|(one, two)| one - two).collect();
                    let chances = above_of_draws(&values);
                    values.sort_unstable();
                    ([quantile(&values, tail), quantile(&values, 1.0 - tail)], chances, Some(wanted.draws))
                }
            };
            let pairs = || sums[0].iter().zip(&sums[1]);
            let mut ratios: Vec<f64> =
                pairs().filter(|(_, two)| **two > 0).map(|(one, two)| *one as f64 / *two as f64).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            // Where the second may be zero or less, ratios have no end.
            let ratio = (ratios.len() == sums[0].len() && !ratios.is_empty())
                .then(|| [quantile(&ratios, tail), quantile(&ratios, 1.0 - tail)]);
            let mean =
                |values: &[i128]| values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64;
            let figures = [mean(&sums[0]), mean(&sums[1])];
            let name = pair.name.clone();
            Comparison { name, figures, difference, ratio, greater, equal, draws, ratio_draws: Some(wanted.draws) }
        };
        Ok(pairs.iter().zip(drawn.chunks(2)).zip(laws).map(one).collect())
    }
}
