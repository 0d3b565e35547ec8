//! `Check`: one thing that a verifier found to hold, and the problem of what does not.

use declare::{Kind, Problem};

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was checked, in a few words.
    pub what: String,
    /// What was found.
    pub found: String,
}

/// The problem of a release that is not what was certified.
pub fn changed(message: impl Into<String>) -> Problem {
    Problem::new(Kind::Bad, message)
        .hint("the release was changed after it was certified, or is damaged: do not use it")
}
