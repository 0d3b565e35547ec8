//! A sign of life on stderr for steps that last.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A step is shown once it has lasted this long.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of one step; shown on a terminal only, and only when the step lasts.
pub struct Progress {
    bar: ProgressBar,
    shown: AtomicBool,
}

impl Progress {
    /// The reading of a file, in bytes.
    pub fn reading() -> Progress {
        Progress::new(ProgressBar::no_length(), "{spinner} reading the data: {bytes}, {elapsed}")
    }

    /// The drawing of a table, in cells.
    pub fn drawing() -> Progress {
        Progress::new(ProgressBar::no_length(), "{spinner} drawing the table: {human_pos} cells, {elapsed}")
    }

    /// A number of draws.
    pub fn draws(number: u64) -> Progress {
        Progress::new(ProgressBar::new(number), "{bar:30} {human_pos} of {human_len} draws, {eta} left")
    }

    fn new(bar: ProgressBar, template: &str) -> Progress {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
        Progress { bar: bar.with_style(style), shown: AtomicBool::new(false) }
    }

    /// So much is done in all.
    pub fn reached(&self, position: u64) {
        self.bar.set_position(position);
        self.show_when_it_lasts();
    }

    /// So much more is done.
    pub fn advance(&self, step: u64) {
        self.bar.inc(step);
        self.show_when_it_lasts();
    }

    fn show_when_it_lasts(&self) {
        if self.bar.elapsed() >= PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            // Draws nothing when stderr is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
