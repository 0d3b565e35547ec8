//! Pages that are written to a file of their own: never over another, whole or not at all.

use crate::files::{cannot, parent_of};
use crate::folder::{PREFIX, private_folder};
use declare::Problem;
use std::fs;
use std::path::{Path, PathBuf};

/// Refuses a name that is taken, before any work is done for it.
pub fn check_new(file: &Path) -> Result<(), Problem> {
    if file.exists() { Err(exists(file)) } else { Ok(()) }
}

/// Writes a page to a new file.
pub fn write_page(file: &Path, text: &str) -> Result<(), Problem> {
    let work = private_folder(PREFIX, parent_of(file))?;
    // Made inside a private folder with the permissions that the owner's files have.
    let unfinished = work.path().join("page");
    fs::write(&unfinished, text).map_err(|error| cannot("write", file, error))?;
    give_name(unfinished, file)
}

/// Gives the finished file its name, unless something has taken it in the meantime.
pub fn give_name(finished: PathBuf, file: &Path) -> Result<(), Problem> {
    let finished = tempfile::TempPath::try_from_path(finished).map_err(|error| cannot("create", file, error))?;
    finished.persist_noclobber(file).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(file),
        _ => cannot("create", file, error.error),
    })
}

fn exists(file: &Path) -> Problem {
    Problem::bad(format!("`{}` exists; nothing is ever overwritten", file.display()))
        .hint("choose another --out file, or remove it")
}
