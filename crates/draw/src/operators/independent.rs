//! Independent draws: cells that no total ties together, under any law.

use crate::block_quantities::BlockQuantities;
use crate::exactness::Exactness;
use crate::independent::Independent as Sampler;
use crate::law::NoiseLaw;
use crate::listing::{Listing, listed_values};
use crate::operator::{Operator, Role, Task, crossing, tied};
use crate::planned::{Around, PlannedNoise, PlannedWork, Prospect, Ready};
use crate::tasks::SLICE_CELLS;
use analyse::Structure;
use declare::Problem;
use exact::{Entropy, Stream};
use std::sync::Arc;

/// Free cells: independent draws.
#[derive(Debug)]
pub struct Independent;

static ROLE: Role = Role::new("independent", "cells in no total: each gets its own noise");

impl Operator for Independent {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_product()?;
        let seconds = 0.1e-3 + 30e-9 * task.block.size as f64;
        match &task.block.structure {
            Structure::Free if !task.rates.is_empty() => {
                Err("noise sits on sums of cells, not on every cell".to_owned())
            }
            Structure::Free if task.nonnegative => {
                if Sampler::of(task.law).is_none() {
                    return Err(format!("{} cannot be kept at or above zero", task.law.in_words()));
                }
                let because =
                    "no total ties these cells together: each gets its own noise, again until it is at least zero";
                // Counts that are farther from zero than their noise reaches share one law.
                let laws = (task.block.size as f64).min(listed_values(task.law));
                let listing = Listing::of_noise(task.law, laws);
                let prospect = Prospect { listing, ..task.prospect(self.name(), seconds, because) };
                Ok(Arc::new(AtLeastZero { prospect }))
            }
            Structure::Free if task.law.is_integer() && Sampler::of(task.law).is_none() => {
                Err(format!("{} is not drawn cell by cell", task.law.in_words()))
            }
            Structure::Free => {
                let because = "no total ties these cells together: each gets its own noise";
                let listing = Listing::of_noise(task.law, 1.0);
                let prospect = Prospect { listing, ..task.prospect(self.name(), seconds, because) };
                Ok(Arc::new(Independent::noise(prospect)))
            }
            Structure::OneTotal { name, .. } => Err(format!("independent noise would break the total `{name}`")),
            Structure::Crossing { .. } => {
                Err(format!("{}: independent noise would break them", crossing(&task.block.structure)))
            }
            Structure::Linked { by } => Err(format!("the cells are tied together by {}", tied(by))),
        }
    }
}

impl Independent {
    /// Independent noise in every cell.
    pub const fn noise(prospect: Prospect) -> PlannedNoise {
        PlannedNoise { prospect, rank: 0, keeps_total: false, sampler }
    }
}

fn sampler(law: &NoiseLaw) -> Option<Arc<dyn crate::Noise>> {
    Some(Arc::new(Sampler::of(law)?))
}

/// Cells by themselves, each at least zero.
#[derive(Debug)]
pub struct AtLeastZero {
    /// What it says of itself.
    pub prospect: Prospect,
}

impl PlannedWork for AtLeastZero {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        3
    }

    fn tasks(&self, cells: usize) -> usize {
        cells.div_ceil(SLICE_CELLS)
    }

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let law = noise.law;
        let noise = Sampler::of(law)
            .ok_or_else(|| Problem::refused(format!("{} noise cannot be kept at or above zero", law.name())))?;
        Ok(Box::new(ReadyAtLeastZero { slices: cells.chunks(SLICE_CELLS).collect(), noise, centre }))
    }

    fn quantities(&self, Around { cells, noise, centre }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::at_least_zero(noise.law, cells, centre))
    }
}

/// Cells around their counts, in slices.
#[derive(Debug)]
struct ReadyAtLeastZero<'a> {
    slices: Vec<&'a [u32]>,
    noise: Sampler,
    centre: &'a [i64],
}

impl Ready for ReadyAtLeastZero<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, task: usize) -> usize {
        self.slices[task].len()
    }

    fn draw(&self, task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let draw = |cell: &u32| (*cell, at_least_zero(&self.noise, self.centre[*cell as usize], stream));
        Ok(self.slices[task].iter().map(draw).collect())
    }
}

/// A count with noise, given that it is at least zero: drawn again until it is.
fn at_least_zero<E: Entropy>(noise: &Sampler, centre: i64, entropy: &mut E) -> i64 {
    loop {
        let value = centre.saturating_add(noise.draw(entropy));
        if value >= 0 {
            return value;
        }
    }
}
