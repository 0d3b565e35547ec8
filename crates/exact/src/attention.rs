//! `Attention`: work that lasts looks now and then whether somebody wants it to stop, and unwinds
//! where it does.
//!
//! Threads that work for somebody pay attention to him; on all others a look is nothing. Looks
//! stand where time goes by whatever is drawn: they take no bits, decide nothing, and depend on no
//! count.

use std::any::Any;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Whether somebody wants his work to stop.
#[derive(Debug, Default)]
pub struct Attention {
    stop: AtomicBool,
    /// How many pieces of work must not be disturbed now.
    undisturbed: AtomicUsize,
}

/// What a thread pays attention to.
#[derive(Debug, Clone, Copy)]
enum Heeded {
    /// Nothing: its work is done whole.
    Nothing,
    /// Somebody who may want it to stop.
    To(&'static Attention),
    /// The clock: work that lasts longer is not done here.
    Until(Instant),
}

thread_local! {
    static HEEDED: Cell<Heeded> = const { Cell::new(Heeded::Nothing) };
}

impl Attention {
    /// This thread pays attention from now on.
    pub fn pay(&'static self) {
        HEEDED.set(Heeded::To(self));
    }

    /// The work is to stop, at its next look.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The work is to go on, or another one begins.
    pub fn go_on(&self) {
        self.stop.store(false, Ordering::Relaxed);
    }

    /// Whether the work is to stop.
    pub fn flow(&self) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Looks whether this work is to stop, and unwinds to the [`stoppable`] that is running if so.
#[inline]
pub fn look() {
    let stops = match HEEDED.get() {
        Heeded::Nothing => false,
        Heeded::To(attention) => {
            attention.stop.load(Ordering::Relaxed) && attention.undisturbed.load(Ordering::Relaxed) == 0
        }
        Heeded::Until(end) => Instant::now() >= end,
    };
    if stops {
        heed(ControlFlow::Break(()));
    }
}

/// As long as it lives, looks of this work see nothing: for what must be done whole.
#[derive(Debug)]
pub struct Undisturbed(Heeded);

/// Work that must be done whole begins.
pub fn undisturbed() -> Undisturbed {
    let heeded = HEEDED.get();
    match heeded {
        Heeded::To(attention) => _ = attention.undisturbed.fetch_add(1, Ordering::Relaxed),
        Heeded::Until(_) => HEEDED.set(Heeded::Nothing),
        Heeded::Nothing => {}
    }
    Undisturbed(heeded)
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        match self.0 {
            Heeded::To(attention) => _ = attention.undisturbed.fetch_sub(1, Ordering::Relaxed),
            Heeded::Until(_) => HEEDED.set(self.0),
            Heeded::Nothing => {}
        }
    }
}

/// What unwinds when work is to stop.
struct Stopped;

/// Goes on, or unwinds to the [`stoppable`] that is running: all threads of a piece of work come by
/// here.
pub fn heed(flow: ControlFlow<()>) {
    if flow.is_break() {
        // No panic, and no hook is told.
        resume_unwind(Box::new(Stopped));
    }
}

/// Whether what unwinds is work that was to stop.
pub fn is_stopped(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Stopped>()
}

/// What `run` returns; `None`: it was stopped by [`look`] or [`heed`]. What it worked on must not
/// be used after that.
pub fn stoppable<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if is_stopped(&*payload) => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// What `run` returns if it ends on this thread before `end`; `None`: a [`look`] on this thread
/// found it too late. What it worked on must not be used after that.
pub fn stoppable_at<T>(end: Instant, run: impl FnOnce() -> T) -> Option<T> {
    let before = HEEDED.replace(Heeded::Until(end));
    let ended = catch_unwind(AssertUnwindSafe(|| stoppable(run)));
    HEEDED.set(before);
    ended.unwrap_or_else(|payload| resume_unwind(payload))
}

#[cfg(test)]
mod tests {
    use super::{Attention, look, stoppable, stoppable_at, undisturbed};
    use crate::{Entropy, Seeded, Source};
    use std::time::{Duration, Instant};

    static ATTENTION: Attention = Attention {
        stop: std::sync::atomic::AtomicBool::new(false),
        undisturbed: std::sync::atomic::AtomicUsize::new(0),
    };

    #[test]
    fn who_pays_attention_stops_and_nobody_else() {
        let drawing = || stoppable(|| Seeded::new(1).stream(0).map(|mut stream| stream.bits(64)).is_ok());
        ATTENTION.stop();
        // This thread works for nobody.
        look();
        assert_eq!(drawing(), Some(true));
        let paying = std::thread::spawn(move || {
            ATTENTION.pay();
            assert_eq!(stoppable(look), None);
            assert_eq!(drawing(), None);
            let whole = undisturbed();
            assert_eq!(stoppable(look), Some(()));
            assert_eq!(drawing(), Some(true));
            drop(whole);
            assert_eq!(stoppable(look), None);
            ATTENTION.go_on();
            assert_eq!(drawing(), Some(true));
        });
        paying.join().unwrap();
    }

    #[test]
    fn who_looks_at_the_clock_stops_when_it_is_time_and_forgets_the_clock() {
        let now = Instant::now();
        assert_eq!(stoppable_at(now + Duration::from_secs(3600), look), Some(()));
        assert_eq!(stoppable_at(now, look), None);
        assert_eq!(stoppable_at(now, || 1), Some(1), "it never looked");
        let whole = || {
            let whole = undisturbed();
            look();
            drop(whole);
            look();
        };
        assert_eq!(stoppable_at(now, whole), None, "only after what must be done whole");
        assert_eq!(std::panic::catch_unwind(|| stoppable_at(now, || panic!("elsewhere"))).map_err(|_| ()), Err(()));
        look();
    }

    #[test]
    fn long_draws_look_on_their_way() {
        static LATER: Attention = Attention {
            stop: std::sync::atomic::AtomicBool::new(false),
            undisturbed: std::sync::atomic::AtomicUsize::new(0),
        };
        let paying = std::thread::spawn(|| {
            LATER.pay();
            let mut stream = Seeded::new(1).stream(0).unwrap();
            stream.bits(64);
            LATER.stop();
            let mut read = 0u64;
            let stopped = stoppable(|| {
                while read < 1 << 20 {
                    stream.bits(1);
                    read += 1;
                }
            });
            (stopped, read)
        });
        let (stopped, read) = paying.join().unwrap();
        assert!(stopped.is_none() && read < 1 << 17, "{read}");
    }
}
