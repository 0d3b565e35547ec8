//! Klein, mixture and thin: noise on the lattice of a block without bounds, from the law itself. One operator for each law.

use crate::exactness::Exactness;
use crate::klein::Klein as KleinSampler;
use crate::law::{Growth, NoiseLaw};
use crate::mixture::Mixture as MixtureSampler;
use crate::network::TableNoise;
use crate::operator::{OTHERS_DRAW, Operator, Task, Turn};
use crate::planned::{PlannedWork, Prospect, Ready};
use crate::quantities::BlockQuantities;
use crate::table::too_large;
use crate::thin::Thin as ThinSampler;
use analyse::{Demand, Fibre, Lattice};
use declare::{Problem, RunTime};
use exact::Stream;
use std::sync::Arc;

/// Larger blocks are not made a lattice of.
const MOST_CELLS: usize = 65_536;

/// Operators that need longer than this give way.
const SLOW_SECONDS: f64 = 0.25;

/// One coefficient of an attempt: around a centre that is known, and each factor of the centre.
const COEFFICIENT_SECONDS: f64 = 0.25e-6;

/// The same where the noise is wide; the width itself, and what is prepared for it.
const WIDE_SECONDS: f64 = 1e-6;
const WIDTHS_SECONDS: f64 = 20e-3;

/// Bytes for every cell and coefficient.
const CELL_BYTES: f64 = 400.0;

/// Discrete Gaussian noise on any lattice.
#[derive(Debug)]
pub struct Klein;

impl Operator for Klein {
    fn name(&self) -> &'static str {
        "klein"
    }

    fn in_words(&self) -> &'static str {
        "discrete Gaussian noise under any totals, without bounds: one coefficient of a lattice basis after the other"
    }

    fn turn(&self) -> Turn {
        Turn::WhereSlow
    }

    fn slow_seconds(&self, _task: &Task) -> f64 {
        SLOW_SECONDS
    }

    fn untried(&self, _asked_for: Option<&str>) -> Option<String> {
        Some(OTHERS_DRAW.to_owned())
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if task.law.gaussian_variance().is_none() {
            return Err(format!("it draws discrete Gaussian noise, not {}", task.law.in_words()));
        }
        let because = "no bound ends the noise: the coefficients of a lattice basis are drawn one after the other, accepted by their \
             weight";
        plan(self.name(), task, because)
    }
}

/// Lattice Laplace noise on any lattice.
#[derive(Debug)]
pub struct Mixture;

impl Operator for Mixture {
    fn name(&self) -> &'static str {
        "mixture"
    }

    fn in_words(&self) -> &'static str {
        "lattice Laplace noise under any totals, without bounds: a width first, then discrete Gaussian noise of that width"
    }

    fn turn(&self) -> Turn {
        Turn::WhereSlow
    }

    fn slow_seconds(&self, _task: &Task) -> f64 {
        SLOW_SECONDS
    }

    fn untried(&self, _asked_for: Option<&str>) -> Option<String> {
        Some(OTHERS_DRAW.to_owned())
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if task.law.growth() != Growth::Norm {
            return Err(format!("it draws lattice Laplace noise, not {}", task.law.in_words()));
        }
        let because = "no bound ends the noise: a width is drawn, then discrete Gaussian noise of that width, accepted by its weight";
        plan(self.name(), task, because)
    }
}

/// Double geometric noise on lattices of small dimension.
#[derive(Debug)]
pub struct Thin;

impl Operator for Thin {
    fn name(&self) -> &'static str {
        "thin"
    }

    fn in_words(&self) -> &'static str {
        "double geometric noise under totals that leave few free cells, without bounds: lattice Laplace noise, thinned"
    }

    fn turn(&self) -> Turn {
        Turn::WhereSlow
    }

    fn slow_seconds(&self, _task: &Task) -> f64 {
        SLOW_SECONDS
    }

    fn untried(&self, _asked_for: Option<&str>) -> Option<String> {
        Some(OTHERS_DRAW.to_owned())
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if task.law.geometric().is_none() {
            return Err(format!("it draws double geometric noise, not {}", task.law.in_words()));
        }
        let because =
            "no bound ends the noise and few cells are free: lattice Laplace noise is drawn, accepted by its weight";
        plan(self.name(), task, because)
    }
}

/// The sampler of a lattice, for the one law that it draws.
#[derive(Debug)]
enum LatticeNoise {
    Klein(KleinSampler),
    Mixture(MixtureSampler),
    Thin(ThinSampler),
}

impl LatticeNoise {
    fn new(cells: usize, lattice: &Lattice, law: &NoiseLaw) -> Result<LatticeNoise, Problem> {
        let basis = lattice.basis();
        let parameter = law.parameter();
        Ok(match law.growth() {
            Growth::Square if law.is_integer() => LatticeNoise::Klein(KleinSampler::new(cells, basis, parameter)?),
            Growth::Norm if law.is_integer() => {
                LatticeNoise::Mixture(MixtureSampler::new(cells, basis, &(parameter * parameter))?)
            }
            Growth::Absolute if law.is_integer() => LatticeNoise::Thin(ThinSampler::new(cells, basis, parameter)?),
            _ => {
                return Err(Problem::refused("noise on a lattice is integer-valued, and its law is one that is known"));
            }
        })
    }

    fn acceptance(&self) -> f64 {
        match self {
            LatticeNoise::Klein(sampler) => sampler.expected_acceptance(),
            LatticeNoise::Mixture(sampler) => sampler.expected_acceptance(),
            LatticeNoise::Thin(sampler) => sampler.expected_acceptance(),
        }
    }

    fn draw(&self, stream: &mut Stream, noise: &mut [i64]) -> Result<(), Problem> {
        match self {
            LatticeNoise::Klein(sampler) => sampler.draw(stream, noise),
            LatticeNoise::Mixture(sampler) => sampler.draw(stream, noise),
            LatticeNoise::Thin(sampler) => sampler.draw(stream, noise),
        }
    }

    /// The predicted seconds of the first draw on this many dimensions.
    fn seconds(&self, dimension: usize) -> f64 {
        let (each, once) = match self {
            LatticeNoise::Klein(_) => (COEFFICIENT_SECONDS, 0.0),
            LatticeNoise::Mixture(_) | LatticeNoise::Thin(_) => (WIDE_SECONDS, WIDTHS_SECONDS),
        };
        once + (each * dimension as f64 + 5e-6) / self.acceptance().max(f64::MIN_POSITIVE)
    }
}

/// Noise on the lattice of the block, if it has no bounds, rules or noisy sums.
fn plan(operator: &'static str, task: &Task, because: &'static str) -> Result<Arc<dyn PlannedWork>, String> {
    if let Some(reason) = task.depends_on_table() {
        return Err(reason.to_owned());
    }
    let block = task.block;
    if block.size > MOST_CELLS || block.size != block.cells.len() {
        return Err(format!("a lattice of at most {MOST_CELLS} cells is made, not of {}", block.size));
    }
    let fibre = Fibre::new(task.conditions, task.ground, &block.cells).map_err(|problem| problem.message)?;
    let bounded = fibre.bounds.iter().any(|bounds| *bounds != (None, None));
    if bounded || fibre.rows.iter().any(|row| !matches!(row.demand, Demand::Equal(_))) {
        return Err(
            "its noise is the same whatever the table, so released counts could break a bound or rule".to_owned()
        );
    }
    let lattice = Lattice::of_fibre(&fibre).map_err(|problem| problem.message)?;
    let dimension = lattice.dimension();
    if dimension == 0 {
        return Err("the totals leave one table alone: there is no noise to draw".to_owned());
    }
    let sampler = LatticeNoise::new(block.cells.len(), &lattice, task.law).map_err(|problem| problem.message)?;
    let seconds = sampler.seconds(dimension);
    let bytes = CELL_BYTES * (block.cells.len() + dimension) as f64;
    let prospect = Prospect { bytes, ..task.prospect(operator, seconds, because) };
    Ok(Arc::new(PlannedLattice { prospect, lattice, law: task.law.clone(), sampler: Arc::new(sampler) }))
}

/// A block whose noise lies on a lattice.
#[derive(Debug)]
struct PlannedLattice {
    prospect: Prospect,
    lattice: Lattice,
    /// The law that the sampler was made for.
    law: NoiseLaw,
    sampler: Arc<LatticeNoise>,
}

impl PlannedWork for PlannedLattice {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        8
    }

    /// The noise is drawn before any count is seen.
    fn run_time(&self) -> RunTime {
        RunTime::Independent
    }

    fn ready<'a>(
        &'a self,
        cells: &'a [u32],
        noise: TableNoise<'a>,
        centre: &'a [i64],
    ) -> Result<Box<dyn Ready + 'a>, Problem> {
        let sampler = match *noise.law == self.law {
            true => self.sampler.clone(),
            false => Arc::new(LatticeNoise::new(cells.len(), &self.lattice, noise.law)?),
        };
        Ok(Box::new(ReadyLattice { sampler, cells, centre }))
    }

    fn quantities(&self, cells: &[u32], _noise: TableNoise<'_>, _centre: &[i64]) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "their noise is drawn on a lattice, which does not list weights of cells"))
    }

    fn holds(&self) -> Vec<(&'static str, usize)> {
        vec![("lattice vector", self.lattice.dimension())]
    }
}

/// A block around its counts.
#[derive(Debug)]
struct ReadyLattice<'a> {
    sampler: Arc<LatticeNoise>,
    cells: &'a [u32],
    centre: &'a [i64],
}

impl Ready for ReadyLattice<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.cells.len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let mut noise = vec![0i64; self.cells.len()];
        self.sampler.draw(stream, &mut noise)?;
        let value = |(cell, noise): (&u32, i64)| {
            Ok((*cell, self.centre[*cell as usize].checked_add(noise).ok_or_else(too_large)?))
        };
        self.cells.iter().zip(noise).map(value).collect()
    }
}
