//! Walks: Markov chains in a fibre that leave the law of the noise as it is, and evidence of how
//! soon they forget their start.
//!
//! ```text
//! operator.rs        the operators: what walks, and what it answers to a plan
//! kernel.rs          the trait: a step, its coupling, its exact row
//! prepare.rs         proposals tuned on public quantities, usable lines
//! space.rs           bounds and sums that a step may change
//! target.rs          the law, and exact decisions by it
//! lattice_kernel.rs  the lattice walk
//! independence.rs    Gong and Meng's walk, for comparison
//! complete.rs        cells that follow from others and the totals
//! hierarchy.rs       Liu's walk, for comparison
//! tune.rs            proposals of these two tuned, their acceptance and errors measured
//! line.rs            whole lines redrawn by messages
//! stand_in.rs        laws that stand in for the ℓ₂ norm when a line is redrawn
//! whole.rs           whole tables proposed group by group
//! laws.rs            what a whole-table proposal foresees
//! score.rs           the weight of a table over the probability of proposing it
//! rows.rs            exact transition rows, for tests
//! begin.rs           where pairs of chains begin, and whether the moves join all tables
//! gather.rs          many pairs, block after block, and diagnostics
//! diagnose.rs        effective sizes, split-R̂
//! evidence.rs        how far from its law a walk still is, and when that is evidence enough
//! lag.rs             two chains with a lag until they meet
//! lagged.rs          how far from its law a walk still is as published, for research
//! limits.rs          Clopper–Pearson limits
//! ```

mod begin;
mod complete;
mod coordinates;
mod diagnose;
mod evidence;
mod gather;
mod hierarchy;
mod independence;
mod kernel;
mod lag;
mod lagged;
mod lattice_kernel;
mod laws;
pub mod limits;
mod line;
mod operator;
mod pilot;
mod prepare;
mod rows;
mod score;
mod space;
mod stand_in;
mod target;
#[cfg(test)]
mod tests;
mod tune;
mod whole;

use analyse::{Circulation, Feasibility, Fibre, Lattice};
use complete::Completion;
use declare::{Kind, Problem};
use draw::{Growth, NoiseLaw};
use exact::{Entropy, Rational, Seeded};
use gather::{Around, Patience};
use space::{Space, Tracked};
use std::sync::Arc;

pub use begin::{Begin, PROVED_WALKS, UNPROVED};
pub use diagnose::{effective_size, split_r_hat};
pub use evidence::{
    CONFIDENCE_PERCENT, Diagnostics, Evidence, Family, LARGEST_R_HAT, LEAST_EFFECTIVE, MoveCount, Tried,
};
pub use hierarchy::{HierarchyKernel, HierarchyMoves};
pub use independence::{IndependenceKernel, IndependenceMoves, Offered};
pub use kernel::{Kernel, Kinds, Moved};
pub use lag::meeting;
pub use lagged::{FEWEST_PAIRS, Lagged, Tail};
pub use lattice_kernel::{LatticeKernel, WalkMoves};
pub use operator::{ComparedWalk, HIERARCHY_WALK, INDEPENDENCE_WALK, LatticeWalk, NOT_ACCEPTED, PlannedWalk};
pub use pilot::{Apart, pilot};
pub use space::{State, added_up};
pub use target::{Energy, Target};
pub use tune::HierarchyErrors;

/// How a walk walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Along short vectors of the lattice, and whole lines redrawn by messages.
    Lattice,
    /// Gong and Meng's: all free cells proposed at once.
    Independence,
    /// Liu's: all leaves proposed, summed upward.
    Hierarchy,
}

impl Steps {
    /// The operator that walks so, by the name scripts rely on.
    pub const fn name(self) -> &'static str {
        match self {
            Steps::Lattice => "lattice-walk",
            Steps::Independence => "independence-walk",
            Steps::Hierarchy => "hierarchy-walk",
        }
    }
}

/// A walk in the fibre of one block: a function of public values alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    steps: Steps,
    fibre: Fibre,
    lattice: Lattice,
    law: Option<NoiseLaw>,
    rates: Vec<Rational>,
    lines: bool,
    whole: bool,
    /// Which cells an independence walk proposes, and how the others follow.
    completion: Option<Completion>,
    /// The rate of an independence or hierarchy walk's proposals, if it is given.
    proposal: Option<Rational>,
    /// The block as a graph whose cycles join all tables within bounds, or why it is none.
    circulation: Result<Circulation, &'static str>,
}

/// How much evidence is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The number of coupled pairs.
    pub pairs: u64,
    /// The distance to the law that a release may have.
    pub distance: Rational,
    /// How many steps one chain is ahead, for [`Walk::lagged`]; chosen by a few pairs if not given.
    pub lag: Option<u64>,
}

impl Walk {
    /// A walk by these steps. Noise sits on cells by the law, or on the rows of queries by their
    /// rates.
    ///
    /// # Errors
    /// The reason, in words that follow `because`, when it cannot walk in this fibre.
    pub fn new(
        steps: Steps,
        fibre: Fibre,
        lattice: Lattice,
        law: &NoiseLaw,
        rates: &[Rational],
    ) -> Result<Walk, String> {
        if !law.is_integer() {
            return Err("it walks among tables of integers".to_owned());
        }
        if law.growth() == Growth::Other && fibre.noise_on_cells {
            return Err(format!("it does not weigh {}", law.in_words()));
        }
        if lattice.basis().is_empty() {
            return Err("one table alone has these totals".to_owned());
        }
        if lattice.basis().iter().flatten().any(|(_, times)| times.unsigned_abs() > LARGEST_ENTRY) {
            return Err("the steps between tables are too large for machine integers".to_owned());
        }
        let completion = match steps {
            Steps::Independence => {
                if !fibre.noise_on_cells {
                    return Err("it proposes noise on cells, and here noise sits on the sums of queries".to_owned());
                }
                if law.geometric().is_none() {
                    return Err(format!("it proposes double-geometric noise, and the noise is {}", law.name()));
                }
                Some(Completion::of(&fibre, None)?)
            }
            Steps::Hierarchy => {
                if fibre.noise_on_cells {
                    return Err("it sums leaves up to the nodes of queries, and here noise sits on cells alone".into());
                }
                if fibre.equalities().next().is_some() {
                    return Err("it moves every leaf by itself, and no such proposal would keep a total exact".into());
                }
                None
            }
            _ => None,
        };
        let law = fibre.noise_on_cells.then(|| law.clone());
        let circulation = Circulation::of(&fibre);
        Ok(Walk {
            circulation,
            steps,
            fibre,
            lattice,
            law,
            rates: rates.to_vec(),
            lines: true,
            whole: true,
            completion,
            proposal: None,
        })
    }

    /// This walk along single basis vectors alone: the coordinate walk of the literature, for
    /// comparison.
    pub fn without_lines(mut self) -> Walk {
        self.lines = false;
        self
    }

    /// This walk with lines redrawn by messages, but without proposals of whole tables: for
    /// comparison.
    pub fn without_whole_tables(mut self) -> Walk {
        self.whole = false;
        self
    }

    /// How it walks.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// The cells that it walks on, by their number in the table.
    pub fn cells(&self) -> &[u32] {
        &self.fibre.cells
    }

    /// The predicted seconds of one step, on one core.
    pub fn step_seconds(&self) -> f64 {
        match self.steps {
            Steps::Independence | Steps::Hierarchy => PROPOSED_CELL_SECONDS * self.fibre.cells.len() as f64,
            Steps::Lattice => self.ready().step_seconds(),
        }
    }

    /// The lattice walk's kernel around a table of the block (values in the order of its cells),
    /// and noisy sums `sums[query][group]`.
    pub fn kernel<'a>(&self, ready: &'a WalkMoves, centre: Vec<i64>, sums: &[Vec<i64>]) -> LatticeKernel<'a> {
        let target = Target::new(&ready.space, self.law.as_ref(), &self.rates, centre, sums);
        LatticeKernel::new(ready, target)
    }

    /// The kernel of a law of one's own, for research: a lattice walk by [`Walk::without_lines`],
    /// because lines and whole tables know the laws of this project alone; `None` otherwise.
    pub fn kernel_of<'a>(&self, ready: &'a WalkMoves, energy: Arc<dyn Energy>) -> Option<LatticeKernel<'a>> {
        let plain = ready.lines.is_empty() && ready.families.is_empty();
        let target = Target::of_energy(energy, self.fibre.cells.len());
        plain.then(|| LatticeKernel::new(ready, target))
    }

    /// Runs coupled chains from tables that are functions of public values, with bits of a fixed
    /// seed: anyone can make the same evidence again. `progress` is told of every pair of a first
    /// block.
    ///
    /// # Errors
    /// Refused when nothing proves that the moves join all tables, when no table to start from is
    /// found, when pairs do not meet in the time that is given to them, or when chains hardly move.
    pub fn gather(&self, wanted: &Wanted, progress: &(dyn Fn(u64) + Sync)) -> Result<Evidence, Problem> {
        self.connected().map_err(|why| Problem::refused(why).hint(begin::PROVED_WALKS))?;
        self.gather_from(&self.begins()?, wanted, progress)
    }

    /// Evidence from given tables of the fibre, whether or not anything is proved about the moves:
    /// for research.
    ///
    /// # Errors
    /// Bad when there is no table, or one that is not in the fibre; otherwise as [`Walk::gather`].
    pub fn gather_from(
        &self,
        begins: &[Begin],
        wanted: &Wanted,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Evidence, Problem> {
        begins
            .iter()
            .flat_map(|begin| begin.far.iter().chain([&begin.start]))
            .try_for_each(|table| self.check(table))?;
        if begins.is_empty() {
            return Err(Problem::bad("evidence starts from at least one table"));
        }
        match self.steps {
            Steps::Independence => {
                let moves = self.independence()?;
                gather::gather(&around(begins, |start| moves.kernel(start)), wanted, self.most(), progress)
            }
            Steps::Hierarchy => {
                let moves = self.hierarchy()?;
                let around = around(begins, |start| moves.kernel(start.clone(), &self.sums_of(&start)));
                gather::gather(&around, wanted, self.most(), progress)
            }
            Steps::Lattice => {
                let ready = self.ready();
                let around = around(begins, |start| self.kernel(&ready, start.clone(), &self.sums_of(&start)));
                gather::gather(&around, wanted, self.most(), progress)
            }
        }
    }

    /// Couples pairs with a lag until all have met, from [`Walk::starts`] or the given tables: for
    /// research; nothing is certified by it.
    ///
    /// # Errors
    /// As [`Walk::gather_from`].
    pub fn lagged(
        &self,
        starts: Option<&[Vec<i64>]>,
        wanted: &Wanted,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Lagged, Problem> {
        let starts = starts.map_or_else(|| self.starts(), |starts| Ok(starts.to_vec()))?;
        starts.iter().try_for_each(|table| self.check(table))?;
        let begins: Vec<Begin> = starts.into_iter().map(|start| Begin { start, far: Vec::new() }).collect();
        let dimension = self.lattice.basis().len() as u64;
        let patience = |lag: u64| Patience { lag, most: self.most() };
        match self.steps {
            Steps::Independence => {
                let moves = self.independence()?;
                let around = around(&begins, |start| moves.kernel(start));
                lag::lagged(&around, wanted, patience(WHOLE_LAG), progress)
            }
            Steps::Hierarchy => {
                let moves = self.hierarchy()?;
                let around = around(&begins, |start| moves.kernel(start.clone(), &self.sums_of(&start)));
                lag::lagged(&around, wanted, patience(dimension), progress)
            }
            Steps::Lattice => {
                let ready = self.ready();
                let around = around(&begins, |start| self.kernel(&ready, start.clone(), &self.sums_of(&start)));
                // Whole tables are soon forgotten; single vectors must reach every cell.
                let lag = if ready.families.is_empty() { dimension } else { WHOLE_LAG };
                lag::lagged(&around, wanted, patience(lag), progress)
            }
        }
    }

    /// How many steps a pair may take.
    fn most(&self) -> u64 {
        let seconds = if self.steps == Steps::Lattice { PATIENCE_SECONDS } else { SHORT_PATIENCE_SECONDS };
        (seconds / self.step_seconds()) as u64
    }

    /// Whether chains may start at a table: one of the fibre, or without bounds no noise or noise
    /// that changes no total.
    fn check(&self, table: &[i64]) -> Result<(), Problem> {
        let zero = |(entries, _): (&[(u32, i64)], i64)| {
            entries.iter().map(|(place, times)| i128::from(*times) * i128::from(table[*place as usize])).sum::<i128>()
                == 0
        };
        let is_noise = || {
            self.expected_starts() == 1 && table.len() == self.fibre.cells.len() && self.fibre.equalities().all(zero)
        };
        let is_start = is_noise() || self.fibre.contains(table);
        is_start
            .then_some(())
            .ok_or_else(|| Problem::bad("evidence starts from tables with the totals that the walk keeps"))
    }

    /// Tables to gather evidence from: functions of public values. Where nothing but equalities
    /// confine the tables the noise does not depend on them, and no noise is as good a start as
    /// any.
    ///
    /// # Errors
    /// Refused when no table with these totals is found.
    pub fn starts(&self) -> Result<Vec<Vec<i64>>, Problem> {
        let first = self.first_start()?;
        if !Space::new(&self.fibre).is_bounded() {
            return Ok(vec![first]);
        }
        // Each further start is where a walk from the one before it got to.
        let ready = self.ready();
        let source = Seeded::draw(gather::SEED, 3);
        let mut starts = vec![first];
        for number in 1..STARTS {
            let centre = starts[starts.len() - 1].clone();
            let kernel = self.kernel(&ready, centre.clone(), &self.sums_of(&centre));
            let mut state = kernel.start(centre);
            let mut entropy = lag::stream(&source, number)?;
            for _ in 0..WHOLE_LAG.max(self.lattice.basis().len() as u64 / 4) {
                kernel.step(&mut state, &mut entropy);
            }
            starts.push(state.values);
        }
        Ok(starts)
    }

    /// No noise, or with bounds a first table of the fibre.
    fn first_start(&self) -> Result<Vec<i64>, Problem> {
        if !Space::new(&self.fibre).is_bounded() {
            return Ok(vec![0; self.fibre.cells.len()]);
        }
        match self.fibre.first_table(&self.lattice) {
            Feasibility::Table(table) => Ok(table),
            Feasibility::Impossible(witness) => {
                let names: Vec<String> = (1..=self.fibre.rows.len()).map(|row| format!("sum {row}")).collect();
                let why = witness.in_words(&self.fibre, &names);
                let message = format!("no table satisfies all totals, bounds and rules together: {why}");
                Err(Problem::new(Kind::Infeasible, message))
            }
            Feasibility::NotFound(tried) => Err(Problem::refused(format!(
                "no table with these totals was found to gather the evidence of a walk from: {tried}"
            ))
            .hint("declare fewer or coarser totals and rules, or totals that an exact operator can draw")),
        }
    }

    /// The most tables that evidence walks around: one where the noise does not depend on the
    /// table.
    pub fn expected_starts(&self) -> u64 {
        if Space::new(&self.fibre).is_bounded() { STARTS } else { 1 }
    }

    /// The noisy sums of a table of the block, as [`Walk::kernel`] takes them.
    pub fn sums_of(&self, values: &[i64]) -> Vec<Vec<i64>> {
        let space = Space::new(&self.fibre);
        let found = space.sums(values);
        let mut sums: Vec<Vec<i64>> = vec![Vec::new(); self.rates.len()];
        for (row, sum) in space.rows.iter().zip(found) {
            if let Tracked::Noisy { query, group, fixed } = row {
                let groups = &mut sums[*query as usize];
                let group = *group as usize;
                groups.resize(groups.len().max(group + 1), 0);
                groups[group] = sum + fixed;
            }
        }
        sums
    }

    /// Walks so many steps from the block's cells of a whole table; returns the cells with their
    /// values.
    ///
    /// # Errors
    /// Refused when the table does not have the totals that the walk keeps.
    pub fn draw<E: Entropy>(
        &self,
        centre: &[i64],
        sums: &[Vec<i64>],
        steps: u64,
        entropy: &mut E,
    ) -> Result<Vec<(u32, i64)>, Problem> {
        let start: Vec<i64> = self.fibre.cells.iter().map(|cell| centre[*cell as usize]).collect();
        if !self.fibre.contains(&start) {
            return Err(Problem::refused("the walk must start from a table with the totals that it keeps"));
        }
        let values = match self.steps {
            Steps::Independence => advanced(&self.independence()?.kernel(start.clone()), start, steps, entropy),
            Steps::Hierarchy => advanced(&self.hierarchy()?.kernel(start.clone(), sums), start, steps, entropy),
            _ => advanced(&self.kernel(&self.ready(), start.clone(), sums), start, steps, entropy),
        };
        // A walk keeps the totals by construction; what does not is never handed on.
        if !self.fibre.contains(&values) {
            return Err(Problem::refused(
                "the walk left the tables with the totals that it keeps: a bug in this program",
            ));
        }
        Ok(self.fibre.cells.iter().copied().zip(values).collect())
    }
}

/// Kernels around every start.
fn around<K>(begins: &[Begin], kernel: impl Fn(Vec<i64>) -> K) -> Vec<Around<K>> {
    let around =
        |Begin { start, far }: &Begin| Around { kernel: kernel(start.clone()), start: start.clone(), far: far.clone() };
    begins.iter().map(around).collect()
}

/// Where so many steps lead.
fn advanced<K: Kernel, E: Entropy>(kernel: &K, start: Vec<i64>, steps: u64, entropy: &mut E) -> Vec<i64> {
    let mut state = kernel.start(start);
    for _ in 0..steps {
        kernel.step(&mut state, entropy);
    }
    kernel.values(&state).to_vec()
}

/// A step that proposes all cells, for every cell: two draws, and the sums that it is in.
const PROPOSED_CELL_SECONDS: f64 = 40e-9;
/// The largest entry of a lattice vector, so that steps along several of them fit machine integers.
const LARGEST_ENTRY: u64 = 1 << 32;
/// A pair of chains is given up after about so many seconds.
const PATIENCE_SECONDS: f64 = 20.0;
/// Walks that are there for comparison are given up sooner: chains that propose all cells at once
/// meet soon or hardly ever.
const SHORT_PATIENCE_SECONDS: f64 = 2.0;
/// The lag of the first pairs, where whole tables are proposed.
const WHOLE_LAG: u64 = 32;
/// Tables that evidence starts from, where the law depends on the table.
const STARTS: u64 = 4;
