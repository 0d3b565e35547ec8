//! Work that lasts: done on other threads, while this one looks for signals and tells how far it
//! has come.

use crate::alone::alone;
use crate::crew::Crew;
use crate::problem::{bug, exception};
use congenial::attention::{Attention, stoppable, stoppable_at};
use congenial::{Problem, Progress, Stage, caught, spent_now};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Signals are looked for this often.
const TICK: Duration = Duration::from_millis(100);

/// Questions that are answered so soon are answered on the thread that asks: to wake another one up
/// would take as long as many of them do.
const SOON: Duration = Duration::from_millis(2);

/// The stages that are told.
const STAGES: [&str; 5] = ["reading", "gathering", "searching", "drawing", "draws"];

/// How far a piece of work has come, and whether it is to stop.
pub(crate) struct Watch {
    stage: AtomicUsize,
    done: AtomicU64,
    ends: Ends,
}

/// What may stop work before it is done.
#[derive(Clone, Copy)]
enum Ends {
    Wanted(&'static Attention),
    At(Instant),
}

impl Watch {
    fn new(ends: Ends) -> Watch {
        Watch { stage: AtomicUsize::default(), done: AtomicU64::default(), ends }
    }

    fn flow(&self) -> ControlFlow<()> {
        match self.ends {
            Ends::Wanted(attention) => attention.flow(),
            Ends::At(end) if Instant::now() >= end => ControlFlow::Break(()),
            Ends::At(_) => ControlFlow::Continue(()),
        }
    }

    /// So much is done in all.
    fn reached(&self, stage: Stage, done: u64) -> ControlFlow<()> {
        self.stage.store(stage as usize, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
        self.flow()
    }

    /// So much more is done.
    pub(crate) fn advanced(&self, stage: Stage, more: u64) -> ControlFlow<()> {
        if self.stage.swap(stage as usize, Ordering::Relaxed) != stage as usize {
            self.done.store(0, Ordering::Relaxed);
        }
        self.done.fetch_add(more, Ordering::Relaxed);
        self.flow()
    }

    fn shown(&self) -> (&'static str, u64) {
        let stage = self.stage.load(Ordering::Relaxed).min(STAGES.len() - 1);
        (STAGES[stage], self.done.load(Ordering::Relaxed))
    }
}

impl Progress for Watch {
    fn told(&self, stage: Stage, done: u64) -> ControlFlow<()> {
        match stage {
            Stage::Reading | Stage::Draws => self.reached(stage, done),
            Stage::Gathering | Stage::Searching | Stage::Drawing => self.advanced(stage, done),
        }
    }
}

/// Does a piece of work without the interpreter. Ctrl-C, and an exception of `progress`, stop it at
/// its next look.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Problem> + Send,
) -> PyResult<T> {
    let crew = Crew::idle().map_err(|problem| exception(py, &problem))?;
    let watch = Watch::new(Ends::Wanted(crew.attention()));
    let (sender, receiver) = channel();
    let mut stopped: Option<PyErr> = None;
    let done = crew.pool().in_place_scope(|scope| {
        let watch = &watch;
        scope.spawn(move |_| {
            let done = caught(|| stoppable(|| work(watch)));
            // Somebody waits for it, always.
            let _ = sender.send(done);
        });
        // The receiver is handed over and back: nothing else of this thread may be used without the
        // interpreter.
        let mut receiver = receiver;
        loop {
            let (waited, back) = py.detach(move || {
                let waited = receiver.recv_timeout(TICK);
                (waited, receiver)
            });
            receiver = back;
            match waited {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stopped.is_some() {
                continue;
            }
            let told = py.check_signals().and_then(|()| match progress {
                Some(progress) => progress.call1(watch.shown()).map(|_| ()),
                None => Ok(()),
            });
            if let Err(error) = told {
                stopped = Some(error);
                crew.attention().stop();
            }
        }
    });
    crew.rest();
    // A last look: what was pressed while the work came to its end is not lost.
    let stopped = stopped.or_else(|| py.check_signals().err());
    let result = match done {
        None => return Err(stopped.unwrap_or_else(|| PyKeyboardInterrupt::new_err("the work ended without an answer"))),
        Some(Err(found)) => return Err(bug(py, &found)),
        Some(Ok(result)) => result,
    };
    match (result, stopped) {
        (Some(Ok(value)), None) => Ok(value),
        (Some(Err(problem)), None) => Err(exception(py, &problem)),
        (None, None) => Err(PyKeyboardInterrupt::new_err("stopped")),
        (result, Some(error)) => Err(with_reason(py, error, result.and_then(Result::err).as_ref())),
    }
}

/// Runs work that answers a question with JSON and changes nothing: on this thread if the answer is
/// had soon, else from the beginning as work that lasts.
pub(crate) fn asked<'py>(
    py: Python<'py>,
    progress: Option<&Bound<'py, PyAny>>,
    work: impl Fn(&Watch) -> Result<Value, Problem> + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let end = Instant::now() + SOON;
    let soon = match progress {
        // Who wants to be told how far it has come is told at every tick.
        Some(_) => None,
        None => py.detach(|| alone(|| caught(|| stoppable_at(end, || work(&Watch::new(Ends::At(end))))))),
    };
    match soon {
        Some(Ok(Some(Ok(value)))) => Ok(pythonize(py, &value)?),
        Some(Ok(Some(Err(problem)))) if Instant::now() < end => Err(exception(py, &problem)),
        Some(Err(found)) => Err(bug(py, &found)),
        // It lasts, or what was wrong may be that it was stopped.
        None | Some(Ok(_)) => answered(py, progress, work),
    }
}

/// Runs work that answers with JSON: plain values for Python.
pub(crate) fn answered<'py>(
    py: Python<'py>,
    progress: Option<&Bound<'py, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<Value, Problem> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize(py, &run(py, progress, work)?)?)
}

/// The interruption, with what it has cost.
fn with_reason(py: Python<'_>, error: PyErr, problem: Option<&Problem>) -> PyErr {
    if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return error;
    }
    let said = match (problem, spent_now()) {
        (Some(problem), _) => match &problem.hint {
            Some(hint) => format!("{}; {hint}", problem.message),
            None => problem.message.clone(),
        },
        (None, Some(spent)) => format!("entry {} has paid {}, which stays spent", spent.entry, spent.charged),
        (None, None) => "nothing was spent, or all that was is completed".to_owned(),
    };
    PyKeyboardInterrupt::new_err(said)
}

/// Panics with a text that nobody may see: for tests.
#[pyfunction]
#[pyo3(name = "_panic_for_tests")]
pub(crate) fn panic_for_tests(py: Python<'_>, text: String) -> PyResult<()> {
    run(py, None, move |_| -> Result<(), Problem> { panic!("{text}") })
}
