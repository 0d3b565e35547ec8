//! `demo`: the main job on the built-in example, nothing to configure.

use crate::options::Options;
use crate::release::release;
use crate::released::Released;
use declare::Problem;
use draft::start;
use prepare::Quiet;
use publish::private_folder;
use std::path::Path;

/// Releases the built-in example into a folder.
pub fn demo(folder: &Path, options: impl Into<Options>) -> Result<Released, Problem> {
    let work = private_folder("congenial-demo-", &std::env::temp_dir())?;
    let spec = start(&work.path().join("demo"))?;
    release(&spec, folder, options, &Quiet)
}
