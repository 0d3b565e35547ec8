//! The walks of the literature made ready for comparisons: their proposals tuned by pilots around
//! public tables, their acceptance as a curve, and the errors of a hierarchy as its authors measure
//! them.

use super::complete::Completion;
use super::gather::SEED;
use super::hierarchy::HierarchyMoves;
use super::independence::IndependenceMoves;
use super::kernel::Kernel;
use super::lag::stream;
use super::space::Space;
use super::{Steps, Walk};
use declare::Problem;
use draw::NoiseLaw;
use exact::{Rational, Seeded};
use rayon::prelude::*;

/// Tables that pilots start from, and the steps of the lattice walk per dimension from one to the
/// next.
const PILOTS: usize = 64;
const STEPS_BETWEEN: u64 = 32;
/// The least and the most steps of each pilot, and the seconds that all at one rate should take.
const PILOT_STEPS: (u64, u64) = (4, 128);
const PILOT_SECONDS: f64 = 0.05;
/// The rates ε̃ that are tried, in eighths of ε: from broader proposals than the law to much
/// narrower ones.
const EIGHTHS: [u64; 14] = [6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 64];
/// The rates of leaves' steps that are tried, in quarters: from steps of several units to one leaf
/// in thousands that moves.
const MOST_QUARTERS: u64 = 40;
/// The acceptance that suits proposals of many coordinates at once (Roberts, Gelman and Gilks
/// 1997).
const BEST_ACCEPTANCE: f64 = 0.234;

/// The errors of a hierarchy in a long run of the hierarchy walk.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyErrors {
    /// For every query, in order: `Σ|error|` over its groups, averaged over the steps, over the
    /// number of nodes of all queries.
    pub levels: Vec<f64>,
    /// The rate of the leaves' steps.
    pub rate: Rational,
    /// The part of proposals that was accepted.
    pub acceptance: f64,
}

impl Walk {
    /// The independence walk with this index set: the cells, by their number in the table, that are
    /// proposed. All others must follow from them and the totals. Without it an index set is found.
    ///
    /// # Errors
    /// In words that follow `because`, when they do not follow, or the walk is another one.
    pub fn with_index_set(mut self, cells: &[u32]) -> Result<Walk, String> {
        if self.steps != Steps::Independence {
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

    /// The independence or hierarchy walk with this rate of its proposals: ε̃, or that of the
    /// leaves' steps. Without it the rate is tuned.
    pub fn with_proposal_rate(mut self, rate: Rational) -> Walk {
        self.proposal = Some(rate);
        self
    }

    /// The index set of an independence walk, by the cells' numbers in the table; nothing for other
    /// walks.
    pub fn index_set(&self) -> Option<Vec<u32>> {
        let completion = self.completion.as_ref()?;
        Some(completion.free.iter().map(|place| self.fibre.cells[*place as usize]).collect())
    }

    /// Makes the independence walk ready. An ε̃ that was not given is the one of a grid that moves
    /// most often in pilots.
    ///
    /// # Errors
    /// Refused when this is another walk, or when no table is found to run pilots from.
    pub fn independence(&self) -> Result<IndependenceMoves, Problem> {
        if let Some(rate) = &self.proposal {
            return self.independence_at(rate);
        }
        let epsilon = self.independence_parts()?.1.clone();
        let (centre, starts) = self.pilot_starts()?;
        let rates: Vec<Rational> = EIGHTHS.iter().map(|eighths| &epsilon * &Rational::new(*eighths, 8u8)).collect();
        let pilot = |(number, rate): (usize, &Rational)| {
            self.run(&centre, &starts, rate, self.pilot_steps(), Seeded::draw(SEED, 5 + number as u64))
        };
        let counts: Vec<Counts> = rates.par_iter().enumerate().map(pilot).collect::<Result<_, Problem>>()?;
        // Proposals of the present table itself are accepted for nothing. Where nothing moves, the
        // first is as good as any.
        let best = rates.iter().zip(counts).rev().max_by_key(|(_, counts)| counts.moved);
        self.independence_at(best.map_or(&epsilon, |(rate, _)| rate))
    }

    /// Makes the hierarchy walk ready. A rate that was not given is that of the largest steps that
    /// pilots accept at least as often as suits many coordinates, 0.234.
    ///
    /// # Errors
    /// Refused when this is another walk, or when no table is found to run pilots from.
    pub fn hierarchy(&self) -> Result<HierarchyMoves, Problem> {
        if let Some(rate) = &self.proposal {
            return self.hierarchy_at(rate);
        }
        self.hierarchy_at(&Rational::integer(1))?;
        let (centre, starts) = self.pilot_starts()?;
        // Acceptance grows with the rate: by halves.
        let (mut low, mut high) = (1, MOST_QUARTERS);
        while low < high {
            let middle = (low + high) / 2;
            let rate = Rational::new(middle, 4u8);
            let counts = self.run(&centre, &starts, &rate, self.pilot_steps(), Seeded::draw(SEED, 5))?;
            if counts.acceptance() < BEST_ACCEPTANCE { low = middle + 1 } else { high = middle }
        }
        self.hierarchy_at(&Rational::new(low, 4u8))
    }

    /// The part of proposals that an independence or hierarchy walk around a table accepts, for
    /// every rate of its proposals: in chains of so many steps, one from each start, with bits of
    /// this seed.
    ///
    /// Tables are values in the order of the block's cells. From starts that have the law of the
    /// walk, as an exact operator draws them, chains of any length tell the acceptance of the walk
    /// in the long run; a single chain from the table itself tells it only once the walk has
    /// forgotten its start.
    ///
    /// # Errors
    /// Refused when the walk has no such proposals, or a table does not keep its totals and bounds.
    pub fn acceptance_curve(
        &self,
        centre: &[i64],
        starts: &[Vec<i64>],
        rates: &[Rational],
        steps: u64,
        seed: u64,
    ) -> Result<Vec<(Rational, f64)>, Problem> {
        starts.iter().map(Vec::as_slice).chain([centre]).try_for_each(|table| self.check_start(table))?;
        let point = |(number, rate): (usize, &Rational)| {
            let counts = self.run(centre, starts, rate, steps, Seeded::draw(seed, number as u64))?;
            Ok((rate.clone(), counts.acceptance()))
        };
        rates.par_iter().enumerate().map(point).collect()
    }

    /// Runs the hierarchy walk from a table of the block for so many steps, with bits of this seed,
    /// and measures the errors of all its nodes after every step, but for those of the first
    /// `unmeasured` steps.
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
        let mut entropy = stream(&Seeded::draw(seed, 0), 0)?;
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
        self.fibre.contains(table).then_some(()).ok_or_else(|| {
            Problem::refused("the walk must start from a table with the totals and within the bounds that it keeps")
        })
    }

    /// The completion of an independence walk, and ε.
    fn independence_parts(&self) -> Result<(&Completion, &Rational), Problem> {
        match (&self.completion, self.law.as_ref().and_then(NoiseLaw::geometric)) {
            (Some(completion), Some(epsilon)) => Ok((completion, epsilon)),
            _ => Err(Problem::refused(format!("`{}` proposes no index set", self.steps.name()))),
        }
    }

    fn independence_at(&self, rate: &Rational) -> Result<IndependenceMoves, Problem> {
        let (completion, epsilon) = self.independence_parts()?;
        check_rate(rate)?;
        Ok(IndependenceMoves::new(Space::new(&self.fibre), completion.clone(), epsilon.clone(), rate.clone()))
    }

    fn hierarchy_at(&self, rate: &Rational) -> Result<HierarchyMoves, Problem> {
        if self.steps != Steps::Hierarchy {
            return Err(Problem::refused(format!("`{}` proposes no leaves", self.steps.name())));
        }
        check_rate(rate)?;
        Ok(HierarchyMoves::new(Space::new(&self.fibre), self.rates.clone(), rate.clone()))
    }

    /// How many steps each pilot makes: fewer where they take longer.
    fn pilot_steps(&self) -> u64 {
        let (least, most) = PILOT_STEPS;
        ((PILOT_SECONDS / self.step_seconds()) as u64 / PILOTS as u64).clamp(least, most)
    }

    /// A public table, and tables that the lattice walk around it passes: pilots start there, as
    /// the centre itself is the likeliest table but a rare one.
    fn pilot_starts(&self) -> Result<(Vec<i64>, Vec<Vec<i64>>), Problem> {
        let centre = self.starts()?.swap_remove(0);
        let ready = self.ready();
        let kernel = self.kernel(&ready, centre.clone(), &self.sums_of(&centre));
        let mut state = kernel.start(centre.clone());
        let mut entropy = stream(&Seeded::draw(SEED, 4), 0)?;
        let between = STEPS_BETWEEN * self.lattice.basis().len() as u64;
        let mut starts = Vec::with_capacity(PILOTS);
        for _ in 0..PILOTS {
            for _ in 0..between {
                kernel.step(&mut state, &mut entropy);
            }
            starts.push(state.values.clone());
        }
        Ok((centre, starts))
    }

    /// Runs a chain from every start.
    fn run(
        &self,
        centre: &[i64],
        starts: &[Vec<i64>],
        rate: &Rational,
        steps: u64,
        source: Seeded,
    ) -> Result<Counts, Problem> {
        match self.steps {
            Steps::Hierarchy => {
                let moves = self.hierarchy_at(rate)?;
                counted(&moves.kernel(centre.to_vec(), &self.sums_of(centre)), starts, steps, &source)
            }
            _ => counted(&self.independence_at(rate)?.kernel(centre.to_vec()), starts, steps, &source),
        }
    }
}

fn check_rate(rate: &Rational) -> Result<(), Problem> {
    if *rate < Rational::new(1, 1u64 << 32) {
        return Err(Problem::refused("the rate of proposals must be above 2^-32"));
    }
    Ok(())
}

/// What became of the proposals of chains.
#[derive(Debug, Clone, Copy, Default)]
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

/// Runs a chain of so many steps from every start.
fn counted<K: Kernel>(kernel: &K, starts: &[Vec<i64>], steps: u64, source: &Seeded) -> Result<Counts, Problem> {
    let mut counts = Counts::default();
    for (number, start) in starts.iter().enumerate() {
        let mut entropy = stream(source, number as u64)?;
        let mut state = kernel.start(start.clone());
        let mut present = start.clone();
        for _ in 0..steps {
            counts.proposed += 1;
            if kernel.step(&mut state, &mut entropy).accepted {
                counts.accepted += 1;
                let values = kernel.values(&state);
                counts.moved += u64::from(values != present);
                present.copy_from_slice(values);
            }
        }
    }
    Ok(counts)
}
