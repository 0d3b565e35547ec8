//! Walks: Markov chains in a fibre that leave the law of the noise as it is, and evidence of how soon they forget their start.
//!
//! ```text
//! kernel.rs          the trait: a step, its coupling, its exact row
//! space.rs           bounds and sums that a step may change
//! target.rs          the law, and exact decisions by it
//! lattice_kernel.rs  the lattice walk
//! line.rs            whole lines redrawn by messages
//! whole.rs           whole tables proposed group by group
//! laws.rs            what a whole-table proposal foresees
//! score.rs           the weight of a table over the probability of proposing it
//! rows.rs            exact transition rows, for tests
//! lag.rs             two chains until they meet
//! gather.rs          many pairs, and diagnostics
//! diagnose.rs        effective sizes, split-R̂
//! evidence.rs        how far from its law a walk still is
//! limits.rs          Clopper–Pearson limits
//! ```

mod diagnose;
mod evidence;
mod gather;
mod kernel;
mod lag;
mod lattice_kernel;
mod laws;
mod limits;
mod line;
mod rows;
mod score;
mod space;
mod target;
mod whole;

use crate::law::{NoiseLaw, Operator};
use analyse::{Fibre, Lattice};
use declare::Problem;
use exact::{Entropy, Rational};
use gather::{Around, Patience};
use lattice_kernel::{Choice, Moves};
use line::Line;
use space::{Space, Step, Tracked};
use std::collections::HashMap;

pub use diagnose::{effective_size, split_r_hat};
pub use evidence::{CONFIDENCE_PERCENT, CurvePoint, Diagnostics, Evidence, FEWEST_PAIRS, MoveCount, Tail};
pub use kernel::{Kernel, Kinds, Moved};
pub use lag::meeting;
pub use lattice_kernel::LatticeKernel;
pub use space::State;
pub use target::{Energy, Target};

/// A walk in the fibre of one block: a function of public values alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    operator: Operator,
    fibre: Fibre,
    lattice: Lattice,
    law: Option<NoiseLaw>,
    rates: Vec<Rational>,
    lines: bool,
}

/// How much evidence is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The number of coupled pairs.
    pub pairs: u64,
    /// The distance to the law that a release may have.
    pub distance: Rational,
    /// How many steps one chain is ahead; chosen by a few pairs if not given.
    pub lag: Option<u64>,
}

/// The moves of a walk, made ready: kernels around centres borrow them.
#[derive(Debug)]
pub struct Ready {
    moves: Moves,
}

impl Walk {
    /// A walk by this operator. Noise sits on cells by the law, or on the rows of queries by their rates.
    ///
    /// # Errors
    /// The reason, in words that follow `because`, when the operator cannot walk in this fibre.
    pub fn new(
        operator: Operator,
        fibre: Fibre,
        lattice: Lattice,
        law: &NoiseLaw,
        rates: &[Rational],
    ) -> Result<Walk, String> {
        if !law.is_integer() {
            return Err("it walks among tables of integers".to_owned());
        }
        if lattice.basis().is_empty() {
            return Err("one table alone has these totals".to_owned());
        }
        let law = fibre.noise_on_cells.then(|| law.clone());
        Ok(Walk { operator, fibre, lattice, law, rates: rates.to_vec(), lines: true })
    }

    /// The same walk along single basis vectors alone: the coordinate walk of the literature, for comparison.
    pub fn without_lines(mut self) -> Walk {
        self.lines = false;
        self
    }

    /// The operator.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// The cells that it walks on, by their number in the table.
    pub fn cells(&self) -> &[u32] {
        &self.fibre.cells
    }

    /// The predicted seconds of one step, on one core.
    pub fn step_seconds(&self) -> f64 {
        self.ready().moves.step_seconds()
    }

    /// Makes the moves ready.
    pub fn ready(&self) -> Ready {
        let space = Space::new(&self.fibre);
        let dimension = self.lattice.basis().len();
        let rate = |vector: &Vec<(u32, i64)>| self.proposal_rate(&space, &space.step(vector), dimension);
        let rates = self.lattice.basis().iter().map(rate).collect();
        let product = self.law.as_ref().is_none_or(NoiseLaw::is_product);
        let lines = if product && self.lines { analyse::lines(&self.fibre) } else { Vec::new() };
        let lines = lines.iter().filter_map(|line| self.usable(&space, line)).collect();
        let choice = if self.lines { Choice::All } else { Choice::Coordinates };
        let families = if self.law.is_some() && product { analyse::families(&self.fibre) } else { Vec::new() };
        Ready { moves: Moves::new(space, self.lattice.basis(), rates, lines, families, choice) }
    }

    /// The kernel around a table of the block (values in the order of its cells), and noisy sums `sums[query][group]`.
    pub fn kernel<'a>(&self, ready: &'a Ready, centre: Vec<i64>, sums: &[Vec<i64>]) -> LatticeKernel<'a> {
        let target = Target::new(&ready.moves.space, self.law.as_ref(), &self.rates, centre, sums);
        LatticeKernel::new(&ready.moves, target)
    }

    /// A line as the walk uses it: a bounded or noisy sum may depend on one column, or move as the (zero) sum of all units.
    fn usable(&self, space: &Space, line: &analyse::Line) -> Option<Line> {
        let mut columns: Vec<Step> = line.iter().map(|vector| space.step(vector)).collect();
        let mut seen: HashMap<u32, Vec<i64>> = HashMap::new();
        for column in &columns {
            column.rows.iter().for_each(|(row, times)| seen.entry(*row).or_default().push(*times));
        }
        let all = columns.len();
        let cancels = |times: &[i64]| times.len() == all && times.iter().all(|other| *other == times[0]);
        if seen.values().any(|times| times.len() > 1 && !cancels(times)) {
            return None;
        }
        for column in &mut columns {
            column.rows.retain(|(row, _)| seen[row].len() == 1);
        }
        let held = |column: &Step| {
            let noisy = |(row, _): &(u32, i64)| matches!(space.rows[*row as usize], Tracked::Noisy { .. });
            let bounded = |sign: i64| {
                column.cells.iter().any(|(place, times)| {
                    let (low, high) = space.bounds[*place as usize];
                    if times * sign > 0 { high.is_some() } else { low.is_some() }
                })
            };
            self.law.is_some() || column.rows.iter().any(noisy) || bounded(1) && bounded(-1)
        };
        columns.iter().all(held).then_some(Line { columns })
    }

    /// How far a move along a vector reaches, from public values alone: about as far as the noise does.
    fn proposal_rate(&self, space: &Space, step: &Step, dimension: usize) -> Rational {
        let length: f64 = step.cells.iter().map(|(_, times)| times.abs() as f64).sum();
        let squared: f64 = step.cells.iter().map(|(_, times)| (times * times) as f64).sum();
        let cells = match &self.law {
            Some(NoiseLaw::DoubleGeometric { epsilon } | NoiseLaw::Laplace { epsilon }) => epsilon.to_f64() * length,
            Some(NoiseLaw::DiscreteGaussian { variance } | NoiseLaw::Gaussian { variance }) => {
                0.6 * (squared / variance.to_f64()).sqrt()
            }
            Some(NoiseLaw::LatticeLaplace { epsilon }) => epsilon.to_f64() * (squared / dimension as f64).sqrt(),
            None => 0.0,
        };
        let noisy = step.rows.iter().map(|(row, times)| match space.rows[*row as usize] {
            Tracked::Noisy { query, .. } => self.rates[query as usize].to_f64() * times.abs() as f64,
            _ => 0.0,
        });
        let rate = (cells + noisy.sum::<f64>()).clamp(1.0 / 4096.0, 3.0);
        Rational::new((rate * 4096.0).round() as u64, 4096u32)
    }

    /// Runs coupled chains from tables that are functions of public values, with bits of a fixed seed: anyone can make the
    /// same evidence again. `progress` is told of every pair that has met.
    ///
    /// # Errors
    /// Refused when no table to start from is found, or when pairs do not meet in the time that is given to them.
    pub fn gather(&self, wanted: &Wanted, progress: &(dyn Fn(u64) + Sync)) -> Result<Evidence, Problem> {
        let starts = self.starts()?;
        self.gather_from(&starts, wanted, progress)
    }

    /// The same from given tables of the fibre (values in the order of the block's cells).
    ///
    /// # Errors
    /// Refused when pairs do not meet in the time that is given to them.
    pub fn gather_from(
        &self,
        starts: &[Vec<i64>],
        wanted: &Wanted,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Evidence, Problem> {
        let ready = self.ready();
        let around: Vec<Around<LatticeKernel<'_>>> = starts
            .iter()
            .map(|start| Around {
                kernel: self.kernel(&ready, start.clone(), &self.sums_of(start)),
                start: start.clone(),
            })
            .collect();
        let seconds = ready.moves.step_seconds();
        let lag = (self.lattice.basis().len() as u64).max(1);
        let patience = Patience { lag, most: (PATIENCE_SECONDS / seconds) as u64 };
        gather::gather(&around, wanted, patience, progress)
    }

    /// Tables to gather evidence from.
    fn starts(&self) -> Result<Vec<Vec<i64>>, Problem> {
        let space = Space::new(&self.fibre);
        if !space.is_bounded() {
            return Ok(vec![vec![0; self.fibre.cells.len()]]);
        }
        Err(Problem::not_yet("walks under inequalities"))
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

    /// Walks so many steps from the block's cells of a whole table; returns the cells with their values.
    pub fn draw<E: Entropy>(
        &self,
        centre: &[i64],
        sums: &[Vec<i64>],
        steps: u64,
        entropy: &mut E,
    ) -> Result<Vec<(u32, i64)>, Problem> {
        let start: Vec<i64> = self.fibre.cells.iter().map(|cell| centre[*cell as usize]).collect();
        let ready = self.ready();
        let kernel = self.kernel(&ready, start.clone(), sums);
        let mut state = kernel.start(start);
        for _ in 0..steps {
            kernel.step(&mut state, entropy);
        }
        Ok(self.fibre.cells.iter().copied().zip(state.values).collect())
    }
}

/// A pair of chains is given up after about so many seconds.
const PATIENCE_SECONDS: f64 = 20.0;
