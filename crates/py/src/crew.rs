//! `Crew`: threads that work for one call and pay attention to it, kept for the next one.
//!
//! Calls of several Python threads have a crew each: who is stopped is stopped alone.

use congenial::Problem;
use congenial::attention::Attention;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Crews that have nothing to do.
static IDLE: Mutex<Vec<Crew>> = Mutex::new(Vec::new());

/// Threads, as many as Rayon would have.
pub(crate) struct Crew {
    pool: ThreadPool,
    attention: &'static Attention,
    /// The process that has these threads: one that was forked from it has not.
    process: u32,
}

impl Crew {
    /// A crew that has nothing to do.
    pub fn idle() -> Result<Crew, Problem> {
        let process = std::process::id();
        loop {
            match IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
                Some(crew) if crew.process == process => return Ok(crew),
                // Its threads are another process's: nothing of it can be ended here.
                Some(crew) => std::mem::forget(crew),
                None => return Crew::new(process),
            }
        }
    }

    fn new(process: u32) -> Result<Crew, Problem> {
        // Threads have it as long as they live; crews are few, and kept.
        let attention: &'static Attention = Box::leak(Box::default());
        let pool = ThreadPoolBuilder::new().start_handler(move |_| attention.pay()).build();
        let pool = pool.map_err(|error| Problem::system(format!("no threads could be started: {error}")))?;
        Ok(Crew { pool, attention, process })
    }

    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    pub fn attention(&self) -> &'static Attention {
        self.attention
    }

    /// Waits for the next call.
    pub fn rest(self) {
        self.attention.go_on();
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}
