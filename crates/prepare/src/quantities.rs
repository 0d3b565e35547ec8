//! How large the error of a release will be: exact laws of every cell's and every noisy sum's
//! error, without a draw.
//!
//! With inequalities the law of the error depends on the table, so it is told for public data only.
//! With equalities and noisy sums alone it is the same for every table, and is computed around a
//! table of zeros: it may always be told.

mod levels;
mod render;

use crate::prepared::Prepared;
use declare::{Cell, Conditions, Grouping, NO_GROUP, Problem, Relation};
use draw::{BlockDraw, Law, NoiseLaw, NotAvailable, PlannedWork, Quantities, TableNoise, quantities};
pub use levels::{LevelProfile, LevelSpread};
use plan::ErrorProfile;
use std::sync::Arc;

/// Exact laws of the errors of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorLaws {
    /// Whether the laws are the same for every table with the same declaration.
    pub any_table: bool,
    /// The logarithm of the probability that independent noise meets all that is asked of the
    /// release, if it is known.
    pub log_probability: Option<f64>,
    /// For every cell the law of released minus true count, where it is available.
    pub cells: Vec<(Cell, Law)>,
    /// For every query the laws of the errors of its sums.
    pub queries: Vec<QueryErrors>,
    /// What is not available.
    pub not_available: Vec<NotAvailable>,
}

/// The errors of the sums of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryErrors {
    /// How messages call the query.
    pub label: String,
    /// The law of released minus true sum, for every group; `None` where it is not available.
    pub sums: Vec<Option<Law>>,
}

/// What `explain --error` tells.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedError {
    /// Quantiles by kind of cell and margin: totals that nest and nothing else, the same for every
    /// table.
    Profile(ErrorProfile),
    /// Exact laws.
    Laws(Box<ErrorLaws>),
    /// The noise of a cascade by level, measured from the plan alone.
    Levels(LevelProfile),
    /// Nothing, for a reason.
    NotTold {
        /// The reason.
        reason: String,
        /// What could be done.
        hint: String,
    },
}

impl ErrorLaws {
    /// The law of the error of a cell, where it is available.
    pub fn error(&self, cell: Cell) -> Option<&Law> {
        let place = self.cells.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
        Some(&self.cells[place].1)
    }

    /// The expected sum of all |errors| of cells, when all cells are available.
    pub fn expected_l1(&self) -> Option<f64> {
        self.sum(|law| law.mean_absolute(0))
    }

    /// The expected sum of all squared errors of cells, when all cells are available.
    pub fn expected_l2_squared(&self) -> Option<f64> {
        self.sum(|law| law.variance() + law.mean().powi(2))
    }

    fn sum(&self, of: impl Fn(&Law) -> f64) -> Option<f64> {
        self.not_available.is_empty().then(|| self.cells.iter().map(|(_, law)| of(law)).sum())
    }
}

impl QueryErrors {
    /// The expected sum of all |errors|, when all sums are available.
    pub fn expected_l1(&self) -> Option<f64> {
        self.sums.iter().map(|law| law.as_ref().map(|law| law.mean_absolute(0))).sum()
    }
}

impl Prepared {
    /// What is known about the size of the errors: for confidential data from public information
    /// alone.
    pub fn expected_error(&self) -> ExpectedError {
        let plain = self.plan.blocks.iter().all(|block| block.is_noise());
        if plain && self.plan.queries.is_empty() {
            return ExpectedError::Profile(self.error_profile());
        }
        let not_told = |problem: Problem| ExpectedError::NotTold {
            reason: problem.message,
            hint: problem.hint.unwrap_or_default(),
        };
        if self.plan.cascade.is_some() {
            return self.level_profile().map_or_else(not_told, ExpectedError::Levels);
        }
        self.quantities().map_or_else(not_told, |laws| ExpectedError::Laws(Box::new(laws)))
    }

    /// Weights of all sums between the table's own totals and pinned ones must fit in memory.
    fn check_near(&self) -> Result<(), Problem> {
        let conditions = &self.opened().conditions;
        let own = certify::totals_of(&conditions.invariants, self.counts())?;
        let mut pairs = own.iter().flatten().zip(self.analysed.totals.iter().flatten());
        if pairs.any(|(own, total)| own.abs_diff(*total) > FARTHEST_PINNED) {
            return Err(Problem::refused("totals are pinned to values too far from the table's own for exact errors"));
        }
        Ok(())
    }

    /// Exact laws of the errors of all cells and noisy sums.
    ///
    /// # Errors
    /// Refused for confidential data when the laws depend on the table, and for real-valued noise.
    pub fn quantities(&self) -> Result<ErrorLaws, Problem> {
        if self.plan.cascade.is_some() {
            return Err(Problem::refused("a cascade does not list the laws of its cells")
                .hint("`congenial explain --error` tells its noise by level, `congenial compare` measures errors on public data or a public stand-in"));
        }
        if self.plan.is_projected() {
            return Err(Problem::refused(
                "the release is a projection of noisy figures: its errors have no known law, and they are biased where counts are small",
            )
            .hint("`congenial compare` measures them by many draws, on public data or a public stand-in"));
        }
        let conditions = &self.opened().conditions;
        if let Some(because) = depends_on_table(conditions) {
            if !self.opened().declaration.data.public {
                return Err(Problem::refused(format!(
                    "how large the error will be depends on the table here, because {because}; it would show something of \
                     the confidential counts"
                ))
                .hint("explain the same spec for a public or synthetic table of this shape, with `public = true`"));
            }
            self.check_near()?;
            let noisy = self.noisy_sums()?;
            let noise = TableNoise { law: &self.plan.law, rates: &noisy.rates, sums: &noisy.sums };
            let found = quantities(noise, &self.blocks(), self.counts())?;
            return self.error_laws(found, self.counts(), noise, &self.plan.fixed, false);
        }
        // These sums, each with the value zero.
        let mut conditions = conditions.clone();
        conditions.rules.iter_mut().for_each(|rule| rule.bound = 0);
        let works = self.plan.blocks.iter().map(|planned| planned.work.under(&conditions, &planned.block.cells));
        let works: Vec<Option<Arc<dyn PlannedWork>>> = works.collect::<Result<_, Problem>>()?;
        let zeros = vec![0i64; conditions.cells];
        let rates: Vec<_> = self.plan.queries.iter().map(|query| query.rate.clone()).collect();
        let sums: Vec<Vec<i64>> = self.plan.queries.iter().map(|query| vec![0; query.sums]).collect();
        let noise = TableNoise { law: &self.plan.law, rates: &rates, sums: &sums };
        let blocks: Vec<BlockDraw<'_>> = self
            .blocks()
            .into_iter()
            .zip(&works)
            .map(|(block, work)| BlockDraw { work: work.as_deref().unwrap_or(block.work), ..block })
            .collect();
        let found = quantities(noise, &blocks, &zeros)?;
        let fixed: Vec<(Cell, i64)> = self.plan.fixed.iter().map(|(cell, _)| (*cell, 0)).collect();
        self.error_laws(found, &zeros, noise, &fixed, true)
    }

    /// Errors in place of values, the cells that the totals fix, and the sums of queries.
    fn error_laws(
        &self,
        found: Quantities,
        centre: &[i64],
        noise: TableNoise<'_>,
        fixed: &[(Cell, i64)],
        any_table: bool,
    ) -> Result<ErrorLaws, Problem> {
        let error = |(cell, law): &(u32, Law)| (*cell as Cell, law.shifted(-centre[*cell as usize]));
        let mut cells: Vec<(Cell, Law)> = found.cells.iter().map(error).collect();
        cells.extend(fixed.iter().map(|(cell, value)| (*cell, Law::point(value - centre[*cell]))));
        cells.sort_by_key(|(cell, _)| *cell);
        let (queries, not_available) = (Vec::new(), found.not_available);
        let mut laws = ErrorLaws { any_table, log_probability: None, cells, queries, not_available };
        let mut log_probability = found.log_normaliser;
        let mut add = |logarithm: f64| log_probability = log_probability.map(|sum| sum + logarithm);
        let groupings = self.opened().conditions.queries.iter().map(|query| &query.grouping);
        let mut listed = found.sums.into_iter().peekable();
        for (query, grouping) in groupings.enumerate() {
            let law = NoiseLaw::double_geometric(noise.rates[query].clone());
            add(-(grouping.groups() as f64) * law.log_normaliser());
            let mut known: Vec<Option<Law>> = vec![None; grouping.groups()];
            while let Some(sum) = listed.next_if(|sum| sum.query as usize == query) {
                let centre = noise.sums[query][sum.group as usize];
                known[sum.group as usize] = Some(sum.law.shifted(-centre));
            }
            let held = held_groups(grouping, fixed, centre);
            for (group, held) in held.iter().enumerate() {
                if let (Some(moved), None) = (held.moved, &known[group]) {
                    // No cell of the group is free: its noise must have been exactly this.
                    add(-law.energy(moved).to_f64());
                    known[group] = Some(Law::point(moved));
                } else if let (Some(cell), None) = (held.single, &known[group]) {
                    known[group] = laws.error(cell).map(|law| law.shifted(held.fixed));
                }
            }
            laws.queries.push(QueryErrors { label: self.plan.queries[query].label.clone(), sums: known });
        }
        if noise.rates.is_empty() {
            add(-(self.opened().domain.len() as f64) * noise.law.log_normaliser());
            let energy = |(cell, value): &(Cell, i64)| noise.law.energy(value - centre[*cell]).to_f64();
            add(-fixed.iter().map(energy).sum::<f64>());
        }
        let pinned = self.opened().conditions.pinned.iter().any(Option::is_some);
        // A base measure is no noise: nothing is met with a probability.
        laws.log_probability = log_probability.filter(|_| !pinned && noise.law.base().is_none());
        Ok(laws)
    }
}

/// The farthest that a pinned total may be from the table's own.
const FARTHEST_PINNED: u64 = 100_000;

/// Why the law of the error depends on the table, if it does.
fn depends_on_table(conditions: &Conditions) -> Option<&'static str> {
    if conditions.nonnegative {
        return Some("counts are kept at or above zero");
    }
    if conditions.rules.iter().any(|rule| rule.relation != Relation::Equal) {
        return Some("rules with inequalities bind it");
    }
    let pinned = conditions.pinned.iter().any(Option::is_some);
    pinned.then_some("totals are pinned to values that are not the table's own")
}

/// What the fixed cells make of a group of a query.
#[derive(Debug, Clone, Default)]
struct Held {
    /// The error that the fixed cells add.
    fixed: i64,
    /// The only free cell.
    single: Option<Cell>,
    /// The whole error, when no cell is free.
    moved: Option<i64>,
}

fn held_groups(grouping: &Grouping, fixed: &[(Cell, i64)], centre: &[i64]) -> Vec<Held> {
    let mut held = vec![Held::default(); grouping.groups()];
    let mut free = vec![0usize; grouping.groups()];
    let mut is_fixed = vec![false; grouping.group_of.len()];
    for (cell, value) in fixed {
        is_fixed[*cell] = true;
        let group = grouping.group_of[*cell];
        if group != NO_GROUP {
            held[group as usize].fixed += (value - centre[*cell]) * grouping.taken(*cell);
        }
    }
    for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
        if !is_fixed[cell] {
            free[*group as usize] += 1;
            held[*group as usize].single = Some(cell);
        }
    }
    for (held, free) in held.iter_mut().zip(free) {
        held.single = held.single.filter(|_| free == 1);
        held.moved = (free == 0).then_some(held.fixed);
    }
    held
}
