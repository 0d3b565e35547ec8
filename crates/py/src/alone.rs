//! `Pool`: work that the thread which asks for it does alone, whatever of it could be done side by
//! side.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;
use std::thread::{ThreadId, current};

/// The one thread that works alone, and its pool. A pool that a thread belongs to lasts as long as
/// the process, so others, which come and go, have none.
type Pool = (ThreadId, Option<ThreadPool>);

static POOL: OnceLock<Pool> = OnceLock::new();

/// Runs it on this thread and no other; `None`: this thread does not work alone.
///
/// The first thread that asks is the one that may: that which imports the package.
pub(crate) fn alone<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    let here = current().id();
    let (thread, pool) =
        POOL.get_or_init(|| (here, ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()));
    match pool {
        Some(pool) if *thread == here => Some(pool.install(run)),
        _ => None,
    }
}
