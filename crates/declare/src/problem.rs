//! `Problem`: the one error type of the path, a message as a product.
//!
//! A problem says what happened, where, because of what, and what to do next. Its kind decides the
//! exit code. Once the confidential table has been read, no problem may carry anything that depends
//! on its interior.

use std::fmt;
use std::ops::Range;

/// What kind of failure this is; the command line turns it into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bad usage, spec or data: exit code 2.
    Bad,
    /// The program will not do it (budget, disclosure, not certifiable, not yet supported): exit
    /// code 3.
    Refused,
    /// No table satisfies the constraints: exit code 4.
    Infeasible,
    /// The machine failed (a file could not be read or written, no randomness): exit code 2.
    System,
}

/// Where in a text file the problem was found, with the text itself so that it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the file as the user gave it.
    pub file: String,
    /// The text of the file (of a spec: all of it; of a data file: the offending line only).
    pub text: String,
    /// The line in the file on which `text` starts, counted from 1.
    pub first_line: usize,
    /// The bytes of `text` to point at.
    pub span: Range<usize>,
    /// What stands there, in a few words: the label under the caret.
    pub label: String,
}

impl Place {
    /// The line in the file, counted from 1, on which the span starts.
    pub fn line(&self) -> usize {
        let start = self.span.start.min(self.text.len());
        self.first_line + self.text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count()
    }

    /// The column, in characters counted from 1, at which the span starts.
    pub fn column(&self) -> usize {
        let before = &self.text[..self.start()];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        before[line..].chars().count() + 1
    }

    /// The text of the line on which the span starts.
    pub fn line_text(&self) -> &str {
        let start = self.start();
        let from = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[from..].split('\n').next().unwrap_or("");
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn start(&self) -> usize {
        let mut start = self.span.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        start
    }
}

/// What went wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind, which decides the exit code.
    pub kind: Kind,
    /// What happened, in one sentence without a final full stop.
    pub message: String,
    /// Where, if it has a place in a text.
    pub place: Option<Box<Place>>,
    /// What to do next, if we know.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem of the given kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Problem { kind, message: message.into(), place: None, hint: None }
    }

    /// Bad usage, spec or data.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(Kind::Bad, message)
    }

    /// Something the program will not do.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    /// Something a later version will do.
    pub fn not_yet(what: impl fmt::Display) -> Self {
        Self::new(Kind::Refused, format!("{what}: not yet supported"))
    }

    /// Something that this program was built without: `what` can be had from a build with this
    /// feature.
    pub fn built_without(feature: &str, what: impl fmt::Display) -> Self {
        Problem::refused(format!("this program was built without {what}"))
            .hint(format!("build one that has it: cargo build --release --features {feature}"))
    }

    /// The machine failed.
    pub fn system(message: impl Into<String>) -> Self {
        Self::new(Kind::System, message)
    }

    /// Adds a hint on what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Points it at a place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(Box::new(place));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}: ", place.file, place.line())?;
        }
        write!(f, "{}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " (hint: {hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
