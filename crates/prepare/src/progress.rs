//! `Progress`: who is told how far a piece of work has come, and may stop it.

use exact::attention::heed;
use publish::steps::Hook;
use std::ops::ControlFlow;

/// What a piece of work does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reads data: so many bytes in all.
    Reading,
    /// Runs coupled chains, where walks need evidence: so many more pairs have met.
    Gathering,
    /// Looks what totals say: so many more cells and sums have a range that is known.
    Searching,
    /// Draws a table: so many more cells.
    Drawing,
    /// Draws one table after another: so many in all.
    Draws,
}

/// Who is told how far a piece of work has come. Whoever answers with a break stops it at the next
/// portion: a release ends with a problem that says what was spent, other work unwinds to the
/// [`stoppable`](exact::attention::stoppable) that runs it.
pub trait Progress: Sync {
    /// So much is done of a stage, in all or more, as the stage says.
    fn told(&self, stage: Stage, done: u64) -> ControlFlow<()>;

    /// Who is called at the steps of a release: for tests that stop there.
    #[doc(hidden)]
    fn steps(&self) -> Option<Hook> {
        None
    }
}

impl dyn Progress + '_ {
    /// Tells of one stage. Work is stopped by unwinding: on every thread, and with all that is
    /// dropped on the way.
    pub fn of(&self, stage: Stage) -> impl Fn(u64) + Sync + '_ {
        move |done| heed(self.told(stage, done))
    }
}

/// Nobody is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn told(&self, _: Stage, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
