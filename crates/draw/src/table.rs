//! Draws a whole table: blocks in parallel, large blocks slice by slice, the same for a seed whatever the threads.

use crate::any_sampler::AnySampler;
use crate::divide::Divide;
use crate::drawn::Drawn;
use crate::enumerate::Enumerate;
use crate::exactness::Exactness;
use crate::independent::Independent;
use crate::law::{NoiseLaw, Operator};
use crate::network::{NetworkSampler, TableNoise};
use crate::sampler::Sampler;
use crate::sums::Ladder;
use crate::tasks::{Cut, SLICE_CELLS, TaskNumbers, stream};
use crate::walk::{CONFIDENCE_PERCENT, Evidence, Walk};
use analyse::{Fibre, Grid, Listed, Network};
use declare::Problem;
use exact::{Entropy, Source};
use rayon::prelude::*;

/// So many tasks are drawn before their noise is added: enough for all threads, without a second table of noise.
const WAVE_TASKS: usize = 128;

/// A block to draw: which cells, by which operator.
#[derive(Debug, Clone, Copy)]
pub struct BlockDraw<'a> {
    /// The cells of the block.
    pub cells: &'a [u32],
    /// The operator.
    pub operator: Operator,
    /// What the operator works on.
    pub work: Work<'a>,
}

/// What an operator works on.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// Noise that is the same whatever the table; it adds up to zero where the operator keeps a total.
    Noise,
    /// Cells by themselves, each at least zero.
    AtLeastZero,
    /// A network around the table.
    Network(&'a Network),
    /// A two-way table whose noise adds up to zero along rows and columns.
    Grid(&'a Grid),
    /// All tables of a fibre.
    Listed(&'a Fibre, &'a Listed),
    /// A walk, and what is known of how close it comes to its law.
    Walk(&'a Walk, Option<&'a Evidence>),
    /// Noisy measurements that are projected onto this fibre: not drawn here, but measured ([`crate::measure`]).
    Projection(&'a Fibre),
}

/// Draws integer noise around `centre` on the given blocks; other cells keep their value.
///
/// `progress` is told how many cells were drawn, in steps that depend on the blocks alone.
pub fn draw_table<S: Source>(
    law: &NoiseLaw,
    blocks: &[BlockDraw<'_>],
    centre: &[i64],
    source: &S,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Drawn<S>, Problem> {
    TableSampler::new(law.into(), blocks, centre)?.draw(source, progress)
}

/// The samplers of a table, made ready once and drawn from as often as wanted.
#[derive(Debug)]
pub struct TableSampler<'a> {
    centre: &'a [i64],
    fixed: &'a [(usize, i64)],
    parts: Vec<(AnySampler, Vec<&'a [u32]>)>,
    networks: Vec<(NetworkSampler<'a>, u64)>,
    grids: Vec<(Divide, &'a [u32])>,
    lists: Vec<Enumerate<'a>>,
    walks: Vec<(&'a Walk, &'a Evidence)>,
    sums: &'a [Vec<i64>],
    at_least_zero: Option<(Independent, Vec<&'a [u32]>)>,
}

impl<'a> TableSampler<'a> {
    /// Makes the samplers of the blocks ready.
    pub fn new(noise: TableNoise<'a>, blocks: &[BlockDraw<'a>], centre: &'a [i64]) -> Result<Self, Problem> {
        let law = noise.law;
        if blocks.iter().any(|block| matches!(block.work, Work::Projection(_))) {
            return Err(Problem::refused("a projection is made of noisy measurements, not drawn"));
        }
        let mut parts = Vec::new();
        for operator in AnySampler::OPERATORS {
            let plain = |block: &&BlockDraw<'a>| block.operator == operator && matches!(block.work, Work::Noise);
            let chosen: Vec<&[u32]> = blocks.iter().filter(plain).map(|block| block.cells).collect();
            if !chosen.is_empty() {
                parts.push((AnySampler::new(operator, law)?, chosen));
            }
        }
        let alone: Vec<&[u32]> =
            blocks.iter().filter(|block| matches!(block.work, Work::AtLeastZero)).map(|block| block.cells).collect();
        let at_least_zero = match law {
            _ if alone.is_empty() => None,
            NoiseLaw::DoubleGeometric { epsilon } => Some((Independent::double_geometric(epsilon), alone)),
            NoiseLaw::DiscreteGaussian { variance } => Some((Independent::discrete_gaussian(variance), alone)),
            _ => return Err(Problem::refused(format!("{} noise cannot be kept at or above zero", law.name()))),
        };
        let networks = blocks.par_iter().filter_map(|block| match block.work {
            Work::Network(network) => {
                let sampler = NetworkSampler::new(network, noise, centre, Ladder::Standard);
                Some(sampler.map(|sampler| (sampler, block.cells.len() as u64)))
            }
            _ => None,
        });
        let networks = networks.collect::<Result<_, _>>()?;
        let grids = blocks.iter().filter_map(|block| match block.work {
            Work::Grid(grid) => {
                let divide = Divide::new(grid.columns, &grid.cells, law, Ladder::Standard);
                Some(divide.map(|divide| (divide, block.cells)))
            }
            _ => None,
        });
        let grids = grids.collect::<Result<_, _>>()?;
        let lists = blocks.par_iter().filter_map(|block| match block.work {
            Work::Listed(fibre, listed) => Some(Enumerate::new(fibre, listed, noise, centre)),
            _ => None,
        });
        let lists = lists.collect();
        let walks = blocks.iter().filter_map(|block| match block.work {
            Work::Walk(walk, evidence) => Some(evidence.map(|evidence| (walk, evidence)).ok_or_else(without_evidence)),
            _ => None,
        });
        let walks = walks.collect::<Result<_, _>>()?;
        Ok(TableSampler { centre, fixed: &[], parts, networks, grids, lists, walks, sums: noise.sums, at_least_zero })
    }

    /// Gives cells these values in every draw: those that the totals determine. They are the centre's own unless totals are
    /// pinned to other values.
    pub fn keeping(mut self, fixed: &'a [(usize, i64)]) -> Self {
        self.fixed = fixed;
        self
    }

    /// Draws integer noise around the centre, as [`draw_table`].
    pub fn draw<S: Source>(&self, source: &S, progress: &(dyn Fn(u64) + Sync)) -> Result<Drawn<S>, Problem> {
        let mut values = self.centre.to_vec();
        self.fixed.iter().for_each(|(cell, value)| values[*cell] = *value);
        let mut tasks = TaskNumbers::default();
        let mut exactness = Exactness::Exact;
        for (sampler, blocks) in &self.parts {
            let mut job = Job { blocks, source, tasks: &mut tasks, progress, values: &mut values };
            let used = match sampler {
                AnySampler::Independent(sampler) => job.run(sampler),
                AnySampler::ClosedForm(sampler) => job.run(sampler),
                AnySampler::Messages(sampler) => job.run(sampler),
            }?;
            exactness = exactness.and(used);
        }
        if let Some((noise, blocks)) = &self.at_least_zero {
            let slices: Vec<(u64, &[u32])> =
                blocks.iter().flat_map(|cells| cells.chunks(SLICE_CELLS)).map(|slice| (tasks.take(), slice)).collect();
            let drawn = slices.par_iter().map(|(task, cells)| {
                let mut entropy = stream(source, *task)?;
                let drawn = cells.iter().map(|cell| at_least_zero(noise, self.centre[*cell as usize], &mut entropy));
                let drawn: Vec<i64> = drawn.collect();
                progress(cells.len() as u64);
                Ok(drawn)
            });
            let drawn: Vec<Vec<i64>> = drawn.collect::<Result<_, Problem>>()?;
            let cells = slices.iter().flat_map(|(_, cells)| cells.iter());
            cells.zip(drawn.into_iter().flatten()).for_each(|(cell, value)| values[*cell as usize] = value);
        }
        let numbered: Vec<(u64, &(NetworkSampler<'a>, u64))> =
            self.networks.iter().map(|network| (tasks.take(), network)).collect();
        let drawn = numbered.par_iter().map(|(task, (sampler, cells))| {
            let mut entropy = stream(source, *task)?;
            let drawn = sampler.draw_cells(&mut entropy)?;
            progress(*cells);
            Ok(drawn)
        });
        for drawn in drawn.collect::<Result<Vec<_>, Problem>>()? {
            drawn.into_iter().for_each(|(cell, value)| values[cell as usize] = value);
        }
        let numbered: Vec<(u64, &(Divide, &[u32]))> = self.grids.iter().map(|grid| (tasks.take(), grid)).collect();
        let drawn = numbered.par_iter().map(|(task, (divide, cells))| {
            let mut entropy = stream(source, *task)?;
            let mut noise = vec![0i64; cells.len()];
            divide.draw(&mut entropy, &mut noise);
            progress(cells.len() as u64);
            Ok(noise)
        });
        for ((_, (_, cells)), noise) in numbered.iter().zip(drawn.collect::<Result<Vec<_>, Problem>>()?) {
            cells.iter().zip(noise).for_each(|(cell, noise)| values[*cell as usize] += noise);
        }
        let numbered: Vec<(u64, &(&Walk, &Evidence))> = self.walks.iter().map(|walk| (tasks.take(), walk)).collect();
        let drawn = numbered.par_iter().map(|(task, (walk, evidence))| {
            let mut entropy = stream(source, *task)?;
            let drawn = walk.draw(self.centre, self.sums, evidence.steps, &mut entropy)?;
            progress(drawn.len() as u64);
            Ok(drawn)
        });
        for drawn in drawn.collect::<Result<Vec<_>, Problem>>()? {
            drawn.into_iter().for_each(|(cell, value)| values[cell as usize] = value);
        }
        let numbered: Vec<(u64, &Enumerate<'a>)> = self.lists.iter().map(|list| (tasks.take(), list)).collect();
        let drawn = numbered.par_iter().map(|(task, list)| {
            let mut entropy = stream(source, *task)?;
            let drawn: Vec<(u32, i64)> = list.draw_cells(&mut entropy).collect();
            progress(drawn.len() as u64);
            Ok(drawn)
        });
        for drawn in drawn.collect::<Result<Vec<_>, Problem>>()? {
            drawn.into_iter().for_each(|(cell, value)| values[cell as usize] = value);
        }
        for (_, evidence) in &self.walks {
            let used = Exactness::Estimated { distance: evidence.distance(), percent: CONFIDENCE_PERCENT };
            exactness = exactness.and(used);
        }
        Ok(Drawn::new(values, exactness))
    }
}

/// A count with noise, given that it is at least zero: drawn again until it is.
fn at_least_zero<E: Entropy>(noise: &Independent, centre: i64, entropy: &mut E) -> i64 {
    loop {
        let value = centre.saturating_add(noise.draw(entropy));
        if value >= 0 {
            return value;
        }
    }
}

/// Noise of one sampler that is added to values, block by block.
pub(crate) struct Job<'a, 'b, S> {
    pub(crate) blocks: &'a [&'a [u32]],
    pub(crate) source: &'a S,
    pub(crate) tasks: &'b mut TaskNumbers,
    pub(crate) progress: &'a (dyn Fn(u64) + Sync),
    pub(crate) values: &'b mut [i64],
}

impl<S: Source> Job<'_, '_, S> {
    pub(crate) fn run<P: Sampler>(&mut self, sampler: &P) -> Result<Exactness, Problem> {
        let lengths: Vec<usize> = self.blocks.iter().map(|cells| cells.len()).collect();
        let cut = Cut::new(sampler, &lengths, self.source, self.tasks)?;
        let draw = |task| {
            let noise = cut.draw(sampler, task, &lengths, self.source)?;
            (self.progress)(noise.len() as u64);
            Ok(noise)
        };
        for wave in cut.tasks.chunks(WAVE_TASKS) {
            let noises: Vec<Vec<i64>> = wave.par_iter().map(draw).collect::<Result<_, Problem>>()?;
            for (task, noise) in wave.iter().zip(noises) {
                let cells = cut.pieces(task, &lengths).flat_map(|piece| &self.blocks[piece.block][piece.cells]);
                for (cell, noise) in cells.zip(noise) {
                    let value = &mut self.values[*cell as usize];
                    *value = value.checked_add(noise).ok_or_else(too_large)?;
                }
            }
        }
        Ok(sampler.exactness())
    }
}

fn without_evidence() -> Problem {
    Problem::refused("how close a walk comes to its law is not known yet")
}

pub(crate) fn too_large() -> Problem {
    Problem::refused("the noise does not fit 64-bit counts")
}
