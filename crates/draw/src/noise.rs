//! `Noise`: a sampler whose noise is the same whatever the table, chosen at run time.
//!
//! Blocks of one operator are cut into tasks together ([`crate::tasks`]); only their lengths count.
//! Every [`Sampler`] is such noise: what is behind the trait object is compiled for its own shares.

use crate::exactness::Exactness;
use crate::sampler::Sampler;
use crate::tasks::{Cut, NoiseTasks, TaskNumbers};
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
        Ok(Box::new(Cut::new(self, lengths, source, numbers)?))
    }
}
