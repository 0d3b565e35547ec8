//! A sign of life on stderr for steps that last.

use experiments::Told;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A step is shown once it has lasted this long.
const PATIENCE: Duration = Duration::from_secs(1);
/// A shown step moves this often, even when nothing is reported.
const TICK: Duration = Duration::from_millis(200);

/// The progress of one step; shown on a terminal only, and only when the step lasts.
pub struct Progress {
    bar: ProgressBar,
    /// When the step first reported: steps are made before they begin.
    begun: OnceLock<Instant>,
    shown: AtomicBool,
}

impl Progress {
    /// The reading of a file, in bytes.
    pub fn reading() -> Progress {
        Progress::new(ProgressBar::no_length(), "{spinner} reading the data: {bytes}")
    }

    /// The drawing of a table, in cells, and then its writing.
    pub fn drawing() -> Progress {
        Progress::new(ProgressBar::no_length(), "{spinner} drawing and writing the table: {human_pos} cells drawn")
    }

    /// The running of coupled chains, in pairs that were run: of as many as a walk takes, and more where those do not do.
    pub fn gathering() -> Progress {
        Progress::new(
            ProgressBar::new(congenial::PAIRS),
            "{bar:30} running coupled chains: {human_pos} of {human_len} pairs of chains, {eta} left",
        )
    }

    /// The search for what totals say about cells and sums.
    pub fn searching() -> Progress {
        Progress::new(
            ProgressBar::no_length(),
            "{spinner} what the totals disclose: {human_pos} cells and sums are known",
        )
    }

    /// A number of draws.
    pub fn draws(number: u64) -> Progress {
        Progress::new(ProgressBar::new(number), "{bar:30} {human_pos} of {human_len} draws, {eta} left")
    }

    /// A stage of an experiment: what it does, and how many things.
    pub fn stage(what: &str, number: u64) -> Progress {
        let progress =
            Progress::new(ProgressBar::new(number), "{bar:30} {human_pos} of {human_len}, {eta} left: {msg}");
        progress.bar.set_message(what.to_owned());
        progress
    }

    fn new(bar: ProgressBar, template: &str) -> Progress {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
        Progress { bar: bar.with_style(style), begun: OnceLock::new(), shown: AtomicBool::new(false) }
    }

    /// So much is done in all.
    pub fn reached(&self, position: u64) {
        self.bar.set_position(position);
        self.show_when_it_lasts();
    }

    /// So much more is done.
    pub fn advance(&self, step: u64) {
        self.bar.inc(step);
        // More than was foreseen: another round of the same length.
        if let Some(length) = self.bar.length().filter(|length| self.bar.position() > *length) {
            self.bar.set_length(2 * length);
        }
        self.show_when_it_lasts();
    }

    /// The step is over: nothing of it stays on the screen.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn show_when_it_lasts(&self) {
        let lasted = self.begun.get_or_init(Instant::now).elapsed();
        if lasted >= PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            // Draws nothing when stderr is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(TICK);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// The stages of a long piece of work, one after the other; notes stay on the screen.
#[derive(Default)]
pub struct Stages {
    shown: Mutex<Option<Progress>>,
}

impl Stages {
    /// Shows what is told.
    pub fn told(&self, told: Told<'_>) {
        match told {
            Told::Stage(what, number) => self.replace(Some(Progress::stage(what, number))),
            Told::Done(number) => {
                if let Ok(Some(progress)) = self.shown.lock().as_deref() {
                    progress.advance(number);
                }
            }
            Told::Note(text) => {
                self.replace(None);
                // A note that nobody can read is no reason to fail.
                let _ = writeln!(std::io::stderr(), "note: {text}");
            }
        }
    }

    /// The last stage is over.
    pub fn end(&self) {
        self.replace(None);
    }

    fn replace(&self, progress: Option<Progress>) {
        if let Ok(mut shown) = self.shown.lock() {
            // The old one is cleared before the new one is shown.
            drop(shown.take());
            *shown = progress;
        }
    }
}
