//! `RunTime`: what the run time of a draw tells about the table, in one word.

use std::fmt;

/// What the number of steps and of random bits of a draw tells about the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTime {
    /// It has the same law for every table with the same public values.
    Independent,
    /// Its law is another for another table.
    DependsOnTheTable,
}

impl RunTime {
    /// The word in explanations and certificates.
    pub fn name(self) -> &'static str {
        match self {
            RunTime::Independent => "independent",
            RunTime::DependsOnTheTable => "depends on the table",
        }
    }
}

impl fmt::Display for RunTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
