//! What a spec says before anything is drawn: check, check of the data, explain.

use crate::running::{Watch, answered, asked};
use crate::specs::{Handed, stand_in};
use congenial::{Became, Card, Confined, ExpectedError, Prepared, STREAM_ABOVE, card_html};
use pyo3::prelude::*;
use pythonize::depythonize;
use serde_json::{Value, json};

/// A line of a card.
pub(crate) fn fact(name: &str, fact: impl ToString) -> (String, String) {
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
#[pyo3(signature = (spec, progress = None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    asked(py, progress, |watch| {
        let opened = given.open(STREAM_ABOVE)?;
        let analysed = opened.analyse(watch)?;
        let confined: Confined = analysed.confined(watch)?;
        let mut value = congenial::check_json(&analysed, &confined);
        if let Some(together) = congenial::together(&analysed, watch)? {
            value["together"] = json!(together);
        }
        analysed.enforce(&confined)?;
        let prepared = analysed.plan()?;
        prepared.certifiable()?;
        let pairs = prepared.pairs_of_chains();
        if pairs > 0 {
            value["pairs_of_chains"] = json!(pairs);
        }
        Ok(value)
    })
}

/// Whether the data are as declared: for the curator's eyes.
#[pyfunction]
#[pyo3(signature = (spec, by = None, progress = None))]
pub(crate) fn check_data<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    by: Option<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    answered(py, progress, move |watch| {
        let by = congenial::person(by.as_deref())?;
        let mut columns = Value::Null;
        let confirmed = congenial::confirm(given, &by, watch, &mut |survey, _| {
            let changed = survey.columns.iter().map(|column| {
                let values = column.changed.iter().map(|changed| {
                    json!({"value": changed.found, "rows": changed.rows, "became": became(&changed.became)})
                });
                json!({"column": column.column, "dimension": column.dimension, "values": values.collect::<Vec<_>>(), "others": column.others})
            });
            columns = changed.collect();
        })?;
        Ok(json!({"left_out": confirmed.left_out, "left": confirmed.left, "columns": columns}))
    })
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
#[pyo3(signature = (spec, error = false, on = None, draws = 500, progress = None))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    error: bool,
    on: Option<&Bound<'py, PyAny>>,
    draws: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    let on = stand_in(py, on)?;
    let work = |watch: &Watch| {
        let prepared = Prepared::open_streaming(given.clone(), watch)?;
        let prepared = prepared.with_disclosed(watch)?.supported(watch)?;
        let mut notes: Vec<String> = Vec::new();
        if !prepared.opened().declaration.data.public
            && let Err(problem) = prepared.try_projection()
        {
            notes.push(format!("a release will be refused: {}", problem.message));
        }
        let error = error.then(|| prepared.expected_error());
        let depends = matches!(&error, Some(ExpectedError::NotTold { .. }));
        let measured = match on.is_some() || depends {
            true => Some(congenial::errors_on(&prepared, given.clone(), on.as_ref(), draws)),
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
        let mut text = congenial::explain_text(&prepared);
        if let Some(error) = &error {
            text.push_str(&format!("\n{}", error.text(&prepared.opened().domain)));
        }
        if let Some(errors) = &measured {
            text.push_str(&format!("\n{}", errors.text()));
        }
        value["text"] = json!(text);
        value["title"] = json!(title);
        value["notes"] = json!(notes);
        Ok(value)
    };
    match on.is_some() {
        // That a stand-in is near confidential data is an answer of the ledger: given once.
        true => answered(py, progress, work),
        false => asked(py, progress, work),
    }
}

/// The card of a plan that `explain` answered with, made when a notebook shows it.
#[pyfunction]
pub(crate) fn plan_card(plan: &Bound<'_, PyAny>) -> PyResult<String> {
    let plan: Value = depythonize(plan)?;
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
    let bars = ("90 % of the errors of cells are at most", &bars[..]);
    Ok(card_html(&Card { title: &words(&plan["title"]), facts: &facts, rows: &rows, bars }))
}
