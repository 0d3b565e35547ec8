//! The splits of a cascade as functions of the true table, for chains: each is a bell cut at
//! bounds, whose centre the counts move.
//!
//! From the table to the release every number has a centre that is linear in the counts, and bounds
//! that only the release decides. The factors are told by the cascade where totals nest, and
//! otherwise found by moving one count at a time; they are checked on whole tables, and where they
//! do not hold there is no chain.

use crate::chain::Target;
use crate::knowledge::Prior;
use crate::release::Release;
use crate::several::Sources;
use cascade::{Cascade, Half, NO_HIGH, NO_LOW, Step};
use declare::Problem;
use rayon::prelude::*;

/// One number: the logarithm of its probability is a function of how far its centre moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    /// The number less its centre, were the release the true table.
    away: f64,
    pub(crate) variance: f64,
    /// Bounds less the number.
    low: f64,
    high: f64,
}

/// Standard deviations beyond which a bound is far.
const FAR: f64 = 9.5;
/// Bells this wide have the same sum wherever their centre is, to all digits.
const WIDE: f64 = 2.0;
const NOTHING: f64 = 1e-17;

impl Split {
    #[cfg(test)]
    pub(crate) fn between(variance: f64, low: i64, high: i64) -> Split {
        Split { away: 0.0, variance, low: low as f64, high: high as f64 }
    }

    /// Whether its logarithm is that of a bell wherever its centre is moved between these.
    pub(crate) fn is_bell(&self, least: f64, most: f64) -> bool {
        let far = FAR * self.variance.sqrt() + 1.0;
        let still = self.away == 0.0 && self.variance > WIDE;
        still && self.low < least - far && self.high > most + far
    }

    fn new(step: &Step) -> Split {
        let away = (&exact::Rational::integer(step.value) - &step.centre).to_f64();
        let low = if step.low == NO_LOW { f64::NEG_INFINITY } else { (step.low - step.value) as f64 };
        let high = if step.high == NO_HIGH { f64::INFINITY } else { (step.high - step.value) as f64 };
        Split { away, variance: step.variance.to_f64(), low, high }
    }

    /// The logarithm of the probability of the number, its centre moved by this much.
    pub(crate) fn log(&self, moved: f64) -> f64 {
        if self.low >= self.high {
            return 0.0;
        }
        let away = self.away - moved;
        let half = 0.5 / self.variance;
        let mode = (-away).round().clamp(self.low, self.high);
        let far = FAR * self.variance.sqrt();
        if self.variance > WIDE && self.low < mode - far && self.high > mode + far {
            return -away * away * half - 0.5 * (std::f64::consts::TAU * self.variance).ln();
        }
        // Weights relative to that of the mode, each the one before times a quotient that falls by
        // the same factor.
        let falls = (-2.0 * half).exp();
        let mut whole = 1.0;
        for (sign, room) in [(1.0, self.high - mode), (-1.0, mode - self.low)] {
            let mut quotient = (-(2.0 * sign * (mode + away) + 1.0) * half).exp();
            let (mut weight, mut step) = (1.0, 1.0);
            while step <= room {
                weight *= quotient;
                whole += weight;
                if weight < NOTHING * whole {
                    break;
                }
                quotient *= falls;
                step += 1.0;
            }
        }
        ((mode + away) * (mode + away) - away * away) * half - whole.ln()
    }
}

/// All splits of a release, with what every cell adds to their centres.
#[derive(Debug)]
pub(crate) struct Splits {
    pub(crate) splits: Vec<Split>,
    /// For every cell the splits that it moves, and by how much.
    moves: Vec<Vec<(u32, f64)>>,
}

/// Centres that are farther from what the factors say are not linear.
const PRECISE: f64 = 1e-6;

impl Splits {
    /// Where totals nest, as the cascade says, and checked on whole tables; `None` where that
    /// fails.
    pub(crate) fn nested(release: &Release, tried: &[Vec<i64>]) -> Option<Splits> {
        let cascade = release.plan.cascade()?;
        let (halves, cells) = cascade.halves()?;
        let y = &release.values;
        let still = steps(cascade, y, y).ok().filter(|still| still.len() == halves.len())?;
        let mut moves = vec![Vec::new(); y.len()];
        for (number, Half { left, right, share }) in halves.into_iter().enumerate() {
            for (places, by) in [(left, 1.0 - share), (right, -share)] {
                cells[places].iter().for_each(|cell| moves[*cell as usize].push((number as u32, by)));
            }
        }
        let made = Splits { splits: still.iter().map(Split::new).collect(), moves };
        tried.iter().all(|table| made.holds(cascade, y, table, &still)).then_some(made)
    }

    /// Found by moving one cell of every part at once, and checked on whole tables; `None` where
    /// that fails.
    pub(crate) fn new(release: &Release, parts: &[Vec<u32>], owners: &[u32], tried: &[Vec<i64>]) -> Option<Splits> {
        let cascade = release.plan.cascade()?;
        let y = &release.values;
        let still = steps(cascade, y, y).ok()?;
        let most = parts.iter().map(Vec::len).max()?;
        let probe = |place: usize| -> Option<Vec<(u32, u32, f64)>> {
            let mut moved = y.clone();
            parts.iter().filter_map(|cells| cells.get(place)).for_each(|cell| moved[*cell as usize] += 1);
            let found = steps(cascade, &moved, y).ok().filter(|found| found.len() == still.len())?;
            let mut changes = Vec::new();
            for (number, (one, two)) in found.iter().zip(&still).enumerate().filter(|(_, (one, two))| one != two) {
                let cell = *parts.get(*owners.get(number)? as usize)?.get(place)?;
                changes.push((cell, number as u32, (&one.centre - &two.centre).to_f64()));
            }
            Some(changes)
        };
        let mut moves = vec![Vec::new(); y.len()];
        for changes in (0..most).into_par_iter().map(probe).collect::<Option<Vec<_>>>()? {
            changes.into_iter().for_each(|(cell, split, by)| moves[cell as usize].push((split, by)));
        }
        let made = Splits { splits: still.iter().map(Split::new).collect(), moves };
        tried.iter().all(|table| made.holds(cascade, y, table, &still)).then_some(made)
    }

    /// Whether a table has the splits that the factors say.
    fn holds(&self, cascade: &Cascade, y: &[i64], table: &[i64], still: &[Step]) -> bool {
        let Ok(found) = steps(cascade, table, y) else { return false };
        let moved = self.moved(table.iter().zip(y).enumerate().map(|(cell, (one, two))| (cell as u32, one - two)));
        found.len() == still.len()
            && found.iter().zip(still).zip(moved).all(|((one, two), moved)| {
                let centre = (&one.centre - &two.centre).to_f64();
                let same = (one.low, one.high, one.value) == (two.low, two.high, two.value);
                same && one.variance == two.variance && (centre - moved).abs() < PRECISE
            })
    }

    fn moved(&self, by: impl Iterator<Item = (u32, i64)>) -> Vec<f64> {
        let mut moved = vec![0.0; self.splits.len()];
        for (cell, by) in by.filter(|(_, by)| *by != 0) {
            self.moves[cell as usize].iter().for_each(|(split, times)| moved[*split as usize] += times * by as f64);
        }
        moved
    }
}

/// All numbers of a cascade from one table to another.
pub(crate) fn steps(cascade: &Cascade, from: &[i64], to: &[i64]) -> Result<Vec<Step>, Problem> {
    let mut steps = Vec::with_capacity(cascade.numbers() as usize);
    cascade.steps(from, to, |step| steps.push(step))?;
    Ok(steps)
}

/// Some cells of a release by a cascade, as a chain weighs them.
pub(crate) struct BySplits<'s> {
    splits: &'s Splits,
    prior: &'s Prior,
    cells: Vec<u32>,
    /// The release.
    values: &'s [i64],
}

impl<'s> BySplits<'s> {
    pub(crate) fn new(splits: &'s Splits, sources: &'s Sources<'_>, cells: Vec<u32>) -> BySplits<'s> {
        BySplits { splits, prior: sources.prior, cells, values: &sources.releases[0].values }
    }
}

/// How far centres are moved, the logarithms there, and what the step that was just weighed would
/// make of them.
pub(crate) struct Moved {
    centres: Vec<f64>,
    logs: Vec<f64>,
    pending: Vec<(usize, f64, f64)>,
}

impl Target for BySplits<'_> {
    type State = Moved;

    fn start(&self, values: &[i64]) -> Moved {
        let by = self.cells.iter().zip(values).map(|(cell, value)| (*cell, value - self.values[*cell as usize]));
        let centres = self.splits.moved(by);
        let logs = self.splits.splits.iter().zip(&centres).map(|(split, moved)| split.log(*moved)).collect();
        Moved { centres, logs, pending: Vec::new() }
    }

    fn gain(&self, state: &mut Moved, values: &[i64], step: &[(u32, i64)], times: i64) -> f64 {
        state.pending.clear();
        let mut gain = 0.0;
        for (place, moved) in step {
            let cell = self.cells[*place as usize];
            let by = times * moved;
            if *self.prior != Prior::Flat {
                // Below zero, where a table is left out anyway, the weight of zero.
                let log = |count: i64| self.prior.log_weight(cell as usize, count.max(0));
                gain += log(values[*place as usize] + by) - log(values[*place as usize]);
            }
            for (split, factor) in &self.splits.moves[cell as usize] {
                let (split, by) = (*split as usize, factor * by as f64);
                match state.pending.iter_mut().find(|(known, ..)| *known == split) {
                    Some((_, moved, _)) => *moved += by,
                    None => state.pending.push((split, by, 0.0)),
                }
            }
        }
        for (split, moved, log) in &mut state.pending {
            if moved.abs() < 1e-12 {
                *log = state.logs[*split];
                continue;
            }
            *log = self.splits.splits[*split].log(state.centres[*split] + *moved);
            gain += *log - state.logs[*split];
        }
        gain
    }

    fn accept(&self, state: &mut Moved) {
        for (split, moved, log) in state.pending.drain(..) {
            state.centres[split] += moved;
            state.logs[split] = log;
        }
    }

    fn seconds(&self) -> f64 {
        5e-7
    }

    fn scale(&self) -> f64 {
        let least = self.splits.splits.iter().map(|split| split.variance).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least.sqrt() } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exact::Rational;

    #[test]
    fn logarithms_are_those_of_the_steps() {
        for (low, high, value, centre, variance) in [
            (0, 7, 2, (5, 2u8), (3, 1u8)),
            (NO_LOW, NO_HIGH, 4, (1, 3), (5, 2)),
            (0, NO_HIGH, 0, (-7, 2), (9, 1)),
            (NO_LOW, 3, -2, (40, 1), (30, 1)),
        ] {
            let step = |by: i64| Step {
                centre: &Rational::new(centre.0, centre.1) + &Rational::new(by, 2u8),
                variance: Rational::new(variance.0, variance.1),
                low,
                high,
                value,
            };
            let split = Split::new(&step(0));
            for by in -9..9 {
                let (found, told) = (split.log(by as f64 / 2.0), step(by).log_probability());
                assert!((found - told).abs() < 1e-9 * told.abs().max(1.0), "{low} {high} {by}: {found} {told}");
            }
        }
    }
}
