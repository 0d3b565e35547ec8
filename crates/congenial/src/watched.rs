//! `Watched`: a release that is watched: the steps of the path, and when whoever watches is heard.

use prepare::{Progress, Stage};
use publish::steps::{BEFORE_PAYING, Hook, WAITING};

/// Who watches a release.
pub(crate) struct Watched<'a> {
    pub(crate) progress: &'a dyn Progress,
    pub(crate) steps: Option<Hook>,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(progress: &'a dyn Progress) -> Watched<'a> {
        Watched { progress, steps: progress.steps() }
    }

    /// Tells of cells and sums whose range is known.
    pub(crate) fn searching(&self) -> impl Fn(u64) + Sync + '_ {
        self.progress.of(Stage::Searching)
    }

    /// Tells of cells that are drawn.
    pub(crate) fn drawing(&self) -> impl Fn(u64) + Sync + '_ {
        self.progress.of(Stage::Drawing)
    }

    /// A step is reached.
    pub(crate) fn reached(&self, step: &'static str) {
        if let Some(hook) = &self.steps {
            hook(step);
        }
        // Whoever wants it to stop is heard once more before it is paid for.
        if step == WAITING || BEFORE_PAYING.contains(&step) {
            self.searching()(0);
        }
    }
}
