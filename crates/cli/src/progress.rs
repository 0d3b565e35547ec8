//! A sign of life on stderr for steps that last.

use congenial::{Hook, Stage};
use experiments::Told;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A step is shown once it has lasted this long.
const PATIENCE: Duration = Duration::from_secs(1);
/// A shown step moves this often, even when nothing is reported.
const TICK: Duration = Duration::from_millis(200);

/// One step; shown on a terminal only, and only when the step lasts.
pub struct Bar {
    bar: ProgressBar,
    /// When the step first reported: steps are made before they begin.
    begun: OnceLock<Instant>,
    shown: AtomicBool,
}

impl Bar {
    /// A stage of an experiment: what it does, and how many things.
    fn stage(what: &str, number: u64) -> Bar {
        let bar = Bar::new(ProgressBar::new(number), "{bar:30} {human_pos} of {human_len}, {eta} left: {msg}");
        bar.bar.set_message(what.to_owned());
        bar
    }

    fn new(bar: ProgressBar, template: &str) -> Bar {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
        Bar { bar: bar.with_style(style), begun: OnceLock::new(), shown: AtomicBool::new(false) }
    }

    /// So much is done in all.
    fn reached(&self, position: u64) {
        self.bar.set_position(position);
        self.show_when_it_lasts();
    }

    /// So much more is done.
    fn advance(&self, step: u64) {
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

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

/// The stages of a command. Each is over when a later one begins.
pub struct Progress {
    /// One for every stage, in their order.
    bars: [Bar; 5],
    steps: Option<Hook>,
}

impl Progress {
    /// Of a command that draws no more than one table.
    pub fn new() -> Progress {
        Progress::of_draws(0)
    }

    /// Of a command that draws so many tables.
    pub fn of_draws(number: u64) -> Progress {
        let open = |template: &str| Bar::new(ProgressBar::no_length(), template);
        let bars = [
            open("{spinner} reading the data: {bytes}"),
            // As many pairs as a walk takes, and more where those do not do.
            Bar::new(
                ProgressBar::new(congenial::PAIRS),
                "{bar:30} running coupled chains: {human_pos} of {human_len} pairs of chains, {eta} left",
            ),
            open("{spinner} what the totals disclose: {human_pos} cells and sums are known"),
            open("{spinner} drawing and writing the table: {human_pos} cells drawn"),
            Bar::new(ProgressBar::new(number), "{bar:30} {human_pos} of {human_len} draws, {eta} left"),
        ];
        Progress { bars, steps: None }
    }

    /// Somebody is told of the steps of a release too.
    pub fn with_steps(self, steps: Hook) -> Progress {
        Progress { steps: Some(steps), ..self }
    }

    /// Nothing stays on the screen: something else is to be shown.
    pub fn end(&self) {
        self.bars.iter().for_each(Bar::end);
    }
}

impl congenial::Progress for Progress {
    fn told(&self, stage: Stage, done: u64) -> ControlFlow<()> {
        let now = stage as usize;
        self.bars[..now].iter().for_each(Bar::end);
        match stage {
            Stage::Reading | Stage::Draws => self.bars[now].reached(done),
            Stage::Gathering | Stage::Searching | Stage::Drawing => self.bars[now].advance(done),
        }
        ControlFlow::Continue(())
    }

    fn steps(&self) -> Option<Hook> {
        self.steps.clone()
    }
}

/// The stages of a long piece of work, one after the other; notes stay on the screen.
#[derive(Default)]
pub struct Stages {
    shown: Mutex<Option<Bar>>,
}

impl Stages {
    /// Shows what is told.
    pub fn told(&self, told: Told<'_>) {
        match told {
            Told::Stage(what, number) => self.replace(Some(Bar::stage(what, number))),
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

    fn replace(&self, progress: Option<Bar>) {
        if let Ok(mut shown) = self.shown.lock() {
            // The old one is cleared before the new one is shown.
            drop(shown.take());
            *shown = progress;
        }
    }
}
