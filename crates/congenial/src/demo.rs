//! `demo`: the main job on the built-in example, nothing to configure.

use crate::files::cannot;
use crate::options::Options;
use crate::release::{Released, release};
use crate::starter::start;
use declare::Problem;
use std::path::Path;

/// Releases the built-in example into a folder.
pub fn demo(folder: &Path, options: impl Into<Options>) -> Result<Released, Problem> {
    let work = tempfile::tempdir().map_err(|error| cannot("create a folder in", &std::env::temp_dir(), error))?;
    let spec = start(&work.path().join("demo"))?;
    release(&spec, folder, options, &mut |_| {}, &|_| {}, &|_| {})
}
