//! Draws a whole table: blocks in parallel, large blocks slice by slice, the same for a seed
//! whatever the threads.

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

/// The blocks of a table, made ready once and drawn from as often as wanted.
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
    /// One block.
    Block(Box<dyn Ready + 'a>),
}

impl<'a> TableSampler<'a> {
    /// Makes the blocks ready.
    ///
    /// # Errors
    /// Refused when a block cannot be drawn with this noise.
    pub fn new(noise: TableNoise<'a>, blocks: &[BlockDraw<'a>], centre: &'a [i64]) -> Result<Self, Problem> {
        let mut ordered: Vec<BlockDraw<'a>> = blocks.to_vec();
        ordered.sort_by_key(|block| block.work.rank());
        let groups: Vec<&[BlockDraw<'a>]> = ordered.chunk_by(|one, other| is_together(one.work, other.work)).collect();
        let parts = groups.into_par_iter().map(|blocks| match blocks[0].work.noise() {
            Some(planned) => {
                let cells = blocks.iter().map(|block| block.cells).collect();
                planned.sampler(noise.law).map(|noise| ReadyPart::Noise(noise, cells))
            }
            None => blocks[0].work.ready(blocks[0].around(noise, centre)).map(ReadyPart::Block),
        });
        let parts: Vec<ReadyPart<'a>> = parts.collect::<Result<_, Problem>>()?;
        let exactness = parts.iter().fold(Exactness::Exact, |used, part| match part {
            ReadyPart::Noise(noise, _) => used.and(noise.exactness()),
            ReadyPart::Block(block) => used.and(block.exactness()),
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
        if let [ReadyPart::Block(block)] = self.parts.as_slice()
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
    /// A block, and the number of its first task.
    Block(&'a dyn Ready, u64),
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
            StartedPart::Block(block, _) => block.tasks(),
        }
    }

    fn cells(&self, task: usize) -> usize {
        match self {
            StartedPart::Noise(tasks, _) => tasks.cells(task),
            StartedPart::Block(block, _) => block.cells(task),
        }
    }

    fn draw(&self, task: usize, source: &dyn Source) -> Result<TaskDraw, Problem> {
        match self {
            StartedPart::Noise(tasks, _) => tasks.draw(task, source).map(TaskDraw::Noise),
            StartedPart::Block(block, first) => {
                block.draw(task, &mut stream(source, first + task as u64)?).map(TaskDraw::Values)
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
            (StartedPart::Block(..), TaskDraw::Noise(_)) => {}
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
        ReadyPart::Block(block) => Ok(StartedPart::Block(block.as_ref(), numbers.take_several(block.tasks()))),
    });
    let begun: Vec<StartedPart<'_>> = begun.collect::<Result<_, Problem>>()?;
    let tasks: Vec<(&StartedPart<'_>, usize)> =
        begun.iter().flat_map(|part| (0..part.tasks()).map(move |task| (part, task))).collect();
    let mut rest = tasks.as_slice();
    while !rest.is_empty() {
        let mut cells = 0;
        let before = |(part, task): &&(&StartedPart<'_>, usize)| {
            let room = cells < WAVE_CELLS;
            cells += part.cells(*task);
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
