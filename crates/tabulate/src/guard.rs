//! Runs parts of the Parquet and Arrow libraries, which panic on some damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught and told as a damaged file: a panic hook then has nothing to say.
pub fn panic_is_expected() -> bool {
    GUARDED.get()
}

/// What the library says about a file, or that it panicked. What it worked on is not used after a failure.
pub(crate) fn guarded<T, E: ToString>(run: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(before);
    match result {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("its parts contradict each other".to_owned()),
    }
}
