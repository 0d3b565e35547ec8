//! Draws a whole table: blocks in parallel, large blocks slice by slice, the same for a seed
//! whatever the threads and the memory.
//!
//! What a block needs to be drawn (the weights of its sums, above all) is made, drawn from and
//! dropped, in the order in which tasks are numbered. Where tables are drawn again and again, the
//! first blocks keep theirs, as far as there is room; the others make it again in every draw. What
//! is kept never changes a bit that is read.

use crate::drawn::Drawn;
use crate::exactness::Exactness;
use crate::law::NoiseLaw;
use crate::network::TableNoise;
use crate::noise::Noise;
use crate::planned::{Around, PlannedWork, Ready};
use crate::tasks::{NoiseTasks, SLICE_CELLS, TaskNumbers, stream};
use declare::Problem;
use exact::Source;
use rayon::prelude::*;
use std::sync::Arc;

/// About this many cells are drawn before they are put in place: enough for all threads, without a
/// second table.
const WAVE_CELLS: usize = 128 * SLICE_CELLS;

/// The bytes that all blocks together are predicted to keep between draws, at most.
const KEPT_BYTES: f64 = 1e9;

/// Blocks that are drawn at the same time and keep nothing are predicted to need at most so many
/// bytes together; a larger block is drawn by itself.
const TOGETHER_BYTES: f64 = 48e6;

/// A block to draw: which cells, and how.
#[derive(Debug, Clone, Copy)]
pub struct BlockDraw<'a> {
    /// The cells of the block.
    pub cells: &'a [u32],
    /// How they are drawn.
    pub work: &'a dyn PlannedWork,
}

impl<'a> BlockDraw<'a> {
    /// The block around a table.
    pub fn around(&self, noise: TableNoise<'a>, centre: &'a [i64]) -> Around<'a> {
        Around { cells: self.cells, noise, centre }
    }
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

/// The predicted memory of one draw of blocks that need so many bytes each, when nothing is kept.
pub fn bytes_of_draw(blocks: impl IntoIterator<Item = f64>) -> f64 {
    let add = |(all, largest): (f64, f64), bytes: f64| (all + bytes, largest.max(bytes));
    let (all, largest) = blocks.into_iter().fold((0.0, 0.0), add);
    all.min(largest.max(TOGETHER_BYTES))
}

/// The predicted memory of many draws of them: the first keep what they need.
pub fn bytes_of_draws(blocks: impl Iterator<Item = f64> + Clone) -> f64 {
    let all: f64 = blocks.clone().sum();
    all.min(KEPT_BYTES + bytes_of_draw(blocks))
}

/// The blocks of a table, drawn from as often as wanted.
#[derive(Debug)]
pub struct TableSampler<'a> {
    centre: &'a [i64],
    fixed: &'a [(usize, i64)],
    exactness: Exactness,
    /// In the order in which their tasks are numbered.
    parts: Vec<ReadyPart<'a>>,
}

/// What is made ready by itself.
#[derive(Debug)]
pub(crate) enum ReadyPart<'a> {
    /// Noise that is added to all blocks of one operator.
    Noise(Arc<dyn Noise>, Vec<&'a [u32]>),
    /// One block that stays ready, and how many tasks a draw of it has.
    Block(Box<dyn Ready + 'a>, usize),
    /// One block of one task, which makes it ready.
    Again(Around<'a>, &'a dyn PlannedWork),
}

impl<'a> TableSampler<'a> {
    /// Makes the blocks ready to be drawn again and again.
    ///
    /// # Errors
    /// Refused when a block cannot be drawn with this noise.
    pub fn new(noise: TableNoise<'a>, blocks: &[BlockDraw<'a>], centre: &'a [i64]) -> Result<Self, Problem> {
        Self::keeping_bytes(KEPT_BYTES, noise, blocks, centre)
    }

    /// Makes the blocks ready to be drawn once: what needs memory is made when it is drawn, and
    /// dropped. More draws are the same as those of [`TableSampler::new`], and take longer.
    ///
    /// # Errors
    /// Refused when a block cannot be drawn with this noise, as far as that is known before.
    pub fn once(noise: TableNoise<'a>, blocks: &[BlockDraw<'a>], centre: &'a [i64]) -> Result<Self, Problem> {
        Self::keeping_bytes(0.0, noise, blocks, centre)
    }

    /// The first blocks that are predicted to need no more than these bytes together stay ready.
    fn keeping_bytes(
        room: f64,
        noise: TableNoise<'a>,
        blocks: &[BlockDraw<'a>],
        centre: &'a [i64],
    ) -> Result<Self, Problem> {
        let mut ordered: Vec<BlockDraw<'a>> = blocks.to_vec();
        ordered.sort_by_key(|block| block.work.rank());
        let groups: Vec<&[BlockDraw<'a>]> = ordered.chunk_by(|one, other| is_together(one.work, other.work)).collect();
        // By itself a block is dropped with its sampler.
        let alone = groups.len() == 1;
        let needed = groups.iter().scan(0.0, |needed, blocks| {
            *needed += blocks[0].work.prospect().draw_bytes;
            Some(*needed)
        });
        let needed: Vec<f64> = needed.collect();
        let parts = groups.into_par_iter().zip(needed).map(|(blocks, needed)| {
            let BlockDraw { cells, work } = blocks[0];
            let (around, tasks) = (blocks[0].around(noise, centre), work.tasks(cells.len()));
            match work.noise() {
                Some(planned) => {
                    let cells = blocks.iter().map(|block| block.cells).collect();
                    planned.sampler(noise.law).map(|noise| ReadyPart::Noise(noise, cells))
                }
                None if alone || needed <= room || work.prospect().draw_bytes == 0.0 || tasks != 1 => {
                    work.ready(around).map(|ready| ReadyPart::Block(ready, tasks))
                }
                None => Ok(ReadyPart::Again(around, work)),
            }
        });
        let parts: Vec<ReadyPart<'a>> = parts.collect::<Result<_, Problem>>()?;
        let exactness = parts.iter().fold(Exactness::Exact, |used, part| match part {
            ReadyPart::Noise(noise, _) => used.and(noise.exactness()),
            ReadyPart::Block(block, _) => used.and(block.exactness()),
            ReadyPart::Again(_, work) => used.and(work.prospect().exactness.clone()),
        });
        Ok(TableSampler { centre, fixed: &[], exactness, parts })
    }

    /// Gives cells these values in every draw: those that the totals determine. They are the
    /// centre's own unless totals are pinned to other values.
    pub fn keeping(mut self, fixed: &'a [(usize, i64)]) -> Self {
        self.fixed = fixed;
        self
    }

    /// Draws integer noise around the centre, as [`draw_table`].
    ///
    /// # Errors
    /// When the source gives no bits, or when the noise does not fit 64-bit counts.
    pub fn draw<S: Source>(&self, source: &S, progress: &(dyn Fn(u64) + Sync)) -> Result<Drawn<S>, Problem> {
        let mut values = self.centre.to_vec();
        self.fixed.iter().for_each(|(cell, value)| values[*cell] = *value);
        if let [ReadyPart::Block(block, _)] = self.parts.as_slice()
            && let Some(drawn) = block.draw_whole(source)
        {
            progress(self.centre.len() as u64);
            return Ok(Drawn::new(drawn?, self.exactness.clone()));
        }
        draw_parts(&self.parts, source, progress, &mut values)?;
        Ok(Drawn::new(values, self.exactness.clone()))
    }
}

/// Whether two blocks are drawn by one sampler.
pub(crate) fn is_together(one: &dyn PlannedWork, other: &dyn PlannedWork) -> bool {
    let noise = one.noise().is_some() && other.noise().is_some();
    noise && one.prospect().operator == other.prospect().operator
}

/// What a part draws in one draw.
enum StartedPart<'a> {
    /// Noise that is added.
    Noise(Box<dyn NoiseTasks>, &'a [&'a [u32]]),
    /// A block, the number of its first task, and how many it has.
    Block(&'a dyn Ready, u64, usize),
    /// A block to be made ready, and the number of its task.
    Again(&'a Around<'a>, &'a dyn PlannedWork, u64),
}

/// What a task drew.
enum TaskDraw {
    Noise(Vec<i64>),
    Values(Vec<(u32, i64)>),
}

impl StartedPart<'_> {
    fn tasks(&self) -> usize {
        match self {
            StartedPart::Noise(tasks, _) => tasks.count(),
            StartedPart::Block(_, _, tasks) => *tasks,
            StartedPart::Again(..) => 1,
        }
    }

    fn cells(&self, task: usize) -> usize {
        match self {
            StartedPart::Noise(tasks, _) => tasks.cells(task),
            StartedPart::Block(block, ..) => block.cells(task),
            StartedPart::Again(around, ..) => around.cells.len(),
        }
    }

    /// What drawing a task is predicted to need that is dropped with it.
    fn bytes(&self) -> f64 {
        match self {
            StartedPart::Again(_, work, _) => work.prospect().draw_bytes,
            StartedPart::Noise(..) | StartedPart::Block(..) => 0.0,
        }
    }

    fn draw(&self, task: usize, source: &dyn Source) -> Result<TaskDraw, Problem> {
        match self {
            StartedPart::Noise(tasks, _) => tasks.draw(task, source).map(TaskDraw::Noise),
            StartedPart::Block(block, first, _) => {
                block.draw(task, &mut stream(source, first + task as u64)?).map(TaskDraw::Values)
            }
            StartedPart::Again(around, work, number) => {
                let block = work.ready(**around)?;
                block.draw(task, &mut stream(source, *number)?).map(TaskDraw::Values)
            }
        }
    }

    fn put(&self, task: usize, found: TaskDraw, values: &mut [i64]) -> Result<(), Problem> {
        match (self, found) {
            (StartedPart::Noise(tasks, blocks), TaskDraw::Noise(noise)) => {
                let pieces = tasks.pieces(task);
                let cells = pieces.into_iter().flat_map(|piece| &blocks[piece.block][piece.cells]);
                for (cell, noise) in cells.zip(noise) {
                    let value = &mut values[*cell as usize];
                    *value = value.checked_add(noise).ok_or_else(too_large)?;
                }
            }
            (_, TaskDraw::Values(found)) => {
                found.into_iter().for_each(|(cell, value)| values[cell as usize] = value);
            }
            (StartedPart::Block(..) | StartedPart::Again(..), TaskDraw::Noise(_)) => {}
        }
        Ok(())
    }
}

/// Numbers the tasks of all parts, draws them in parallel and puts what they drew into the values.
pub(crate) fn draw_parts(
    parts: &[ReadyPart<'_>],
    source: &dyn Source,
    progress: &(dyn Fn(u64) + Sync),
    values: &mut [i64],
) -> Result<(), Problem> {
    let mut numbers = TaskNumbers::default();
    let begun = parts.iter().map(|part| match part {
        ReadyPart::Noise(noise, blocks) => {
            let lengths = blocks.iter().map(|cells| cells.len()).collect();
            Ok(StartedPart::Noise(noise.clone().cut(lengths, source, &mut numbers)?, blocks.as_slice()))
        }
        ReadyPart::Block(block, tasks) => Ok(StartedPart::Block(block.as_ref(), numbers.take_several(*tasks), *tasks)),
        ReadyPart::Again(around, work) => Ok(StartedPart::Again(around, *work, numbers.take())),
    });
    let begun: Vec<StartedPart<'_>> = begun.collect::<Result<_, Problem>>()?;
    let tasks: Vec<(&StartedPart<'_>, usize)> =
        begun.iter().flat_map(|part| (0..part.tasks()).map(move |task| (part, task))).collect();
    let mut rest = tasks.as_slice();
    while !rest.is_empty() {
        let (mut cells, mut bytes) = (0, 0.0);
        let before = |(part, task): &&(&StartedPart<'_>, usize)| {
            let room = cells < WAVE_CELLS && (bytes == 0.0 || bytes + part.bytes() <= TOGETHER_BYTES);
            cells += part.cells(*task);
            bytes += part.bytes();
            room
        };
        let (wave, later) = rest.split_at(rest.iter().take_while(before).count());
        let draw = |(part, task): &(&StartedPart<'_>, usize)| {
            let found = part.draw(*task, source)?;
            progress(part.cells(*task) as u64);
            Ok(found)
        };
        let found: Vec<TaskDraw> = wave.par_iter().map(draw).collect::<Result<_, Problem>>()?;
        for ((part, task), found) in wave.iter().zip(found) {
            part.put(*task, found, values)?;
        }
        rest = later;
    }
    Ok(())
}

pub(crate) fn too_large() -> Problem {
    Problem::refused("the noise does not fit 64-bit counts")
}
