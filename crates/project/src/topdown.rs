//! `TopDown`: from the root to the leaves, non-negative least squares for the children of each
//! parent, then rounding.
//!
//! At every level the unknowns are the sums over its groups. They keep the integers of the level
//! above, every total and rule that speaks of whole groups, and what finer totals, rules and bounds
//! imply together for whole groups. Parents that nothing else connects are solved one by one, by
//! sorting where the parent's total is all that is asked.

mod level;

use crate::component::{Component, check_public, terms};
use crate::faults::{check_measured, explained, impossible, unsolved};
use crate::least::nonnegative;
use crate::norm::Norm;
use crate::program::MOST_CASES;
use crate::projector::Projector;
use crate::round::{Rounding, together};
use analyse::{Demand, Fibre};
use declare::{Kind, Problem};
use level::Level;
use rayon::prelude::*;

/// A fibre and levels of groups of its cells, made ready.
///
/// What it returns is a function of the measurements and of public values alone; see the contract
/// of this crate.
#[derive(Debug)]
pub struct TopDown {
    fibre: Fibre,
    weights: Vec<f64>,
    measured: usize,
    names: Vec<String>,
    levels: Vec<Level>,
    /// The most cases of a search.
    most_cases: u64,
}

impl TopDown {
    /// `levels`: for every level above the cells, from coarse to fine, the group of every cell, by
    /// its place in the fibre. Each level refines the one before; the cells themselves are the
    /// implied last level. `weights` as for [`crate::Projector::new`].
    ///
    /// Groups that no noisy sum measures by themselves are measured by the sums of finer ones, with
    /// the variance of the sum.
    ///
    /// # Errors
    /// Bad when levels do not fit the fibre or do not refine each other, or a weight is missing or
    /// not a positive number; refused when a public value is beyond 2^52.
    pub fn new(fibre: &Fibre, weights: &[f64], levels: &[Vec<u32>]) -> Result<TopDown, Problem> {
        check_public(fibre)?;
        let terms = terms(fibre, weights)?;
        let cells = fibre.cells.len();
        if let Some(level) = levels.iter().position(|level| level.len() != cells) {
            return Err(Problem::bad(format!(
                "level {} has groups for {} cells, but there are {cells}",
                level + 1,
                levels[level].len()
            ))
            .hint("every level above the cells names the group of every cell"));
        }
        let last: Vec<u32> = (0..cells as u32).collect();
        let mut ready: Vec<Level> = Vec::with_capacity(levels.len() + 1);
        for (number, groups) in levels.iter().chain([&last]).enumerate() {
            let level = Level::new(fibre, &terms, groups, ready.last()).ok_or_else(|| {
                Problem::bad(format!("a group of level {} has cells in two groups of level {number}", number + 1))
                    .hint("levels go from coarse to fine, and every group lies within one group of the level before")
            })?;
            ready.push(level);
        }
        Ok(TopDown {
            fibre: fibre.clone(),
            weights: weights.to_vec(),
            measured: terms.len(),
            names: Vec::new(),
            levels: ready,
            most_cases: MOST_CASES,
        })
    }

    /// Gives it names of the fibre's rows for messages: see [`Fibre::row_names`].
    pub fn named(mut self, names: Vec<String>) -> TopDown {
        self.names = names;
        self
    }

    /// Lets its searches tell so many cases apart before they are given up; what it finds then is
    /// the same.
    pub fn limited_to(mut self, most_cases: u64) -> TopDown {
        self.most_cases = most_cases;
        self
    }

    /// How many numbers are measured, as for [`crate::Projector::measured`].
    pub fn measured(&self) -> usize {
        self.measured
    }

    /// A table of integers of the fibre, checked in integers.
    ///
    /// Where values that were fixed at a coarse level leave none at a finer one, because coarse
    /// sums were fixed before finer rules were seen, all levels are projected together instead:
    /// what is returned stays one function of the measurements, and no measurements end without a
    /// table because of it.
    ///
    /// # Errors
    /// Infeasible when no table keeps all totals, bounds and rules; refused when a solver does not
    /// reach an optimum.
    pub fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        let real: Vec<f64> = measured.iter().map(|value| *value as f64).collect();
        check_measured(&real, self.measured)?;
        let mut values: Vec<i64> = Vec::new();
        for (number, level) in self.levels.iter().enumerate() {
            values = match self.descend(number, level, &values, &real) {
                Err(dead_end) if number > 0 => {
                    return self.together(measured).map_err(|problem| match problem.kind {
                        Kind::Infeasible => problem,
                        _ => Problem { kind: Kind::Refused, ..dead_end },
                    });
                }
                found => found?,
            };
        }
        match self.fibre.contains(&values) {
            true => Ok(values),
            false => Err(unsolved("topdown", "the table that was found does not keep all totals, bounds and rules")),
        }
    }

    /// All levels at once.
    fn together(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        let projector = Projector::new(&self.fibre, &self.weights, Norm::Nonnegative)?;
        projector.named(self.names.clone()).limited_to(self.most_cases).integer(measured)
    }

    /// The values of a level from those of the level above.
    fn descend(&self, number: usize, level: &Level, above: &[i64], measured: &[f64]) -> Result<Vec<i64>, Problem> {
        let measured = level.measured(measured);
        let solve = |(part, rounding): (&Component, &Rounding)| {
            let mut part = part.clone();
            for (row, whole) in part.fibre.rows.iter_mut().zip(&part.rows_of) {
                if *whole < above.len() {
                    row.demand = Demand::Equal(above[*whole]);
                }
            }
            let real = nonnegative(&part, &measured, &[]);
            let found = real.and_then(|real| rounding.round(&part, &real, &[], self.most_cases));
            found.map_err(|problem| match problem.kind {
                Kind::Infeasible => self.blocked(number, &part),
                _ => problem,
            })
        };
        let values: Result<Vec<Vec<i64>>, Problem> = level.parts.par_iter().zip(&level.roundings).map(solve).collect();
        Ok(together(&level.parts, values?, level.groups))
    }

    /// Why a level has no values: at the first level because the fibre has no table, later because
    /// of what was fixed above.
    fn blocked(&self, number: usize, part: &Component) -> Problem {
        let above = if number == 0 { 0 } else { self.levels[number - 1].groups };
        let name = |row: &usize| match self.levels[number].origins[*row] {
            Some(origin) => self.names.get(origin).cloned().unwrap_or_else(|| format!("row {}", origin + 1)),
            None if *row < above => "a sum fixed above".to_string(),
            None => "a sum that finer totals imply".to_string(),
        };
        let names: Vec<String> = part.rows_of.iter().map(name).collect();
        let witness = explained(&part.fibre, &names);
        if number == 0 {
            return impossible(witness);
        }
        let because = witness.map_or(String::new(), |witness| format!(": {witness}"));
        let message = format!(
            "at level {} of {} no integers keep the values that the level above fixed together with the totals, bounds and rules{because}",
            number + 1,
            self.levels.len()
        );
        Problem::new(Kind::Infeasible, message)
            .hint("topdown fixes coarse sums before it sees finer rules; leave out a level, or use project-nonnegative")
    }
}
