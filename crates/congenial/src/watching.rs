//! `Watching`: who is told how far a release has come, and may stop it.

use declare::Problem;
use exact::attention::{heed, stoppable};
use publish::steps::{BEFORE_PAYING, Hook, WAITING};
use std::ops::ControlFlow;

/// Who is told how far a release has come. Whoever answers with a break stops it at the next portion.
pub struct Watching<'a> {
    /// How many bytes were read.
    pub reading: &'a mut dyn FnMut(u64) -> ControlFlow<()>,
    /// Pairs of chains that have met, where walks need evidence.
    pub gathering: &'a (dyn Fn(u64) -> ControlFlow<()> + Sync),
    /// Cells and sums whose range under the totals is known.
    pub searching: &'a (dyn Fn(u64) -> ControlFlow<()> + Sync),
    /// How many cells were drawn.
    pub drawing: &'a (dyn Fn(u64) -> ControlFlow<()> + Sync),
    /// The steps that were reached: for tests that stop there.
    #[doc(hidden)]
    pub steps: Option<Hook>,
}

/// Goes on after something was told.
pub fn going_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// For the parts of the path, which are stopped by unwinding: on every thread, and with all that is dropped on the way.
pub(crate) struct Watched<'a> {
    pub(crate) reading: &'a mut dyn FnMut(u64),
    pub(crate) gathering: &'a (dyn Fn(u64) + Sync),
    pub(crate) searching: &'a (dyn Fn(u64) + Sync),
    pub(crate) drawing: &'a (dyn Fn(u64) + Sync),
    pub(crate) steps: Option<Hook>,
}

impl Watching<'_> {
    /// Runs a piece of work that is watched.
    pub(crate) fn heeded<T>(self, run: impl FnOnce(Watched<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        let Watching { reading, gathering, searching, drawing, steps } = self;
        let mut read = |bytes| heed(reading(bytes));
        let watched = Watched {
            reading: &mut read,
            gathering: &|pairs| heed(gathering(pairs)),
            searching: &|known| heed(searching(known)),
            drawing: &|cells| heed(drawing(cells)),
            steps,
        };
        stoppable(|| run(watched)).unwrap_or_else(|| Err(stopped()))
    }
}

impl Watched<'_> {
    pub(crate) fn reached(&self, step: &'static str) {
        if let Some(hook) = &self.steps {
            hook(step);
        }
        // Whoever wants it to stop is heard once more before it is paid for.
        if step == WAITING || BEFORE_PAYING.contains(&step) {
            (self.searching)(0);
        }
    }
}

/// The problem of work that was stopped before anything was spent.
pub(crate) fn stopped() -> Problem {
    Problem::system("stopped, as was asked").hint("nothing was written")
}
