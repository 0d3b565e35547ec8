//! The program itself: its version, the schema of its specs, and all of it for the console script.

use pyo3::prelude::*;
use std::ffi::OsString;

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

/// The whole program, for the console script. Called once in a process.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(move || congenial_cli::run(args))
}
