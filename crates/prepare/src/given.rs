//! `Given`: the spec that a command is given, as a file or as text, and rows that are handed over
//! with it in memory. `Opened`: a spec and what follows from it alone.

use crate::recognise::check_named;
use declare::{Declaration, Encoding, Outside, Problem};
use plan::Case;
use publish::earlier;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tabulate::{Frame, Origin, Reading, public_table};

/// A spec and, if they are in memory, its rows.
#[derive(Debug, Clone)]
pub struct Given {
    spec: Spec,
    frame: Option<Frame>,
    counts: Option<Vec<i64>>,
}

#[derive(Debug, Clone)]
enum Spec {
    File(PathBuf),
    Text { text: String, name: String, folder: PathBuf },
}

/// Rows of a table that is used instead of that of a spec: in a file, or in memory.
#[derive(Debug, Clone)]
pub enum StandIn {
    /// A file with the columns of the data.
    File(PathBuf),
    /// A frame with these columns.
    Frame(Frame),
}

impl StandIn {
    /// How texts call it.
    pub fn shown(&self) -> String {
        match self {
            StandIn::File(path) => path.display().to_string(),
            StandIn::Frame(_) => "a frame in memory".to_owned(),
        }
    }

    /// Lets an opened spec read these rows instead of its own.
    pub fn instead(&self, declaration: &mut Declaration, frame: &mut Option<Frame>) {
        match self {
            StandIn::File(path) => {
                let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                declaration.data.path = absolute.display().to_string();
                declaration.data.frame = None;
                *frame = None;
            }
            StandIn::Frame(rows) => {
                declaration.data.path.clear();
                declaration.data.encoding = Encoding::Utf8;
                declaration.data.frame = Some("stand-in".to_owned());
                *frame = Some(rows.clone());
            }
        }
    }
}

impl From<PathBuf> for StandIn {
    fn from(path: PathBuf) -> StandIn {
        StandIn::File(path)
    }
}

/// A spec, what follows from it alone, and where its rows are.
#[derive(Debug)]
pub struct Opened {
    /// The declaration and what follows from it.
    pub case: Case,
    /// The folder of the spec: the data file is relative to it.
    pub folder: PathBuf,
    /// The rows, if they were handed over in memory. Shows nothing when printed.
    pub frame: Option<Frame>,
    /// The counts, if public ones were handed over instead of rows.
    pub counts: Option<Vec<i64>>,
}

impl Deref for Opened {
    type Target = Case;

    fn deref(&self) -> &Case {
        &self.case
    }
}

/// What rows in memory are called when their spec does not say it.
const ROWS: &str = "rows";

impl<P: AsRef<Path> + ?Sized> From<&P> for Given {
    fn from(spec: &P) -> Given {
        Given { spec: Spec::File(spec.as_ref().to_path_buf()), frame: None, counts: None }
    }
}

impl Given {
    /// The text of a spec; messages call it `name`, and what it names is looked for in `folder`.
    pub fn text(text: impl Into<String>, name: impl Into<String>, folder: impl Into<PathBuf>) -> Given {
        let spec = Spec::Text { text: text.into(), name: name.into(), folder: folder.into() };
        Given { spec, frame: None, counts: None }
    }

    /// The spec with these rows, instead of those that it reads from a file.
    pub fn with_frame(self, frame: Frame) -> Given {
        Given { frame: Some(frame), ..self }
    }

    /// The spec with these counts, one per live cell in cell order, instead of rows: of data that
    /// are public alone.
    pub fn with_counts(self, counts: impl Into<Vec<i64>>) -> Given {
        Given { counts: Some(counts.into()), ..self }
    }

    /// Reads and validates the spec. A table of more than `stream_above` combinations of values
    /// will not be in memory whole, if its totals allow that.
    ///
    /// # Errors
    /// What is wrong with the spec; also when confidential rows in memory would be recognised by
    /// nothing.
    pub fn open(&self, stream_above: usize) -> Result<Opened, Problem> {
        let folder = match &self.spec {
            Spec::File(path) => path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf),
            Spec::Text { folder, .. } => folder.clone(),
        };
        let check_public = |path: &Path, ledger: Option<&str>| check_named(path, &folder, ledger);
        let outside = Outside { earlier: &earlier, tables: &public_table, check_public: &check_public };
        let mut declaration = match &self.spec {
            Spec::File(path) => Declaration::load_with(path, outside)?,
            Spec::Text { text, name, folder } => Declaration::parse_with(text, name, folder, outside)?,
        };
        if self.counts.is_some() && !declaration.data.public {
            return Err(Problem::refused("counts are handed over for data that are not declared to be public")
                .hint("hand over the rows as a frame or name their file: what is paid for is recognised by them"));
        }
        let in_memory = self.frame.is_some() || self.counts.is_some();
        if in_memory && declaration.data.frame.is_none() {
            declaration.data.frame = Some(ROWS.to_owned());
            declaration.data.path.clear();
            // Texts in memory are UTF-8, however the file is written.
            declaration.data.encoding = Encoding::Utf8;
        }
        let stream_above = if self.counts.is_some() { usize::MAX } else { stream_above };
        let case = Case::streamed_above(declaration, stream_above)?;
        if case.fold.is_some() && self.frame.is_some() && !case.declaration.data.public {
            return Err(Problem::refused(
                "confidential rows in memory of a table that is streamed would be recognised by nothing",
            )
            .hint("write them to a file, which is recognised by its bytes; or use coarser values"));
        }
        Ok(Opened { case, folder, frame: self.frame.clone(), counts: self.counts.clone() })
    }
}

impl Opened {
    /// Where the rows are.
    pub fn origin(&self) -> Origin<'_> {
        match (&self.counts, &self.frame) {
            (Some(counts), _) => Origin::Counts(counts),
            (None, Some(frame)) => Origin::Frame(frame),
            (None, None) => Origin::Folder(&self.folder),
        }
    }

    /// How the rows are read: what is declared of confidential data is trusted, because an error
    /// would tell more of them than anybody paid for.
    pub fn reading(&self) -> Reading {
        if self.declaration.data.public { Reading::Strict } else { Reading::Trusting }
    }

    /// Whether the table is drawn and written portion by portion.
    pub fn is_streamed(&self) -> bool {
        self.fold.is_some()
    }

    /// Reads and validates a spec whose table will be in memory.
    pub fn open(spec: &Path) -> Result<Opened, Problem> {
        Opened::open_streaming(spec, usize::MAX)
    }

    /// Reads and validates a spec. A table of more than `stream_above` combinations of values will
    /// not be in memory whole, if its totals allow that.
    pub fn open_streaming(spec: &Path, stream_above: usize) -> Result<Opened, Problem> {
        Given::from(spec).open(stream_above)
    }
}
