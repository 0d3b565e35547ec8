//! A base measure in the law of a release: the weights b(y) of counts, and what they make of a cell
//! by itself.
//!
//! The probability of a release is b(y)·w(y − x)/Z(x): b(y) is the same for every true table x, and
//! Z(x) = Σ b(y')·w(y' − x) alone tells of it. Of a cell by itself, at or above zero, that is ζ(x).
//! Whatever b is, w(y − x)/ζ(x) rises up to x = y and falls from there, so that lists of true
//! counts end where their weights do. Proof: `proofs/posterior.md`.

use crate::release::Release;
use crate::several::Sources;
use crate::tied::Line;
use crate::weighted::list;
use analyse::{ListLimits, NotListed};
use declare::Problem;
use draw::{Factor, Growth, NoiseLaw};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Weights of counts of one release, with what was computed of them.
#[derive(Debug)]
pub(crate) struct BaseWeights {
    law: NoiseLaw,
    rate: f64,
    /// The factors of the base measure; the last stands for cells that have none.
    factors: Vec<Factor>,
    /// ln b of the counts 0, 1, … of every factor, as far as they were asked for.
    logs: Vec<RwLock<Arc<Vec<f64>>>>,
    /// ln ζ by factor, count and tilt.
    alone: RwLock<HashMap<(u32, i64, u64), Option<f64>>>,
}

/// Counts below this have their logarithms kept.
const KEPT: i64 = 1 << 20;
/// Weights below e to minus this of the largest are left out.
const DEPTH: f64 = 40.0;
/// Longer lists are not made.
const MOST_VALUES: i64 = 1 << 17;

impl BaseWeights {
    /// Of a law with a base measure.
    pub(crate) fn of(law: &NoiseLaw) -> Option<BaseWeights> {
        let mut factors = law.base()?.factors().to_vec();
        factors.push(Factor::Listed(Default::default()));
        let logs = factors.iter().map(|_| RwLock::default()).collect();
        Some(BaseWeights { rate: law.rate().to_f64(), law: law.clone(), factors, logs, alone: RwLock::default() })
    }

    /// The factor of a cell, if it has one.
    pub(crate) fn factor_of(&self, cell: u32) -> Option<u32> {
        self.law.base().and_then(|base| base.factor_of(cell))
    }

    /// The factor of a cell; the one that weighs all counts alike where it has none.
    pub(crate) fn factor(&self, cell: u32) -> u32 {
        self.factor_of(cell).unwrap_or(self.factors.len() as u32 - 1)
    }

    /// Whether the weights of a factor fall faster than any power of e.
    pub(crate) fn is_steep(&self, factor: u32) -> bool {
        matches!(self.factors[factor as usize], Factor::Poisson(_))
    }

    /// The logarithm of the weight of this much noise.
    pub(crate) fn noise(&self, away: i64) -> f64 {
        -self.rate * self.law.units(away) as f64
    }

    /// ln b of the counts from 0 to at least this one.
    fn upto(&self, factor: u32, count: i64) -> Arc<Vec<f64>> {
        let known = &self.logs[factor as usize];
        let kept = known.read().unwrap_or_else(PoisonError::into_inner).clone();
        if (kept.len() as i64) > count {
            return kept;
        }
        let (from, end) = (kept.len() as i64, (2 * count).clamp(256, KEPT));
        let mut longer = kept.to_vec();
        longer.extend((from..=end.max(count)).map(|count| self.factors[factor as usize].log(count)));
        let longer = Arc::new(longer);
        *known.write().unwrap_or_else(PoisonError::into_inner) = longer.clone();
        longer
    }

    /// The weights of all moves of a count with this factor between bounds, tilted by e^{tilt·move}
    /// where ends are looked for and nowhere else; and the logarithm that all are to be multiplied
    /// with. `None` where none has weight, or too many have.
    pub(crate) fn moves(
        &self,
        factor: u32,
        count: i64,
        (low, high): (i64, Option<i64>),
        tilt: f64,
    ) -> Option<(f64, Line)> {
        let kept = self.upto(factor, count.clamp(0, KEPT));
        let base = |y: i64| kept.get(y as usize).copied().unwrap_or_else(|| self.factors[factor as usize].log(y));
        let plain = |y: i64| base(y) + self.noise(y - count);
        let log = |y: i64| plain(y) + tilt * (y - count) as f64;
        let last = high.unwrap_or(i64::MAX);
        let inside = |y: &i64| low <= *y && *y <= last;
        let at = count.clamp(low, last);
        let mut tops = vec![low, at];
        // Where unlisted counts of a listed factor end: their weight is that of the noise.
        let mut listed = false;
        match &self.factors[factor as usize] {
            Factor::Listed(weights) => {
                listed = true;
                tops.extend(weights.keys().flat_map(|value| [*value - 1, *value, *value + 1]));
            }
            // ln b is convex and falls: the largest is at an end or at the count.
            Factor::Rising(a) if *a < exact::Rational::integer(1) => {}
            // ln b is concave.
            Factor::Rising(_) | Factor::Poisson(_) => tops.push(summit(at, (low, last), &log)),
        }
        tops.retain(inside);
        let value = |y: &i64| log(*y);
        let top = tops.iter().copied().max_by(|one, two| value(one).total_cmp(&value(two)))?;
        let largest = log(top);
        if largest == f64::NEG_INFINITY {
            return None;
        }
        let cut = largest - DEPTH;
        let deep = |y: i64| log(y) < cut && !(listed && self.noise(y - count) + tilt * (y - count) as f64 >= cut);
        let (mut first, mut end) = (top, top);
        tops.iter().filter(|y| log(**y) >= cut).for_each(|y| (first, end) = (first.min(*y), end.max(*y)));
        while first > low && !deep(first - 1) && end - first < MOST_VALUES {
            first -= 1;
        }
        while end < last && !deep(end + 1) && end - first < MOST_VALUES {
            end += 1;
        }
        if end - first >= MOST_VALUES {
            return None;
        }
        let scale = plain(top);
        let weights = (first..=end).map(|y| (plain(y) - scale).exp()).collect();
        Some((scale, Line { first: first - count, weights }))
    }

    /// ln ζ(x) of a cell by itself, at or above zero, under the base measure b(y)·e^{tilt·y};
    /// `None` where it is not listed.
    pub(crate) fn log_alone(&self, cell: u32, count: i64, tilt: f64) -> Option<f64> {
        let key = (self.factor(cell), count, tilt.to_bits());
        if let Some(known) = self.alone.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *known;
        }
        let found = self.moves(key.0, count, (0, None), tilt);
        let log = found.map(|(scale, line)| {
            let from = line.summit(tilt);
            let moves = (line.first..).zip(&line.weights);
            let sum: f64 = moves.map(|(away, weight)| weight * (tilt * (away - from) as f64).exp()).sum();
            scale + sum.ln() + tilt * (count + from) as f64
        });
        self.alone.write().unwrap_or_else(PoisonError::into_inner).insert(key, log);
        log
    }

    /// The weights w(y − x)/ζ(x)·e^{beside} of the true counts x of a cell, from the least on.
    ///
    /// # Errors
    /// Refused when they do not end: under some base measures a release is as likely from any large
    /// count.
    pub(crate) fn truths(
        &self,
        cell: u32,
        released: i64,
        (low, high): (i64, Option<i64>),
        beside: &dyn Fn(i64) -> f64,
    ) -> Result<Line, Problem> {
        let log = |x: i64| match x < 0 {
            true => f64::NEG_INFINITY,
            false => self.noise(released - x) - self.log_alone(cell, x, 0.0).unwrap_or(f64::NAN) + beside(x),
        };
        let found = list(released, (Some(low), high), DEPTH, &log).map_err(|_| without_end())?;
        match found.weights.iter().all(|weight| weight.is_finite()) {
            true => Ok(found),
            false => Err(Problem::refused("the weights of a count under the base measure leave machine numbers")),
        }
    }
}

/// Why no flat prior is right where a base measure outweighs the noise.
fn without_end() -> Problem {
    Problem::refused(
        "under its base measure the release is about as likely from any large true count, so no flat prior gives a posterior",
    )
    .hint("give a prior that ends (--prior poisson:FILE) or a total that is known (--total FILE); --likelihood compares tables all the same")
}

/// Where a concave function has its largest value, as far as it is looked for.
fn summit(from: i64, (low, last): (i64, i64), log: &dyn Fn(i64) -> f64) -> i64 {
    const FARTHEST: i64 = 1 << 40;
    let rises = |y: i64, direction: i64| {
        let next = y + direction;
        (low..=last).contains(&next) && log(next) > log(y)
    };
    let Some(direction) = [1, -1].into_iter().find(|direction| rises(from, *direction)) else { return from };
    let (mut inside, mut step) = (from, 1);
    let mut outside = loop {
        let next = (inside + direction * step).clamp(low, last);
        match rises(next, direction) && step < FARTHEST {
            true => (inside, step) = (next, 2 * step),
            false => break next,
        }
    };
    while (outside - inside).abs() > 1 {
        let middle = inside + (outside - inside) / 2;
        if rises(middle, direction) { inside = middle } else { outside = middle }
    }
    outside
}

/// What the base measures of several releases make of single cells, together.
#[derive(Debug)]
pub(crate) struct SingleCells(Vec<Arc<BaseWeights>>);

impl SingleCells {
    /// Of the releases whose noise sits on cells.
    pub(crate) fn of(releases: &[Release]) -> SingleCells {
        let on_cells = releases.iter().filter(|release| release.conditions.queries.is_empty());
        SingleCells(on_cells.filter_map(|release| BaseWeights::of(&release.plan.law)).map(Arc::new).collect())
    }

    /// Σ ln ζ(x); zero below zero, where nothing is drawn, and where it is not listed.
    pub(crate) fn log(&self, cell: u32, count: i64) -> f64 {
        let of = |base: &Arc<BaseWeights>| base.log_alone(cell, count.max(0), 0.0).unwrap_or(0.0);
        self.0.iter().map(of).sum()
    }
}

/// Refuses blocks of true tables that nothing ends under a prior that does not fall off: the base
/// measure of every release leaves arbitrarily large true counts as likely as small ones, and
/// totals, bounds and rules do not end them (`proofs/propriety.md`).
///
/// # Errors
/// Refused with what would end them.
pub(crate) fn check_end(sources: &Sources<'_>, block: usize) -> Result<(), Problem> {
    let endless = |release: &Release| {
        let law = &release.plan.law;
        let falls = |factor: &Factor| match factor {
            Factor::Rising(a) => a.is_positive(),
            Factor::Poisson(mean) => mean.is_positive() && law.growth() == Growth::Square,
            Factor::Listed(_) => true,
        };
        let of = |cell: &u32| law.base().and_then(|base| Some(&base.factors()[base.factor_of(*cell)? as usize]));
        sources.blocks[block].cells.iter().filter_map(of).any(|factor| !falls(factor))
    };
    if !sources.releases.iter().all(endless) {
        return Ok(());
    }
    // One table is enough to find out whether there is an end.
    let limits = ListLimits { cells: usize::MAX, tables: 1, values: usize::MAX, work: 1 };
    match sources.fibre_of_truths(block)?.listed(&limits) {
        Err(why @ (NotListed::Endless | NotListed::NotKnown)) => Err(Problem::refused(format!(
            "under its base measure the release is about as likely from any large true count, and {}: this prior leads to no posterior",
            why.in_words()
        ))
        .hint("add what is known with --total, or a prior that ends: --prior poisson:FILE, or a model with --prior-rate above 0")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use draw::Base;
    use exact::Rational;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn weights(factors: &[Factor], epsilon: &str) -> BaseWeights {
        let of_cell = (0..factors.len() as u32).map(Some).collect();
        let base = Base::new(factors.to_vec(), of_cell, "tests".into());
        BaseWeights::of(&NoiseLaw::double_geometric(rational(epsilon)).weighted_by(base)).expect("a base measure")
    }

    #[test]
    fn sums_of_single_cells_are_those_of_all_counts() {
        let gaps = (0..12).map(|value| (value, rational("0"))).chain([(30, rational("1000000"))]).collect();
        let factors = [
            Factor::Rising(rational("1/200")),
            Factor::Rising(rational("7/2")),
            Factor::Poisson(rational("60")),
            Factor::Poisson(rational("0")),
            Factor::Listed(gaps),
        ];
        let found = weights(&factors, "1/4");
        for (cell, factor) in factors.iter().enumerate() {
            for count in [0, 1, 5, 12, 31, 200] {
                let all: f64 = (0..3000)
                    .map(|y| (factor.log(y) - 0.25 * (y - count).abs() as f64).exp())
                    .filter(|weight| weight.is_finite())
                    .sum();
                let own = found.log_alone(cell as u32, count, 0.0).expect("a sum");
                assert!(
                    (own - all.ln()).abs() < 1e-12 * all.ln().abs().max(1.0),
                    "{factor:?} {count}: {own} {}",
                    all.ln()
                );
            }
        }
        // Beyond the cells that have a factor all counts weigh alike.
        let noise: f64 = (0..400).map(|y: i64| (-0.25 * (y - 3).abs() as f64).exp()).sum();
        assert!((found.log_alone(99, 3, 0.0).expect("a sum") - noise.ln()).abs() < 1e-12);
    }

    #[test]
    fn weights_of_true_counts_rise_to_the_release_and_fall_from_it() {
        let gaps = [(0, rational("50")), (4, rational("0")), (9, rational("1000"))].into_iter().collect();
        let factors = [Factor::Rising(rational("1/100")), Factor::Rising(rational("3")), Factor::Listed(gaps)];
        let found = weights(&factors, "1/3");
        for cell in 0..3 {
            for released in [0, 3, 17] {
                let line = found.truths(cell, released, (0, None), &|_| 0.0).expect("they end");
                let top = (released - line.first) as usize;
                assert!(line.weights[..=top].is_sorted_by(|one, two| *one <= two * (1.0 + 1e-12)), "{cell} {released}");
                assert!(line.weights[top..].is_sorted_by(|one, two| *one * (1.0 + 1e-12) >= *two), "{cell} {released}");
            }
        }
    }

    #[test]
    fn weights_without_end_are_refused() {
        let found = weights(&[Factor::Poisson(rational("5"))], "1/3");
        let problem = found.truths(0, 3, (0, None), &|_| 0.0).expect_err("a release as likely from any large count");
        assert!(problem.message.contains("any large true count"), "{problem}");
        found.truths(0, 3, (0, Some(40)), &|_| 0.0).expect("a bound ends them");
        found.truths(0, 3, (0, None), &|x| -(x as f64).powi(2) / 50.0).expect("so does a prior");
    }
}
