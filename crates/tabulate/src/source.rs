//! `Source`: a data file on its way to the reader of its format.

use declare::{Encoding, Problem, nearest};
use std::fs::File;
use std::io;
use std::path::Path;

/// A data file that is there.
pub(crate) struct Source<'a> {
    pub path: &'a Path,
    /// How messages call it.
    pub name: &'a str,
    /// Its size in bytes, as it is stored.
    pub size: u64,
    pub packing: Packing,
    /// How the bytes of a text are letters.
    pub encoding: Encoding,
}

/// How the bytes of a text file are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstandard,
}

impl Source<'_> {
    /// Opens the file.
    pub fn open(&self) -> Result<File, Problem> {
        File::open(self.path).map_err(|error| cannot_open(self.path, self.name, &error))
    }
}

/// The size of the file at `path`, called `name` in messages, if it is a regular one.
pub(crate) fn regular_size(path: &Path, name: &str) -> Result<u64, Problem> {
    // Opening a pipe would wait for who writes to it.
    let metadata = path.metadata();
    match metadata {
        Ok(metadata) if !metadata.is_file() => Err(Problem::bad(format!("`{name}` is not a regular file"))
            .hint("write the data to a file first: errors are explained by reading the row again")),
        Ok(metadata) => File::open(path).map(|_| metadata.len()).map_err(|error| cannot_open(path, name, &error)),
        Err(error) => Err(cannot_open(path, name, &error)),
    }
}

/// The problem of a file that cannot be opened.
pub(crate) fn cannot_open(path: &Path, name: &str, error: &io::Error) -> Problem {
    if error.kind() != io::ErrorKind::NotFound {
        return Problem::system(format!("cannot open the data file `{name}`: {error}"));
    }
    let problem = Problem::system(format!("there is no data file `{name}`"));
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let wanted = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
    match nearest(wanted, names.iter().map(String::as_str)) {
        Some(neighbour) => problem.hint(format!("did you mean `{neighbour}`, in the same directory?")),
        None => problem.hint("`path` in [data] is relative to the directory of the spec"),
    }
}
