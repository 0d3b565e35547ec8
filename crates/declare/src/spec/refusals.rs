//! What the grammar knows and this version does not do: collected while checking, refused at the
//! end.

use super::source::Source;
use crate::problem::Problem;
use std::ops::Range;

/// What is unsupported in a spec: the first in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    first: Option<(usize, Problem)>,
}

impl Refusals {
    /// Notes a refusal of what stands here.
    pub(crate) fn add(&mut self, source: &Source, span: Range<usize>, problem: Problem, label: &str) {
        // A problem carries the text of the spec: only one that will be shown is worth the copy.
        if self.first.as_ref().is_none_or(|(first, _)| span.start < *first) {
            self.first = Some((span.start, source.point(problem, span, label)));
        }
    }

    /// The first refusal in the order of the file.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        self.first.map_or(Ok(()), |(_, problem)| Err(problem))
    }
}
