//! `Opened`: a spec and what follows from it alone.

use plan::Case;
use std::ops::Deref;
use std::path::PathBuf;
use tabulate::{Frame, Origin, Reading};

/// A spec, what follows from it alone, and where its rows are.
#[derive(Debug)]
pub struct Opened {
    /// The declaration and what follows from it.
    pub case: Case,
    /// The folder of the spec: the data file is relative to it.
    pub folder: PathBuf,
    /// The rows, if they were handed over in memory. Shows nothing when printed.
    pub frame: Option<Frame>,
}

impl Deref for Opened {
    type Target = Case;

    fn deref(&self) -> &Case {
        &self.case
    }
}

impl Opened {
    /// Where the rows are.
    pub fn origin(&self) -> Origin<'_> {
        match &self.frame {
            Some(frame) => Origin::Frame(frame),
            None => Origin::Folder(&self.folder),
        }
    }

    /// How the rows are read: what is declared of confidential data is trusted, because an error
    /// would tell more of them than anybody paid for.
    pub fn reading(&self) -> Reading {
        if self.declaration.data.public { Reading::Strict } else { Reading::Trusting }
    }

    /// Whether the table is drawn and written portion by portion.
    pub fn is_streamed(&self) -> bool {
        self.fold.is_some()
    }
}
