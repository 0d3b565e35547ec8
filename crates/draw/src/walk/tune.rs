//! The walks of the literature made ready for comparisons: their proposals tuned by pilots around public tables, their
//! acceptance as a curve, and the errors of a hierarchy as its authors measure them.

use super::complete::Completion;
use super::gather::SEED;
use super::hierarchy::HierarchyMoves;
use super::independence::IndependenceMoves;
use super::kernel::Kernel;
use super::space::Space;
use super::Walk;
use crate::law::Operator;
use declare::Problem;
use exact::{Entropy, Rational, Seeded, Source};
use rayon::prelude::*;

/// Steps of a pilot that are counted, after half as many that are not.
const PILOT_STEPS: u64 = 1500;
/// Single steps of the lattice walk per dimension that bring a pilot away from the mode, and the most of them.
const WARM_STEPS: u64 = 32;
const MOST_WARM_STEPS: u64 = 200_000;
/// The rates ε̃ that are tried, in eighths of ε: from broader proposals than the law to much narrower ones.
const EIGHTHS: [u64; 14] = [6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 64];
/// The rates of leaves' steps that are tried, in quarters: from steps of several units to one leaf in thousands that moves.
const MOST_QUARTERS: u64 = 40;
/// The acceptance that suits proposals of many coordinates at once (Roberts, Gelman and Gilks 1997).
const BEST_ACCEPTANCE: f64 = 0.234;

/// The errors of a hierarchy in a long run of the hierarchy walk.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyErrors {
    /// For every query, in order: `Σ|error|` over its groups, averaged over the steps, over the number of nodes of all queries.
    pub levels: Vec<f64>,
    /// The rate of the leaves' steps.
    pub rate: Rational,
    /// The part of proposals that was accepted.
    pub acceptance: f64,
}

impl Walk {
    /// The independence walk with this index set: the cells, by their number in the table, that are proposed. All others must
    /// follow from them and the totals. Without it an index set is found.
    ///
    /// # Errors
    /// In words that follow `because`, when they do not follow, or the walk is another one.
    pub fn with_index_set(mut self, cells: &[u32]) -> Result<Walk, String> {
        if self.operator != Operator::IndependenceWalk {
            return Err("only the independence walk has an index set".to_owned());
        }
        let place = |cell: &u32| {
            let found = self.fibre.cells.iter().position(|other| other == cell);
            found.map(|place| place as u32).ok_or_else(|| format!("cell {cell} is not one of the block's cells"))
        };
        let places = cells.iter().map(place).collect::<Result<Vec<u32>, String>>()?;
        self.completion = Some(Completion::of(&self.fibre, Some(&places))?);
        Ok(self)
    }

    /// The independence or hierarchy walk with this rate of its proposals: ε̃, or that of the leaves' steps. Without it the rate
    /// is tuned.
    pub fn with_proposal_rate(mut self, rate: Rational) -> Walk {
        self.proposal = Some(rate);
        self
    }

    /// The index set of an independence walk, by the cells' numbers in the table; nothing for other walks.
    pub fn index_set(&self) -> Option<Vec<u32>> {
        let completion = self.completion.as_ref()?;
        Some(completion.free.iter().map(|place| self.fibre.cells[*place as usize]).collect())
    }

    /// Makes the independence walk ready. An ε̃ that was not given is the one of a grid that moves most often in pilots.
    ///
    /// # Errors
    /// Refused when this is another walk, or when no table is found to run pilots from.
    pub fn independence(&self) -> Result<IndependenceMoves, Problem> {
        if let Some(rate) = &self.proposal {
            return self.independence_at(rate);
        }
        let (_, epsilon) = self.independence_parts()?;
        let epsilon = epsilon.clone();
        let (centre, start) = self.pilot_start()?;
        let rates = EIGHTHS.iter().map(|eighths| &epsilon * &Rational::new(*eighths, 8u8));
        let counts = self.pilots(rates.collect(), |rate, entropy| {
            let moves = self.independence_at(rate)?;
            Ok(pilot(&moves.kernel(centre.clone()), start.clone(), PILOT_STEPS, entropy))
        })?;
        // Proposals of the present table itself are accepted for nothing.
        let best = counts.into_iter().rev().max_by_key(|(_, counts)| counts.moved);
        self.independence_at(&best.map_or(epsilon, |(rate, _)| rate))
    }

    /// Makes the hierarchy walk ready. A rate that was not given is the one whose acceptance in pilots is nearest to 0.234.
    ///
    /// # Errors
    /// Refused when this is another walk, or when no table is found to run pilots from.
    pub fn hierarchy(&self) -> Result<HierarchyMoves, Problem> {
        if let Some(rate) = &self.proposal {
            return self.hierarchy_at(rate);
        }
        self.hierarchy_at(&Rational::integer(1))?;
        let (centre, start) = self.pilot_start()?;
        let sums = self.sums_of(&centre);
        let rates = (1..=MOST_QUARTERS).map(|quarters| Rational::new(quarters, 4u8));
        let counts = self.pilots(rates.collect(), |rate, entropy| {
            let moves = self.hierarchy_at(rate)?;
            Ok(pilot(&moves.kernel(centre.clone(), &sums), start.clone(), PILOT_STEPS, entropy))
        })?;
        let off = |counts: &Counts| (counts.acceptance() - BEST_ACCEPTANCE).abs();
        let best = counts.into_iter().min_by(|(_, one), (_, two)| off(one).total_cmp(&off(two)));
        self.hierarchy_at(&best.map_or(Rational::integer(1), |(rate, _)| rate))
    }

    /// The part of proposals that the walk accepts around a table of the block (values in the order of its cells), for every
    /// rate of the proposals: so many steps of a chain from the table, with bits of this seed, after a tenth as many that are
    /// not counted.
    ///
    /// # Errors
    /// Refused when the walk has no such proposals, or the table does not keep its totals and bounds.
    pub fn acceptance_curve(
        &self,
        table: &[i64],
        rates: &[Rational],
        draws: u64,
        seed: u64,
    ) -> Result<Vec<(Rational, f64)>, Problem> {
        self.check_start(table)?;
        let source = Seeded::draw(seed, 0);
        let sums = self.sums_of(table);
        let point = |(number, rate): (usize, &Rational)| {
            let mut entropy = source.stream(number as u64).map_err(|error| Problem::system(error.to_string()))?;
            let start = table.to_vec();
            let counts = match self.operator {
                Operator::HierarchyWalk => {
                    let moves = self.hierarchy_at(rate)?;
                    counted(&moves.kernel(start.clone(), &sums), start, draws / 10, draws, &mut entropy)
                }
                _ => {
                    let moves = self.independence_at(rate)?;
                    counted(&moves.kernel(start.clone()), start, draws / 10, draws, &mut entropy)
                }
            };
            Ok((rate.clone(), counts.acceptance()))
        };
        rates.par_iter().enumerate().map(point).collect()
    }

    /// Runs the hierarchy walk from a table of the block for so many steps, with bits of this seed, and measures the errors of
    /// all its nodes after every step, but for those of the first `unmeasured` steps.
    ///
    /// # Errors
    /// Refused when this is another walk, or the table does not keep its bounds.
    pub fn hierarchy_errors(
        &self,
        table: &[i64],
        unmeasured: u64,
        steps: u64,
        seed: u64,
    ) -> Result<HierarchyErrors, Problem> {
        self.check_start(table)?;
        let moves = self.hierarchy()?;
        let kernel = moves.kernel(table.to_vec(), &self.sums_of(table));
        let mut entropy = Seeded::draw(seed, 0).stream(0).map_err(|error| Problem::system(error.to_string()))?;
        let mut state = kernel.start(table.to_vec());
        for _ in 0..unmeasured {
            kernel.step(&mut state, &mut entropy);
        }
        let nodes = kernel.errors(&state).count();
        let mut sums = vec![0i128; self.rates.len()];
        let mut accepted = 0u64;
        for _ in 0..steps {
            accepted += u64::from(kernel.step(&mut state, &mut entropy).accepted);
            kernel.errors(&state).for_each(|(query, error)| sums[query] += i128::from(error));
        }
        let mean = |sum: &i128| *sum as f64 / steps.max(1) as f64 / nodes.max(1) as f64;
        Ok(HierarchyErrors {
            levels: sums.iter().map(mean).collect(),
            rate: moves.rate().clone(),
            acceptance: accepted as f64 / steps.max(1) as f64,
        })
    }

    fn check_start(&self, table: &[i64]) -> Result<(), Problem> {
        if self.fibre.contains(table) {
            return Ok(());
        }
        Err(Problem::refused("the walk must start from a table with the totals and within the bounds that it keeps"))
    }

    /// The completion of an independence walk, and ε.
    fn independence_parts(&self) -> Result<(&Completion, &Rational), Problem> {
        use crate::law::NoiseLaw;
        match (&self.completion, &self.law) {
            (Some(completion), Some(NoiseLaw::DoubleGeometric { epsilon })) => Ok((completion, epsilon)),
            _ => Err(Problem::refused(format!("`{}` proposes no index set", self.operator.name()))),
        }
    }

    fn independence_at(&self, rate: &Rational) -> Result<IndependenceMoves, Problem> {
        let (completion, epsilon) = self.independence_parts()?;
        check_rate(rate)?;
        let law = crate::law::NoiseLaw::DoubleGeometric { epsilon: epsilon.clone() };
        Ok(IndependenceMoves::new(Space::new(&self.fibre), completion.clone(), law, rate.clone()))
    }

    fn hierarchy_at(&self, rate: &Rational) -> Result<HierarchyMoves, Problem> {
        if self.operator != Operator::HierarchyWalk {
            return Err(Problem::refused(format!("`{}` proposes no leaves", self.operator.name())));
        }
        check_rate(rate)?;
        Ok(HierarchyMoves::new(Space::new(&self.fibre), self.rates.clone(), rate.clone()))
    }

    /// A public table, and one that a walk around it comes to: pilots start there, as the centre itself is the likeliest table
    /// but a rare one.
    fn pilot_start(&self) -> Result<(Vec<i64>, Vec<i64>), Problem> {
        let centre = self.starts()?.swap_remove(0);
        let plain = self.clone().without_lines();
        let ready = plain.ready();
        let kernel = plain.kernel(&ready, centre.clone(), &self.sums_of(&centre));
        let mut state = kernel.start(centre.clone());
        let mut entropy = Seeded::draw(SEED, 4).stream(0).map_err(|error| Problem::system(error.to_string()))?;
        for _ in 0..(WARM_STEPS * self.lattice.basis().len() as u64).min(MOST_WARM_STEPS) {
            kernel.step(&mut state, &mut entropy);
        }
        Ok((centre, state.values))
    }

    /// Runs a pilot at every rate.
    fn pilots(
        &self,
        rates: Vec<Rational>,
        run: impl Fn(&Rational, &mut <Seeded as Source>::Stream) -> Result<Counts, Problem> + Sync,
    ) -> Result<Vec<(Rational, Counts)>, Problem> {
        let source = Seeded::draw(SEED, 5);
        let one = |(number, rate): (usize, Rational)| {
            let mut entropy = source.stream(number as u64).map_err(|error| Problem::system(error.to_string()))?;
            let counts = run(&rate, &mut entropy)?;
            Ok((rate, counts))
        };
        rates.into_par_iter().enumerate().map(one).collect()
    }
}

fn check_rate(rate: &Rational) -> Result<(), Problem> {
    if *rate < Rational::new(1, 1u64 << 32) {
        return Err(Problem::refused("the rate of proposals must be above 2^-32"));
    }
    Ok(())
}

/// What became of the proposals of a chain.
#[derive(Debug, Clone, Copy)]
struct Counts {
    proposed: u64,
    accepted: u64,
    /// Those after which the table was another one.
    moved: u64,
}

impl Counts {
    fn acceptance(&self) -> f64 {
        self.accepted as f64 / self.proposed.max(1) as f64
    }
}

fn pilot<K: Kernel, E: Entropy>(kernel: &K, start: Vec<i64>, steps: u64, entropy: &mut E) -> Counts {
    counted(kernel, start, steps / 2, steps, entropy)
}

fn counted<K: Kernel, E: Entropy>(
    kernel: &K,
    start: Vec<i64>,
    uncounted: u64,
    steps: u64,
    entropy: &mut E,
) -> Counts {
    let mut state = kernel.start(start);
    for _ in 0..uncounted {
        kernel.step(&mut state, entropy);
    }
    let mut counts = Counts { proposed: steps, accepted: 0, moved: 0 };
    let mut present = kernel.values(&state).to_vec();
    for _ in 0..steps {
        if kernel.step(&mut state, entropy).accepted {
            counts.accepted += 1;
            let values = kernel.values(&state);
            counts.moved += u64::from(values != present);
            present.copy_from_slice(values);
        }
    }
    counts
}
