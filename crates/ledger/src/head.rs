//! The head of a ledger, kept outside its database: a file of lines that only grows, one for every
//! end of the history.
//!
//! A line says which entry was the last, its seal, and what was paid since the line before, under
//! the ledger's own seal. A copy of the database that was put back does not have the entries of the
//! last line, and so is found out. `guard.rs` compares.

use crate::fingerprint::Print;
use crate::key::Key;
use declare::Problem;
use loss::{Amount, Charge};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How much of the end of a file is read to find the last line.
const TAIL: u64 = 1 << 16;

/// The largest file that is read whole.
const LARGEST: u64 = 1 << 32;

/// What a line says of its end of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It is about to be committed.
    Writing,
    /// It was committed; only after this line is on the disk may anything be drawn.
    Kept,
    /// It is that of a copy, from which nothing is paid.
    Backup,
}

/// A loss that was paid, or booked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paid {
    pub(crate) dataset: String,
    pub(crate) entry: u64,
    pub(crate) seal: String,
    pub(crate) charged: Amount,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) prints: Vec<Print>,
}

/// A dataset that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenedThen {
    pub(crate) dataset: String,
    pub(crate) budget: Charge,
    pub(crate) approval: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) partition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approver_key: Option<String>,
}

/// One end of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// Which ledger: [`Key::identity`].
    pub(crate) ledger: String,
    pub(crate) state: State,
    /// How often the ledger has recovered.
    pub(crate) epoch: u64,
    /// What was paid and opened is listed from the entry after this one on.
    pub(crate) after: u64,
    /// The last entry.
    pub(crate) entry: u64,
    /// Its seal.
    pub(crate) seal: String,
    /// The number of the database's file on its disk: a copy has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) opened: Vec<OpenedThen>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) paid: Vec<Paid>,
    /// The HMAC of all that, under the key of the ledger.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) check: String,
}

impl Line {
    /// A line that nobody has sealed yet.
    pub(crate) fn new(key: &Key, state: State, end: (u64, u64, &str), file: Option<u64>) -> Line {
        let (epoch, entry, seal) = end;
        let (opened, paid, check) = (Vec::new(), Vec::new(), String::new());
        let seal = seal.to_string();
        Line { ledger: key.identity(), state, epoch, after: entry, entry, seal, file, opened, paid, check }
    }

    /// The later of two ends is the one with the larger place.
    pub(crate) fn place(&self) -> (u64, u64) {
        (self.epoch, self.entry)
    }

    fn sealed(&self, key: &Key) -> Result<Line, Problem> {
        let text = self.text()?;
        Ok(Line { check: key.seal("head", &[&text]), ..self.clone() })
    }

    fn is_whole(&self, key: &Key) -> bool {
        let text = Line { check: String::new(), ..self.clone() }.text();
        text.is_ok_and(|text| key.seal("head", &[&text]) == self.check)
    }

    fn text(&self) -> Result<String, Problem> {
        serde_json::to_string(self).map_err(|error| Problem::bad(format!("a head could not be written: {error}")))
    }
}

/// How a file of heads ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a whole line, or with nothing.
    Whole,
    /// With the beginning of a line, as a crash leaves it.
    Torn,
    /// With lines that nobody can read, which no crash leaves.
    Unreadable,
}

/// What a file of heads says of one ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// The lines of this ledger that are whole, in their order.
    pub(crate) lines: Vec<Line>,
    pub(crate) ending: Ending,
}

/// A file of heads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadFile(pub(crate) PathBuf);

impl HeadFile {
    /// The file beside a database.
    pub(crate) fn beside(database: &Path) -> HeadFile {
        HeadFile(extended(database, ".head"))
    }

    /// The lines at the end of the file that are those of this ledger and whole, and of these at
    /// least one that is not `Writing`, if there is one in the file; `None` where there is no file.
    pub(crate) fn last_lines(&self, key: &Key) -> Result<Option<Said>, Problem> {
        let Some(mut file) = self.open()? else { return Ok(None) };
        let length = file.metadata().map_err(|error| self.cannot("read", &error))?.len();
        let said = self.said(&mut file, length.saturating_sub(TAIL), key)?;
        if length <= TAIL || said.lines.iter().any(|line| line.state != State::Writing) {
            return Ok(Some(said));
        }
        self.said(&mut file, 0, key).map(Some)
    }

    /// Every line of this ledger that is whole; `None` where there is no file.
    pub(crate) fn all_lines(&self, key: &Key) -> Result<Option<Said>, Problem> {
        self.open()?.map(|mut file| self.said(&mut file, 0, key)).transpose()
    }

    /// Gives what stands in the place of the file another name.
    pub(crate) fn move_aside(&self) -> Result<(), Problem> {
        let named = |number: u64| extended(&self.0, &format!(".damaged-{number}"));
        let aside = (1..=999).map(named).find(|path| path.symlink_metadata().is_err());
        match aside {
            Some(aside) => std::fs::rename(&self.0, aside).map_err(|error| self.cannot("move", &error)),
            None => Err(Problem::system(format!("there are too many copies of `{}`", self.0.display()))),
        }
    }

    /// Refuses a file that must not be written to as a head: one that holds something else, a pipe
    /// or a device, and the ledger's own files. Nothing is opened that could wait, and nothing is
    /// written.
    pub(crate) fn check_fit(&self, database: Option<&Path>) -> Result<(), Problem> {
        let place = self.0.display();
        let hint = "name a new file of its own, on another disk";
        let taken = |what: &str| Err(Problem::bad(format!("`{place}` cannot keep a head: {what}")).hint(hint));
        let is_there = std::fs::symlink_metadata(&self.0).is_ok();
        let real = match (is_there, self.0.parent().filter(|folder| folder.is_dir()), self.0.file_name()) {
            (true, ..) => self.0.canonicalize().map_err(|_| "it is a link to nothing"),
            (false, Some(folder), Some(name)) => Ok(folder.canonicalize().unwrap_or(folder.to_path_buf()).join(name)),
            (false, ..) => Err("there is no such folder"),
        };
        match real {
            Err(what) => return taken(what),
            Ok(real) if own_files(database).contains(&real) => return taken("it is a file of the ledger itself"),
            Ok(_) if !is_there => return Ok(()),
            Ok(_) => {}
        }
        if !std::fs::metadata(&self.0).map_err(|error| self.cannot("read", &error))?.is_file() {
            return taken("it is not a plain file");
        }
        let Some(mut file) = self.open()? else { return Ok(()) };
        let text = self.text(&mut file, 0, TAIL)?;
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let first_is_head = lines.next().is_some_and(|line| serde_json::from_str::<Line>(line).is_ok());
        if text.is_empty() || first_is_head || (text.len() as u64 == TAIL && is_long_head(&text)) {
            return Ok(());
        }
        taken("it holds something else")
    }

    /// Whether the file holds an end of any ledger's history.
    pub(crate) fn holds_any(&self) -> Result<bool, Problem> {
        let Some(mut file) = self.open()? else { return Ok(false) };
        let text = self.text(&mut file, 0, LARGEST)?;
        let is_end = |line: &str| serde_json::from_str::<Line>(line).is_ok_and(|line| line.state != State::Writing);
        Ok(text.lines().any(is_end))
    }

    /// Whether the file may become the head of a new ledger: it is empty, or holds what is left of
    /// one that was being made.
    pub(crate) fn may_begin(&self) -> Result<bool, Problem> {
        let Some(mut file) = self.open()? else { return Ok(true) };
        let text = self.text(&mut file, 0, LARGEST)?;
        Ok(text.split_inclusive('\n').all(|line| match serde_json::from_str::<Line>(line) {
            Ok(line) => line.state == State::Writing,
            Err(_) => line.trim().is_empty() || (!line.ends_with('\n') && line.starts_with("{\"ledger\"")),
        }))
    }

    fn open(&self) -> Result<Option<File>, Problem> {
        match self.found()? {
            Ok(()) => File::open(&self.0).map(Some).map_err(|error| self.cannot("read", &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.cannot("read", &error)),
        }
    }

    /// Whether there is a file. What is there and is none is not opened: to open a pipe would wait
    /// for somebody who reads it.
    fn found(&self) -> Result<std::io::Result<()>, Problem> {
        match std::fs::metadata(&self.0) {
            Ok(found) if !found.is_file() => {
                Err(Problem::bad(format!("the head `{}` is not a plain file", self.0.display())))
            }
            found => Ok(found.map(drop)),
        }
    }

    fn text(&self, file: &mut File, from: u64, most: u64) -> Result<String, Problem> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))
            .and_then(|_| file.take(most).read_to_end(&mut bytes))
            .map_err(|error| self.cannot("read", &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn said(&self, file: &mut File, from: u64, key: &Key) -> Result<Said, Problem> {
        let identity = key.identity();
        let text = self.text(file, from, LARGEST)?;
        let mut said = Said { lines: Vec::new(), ending: Ending::Whole };
        for line in text.split_inclusive('\n').filter(|line| !line.trim().is_empty()) {
            // The lines of other ledgers are whole as far as anybody can tell here.
            let read =
                serde_json::from_str::<Line>(line).ok().filter(|read| read.ledger != identity || read.is_whole(key));
            said.ending = match &read {
                Some(_) => Ending::Whole,
                None if said.ending == Ending::Whole && !line.ends_with('\n') => Ending::Torn,
                None => Ending::Unreadable,
            };
            said.lines.extend(read.filter(|read| read.ledger == identity));
        }
        Ok(said)
    }

    /// Opens the file to write to its end, and makes it if it may be made; only its owner may read
    /// one that is made.
    pub(crate) fn writer(&self, create: bool) -> Result<HeadWriter, Problem> {
        let mut options = OpenOptions::new();
        options.append(true);
        let existed = self.found()?.is_ok();
        if create {
            options.create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let file = options.open(&self.0).map_err(|error| self.cannot("write", &error))?;
        if create && !existed {
            file.sync_all().and_then(|()| synchronise_folder(&self.0)).map_err(|error| self.cannot("write", &error))?;
        }
        Ok(HeadWriter { place: self.clone(), file })
    }

    fn cannot(&self, tried: &str, error: &std::io::Error) -> Problem {
        Problem::system(format!("cannot {tried} the head of the ledger, `{}`: {error}", self.0.display()))
            .hint("a ledger pays only while its head can be kept: make the file and its folder readable and writable")
    }
}

/// The files that belong to a database, and are nobody else's.
fn own_files(database: Option<&Path>) -> Vec<PathBuf> {
    let Some(database) = database else { return Vec::new() };
    ["", ".head", "-journal", "-wal", "-shm", ".restoring"].map(|end| extended(database, end)).to_vec()
}

/// The file whose name goes on like this.
pub(crate) fn extended(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(end);
    name.into()
}

/// A file that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Problem {
    Problem::system(format!("`{}` could not be written: {error}", path.display()))
}

/// Whether a text that is cut off begins as a line of a head does.
fn is_long_head(text: &str) -> bool {
    text.starts_with("{\"ledger\":\"") && text.get(..200).is_some_and(|start| start.contains("\"state\":\""))
}

/// Synchronises the folder of a file, so that its name is on the disk.
pub(crate) fn synchronise_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// A file of heads that is open to be written to.
pub(crate) struct HeadWriter {
    place: HeadFile,
    file: File,
}

impl HeadWriter {
    /// Waits until nobody else is between a commit and its head. What waits holds the database,
    /// what is waited for does not need it, so nobody waits for ever; the end of a process ends its
    /// lock.
    pub(crate) fn lock(&self) -> Result<(), Problem> {
        match self.file.lock() {
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
            locked => locked.map_err(|error| self.place.cannot("write", &error)),
        }
    }

    /// Adds a line; when this returns, it is on the disk.
    pub(crate) fn append(&mut self, line: &Line, key: &Key) -> Result<(), Problem> {
        let written = || -> std::io::Result<()> {
            let mut text = String::new();
            // What a crash left of a line ends here.
            if !ends_a_line(&self.place.0)? {
                text.push('\n');
            }
            let sealed = line.sealed(key).and_then(|line| line.text());
            text += &sealed.map_err(|problem| std::io::Error::other(problem.message))?;
            text.push('\n');
            self.file.write_all(text.as_bytes())?;
            self.file.sync_data()
        }();
        written.map_err(|error| self.place.cannot("write", &error))
    }
}

fn ends_a_line(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last[0] == b'\n')
}

/// The number of a file on its disk, where the system has one.
pub(crate) fn file_number(path: &Path) -> Option<u64> {
    links(path).map(|(number, _)| number)
}

/// How many names a file has.
pub(crate) fn names_of(path: &Path) -> u64 {
    links(path).map_or(1, |(_, names)| names)
}

#[cfg(unix)]
fn links(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|found| (found.ino(), found.nlink()))
}

#[cfg(not(unix))]
fn links(_: &Path) -> Option<(u64, u64)> {
    None
}

/// A head without its ledger.
pub(crate) fn headless(file: &Path) -> Problem {
    let (file, head) = (file.display(), HeadFile::beside(file).0);
    Problem::refused(format!(
        "there is no ledger at `{file}`, but `{}` is the head of one: it was moved, renamed or deleted",
        head.display()
    ))
    .hint("put it back, or restore it: `congenial ledger restore BACKUP`; a new ledger needs another name")
}

#[cfg(test)]
mod tests {
    use super::{Ending, HeadFile, Line, State};
    use crate::key::Key;
    use std::io::Write;

    #[test]
    fn lines_are_found_whatever_else_the_file_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = HeadFile(folder.path().join("head"));
        let (key, other) = (Key::random().expect("bits"), Key::random().expect("bits"));
        assert!(place.last_lines(&key).expect("no file").is_none());
        let line = |key: &Key, entry| Line::new(key, State::Kept, (0, entry, "a seal"), Some(7));
        let mut writer = place.writer(true).expect("a file");
        writer.append(&line(&key, 1), &key).expect("written");
        writer.append(&line(&other, 9), &other).expect("written");
        // A line that a crash cut off, and one that another program wrote.
        let mut file = std::fs::OpenOptions::new().append(true).open(&place.0).expect("the file");
        file.write_all(b"{\"ledger\":\"x\",\n\xff\xfe garbage").expect("written");
        writer.append(&line(&key, 2), &key).expect("written");
        let forged = Line { entry: 99, ..line(&key, 2).sealed(&key).expect("sealed") };
        writeln!(file, "{}", forged.text().expect("text")).expect("written");
        let found = place.last_lines(&key).expect("readable").expect("a file");
        assert_eq!(found.ending, Ending::Unreadable, "the forged line");
        let found = found.lines;
        assert_eq!(found.iter().map(|line| line.entry).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(place.all_lines(&other).expect("readable").map(|said| said.lines.len()), Some(1));
        // Far more than is read at once.
        for entry in 3..500 {
            writer.append(&line(&key, entry), &key).expect("written");
        }
        let found = place.last_lines(&key).expect("readable").expect("a file").lines;
        assert!(found.len() < 450 && found.last().is_some_and(|line| line.entry == 499));
    }
}
