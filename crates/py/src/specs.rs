//! `Handed`: a spec as it is handed over, perhaps with rows.

use crate::running::asked;
use crate::stream::frame_of;
use congenial::{Given, StandIn};
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// A spec as it is handed over: its text, what it is called, the folder that it names things in,
/// and perhaps rows.
#[derive(FromPyObject)]
pub(crate) struct Handed<'py>(String, String, PathBuf, Option<Bound<'py, PyAny>>);

impl Handed<'_> {
    /// The spec with its rows, which are read.
    pub(crate) fn given(self, py: Python<'_>) -> PyResult<Given> {
        let Handed(text, name, folder, frame) = self;
        let given = Given::text(text, name, folder);
        match frame {
            Some(frame) => Ok(given.with_frame(frame_of(py, &frame)?)),
            None => Ok(given),
        }
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
pub(crate) fn read_spec<'py>(py: Python<'py>, spec: Handed<'py>) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    asked(py, None, |_| {
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
    })
}
