//! Problems of the facade as exceptions of the package.

use congenial::{Bug, Kind, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An exception of the package, made by its Python part.
fn raised(py: Python<'_>, class: &str, message: &str, hint: Option<&str>, place: Option<Bound<'_, PyDict>>) -> PyErr {
    let make = || py.import("congenial._errors")?.getattr(class)?.call1((message, hint, place));
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A problem as the exception of its kind.
pub(crate) fn exception(py: Python<'_>, problem: &Problem) -> PyErr {
    let class = match problem.kind {
        Kind::Bad => "BadInput",
        Kind::Refused => "Refused",
        Kind::Infeasible => "Infeasible",
        Kind::System => "SystemFailure",
    };
    let place = problem.place.as_ref().map(|place| {
        let found = PyDict::new(py);
        let set = || -> PyResult<()> {
            found.set_item("file", &place.file)?;
            found.set_item("line", place.line())?;
            found.set_item("column", place.column())?;
            found.set_item("text", place.line_text())?;
            found.set_item("label", &place.label)
        };
        set().map(|()| found)
    });
    match place.transpose() {
        Ok(place) => raised(py, class, &problem.message, problem.hint.as_deref(), place),
        Err(error) => error,
    }
}

/// A bug as an exception: where, and nothing else.
pub(crate) fn bug(py: Python<'_>, bug: &Bug) -> PyErr {
    raised(py, "Bug", &bug.to_string(), Some(Bug::HINT), None)
}
