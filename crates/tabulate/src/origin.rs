//! `Origin`: where the rows of a table are, files in a folder or a `Frame` in memory.

use crate::file::DataFile;
use crate::files::{data_files, shown_name};
use crate::formats;
use crate::frame::Frame;
use declare::{Data, Problem};
use std::path::{Path, PathBuf};

/// Where the rows of a table are.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'a> {
    /// In files that the declaration names, relative to this folder.
    Folder(&'a Path),
    /// In memory.
    Frame(&'a Frame),
    /// There are none: these are the counts of the live cells, of data that are public.
    Counts(&'a [i64]),
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Origin<'a> {
    fn from(folder: &'a P) -> Self {
        Origin::Folder(folder.as_ref())
    }
}

/// What is read, one after the other; each is opened when its turn comes.
pub(crate) enum Sources<'a> {
    Files { folder: &'a Path, data: &'a Data, paths: Vec<PathBuf> },
    Frame { name: &'a str, frame: &'a Frame },
}

impl<'a> Sources<'a> {
    /// What a declaration reads.
    pub fn of(data: &'a Data, origin: Origin<'a>) -> Result<Sources<'a>, Problem> {
        match (&data.frame, origin) {
            (Some(name), Origin::Frame(frame)) => Ok(Sources::Frame { name, frame }),
            (None, Origin::Folder(folder)) => {
                Ok(Sources::Files { folder, data, paths: data_files(folder, &data.path)? })
            }
            (Some(name), Origin::Folder(_)) => {
                Err(Problem::bad(format!("the rows of this spec are handed over in memory, as the frame `{name}`")).hint(
                    "call it from Python, `congenial.Spec.load(…).release(frame)`, or write path = \"…\" instead of frame under [data]",
                ))
            }
            (_, Origin::Counts(_)) => {
                Err(Problem::refused("counts were handed over, and they have no rows that could be looked at")
                    .hint("hand over the rows as a frame, or name their file"))
            }
            (None, Origin::Frame(_)) => {
                Err(Problem::bad(format!("the spec reads `{}`, and a frame was handed over", data.path))
                    .hint("write frame = \"rows\" instead of path under [data]"))
            }
        }
    }

    pub fn number(&self) -> usize {
        match self {
            Sources::Files { paths, .. } => paths.len(),
            Sources::Frame { .. } => 1,
        }
    }

    /// Opens the one with this number.
    pub fn open(&self, number: usize) -> Result<Box<dyn DataFile>, Problem> {
        match self {
            Sources::Files { folder, data, paths } => {
                let path = &paths[number];
                formats::open(path, &shown_name(folder, path, &data.path), data.encoding)
            }
            Sources::Frame { name, frame } => Ok(formats::of_frame(name, frame)),
        }
    }
}
