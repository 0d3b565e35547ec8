//! `Bug`: what is told when this code fails through its own fault: where, and nothing else.
//!
//! The message of a panic may hold numbers of the confidential table, so nobody is ever told it.

use crate::{COMMIT, VERSION};
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::Mutex;
use tabulate::panic_is_expected;

/// Where this code has stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bug {
    /// The file and line, if known.
    pub place: Option<String>,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(" at {place}"));
        let commit = COMMIT.map_or(String::new(), |commit| format!(", commit {commit}"));
        write!(f, "this is a bug in congenial: it stopped{place} (version {VERSION}{commit})")
    }
}

impl Bug {
    /// What to do about it.
    pub const HINT: &str = "please report this line; it holds nothing of your data";
}

/// Where a thread has panicked last: the one that catches it may be another.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Replaces the printing of panics by `report`, which is told where, and nothing else.
pub fn silence_panics(report: fn(&Bug)) {
    set_hook(Box::new(move |panic: &PanicHookInfo| {
        // A library has met a damaged file, and the command says so itself.
        if panic_is_expected() {
            return;
        }
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        if let Ok(mut last) = LAST.lock() {
            last.clone_from(&place);
        }
        report(&Bug { place });
    }));
}

/// Runs something that may panic. Unwinding, rather than leaving at once, removes temporary
/// folders.
///
/// # Errors
/// When it panicked.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Bug> {
    // The payload is the message: it is dropped here.
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| Bug { place: LAST.lock().ok().and_then(|mut last| last.take()) })
}
