//! Studies of a mechanism on public tables: compare, audit, simulate.

use crate::running::{Watch, answered, run};
use crate::specs::{Handed, stand_in};
use crate::stream::Stream;
use congenial::attention::heed;
use congenial::{Problem, Progress, Stage};
use experiments::{AuditOptions, CompareOptions, Strengths, Told};
use pyo3::prelude::*;
use serde_json::json;

/// What stages of a longer piece of work tell.
fn stages(watch: &Watch) -> impl Fn(Told<'_>) + Sync + '_ {
    move |told| match told {
        Told::Done(number) => heed(watch.advanced(Stage::Draws, number)),
        Told::Stage(..) => heed(watch.told(Stage::Draws, 0)),
        Told::Note(_) => {}
    }
}

/// Methods side by side on a public table.
#[pyfunction]
#[pyo3(signature = (spec, on = None, draws = 1000, seed = 1, epsilon = Vec::new(), rho = Vec::new(), progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    seed: u64,
    epsilon: Vec<String>,
    rho: Vec<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    let options = CompareOptions { draws, seed, on: stand_in(py, on)? };
    answered(py, progress, move |watch| {
        let strengths = match (epsilon.is_empty(), rho.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Strengths::Epsilon(epsilon)),
            (true, false) => Some(Strengths::Rho(rho)),
            (false, false) => return Err(Problem::bad("both epsilon and rho are given").hint("give one of them")),
        };
        if let Some(strengths) = strengths {
            let sweep = experiments::compare_at(given, &strengths, &options, &stages(watch))?;
            let mut value = experiments::sweep_json(&sweep);
            value["text"] = json!(experiments::sweep_text(&sweep));
            value["html"] = json!(experiments::sweep_page(&sweep));
            return Ok(value);
        }
        let comparison = experiments::compare(given, &options, &stages(watch))?;
        let mut value = experiments::comparison_json(&comparison);
        value["text"] = json!(experiments::comparison_text(&comparison));
        value["html"] = json!(experiments::comparison_html(&comparison, &[]));
        Ok(value)
    })
}

/// Errors against theory, and privacy against what is claimed.
#[pyfunction]
#[pyo3(signature = (spec, on = None, draws = 500, runs = 4000, seed = 1, progress = None))]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    runs: u64,
    seed: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    let options = AuditOptions { draws, runs, seed, on: stand_in(py, on)? };
    answered(py, progress, move |watch| {
        let audited = experiments::audit(given, &options, &stages(watch))?;
        let mut value = experiments::audit_json(&audited);
        value["text"] = json!(experiments::audit_text(&audited));
        value["contradicted"] = json!(audited.is_contradicted());
        Ok(value)
    })
}

/// Many draws of a public table.
#[pyfunction]
#[pyo3(signature = (spec, draws = 100, seed = None, progress = None))]
pub(crate) fn simulate(
    py: Python<'_>,
    spec: Handed<'_>,
    draws: u64,
    seed: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let given = spec.given(py)?;
    run(py, progress, move |watch| congenial::simulated_frame(given, draws, seed, watch).map(Stream::new))
}
