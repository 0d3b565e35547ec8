//! Draws a table that is never in memory whole: counts go in and come out portion by portion, in
//! cell order.
//!
//! The noise is that of [`crate::TableSampler`], bit by bit: both cut their blocks into the same
//! tasks with the same streams. The shares of the slices of large blocks are drawn first, sixteen
//! bytes for every 2¹⁵ cells; the slices themselves are drawn in waves, in parallel, as the counts
//! arrive. What runs ahead of the counts depends on the blocks alone.

use crate::exactness::Exactness;
use crate::law::NoiseLaw;
use crate::planned::PlannedWork;
use crate::table::{is_together, too_large};
use crate::tasks::{NoiseTasks, TaskNumbers};
use declare::Problem;
use exact::Source;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// About this many cells are drawn in one wave: enough for all threads, and a few megabytes.
const WAVE_CELLS: usize = 1 << 20;

/// A block of consecutive cells, and how it is drawn.
#[derive(Debug, Clone)]
pub struct BlockRange {
    /// Its cells.
    pub cells: Range<usize>,
    /// How they are drawn: by noise that is the same whatever the table.
    pub work: Arc<dyn PlannedWork>,
}

/// Proof that every count of a table got its noise, from bits of the source `S`. Only
/// `Streamed<SystemEntropy>` can be certified.
///
/// It can be made by [`TableStream::finish`] and [`crate::PortionStream::finish`] alone, so the
/// type parameter tells the truth:
///
/// ```compile_fail
/// # use draw::{Exactness, Streamed};
/// # use exact::SystemEntropy;
/// let forged: Streamed<SystemEntropy> = Streamed { cells: 2, exactness: Exactness::Exact, source: Default::default() };
/// ```
#[derive(Debug)]
pub struct Streamed<S> {
    cells: usize,
    exactness: Exactness,
    source: PhantomData<fn() -> S>,
}

impl<S: Source> Streamed<S> {
    pub(crate) fn drawn(cells: usize, exactness: Exactness) -> Self {
        Streamed { cells, exactness, source: PhantomData }
    }

    /// How many counts got noise: all of them.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// How exactly they were drawn: the least exact of all blocks.
    pub fn exactness(&self) -> &Exactness {
        &self.exactness
    }
}

/// A draw under way.
pub struct TableStream<'a, S> {
    source: &'a S,
    progress: &'a (dyn Fn(u64) + Sync),
    cells: usize,
    exactness: Exactness,
    parts: Vec<OperatorTasks>,
    /// All tasks by their first cell.
    order: Vec<Place>,
    /// The first task that is not drawn yet.
    next: usize,
    /// Noise that waits for its counts, by first cell.
    waiting: BTreeMap<usize, Vec<i64>>,
    /// How much of the first waiting noise is used up.
    used: usize,
    /// The next cell.
    at: usize,
}

impl<S> fmt::Debug for TableStream<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableStream({} cells, noise withheld)", self.cells)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    first: usize,
    part: u8,
    task: u32,
}

impl<'a, S: Source> TableStream<'a, S> {
    /// Begins to draw integer noise on a table of `cells` cells; cells in no block get none.
    ///
    /// `progress` is told how many cells were drawn, in steps that depend on the blocks alone.
    ///
    /// # Errors
    /// Refused when blocks overlap or leave the table, or when an operator does not draw this law.
    pub fn new(
        law: &NoiseLaw,
        blocks: &[BlockRange],
        cells: usize,
        source: &'a S,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Result<Self, Problem> {
        check_disjoint(blocks, cells)?;
        let mut numbers = TaskNumbers::default();
        let mut exactness = Exactness::Exact;
        let mut parts: Vec<OperatorTasks> = Vec::new();
        let mut ordered: Vec<&BlockRange> = blocks.iter().collect();
        ordered.sort_by_key(|block| block.work.rank());
        for blocks in ordered.chunk_by(|one, other| is_together(one.work.as_ref(), other.work.as_ref())) {
            let Some(planned) = blocks[0].work.noise() else {
                let operator = blocks[0].work.prospect().operator;
                return Err(Problem::refused(format!("`{operator}` cannot draw a streamed table")));
            };
            let noise = planned.sampler(law)?;
            exactness = exactness.and(noise.exactness());
            let lengths = blocks.iter().map(|block| block.cells.len()).collect();
            let starts = blocks.iter().map(|block| block.cells.start).collect();
            parts.push(OperatorTasks { tasks: noise.cut(lengths, source, &mut numbers)?, starts });
        }
        let mut order: Vec<Place> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let place = |task: usize| Place { first: part.first(task), part: number as u8, task: task as u32 };
            order.extend((0..part.tasks.count()).map(place));
        }
        order.sort_unstable();
        let waiting = BTreeMap::new();
        Ok(TableStream { source, progress, cells, exactness, parts, order, next: 0, waiting, used: 0, at: 0 })
    }

    /// Adds their noise to the next counts, in cell order.
    ///
    /// # Errors
    /// Refused when more counts come than the table has cells, or when a count and its noise leave
    /// 64 bits.
    pub fn add(&mut self, counts: &mut [i64]) -> Result<(), Problem> {
        if counts.len() > self.cells - self.at {
            return Err(Problem::refused("more counts than the table has cells"));
        }
        let mut rest = counts;
        while !rest.is_empty() {
            let undrawn = self.order.get(self.next).map(|place| place.first);
            let Some((first, noise)) =
                self.waiting.first_key_value().filter(|(first, _)| undrawn.is_none_or(|undrawn| **first < undrawn))
            else {
                match undrawn {
                    Some(_) => self.draw_wave()?,
                    None => self.skip(&mut rest, self.cells),
                }
                continue;
            };
            if self.at < *first {
                let first = *first;
                self.skip(&mut rest, first);
                continue;
            }
            let noise = &noise[self.used..];
            let length = noise.len().min(rest.len());
            let (now, later) = rest.split_at_mut(length);
            for (count, noise) in now.iter_mut().zip(noise) {
                *count = count.checked_add(*noise).ok_or_else(too_large)?;
            }
            rest = later;
            self.at += length;
            self.used += length;
            if length == noise.len() {
                self.waiting.pop_first();
                self.used = 0;
            }
        }
        Ok(())
    }

    /// Leaves counts before the cell `until` as they are.
    fn skip(&mut self, rest: &mut &mut [i64], until: usize) {
        let length = (until - self.at).min(rest.len());
        *rest = &mut std::mem::take(rest)[length..];
        self.at += length;
    }

    fn draw_wave(&mut self) -> Result<(), Problem> {
        let mut cells = 0;
        let start = self.next;
        while cells < WAVE_CELLS
            && let Some(place) = self.order.get(self.next)
        {
            cells += self.parts[place.part as usize].tasks.cells(place.task as usize);
            self.next += 1;
        }
        let (parts, source) = (&self.parts, self.source);
        let draw = |place: &Place| parts[place.part as usize].draw(place.task as usize, source);
        let drawn: Vec<Vec<(usize, Vec<i64>)>> =
            self.order[start..self.next].par_iter().map(draw).collect::<Result<_, Problem>>()?;
        self.waiting.extend(drawn.into_iter().flatten());
        (self.progress)(cells as u64);
        Ok(())
    }

    /// The proof that all counts got their noise.
    ///
    /// # Errors
    /// Refused when counts are missing.
    pub fn finish(self) -> Result<Streamed<S>, Problem> {
        if self.at < self.cells {
            return Err(Problem::refused("fewer counts than the table has cells"));
        }
        Ok(Streamed::drawn(self.cells, self.exactness))
    }
}

fn check_disjoint(blocks: &[BlockRange], cells: usize) -> Result<(), Problem> {
    let mut ranges: Vec<(usize, usize)> = blocks.iter().map(|block| (block.cells.start, block.cells.end)).collect();
    ranges.sort_unstable();
    let apart = ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    let inside = ranges.iter().all(|(start, end)| start < end && *end <= cells);
    if apart && inside { Ok(()) } else { Err(Problem::refused("blocks of cells overlap or leave the table")) }
}

/// All blocks of one operator, cut into tasks.
struct OperatorTasks {
    tasks: Box<dyn NoiseTasks>,
    /// The first cell of every block.
    starts: Vec<usize>,
}

impl OperatorTasks {
    /// The first cell of a task.
    fn first(&self, task: usize) -> usize {
        let pieces = self.tasks.pieces(task);
        pieces.iter().map(|piece| self.starts[piece.block] + piece.cells.start).min().unwrap_or(0)
    }

    /// The noise of a task, by first cell.
    fn draw(&self, task: usize, source: &dyn Source) -> Result<Vec<(usize, Vec<i64>)>, Problem> {
        let noise = self.tasks.draw(task, source)?;
        let mut drawn: Vec<(usize, Vec<i64>)> = Vec::new();
        let mut used = 0;
        for piece in self.tasks.pieces(task) {
            let first = self.starts[piece.block] + piece.cells.start;
            let own = &noise[used..used + piece.cells.len()];
            used += own.len();
            match drawn.last_mut() {
                Some((start, before)) if *start + before.len() == first => before.extend_from_slice(own),
                _ => drawn.push((first, own.to_vec())),
            }
        }
        Ok(drawn)
    }
}
