//! Klein, mixture and thin: noise on the lattice of a block without bounds, from the law itself.
//! One operator for each law.

use crate::block_quantities::BlockQuantities;
use crate::lattice_noise::{LatticeNoise, MOST_CELLS};
use crate::law::{Growth, NoiseLaw};
use crate::operator::{Operator, Role, Task};
use crate::operators::WholeBlock;
use crate::planned::{Around, PlannedWork, Prospect, Ready};
use analyse::{Demand, Fibre, Lattice};
use declare::{Problem, RunTime};
use std::sync::Arc;

const fn role(name: &'static str, in_words: &'static str) -> Role {
    Role::new(name, in_words).where_slower_than(0.25)
}

/// What is prepared, and what a draw takes beside its attempts: a width and a stream of bits.
const PREPARED_SECONDS: f64 = 3e-3;
const DRAW_SECONDS: f64 = 12e-6;

/// Bytes for every cell and coefficient.
const CELL_BYTES: f64 = 400.0;

/// An operator for one law on any lattice.
#[derive(Debug)]
pub struct OnLattice {
    role: Role,
    /// Whether it draws a law, and what it draws in words.
    draws: fn(&NoiseLaw) -> bool,
    noise: &'static str,
    because: &'static str,
}

/// Discrete Gaussian noise on any lattice.
pub static KLEIN: OnLattice = OnLattice {
    role: role(
        "klein",
        "discrete Gaussian noise under any totals, without bounds: one coefficient of a lattice basis after the other",
    ),
    draws: |law| law.gaussian_variance().is_some(),
    noise: "discrete Gaussian noise",
    because: "no bound ends the noise: the coefficients of a lattice basis are drawn one after the other, accepted by their \
              weight",
};

/// Lattice Laplace noise on any lattice.
pub static MIXTURE: OnLattice = OnLattice {
    role: role(
        "mixture",
        "lattice Laplace noise under any totals, without bounds: a width first, then discrete Gaussian noise of that width",
    ),
    draws: |law| law.growth() == Growth::Norm,
    noise: "lattice Laplace noise",
    because: "no bound ends the noise: a width is drawn, then discrete Gaussian noise of that width, accepted by its weight",
};

/// Double geometric noise on lattices of small dimension.
pub static THIN: OnLattice = OnLattice {
    role: role(
        "thin",
        "double geometric noise under totals that leave few free cells, without bounds: lattice Laplace noise, thinned",
    ),
    draws: |law| law.geometric().is_some(),
    noise: "double geometric noise",
    because: "no bound ends the noise and few cells are free: lattice Laplace noise is drawn, accepted by its weight",
};

impl Operator for OnLattice {
    fn role(&self) -> &Role {
        &self.role
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        if !(self.draws)(task.law) {
            return Err(format!("it draws {}, not {}", self.noise, task.law.in_words()));
        }
        plan(self.name(), task, self.because)
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
    let again_seconds = seconds + DRAW_SECONDS;
    let draw_seconds = PREPARED_SECONDS + again_seconds;
    let prospect = Prospect { draw_seconds, again_seconds, bytes, ..task.prospect(operator, seconds, because) };
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

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let sampler = match *noise.law == self.law {
            true => self.sampler.clone(),
            false => Arc::new(LatticeNoise::new(cells.len(), &self.lattice, noise.law)?),
        };
        Ok(Box::new(WholeBlock::new(cells, Some(centre), move |stream, noise| sampler.draw(stream, noise))))
    }

    fn lists_laws(&self) -> bool {
        false
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "their noise is drawn on a lattice, which does not list weights of cells"))
    }

    fn holds(&self) -> Vec<(&'static str, usize)> {
        vec![("lattice vector", self.lattice.dimension())]
    }
}
