//! Releases: drawn, written, verified and read.

use crate::answers::fact;
use crate::books::overridden;
use crate::running::{answered, run};
use crate::specs::Handed;
use crate::stream::Stream;
use congenial::{Card, Format, Options, Paying, Released, VerifyOptions, Wide, card_html};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The format of a table by its name.
fn format_of(format: &str) -> PyResult<Format> {
    Format::named(format).ok_or_else(|| {
        let mut known: Vec<String> = Format::all().map(|format| format!("{:?}", format.extension())).collect();
        let last = known.pop().unwrap_or_default();
        PyValueError::new_err(format!("format is {} or {last}, not {format:?}", known.join(", ")))
    })
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
#[pyo3(signature = (spec, out, format = "parquet", wide = None, by = None, again = false, overrides = Vec::new(), because = None, sign = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn release<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    out: PathBuf,
    format: &str,
    wide: Option<&Bound<'py, PyAny>>,
    by: Option<String>,
    again: bool,
    overrides: Vec<String>,
    because: Option<String>,
    sign: Option<PathBuf>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let by = congenial::person(by.as_deref()).ok();
    let paying = Paying { by, again, overrides: overridden(overrides, because) };
    let options = Options { wide: wide_of(wide)?, paying, sign, ..format_of(format)?.into() };
    let given = spec.given(py)?;
    answered(py, progress, move |watch| {
        let released = congenial::release(given, &out, options, watch)?;
        Ok(released_value(&released))
    })
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

/// Releases a public table that is built in.
#[pyfunction]
#[pyo3(signature = (out, progress = None))]
pub(crate) fn demo<'py>(
    py: Python<'py>,
    out: PathBuf,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    answered(py, progress, move |_| Ok(released_value(&congenial::demo(&out, Format::PARQUET)?)))
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
    answered(py, None, move |_| {
        let mut verified = congenial::verify(&folder, &VerifyOptions::signed_by(key.as_deref()))?;
        if let Some(ledger) = &ledger {
            let address = congenial::ledgers::Address::parse(ledger)?;
            let looked_up = congenial::look_up(&verified, &folder, &address)?;
            verified.checks.push(looked_up);
        }
        let mut value = congenial::verified_json(&folder, &verified);
        value["text"] = json!(congenial_cli::verified_text(&folder, &verified));
        Ok(value)
    })
}

/// The table of a release.
#[pyfunction]
pub(crate) fn table(py: Python<'_>, folder: PathBuf) -> PyResult<Stream> {
    run(py, None, move |_| congenial::released_frame(&folder).map(Stream::new))
}
