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
use std::sync::Arc;

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

/// The tasks of one draw of noise.
pub trait NoiseTasks: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Where the noise of a task belongs, in order.
    fn pieces(&self, task: usize) -> Vec<Piece>;

    /// How many cells a task draws.
    fn cells(&self, task: usize) -> usize;

    /// Draws the noise of a task.
    ///
    /// # Errors
    /// When the source gives no bits.
    fn draw(&self, task: usize, source: &dyn Source) -> Result<Vec<i64>, Problem>;
}

/// Where consecutive noise of a task belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The block, by its place among those that are cut together.
    pub block: usize,
    /// The cells inside the block.
    pub cells: Range<usize>,
}

/// The tasks of all blocks that one sampler draws.
pub(crate) struct Cut<P: Sampler> {
    sampler: Arc<P>,
    lengths: Vec<usize>,
    /// What shares one stream of bits, by its number: slices first, then runs of small blocks.
    tasks: Vec<(u64, TaskCells<P::Share>)>,
}

enum TaskCells<Share> {
    /// One slice of a large block.
    Slice { block: usize, cells: Range<usize>, share: Share },
    /// Whole blocks.
    Blocks(Vec<usize>),
}

impl<P: Sampler + Send> Cut<P> {
    /// Cuts blocks of these lengths into tasks; the shares of slices are drawn here, large blocks
    /// in parallel.
    pub(crate) fn new(
        sampler: Arc<P>,
        lengths: Vec<usize>,
        source: &dyn Source,
        numbers: &mut TaskNumbers,
    ) -> Result<Self, Problem> {
        let (large, small): (Vec<usize>, Vec<usize>) =
            (0..lengths.len()).partition(|block| lengths[*block] > SLICE_CELLS);
        let large: Vec<(usize, u64)> = large.into_iter().map(|block| (block, numbers.take())).collect();
        let divided: Vec<Vec<TaskCells<P::Share>>> = large
            .par_iter()
            .map(|(block, number)| {
                let length = lengths[*block];
                let starts = (0..length).step_by(SLICE_CELLS);
                let slices: Vec<Range<usize>> = starts.map(|start| start..length.min(start + SLICE_CELLS)).collect();
                let summaries: Vec<Summary> =
                    slices.iter().map(|cells| Summary { cells: cells.len() as u64 }).collect();
                let shares = sampler.divide(&mut stream(source, *number)?, &summaries, 0);
                let slice = |(cells, share)| TaskCells::Slice { block: *block, cells, share };
                Ok(slices.into_iter().zip(shares).map(slice).collect())
            })
            .collect::<Result<_, Problem>>()?;
        let mut tasks: Vec<_> = divided.into_iter().flatten().map(|slice| (numbers.take(), slice)).collect();
        let (mut run, mut cells) = (Vec::new(), 0);
        for (place, block) in small.iter().enumerate() {
            run.push(*block);
            cells += lengths[*block];
            if cells >= TASK_CELLS || place + 1 == small.len() {
                tasks.push((numbers.take(), TaskCells::Blocks(std::mem::take(&mut run))));
                cells = 0;
            }
        }
        Ok(Cut { sampler, lengths, tasks })
    }
}

impl<P: Sampler + Send> NoiseTasks for Cut<P> {
    fn count(&self) -> usize {
        self.tasks.len()
    }

    fn pieces(&self, task: usize) -> Vec<Piece> {
        match &self.tasks[task].1 {
            TaskCells::Slice { block, cells, .. } => vec![Piece { block: *block, cells: cells.clone() }],
            TaskCells::Blocks(blocks) => {
                blocks.iter().map(|block| Piece { block: *block, cells: 0..self.lengths[*block] }).collect()
            }
        }
    }

    fn cells(&self, task: usize) -> usize {
        match &self.tasks[task].1 {
            TaskCells::Slice { cells, .. } => cells.len(),
            TaskCells::Blocks(blocks) => blocks.iter().map(|block| self.lengths[*block]).sum(),
        }
    }

    fn draw(&self, task: usize, source: &dyn Source) -> Result<Vec<i64>, Problem> {
        let (number, part) = &self.tasks[task];
        let mut entropy = stream(source, *number)?;
        let mut noise = vec![0i64; self.cells(task)];
        match part {
            TaskCells::Slice { share, .. } => self.sampler.fill(&mut entropy, share, &mut noise),
            TaskCells::Blocks(blocks) => {
                let mut rest = noise.as_mut_slice();
                for block in blocks {
                    let (cells, others) = rest.split_at_mut(self.lengths[*block]);
                    self.sampler.draw_block(&mut entropy, 0, cells);
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
