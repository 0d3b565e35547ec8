//! Draws a table that is never in memory whole and whose law depends on it: counts go in portion by
//! portion, and come out drawn.

use crate::exactness::Exactness;
use crate::stream::Streamed;
use declare::Problem;
use exact::Source;
use std::fmt;

/// About this many cells are drawn at once: enough for all threads, and a few megabytes.
const WAVE_CELLS: usize = 1 << 20;

/// What draws consecutive cells of a table, given the confidential counts around which they lie.
pub trait Portions: Send {
    /// How many cells the table has.
    fn cells(&self) -> usize;

    /// Portions begin at multiples of so many cells, and end there or with the table.
    fn step(&self) -> usize;

    /// How exactly cells are drawn.
    fn exactness(&self) -> Exactness;

    /// Replaces counts, from this cell on, by what is released.
    ///
    /// # Errors
    /// When they cannot be drawn.
    fn draw(&self, cell: usize, counts: &mut [i64], source: &dyn Source) -> Result<(), Problem>;
}

/// Takes what is drawn, in cell order.
pub type Visit<'v> = &'v mut dyn FnMut(&[i64]) -> Result<(), Problem>;

/// A draw under way. Confidential: it holds the counts that wait for their portion.
pub struct PortionStream<'a, S> {
    source: &'a S,
    progress: &'a (dyn Fn(u64) + Sync),
    portions: Box<dyn Portions + 'a>,
    /// How many counts make a wave.
    wave: usize,
    waiting: Vec<i64>,
    /// The first cell that waits.
    at: usize,
}

impl<S> fmt::Debug for PortionStream<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PortionStream({} cells, counts withheld)", self.portions.cells())
    }
}

impl<'a, S: Source> PortionStream<'a, S> {
    /// Begins to draw a table. `progress` is told how many cells were drawn, in steps that depend
    /// on sizes alone.
    pub fn new(portions: Box<dyn Portions + 'a>, source: &'a S, progress: &'a (dyn Fn(u64) + Sync)) -> Self {
        let step = portions.step().max(1);
        let wave = WAVE_CELLS.div_ceil(step) * step;
        PortionStream { source, progress, portions, wave, waiting: Vec::with_capacity(wave), at: 0 }
    }

    /// Takes the next counts, in cell order, and hands on what is drawn.
    ///
    /// # Errors
    /// Refused when more counts come than the table has cells; what drawing or handing on says.
    pub fn add(&mut self, counts: &[i64], visit: Visit<'_>) -> Result<(), Problem> {
        if counts.len() > self.portions.cells() - self.at - self.waiting.len() {
            return Err(Problem::refused("more counts than the table has cells"));
        }
        let mut rest = counts;
        while !rest.is_empty() {
            let (now, later) = rest.split_at((self.wave - self.waiting.len()).min(rest.len()));
            self.waiting.extend_from_slice(now);
            rest = later;
            if self.waiting.len() == self.wave {
                self.draw(visit)?;
            }
        }
        Ok(())
    }

    fn draw(&mut self, visit: Visit<'_>) -> Result<(), Problem> {
        self.portions.draw(self.at, &mut self.waiting, self.source)?;
        visit(&self.waiting)?;
        self.at += self.waiting.len();
        (self.progress)(self.waiting.len() as u64);
        self.waiting.clear();
        Ok(())
    }

    /// Draws what still waits: the proof that all counts were drawn.
    ///
    /// # Errors
    /// Refused when counts are missing.
    pub fn finish(mut self, visit: Visit<'_>) -> Result<Streamed<S>, Problem> {
        if self.at + self.waiting.len() < self.portions.cells() {
            return Err(Problem::refused("fewer counts than the table has cells"));
        }
        if !self.waiting.is_empty() {
            self.draw(visit)?;
        }
        Ok(Streamed::drawn(self.portions.cells(), self.portions.exactness()))
    }
}
