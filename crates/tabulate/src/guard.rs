//! Runs parts of the Parquet and Arrow libraries, which panic on some damaged files.

use exact::attention::is_stopped;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught and told as a damaged file: a panic hook then has
/// nothing to say.
pub fn panic_is_expected() -> bool {
    GUARDED.get()
}

/// What `run` returns; `None`: a library panicked in it. What it worked on must not be used after
/// that.
pub fn survived<T>(run: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(before);
    match result {
        Ok(value) => Some(value),
        Err(payload) if is_stopped(&*payload) => resume_unwind(payload),
        Err(_) => None,
    }
}

/// What the library says about a file, or that it panicked. What it worked on is not used after a
/// failure.
pub(crate) fn guarded<T, E: ToString>(run: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match survived(run) {
        Some(result) => result.map_err(|error| error.to_string()),
        None => Err("its parts contradict each other".to_owned()),
    }
}
