//! Specs as they are handed over: a text, what it is called, and the folder that it names things in.

use crate::running::run;
use crate::stream::frame_of;
use congenial::{Given, StandIn};
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::json;
use std::path::PathBuf;

/// The version of this program.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    congenial::VERSION
}

/// The commit that it was built from, if known.
#[pyfunction]
pub(crate) fn commit() -> Option<&'static str> {
    congenial::COMMIT
}

/// The JSON schema of specs.
#[pyfunction]
pub(crate) fn schema() -> String {
    congenial::spec_schema()
}

/// A spec and the rows that are handed over with it.
pub(crate) fn given(
    py: Python<'_>,
    text: &str,
    name: &str,
    folder: PathBuf,
    frame: Option<&Bound<'_, PyAny>>,
) -> PyResult<Given> {
    let given = Given::text(text, name, folder);
    match frame {
        Some(frame) => Ok(given.with_frame(frame_of(py, frame)?)),
        None => Ok(given),
    }
}

/// Rows that stand in for those of a spec: the path of a file, or a frame.
pub(crate) fn stand_in(py: Python<'_>, on: Option<&Bound<'_, PyAny>>) -> PyResult<Option<StandIn>> {
    let Some(on) = on else { return Ok(None) };
    match on.extract::<PathBuf>() {
        Ok(path) => Ok(Some(StandIn::File(path))),
        Err(_) => Ok(Some(StandIn::Frame(frame_of(py, on)?))),
    }
}

/// Validates a spec, and says what is in it.
#[pyfunction]
pub(crate) fn read_spec<'py>(py: Python<'py>, text: &str, name: &str, folder: PathBuf) -> PyResult<Bound<'py, PyAny>> {
    let given = given(py, text, name, folder, None)?;
    let told = run(py, None, move |_| {
        let opened = given.open(congenial::STREAM_ABOVE)?;
        let declaration = &opened.declaration;
        let names = declaration.schema.dimensions.iter().map(|dimension| dimension.name.clone());
        Ok(json!({
            "title": declaration.title,
            "canonical": declaration.to_toml(),
            "public": declaration.data.public,
            "frame": declaration.data.frame,
            "path": declaration.data.path,
            "dimensions": names.collect::<Vec<_>>(),
            "cells": opened.domain.len(),
        }))
    })?;
    Ok(pythonize(py, &told)?)
}
