//! `Noise`: a sampler whose noise is the same whatever the table, chosen at run time.
//!
//! Blocks of one operator are cut into tasks together ([`crate::tasks`]); only their lengths count.
//! Every [`Sampler`] is such noise: what is behind the trait object is compiled for its own shares.

use crate::exactness::Exactness;
use crate::sampler::Sampler;
use crate::tasks::{Cut, Piece, TaskNumbers};
use declare::Problem;
use exact::Source;
use std::fmt::Debug;
use std::sync::Arc;

/// Noise that is the same whatever the table.
pub trait Noise: Debug + Send + Sync {
    /// How exactly it is drawn.
    fn exactness(&self) -> Exactness;

    /// Cuts blocks of these lengths into tasks for one draw, and draws what slices must know of
    /// each other.
    ///
    /// # Errors
    /// When the source gives no bits.
    fn cut(
        self: Arc<Self>,
        lengths: Vec<usize>,
        source: &dyn Source,
        numbers: &mut TaskNumbers,
    ) -> Result<Box<dyn NoiseTasks>, Problem>;
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

impl<P: Sampler + Debug + Send + 'static> Noise for P {
    fn exactness(&self) -> Exactness {
        Sampler::exactness(self)
    }

    fn cut(
        self: Arc<Self>,
        lengths: Vec<usize>,
        source: &dyn Source,
        numbers: &mut TaskNumbers,
    ) -> Result<Box<dyn NoiseTasks>, Problem> {
        let cut = Cut::new(self.as_ref(), &lengths, source, numbers)?;
        Ok(Box::new(Sliced { sampler: self, cut, lengths }))
    }
}

/// The tasks of a sampler.
struct Sliced<P: Sampler> {
    sampler: Arc<P>,
    cut: Cut<P::Share>,
    lengths: Vec<usize>,
}

impl<P: Sampler + Send> NoiseTasks for Sliced<P> {
    fn count(&self) -> usize {
        self.cut.tasks.len()
    }

    fn pieces(&self, task: usize) -> Vec<Piece> {
        self.cut.pieces(&self.cut.tasks[task], &self.lengths).collect()
    }

    fn cells(&self, task: usize) -> usize {
        self.cut.pieces(&self.cut.tasks[task], &self.lengths).map(|piece| piece.cells.len()).sum()
    }

    fn draw(&self, task: usize, source: &dyn Source) -> Result<Vec<i64>, Problem> {
        self.cut.draw(self.sampler.as_ref(), &self.cut.tasks[task], &self.lengths, source)
    }
}
