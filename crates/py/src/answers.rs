//! What the commands answer: check, explain, release, verify, compare, audit, simulate.

use crate::running::{Stage, Watch, run};
use crate::specs::{given, stand_in};
use crate::stream::Stream;
use congenial::{
    Became, Card, Confined, ExpectedError, Format, Options, Override, Paying, Prepared, Problem, Released,
    STREAM_ABOVE, Watching, Wide, card_html,
};
use experiments::{AuditOptions, CompareOptions, Strengths, Told};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;

fn given_back<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize(py, value)?)
}

fn fact(name: &str, fact: impl ToString) -> (String, String) {
    (name.to_owned(), fact.to_string())
}

/// A text of a JSON value, without quotation marks.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

/// What the invariants of a table fix and disclose.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, progress = None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, frame)?;
    let told = run(py, progress, move |watch| {
        let opened = given.open(STREAM_ABOVE)?;
        let analysed = opened.analyse(&mut |bytes| congenial::attention::heed(watch.reached(Stage::Reading, bytes)))?;
        let search = |done| watch.heeded(Stage::Searching, done);
        let confined: Confined = analysed.confined(&search)?;
        let mut value = congenial::check_json(&analysed, &confined);
        if let Some(together) = congenial::together(&analysed, &search)? {
            value["together"] = json!(together);
        }
        analysed.enforce(&confined)?;
        let prepared = analysed.plan()?;
        let pairs = prepared.pairs_of_chains();
        if pairs > 0 {
            value["pairs_of_chains"] = json!(pairs);
        }
        Ok(value)
    })?;
    given_back(py, &told)
}

/// Whether the data are as declared: for the curator's eyes.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, by = None, progress = None))]
pub(crate) fn check_data<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    by: Option<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, frame)?;
    let told = run(py, progress, move |watch| {
        let by = congenial::person(by.as_deref())?;
        let mut columns = Value::Null;
        let mut reading = |bytes| congenial::attention::heed(watch.reached(Stage::Reading, bytes));
        let confirmed = congenial::confirm(given, &by, &mut reading, &mut |survey, _| {
            let changed = survey.columns.iter().map(|column| {
                let values = column.changed.iter().map(|changed| {
                    json!({"value": changed.found, "rows": changed.rows, "became": became(&changed.became)})
                });
                json!({"column": column.column, "dimension": column.dimension, "values": values.collect::<Vec<_>>(), "others": column.others})
            });
            columns = changed.collect();
        })?;
        Ok(json!({"left_out": confirmed.left_out, "left": confirmed.left, "columns": columns}))
    })?;
    given_back(py, &told)
}

fn became(became: &Became) -> String {
    match became {
        Became::Written(value) => format!("is read as {value}"),
        Became::Recoded(value) => format!("is recoded to {value}"),
        Became::Unknown(value) => format!("is counted as {value}"),
        Became::Missing => "is missing".to_owned(),
        Became::Outside => "is outside the domain".to_owned(),
    }
}

/// How a release would be drawn, what it would cost and how noisy it would be.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, error = false, on = None, draws = 500, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    error: bool,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, frame)?;
    let on = stand_in(py, on)?;
    let told = run(py, progress, move |watch| {
        let mut reading = |bytes| congenial::attention::heed(watch.reached(Stage::Reading, bytes));
        let prepared = Prepared::open_streaming(given.clone(), &mut reading)?;
        let prepared = prepared.supported(&|pairs| watch.heeded(Stage::Gathering, pairs))?;
        let mut notes: Vec<String> = Vec::new();
        if !prepared.opened().declaration.data.public
            && let Err(problem) = prepared.try_projection()
        {
            notes.push(format!("a release will be refused: {}", problem.message));
        }
        let error = error.then(|| prepared.expected_error());
        let depends = matches!(&error, Some(ExpectedError::NotTold { .. }));
        let measured = match on.is_some() || depends {
            true => Some(congenial::errors_on(&prepared, given, on.as_ref(), draws)),
            false => None,
        };
        let measured = match measured {
            Some(Err(problem)) if on.is_some() => return Err(problem),
            Some(Err(problem)) => {
                notes.push(problem.message);
                None
            }
            other => other.transpose()?,
        };
        let secrets = prepared.secrets()?;
        let mut value = congenial::explain_json(&prepared, error.as_ref(), secrets.as_ref(), measured.as_ref());
        let title = &prepared.opened().declaration.title;
        let mut text = prepared.plan.explain_text(title);
        if let Some(error) = &error {
            text.push_str(&format!("\n{}", error.text(&prepared.opened().domain)));
        }
        if let Some(errors) = &measured {
            text.push_str(&format!("\n{}", errors.text()));
        }
        value["html"] = json!(plan_card(title, &value));
        value["text"] = json!(text);
        value["title"] = json!(title);
        value["notes"] = json!(notes);
        Ok(value)
    })?;
    given_back(py, &told)
}

fn plan_card(title: &str, plan: &Value) -> String {
    let mut facts = vec![fact("cells", words(&plan["cells"])), fact("free dimension", words(&plan["free_dimension"]))];
    for key in ["definition", "epsilon", "rho", "delta", "unit", "theorem"] {
        if let Some(value) = plan["loss"].get(key).filter(|value| !value.is_null()) {
            facts.push(fact(key, words(value)));
        }
    }
    let keys = ["operator", "cells", "exactness", "run_time"];
    let mut rows = vec![["blocks", "operator", "cells", "exactness", "run time"].map(str::to_owned).to_vec()];
    // Equal blocks are one row: there may be thousands.
    let mut known: Vec<(Vec<String>, usize)> = Vec::new();
    for block in plan["blocks"].as_array().into_iter().flatten() {
        let row: Vec<String> = keys.iter().map(|key| words(&block[*key])).collect();
        match known.iter_mut().find(|(other, _)| *other == row) {
            Some((_, number)) => *number += 1,
            None => known.push((row, 1)),
        }
    }
    rows.extend(known.into_iter().map(|(row, number)| [vec![number.to_string()], row].concat()));
    let level = plan["error"]["levels"].as_array().and_then(|levels| levels.iter().position(|level| *level == 0.9));
    let reach = |kind: &Value| Some((words(&kind["kind"]), kind["noise"]["quantiles"].get(level?)?.as_f64()?));
    let bars: Vec<(String, f64)> = plan["error"]["cells"].as_array().into_iter().flatten().filter_map(reach).collect();
    card_html(&Card { title, facts: &facts, rows: &rows, bars: ("90 % of the errors of cells are at most", &bars) })
}

fn watched<T>(watch: &Watch, run: impl FnOnce(Watching<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
    run(Watching {
        reading: &mut |bytes| watch.reached(Stage::Reading, bytes),
        gathering: &|pairs| watch.advanced(Stage::Gathering, pairs),
        searching: &|known| watch.advanced(Stage::Searching, known),
        drawing: &|cells| watch.advanced(Stage::Drawing, cells),
        steps: None,
    })
}

/// The format of a table by its name.
fn format_of(format: &str) -> PyResult<Format> {
    match format {
        "parquet" => Ok(Format::Parquet),
        "csv" => Ok(Format::Csv),
        "xlsx" => Ok(Format::Xlsx),
        other => Err(PyValueError::new_err(format!("format is \"parquet\", \"csv\" or \"xlsx\", not {other:?}"))),
    }
}

/// `True`: the dimension that the facade chooses; a text: that one.
fn wide_of(wide: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Wide>> {
    let Some(wide) = wide else { return Ok(None) };
    match (wide.extract::<bool>(), wide.extract::<String>()) {
        (Ok(false), _) => Ok(None),
        (Ok(true), _) => Ok(Some(Wide::Automatic)),
        (_, Ok(name)) => Ok(Some(Wide::Dimension(name))),
        _ => Err(PyValueError::new_err("wide is True or the name of a dimension")),
    }
}

/// Draws a release and writes it to a folder.
#[pyfunction]
#[pyo3(signature = (text, name, folder, out, frame = None, format = "parquet", wide = None, by = None, again = false, overrides = Vec::new(), because = None, sign = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn release<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    out: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    format: &str,
    wide: Option<&Bound<'py, PyAny>>,
    by: Option<String>,
    again: bool,
    overrides: Vec<String>,
    because: Option<String>,
    sign: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let reason = because.unwrap_or_default();
    let overrides = overrides.into_iter().map(|safeguard| Override { safeguard, reason: reason.clone() }).collect();
    let paying = Paying { by: congenial::person(by.as_deref()).ok(), again, overrides };
    let options = Options { format: format_of(format)?, wide: wide_of(wide)?, paying, sign };
    let given = given(py, text, name, folder, frame)?;
    let told = run(py, progress, move |watch| {
        let released =
            watched(watch, |watching| congenial::release_watched(given, &out, options, STREAM_ABOVE, watching))?;
        Ok(released_value(&released))
    })?;
    given_back(py, &told)
}

fn released_value(released: &Released) -> Value {
    let mut value = congenial::released_json(released);
    let guarantee = &released.certificate.guarantee;
    let mut facts = vec![
        fact("folder", released.folder.display()),
        fact("cells", released.certificate.table.cells),
        fact("guarantee", format!("{} per {}", guarantee.definition, guarantee.unit)),
    ];
    facts.extend(guarantee.epsilon.as_ref().map(|epsilon| fact("ε", epsilon)));
    facts.extend(guarantee.rho.as_ref().map(|rho| fact("ρ", rho)));
    facts.extend(guarantee.delta.as_ref().map(|delta| fact("δ", delta)));
    facts.extend(released.certificate.ledger.as_ref().map(|paid| fact("paid", &paid.charged)));
    let mut rows = vec![vec!["exactly true".to_owned(), "totals".to_owned()]];
    let totals = |label: &str, number: usize| vec![label.to_owned(), number.to_string()];
    rows.extend(released.certificate.invariants.iter().map(|kept| totals(&kept.label, kept.totals.len())));
    let rows: &[Vec<String>] = if rows.len() > 1 { &rows } else { &[] };
    value["html"] =
        json!(card_html(&Card { title: &released.certificate.title, facts: &facts, rows, bars: ("", &[]) }));
    value["text"] = json!(congenial_cli::released_text(released));
    value["left_out"] = json!(released.left_out);
    value["handed_back"] = released.handed_back.as_ref().map_or(Value::Null, |earlier| {
        json!({"entry": earlier.entry, "time": earlier.time, "folder": earlier.folder, "presented": earlier.presented})
    });
    value
}

/// Releases the built-in example.
#[pyfunction]
#[pyo3(signature = (out, progress = None))]
pub(crate) fn demo<'py>(
    py: Python<'py>,
    out: PathBuf,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let told = run(py, progress, move |_| Ok(released_value(&congenial::demo(&out, Format::Parquet)?)))?;
    given_back(py, &told)
}

/// Checks a release with no access to the data.
#[pyfunction]
#[pyo3(signature = (folder, key = None, ledger = None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    folder: PathBuf,
    key: Option<PathBuf>,
    ledger: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let told = run(py, None, move |_| {
        let mut verified = match &key {
            Some(key) => congenial::verify_signed(&folder, key)?,
            None => congenial::verify(&folder)?,
        };
        if let Some(ledger) = &ledger {
            let address = congenial::ledgers::Address::parse(ledger)?;
            let looked_up = congenial::look_up(&verified, &folder, &address)?;
            verified.checks.push(looked_up);
        }
        let mut value = congenial::verified_json(&folder, &verified);
        value["text"] = json!(congenial_cli::verified_text(&folder, &verified));
        Ok(value)
    })?;
    given_back(py, &told)
}

/// The table of a release.
#[pyfunction]
pub(crate) fn table(py: Python<'_>, folder: PathBuf) -> PyResult<Stream> {
    run(py, None, move |_| congenial::released_frame(&folder).map(Stream::new))
}

/// What stages of a longer piece of work tell.
fn stages(watch: &Watch) -> impl Fn(Told<'_>) + Sync + '_ {
    move |told| match told {
        Told::Done(number) => watch.heeded(Stage::Draws, number),
        Told::Stage(..) => congenial::attention::heed(watch.reached(Stage::Draws, 0)),
        Told::Note(_) => {}
    }
}

/// Methods side by side on a public table.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, on = None, draws = 1000, seed = 1, epsilon = Vec::new(), rho = Vec::new(), progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    seed: u64,
    epsilon: Vec<String>,
    rho: Vec<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, frame)?;
    let options = CompareOptions { draws, seed, on: stand_in(py, on)? };
    let told = run(py, progress, move |watch| {
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
        value["html"] = json!(experiments::comparison_html(&comparison));
        Ok(value)
    })?;
    given_back(py, &told)
}

/// Errors against theory, and privacy against what is claimed.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, on = None, draws = 500, runs = 4000, seed = 1, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'py, PyAny>>,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    runs: u64,
    seed: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, frame)?;
    let options = AuditOptions { draws, runs, seed, on: stand_in(py, on)? };
    let told = run(py, progress, move |watch| {
        let audited = experiments::audit(given, &options, &stages(watch))?;
        let mut value = experiments::audit_json(&audited);
        value["text"] = json!(experiments::audit_text(&audited));
        value["contradicted"] = json!(audited.is_contradicted());
        Ok(value)
    })?;
    given_back(py, &told)
}

/// Many draws of a public table.
#[pyfunction]
#[pyo3(signature = (text, name, folder, frame = None, draws = 100, seed = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn simulate(
    py: Python<'_>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'_, PyAny>>,
    draws: u64,
    seed: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let given = given(py, text, name, folder, frame)?;
    run(py, progress, move |watch| {
        let gathering = |pairs| watch.heeded(Stage::Gathering, pairs);
        let mut drawn = |draws| congenial::attention::heed(watch.reached(Stage::Draws, draws));
        congenial::simulated_frame(given, draws, seed, &gathering, &mut drawn).map(Stream::new)
    })
}

/// The whole program, for the console script. Called once in a process.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(move || congenial_cli::run(args))
}
