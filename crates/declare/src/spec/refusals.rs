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
    /// Notes something unsupported: what it is, where it stands, and what to do instead.
    pub(crate) fn not_yet(&mut self, source: &Source, span: Range<usize>, what: &str, hint: &str) {
        // A problem carries the text of the spec: only one that will be shown is worth the copy.
        if self.first.as_ref().is_none_or(|(first, _)| span.start < *first) {
            self.add(span.start, not_yet(source, span, what, hint));
        }
    }

    /// Notes a refusal of something that starts at this byte of the spec.
    pub(crate) fn add(&mut self, start: usize, problem: Problem) {
        if self.first.as_ref().is_none_or(|(first, _)| start < *first) {
            self.first = Some((start, problem));
        }
    }

    /// The first refusal in the order of the file.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        match self.first {
            Some((_, problem)) => Err(problem),
            None => Ok(()),
        }
    }
}

/// The refusal of something a later version will do.
pub(crate) fn not_yet(source: &Source, span: Range<usize>, what: &str, hint: &str) -> Problem {
    source.point(Problem::not_yet(what).hint(hint), span, "not yet supported")
}
