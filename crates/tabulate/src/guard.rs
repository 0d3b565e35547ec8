//! Runs parts of the Parquet and Arrow libraries, which panic on some damaged files; and what is stopped half way.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught and told as a damaged file: a panic hook then has nothing to say.
pub fn panic_is_expected() -> bool {
    GUARDED.get()
}

/// What `run` returns; `None`: a library panicked in it. What it worked on must not be used after that.
pub fn survived<T>(run: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(before);
    match result {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Stopped>() => resume_unwind(payload),
        Err(_) => None,
    }
}

/// What the library says about a file, or that it panicked. What it worked on is not used after a failure.
pub(crate) fn guarded<T, E: ToString>(run: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match survived(run) {
        Some(result) => result.map_err(|error| error.to_string()),
        None => Err("its parts contradict each other".to_owned()),
    }
}

/// What unwinds when somebody who watches a piece of work wants it to stop.
struct Stopped;

/// Goes on, or unwinds to the [`stoppable`] that is running: all threads of a piece of work come by here.
pub fn heed(flow: ControlFlow<()>) {
    if flow.is_break() {
        // No panic, and no hook is told.
        resume_unwind(Box::new(Stopped));
    }
}

/// What `run` returns; `None`: it was stopped by [`heed`]. What it worked on must not be used after that.
pub fn stoppable<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Stopped>() => None,
        Err(payload) => resume_unwind(payload),
    }
}
