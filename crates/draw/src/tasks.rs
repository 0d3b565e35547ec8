//! Blocks cut into tasks: slices of large blocks and runs of small ones, each with a stream of
//! random bits of its own.
//!
//! Tables in memory and streamed tables are cut here, by the lengths of their blocks alone: a seed
//! gives both the same noise.

use crate::sampler::{Sampler, Summary};
use declare::Problem;
use exact::{Source, Stream};
use rayon::prelude::*;
use std::ops::Range;

/// The largest slice of a block that is drawn at once.
pub(crate) const SLICE_CELLS: usize = 1 << 15;
/// Small blocks are drawn together until they have this many cells: a stream of bits costs more
/// than a small block.
const TASK_CELLS: usize = 1 << 12;

/// Numbers the streams of a draw.
#[derive(Debug, Default)]
pub struct TaskNumbers(u64);

impl TaskNumbers {
    /// The next number.
    pub fn take(&mut self) -> u64 {
        self.take_several(1)
    }

    /// The first of so many next numbers.
    pub fn take_several(&mut self, count: usize) -> u64 {
        self.0 += count as u64;
        self.0 - count as u64
    }
}

/// The tasks of all blocks that one sampler draws.
#[derive(Debug)]
pub(crate) struct Cut<Share> {
    /// Slices first, then runs of small blocks.
    pub(crate) tasks: Vec<Task<Share>>,
    /// The blocks that are drawn whole, in order.
    small: Vec<usize>,
}

/// What shares one stream of bits.
#[derive(Debug)]
pub(crate) struct Task<Share> {
    number: u64,
    part: TaskCells<Share>,
}

#[derive(Debug)]
enum TaskCells<Share> {
    /// One slice of a large block.
    Slice { block: usize, start: usize, length: usize, share: Share },
    /// Whole blocks, by their places among the small ones.
    Blocks(Range<usize>),
}

/// Where consecutive noise of a task belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The block, by its place among those that are cut together.
    pub block: usize,
    /// The cells inside the block.
    pub cells: Range<usize>,
}

impl<Share: Clone + Send + Sync> Cut<Share> {
    /// Cuts blocks of these lengths into tasks; the shares of slices are drawn here, large blocks
    /// in parallel.
    pub(crate) fn new<P: Sampler<Share = Share>>(
        sampler: &P,
        lengths: &[usize],
        source: &dyn Source,
        numbers: &mut TaskNumbers,
    ) -> Result<Self, Problem> {
        let large: Vec<(usize, u64)> = (0..lengths.len())
            .filter(|block| lengths[*block] > SLICE_CELLS)
            .map(|block| (block, numbers.take()))
            .collect();
        let divided: Vec<Vec<TaskCells<Share>>> = large
            .par_iter()
            .map(|(block, number)| {
                let starts = (0..lengths[*block]).step_by(SLICE_CELLS);
                let slices: Vec<(usize, usize)> =
                    starts.map(|start| (start, SLICE_CELLS.min(lengths[*block] - start))).collect();
                let summaries: Vec<Summary> =
                    slices.iter().map(|(_, cells)| Summary { cells: *cells as u64 }).collect();
                let mut entropy = stream(source, *number)?;
                let shares = sampler.divide(&mut entropy, &summaries, 0);
                let slice = |((start, length), share)| TaskCells::Slice { block: *block, start, length, share };
                Ok(slices.into_iter().zip(shares).map(slice).collect())
            })
            .collect::<Result<_, Problem>>()?;
        let mut tasks: Vec<Task<Share>> = Vec::new();
        for part in divided.into_iter().flatten() {
            tasks.push(Task { number: numbers.take(), part });
        }
        let small: Vec<usize> = (0..lengths.len()).filter(|block| lengths[*block] <= SLICE_CELLS).collect();
        let (mut first, mut cells) = (0, 0);
        for (place, block) in small.iter().enumerate() {
            cells += lengths[*block];
            if cells >= TASK_CELLS || place + 1 == small.len() {
                tasks.push(Task { number: numbers.take(), part: TaskCells::Blocks(first..place + 1) });
                (first, cells) = (place + 1, 0);
            }
        }
        Ok(Cut { tasks, small })
    }

    /// Where the noise of a task belongs, in the order in which [`Cut::draw`] returns it.
    pub(crate) fn pieces<'a>(
        &'a self,
        task: &'a Task<Share>,
        lengths: &'a [usize],
    ) -> impl Iterator<Item = Piece> + 'a {
        let (slice, blocks) = match &task.part {
            TaskCells::Slice { block, start, length, .. } => {
                (Some(Piece { block: *block, cells: *start..start + length }), 0..0)
            }
            TaskCells::Blocks(blocks) => (None, blocks.clone()),
        };
        let whole = self.small[blocks].iter().map(|block| Piece { block: *block, cells: 0..lengths[*block] });
        slice.into_iter().chain(whole)
    }

    /// Draws the noise of a task.
    pub(crate) fn draw<P: Sampler<Share = Share>>(
        &self,
        sampler: &P,
        task: &Task<Share>,
        lengths: &[usize],
        source: &dyn Source,
    ) -> Result<Vec<i64>, Problem> {
        let mut entropy = stream(source, task.number)?;
        let mut noise = vec![0i64; self.pieces(task, lengths).map(|piece| piece.cells.len()).sum()];
        match &task.part {
            TaskCells::Slice { share, .. } => sampler.fill(&mut entropy, share, &mut noise),
            TaskCells::Blocks(blocks) => {
                let mut rest: &mut [i64] = &mut noise;
                for block in &self.small[blocks.clone()] {
                    let (cells, others) = rest.split_at_mut(lengths[*block]);
                    sampler.draw_block(&mut entropy, 0, cells);
                    rest = others;
                }
            }
        }
        Ok(noise)
    }
}

/// The stream of a task.
pub(crate) fn stream(source: &dyn Source, task: u64) -> Result<Stream, Problem> {
    source.stream(task).map_err(|error| Problem::system(error.to_string()))
}
