//! A ledger in a SQLite file: rollback journal, one writer at a time; after a commit the file alone
//! holds everything, on the disk.

use crate::address::{Address, Place};
use crate::head::{HeadFile, cannot_write, extended, headless, synchronise_folder};
use crate::store::{Access, Cell, Database, Row, Store, Value};
use declare::Problem;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ToSql, params_from_iter};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another writer, who needs milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait until nobody else uses the log of an earlier version: it can be read meanwhile.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

/// SQLite files.
pub(crate) struct SqliteFiles;

const SCHEME: &str = "sqlite:";

impl Database for SqliteFiles {
    fn schemes(&self) -> &'static [&'static str] {
        &[SCHEME]
    }

    fn example(&self) -> &'static str {
        "sqlite:ledger.db"
    }

    fn place(&self, text: &str) -> Result<Place, Problem> {
        let path = text.strip_prefix(SCHEME).unwrap_or(text);
        if path.is_empty() {
            return Err(Problem::bad("`sqlite:` names no file"));
        }
        if path == ":memory:" {
            let message = "a ledger in memory forgets what was spent";
            return Err(Problem::bad(message).hint("name a file: sqlite:ledger.db"));
        }
        if path.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:")) {
            let message = format!("`{path}` is a URI of SQLite, and a ledger is named by its path alone");
            return Err(
                Problem::bad(message).hint("write the path: sqlite:ledger.db; options of SQLite are not for ledgers")
            );
        }
        Ok(Place::File { scheme: SCHEME, path: PathBuf::from(path) })
    }

    fn open(&self, address: &Address, create: bool) -> Result<Box<dyn Store>, Problem> {
        Ok(Box::new(Sqlite::open(address.file().unwrap_or(Path::new("")), create)?))
    }
}

/// An open SQLite file.
struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// Why there is still a write-ahead log: then the ledger can be read and not written to.
    log: Option<Problem>,
    /// The turns that it has.
    turns: Vec<Turn>,
}

/// A turn: a lock on a file beside the database, which is gone when nobody has it.
struct Turn {
    path: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // A file that stays keeps nobody from taking the next turn.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Sqlite {
    /// Opens the file; with `create`, makes one that only its owner can read, for it holds the key.
    fn open(path: &Path, create: bool) -> Result<Sqlite, Problem> {
        if create {
            create_file(path)?;
        } else if let Err(error) = std::fs::metadata(path) {
            return Err(match error.kind() {
                ErrorKind::NotFound if HeadFile::beside(path).0.exists() => headless(path),
                ErrorKind::NotFound => Problem::bad(format!("there is no ledger at `{}`", path.display()))
                    .hint("`congenial ledger open` creates a ledger and opens a dataset in it; or correct the path"),
                _ => out_of_reach(path, &error),
            });
        }
        // The real path: a journal lies beside the file and not beside a link to it. And an
        // absolute one: SQLite reads names that begin with `file:` as more than names.
        let path = path.canonicalize().map_err(|error| out_of_reach(path, &error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let place = path.clone();
        let told = |error| fault(&place, "opened", &error);
        let connection = Connection::open_with_flags(&path, flags).map_err(told)?;
        connection.busy_timeout(PATIENCE).map_err(told)?;
        // A trigger or view that another program left here must not call anything.
        connection.pragma_update(None, "trusted_schema", false).map_err(told)?;
        // Also the folder is synchronised when a journal ends, so that no journal comes back after
        // a power failure.
        connection.pragma_update(None, "synchronous", "EXTRA").map_err(told)?;
        connection.pragma_update(None, "fullfsync", true).map_err(told)?;
        let mut store = Sqlite { connection, path, log: None, turns: Vec::new() };
        if store.has_log() {
            store.connection.busy_timeout(SHORT_PATIENCE).map_err(told)?;
            store.log = store.without_log().err();
            store.connection.busy_timeout(PATIENCE).map_err(told)?;
        }
        Ok(store)
    }

    /// Whether the file says that what was written last may lie in a write-ahead log beside it, as
    /// earlier versions of this program kept it.
    fn has_log(&self) -> bool {
        let mut header = [0; 20];
        let read = File::open(&self.path).and_then(|mut file| file.read_exact(&mut header));
        read.is_ok() && header[18..20] != [1, 1]
    }

    /// Brings all of a write-ahead log into the file, and goes on without one.
    fn without_log(&self) -> Result<(), Problem> {
        let fault = |error| fault(&self.path, "written", &error);
        let mode: String =
            self.connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0)).map_err(fault)?;
        if !mode.eq_ignore_ascii_case("delete") || self.has_log() || extended(&self.path, "-wal").exists() {
            return Err(Problem::system(format!(
                "the ledger `{}` still has a write-ahead log, which an earlier version of congenial made",
                self.path.display()
            ))
            .hint("close every program that uses the ledger, and try again; nothing was written"));
        }
        Ok(())
    }

    fn run(&mut self, statement: &str) -> Result<(), Problem> {
        self.connection.execute_batch(statement).map_err(|error| fault(&self.path, "written", &error))
    }
}

fn out_of_reach(path: &Path, error: &std::io::Error) -> Problem {
    Problem::system(format!("the ledger `{}` cannot be reached: {error}", path.display()))
}

/// Makes an empty file, synced together with its name, unless there is one.
pub(crate) fn create_file(path: &Path) -> Result<(), Problem> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => {
            let synced = file.sync_all().and_then(|()| synchronise_folder(path));
            synced.map_err(|error| cannot_write(path, &error))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Problem::system(format!("the ledger `{}` could not be created: {error}", path.display()))
            .hint("name a file in a folder that exists and that you may write to")),
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Number(number) => ToSqlOutput::from(*number),
            Value::Text(text) => ToSqlOutput::from(*text),
        })
    }
}

impl Store for Sqlite {
    fn begin(&mut self, access: Access) -> Result<(), Problem> {
        if let (Access::Write | Access::Create, Some(problem)) = (access, &self.log) {
            return Err(problem.clone());
        }
        self.run(match access {
            Access::Read => "BEGIN",
            Access::Write | Access::Create => "BEGIN IMMEDIATE",
        })
    }

    fn commit(&mut self) -> Result<(), Problem> {
        self.run("COMMIT")
    }

    fn rollback(&mut self) {
        // After some failures SQLite has rolled back already; a connection that is closed does it
        // too.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn has_ledger(&mut self) -> Result<bool, Problem> {
        let mut rows = self.query("SELECT name FROM sqlite_master WHERE type = 'table'", &[])?;
        let names: Vec<String> = rows.iter_mut().map(|row| row.text(0)).collect::<Result<_, _>>()?;
        if names.iter().any(|name| name == "congenial_state") {
            return Ok(true);
        }
        if names.is_empty() {
            return Ok(false);
        }
        Err(Problem::bad(format!("`{}` is a SQLite database of another program, not a ledger", self.path.display()))
            .hint("name a file of its own for the ledger"))
    }

    fn create_tables(&mut self) -> Result<(), Problem> {
        self.run(include_str!("sqlite.sql"))
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn may_read_key(&mut self) -> Result<bool, Problem> {
        Ok(true)
    }

    fn check_pages(&mut self) -> Result<(), Problem> {
        let mut rows = self.query("PRAGMA integrity_check(1)", &[])?;
        match rows.pop().map(|mut row| row.text(0)).transpose()?.as_deref() {
            Some("ok") => Ok(()),
            said => Err(damaged(&self.path, said.unwrap_or("it says nothing"))),
        }
    }

    fn copy_to(&mut self, path: &Path) -> Result<(), Problem> {
        let Some(text) = path.to_str() else {
            return Err(Problem::bad(format!("`{}` is not UTF-8", path.display())));
        };
        // An absolute path, for the same reason as above.
        self.execute("VACUUM INTO $1", &[Value::Text(text)])?;
        File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot_write(path, &error))
    }

    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, Problem> {
        let changed = self
            .connection
            .prepare_cached(statement)
            .and_then(|mut prepared| prepared.execute(params_from_iter(values)))
            .map_err(|error| fault(&self.path, "written", &error))?;
        Ok(changed as u64)
    }

    fn query_some(&mut self, statement: &str, values: &[Value<'_>], bytes: usize) -> Result<Vec<Row>, Problem> {
        let read = || -> rusqlite::Result<Vec<Row>> {
            let mut prepared = self.connection.prepare_cached(statement)?;
            let columns = prepared.column_count();
            let mut found = prepared.query(params_from_iter(values))?;
            let (mut rows, mut read) = (Vec::new(), 0);
            while read <= bytes {
                let Some(row) = found.next()? else { break };
                let cells = (0..columns).map(|column| row.get_ref(column).map(cell));
                let row = Row(cells.collect::<rusqlite::Result<_>>()?);
                read += row.bytes();
                rows.push(row);
            }
            Ok(rows)
        };
        read().map_err(|error| fault(&self.path, "read", &error))
    }

    fn take_turn(&mut self, of: u64) -> Result<bool, Problem> {
        let path = extended(&self.path, &format!(".turn-{of:016x}"));
        loop {
            let made = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            // Another person's can be locked by whoever can read it.
            let Ok(file) = made.or_else(|_| File::open(&path)) else { return Ok(true) };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(false),
                Err(TryLockError::Error(_)) => return Ok(true),
                // Whoever had it removed it meanwhile: another file is locked by whoever is next.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => {
                    self.turns.push(Turn { path, _file: file });
                    return Ok(true);
                }
            }
        }
    }

    fn end_turn(&mut self) {
        self.turns.clear();
    }
}

/// Whether an open file has this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: std::fs::Metadata| (found.dev(), found.ino());
    file.metadata().is_ok_and(|file| std::fs::metadata(path).is_ok_and(|there| place(file) == place(there)))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Integer(number) => Cell::Number(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_or(Cell::Other, |text| Cell::Text(text.to_string())),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Cell::Other,
    }
}

/// A failure of SQLite, in words, with what to do next.
fn fault(path: &Path, tried: &str, error: &Error) -> Problem {
    let place = path.display();
    let because = match error {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    let Some(code) = error.sqlite_error_code() else {
        return Problem::system(format!("the ledger `{place}` could not be {tried}: {because}"));
    };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            Problem::system(format!(
                "the ledger `{place}` is locked: another program has been writing to it for {} seconds",
                PATIENCE.as_secs()
            ))
            .hint("nothing was written; close what holds the database open, and try again")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Problem::system(format!(
            "the ledger `{place}` cannot be written: the file or its folder is read-only"
        ))
        .hint("nothing was written; SQLite writes a journal beside the ledger, so its folder must be writable too"),
        ErrorCode::CannotOpen => Problem::system(format!("the ledger `{place}` could not be opened"))
            .hint("its folder must exist, and be writable after a crash: SQLite writes a journal beside the ledger"),
        ErrorCode::DiskFull => Problem::system(format!("the ledger `{place}` could not be {tried}: the disk is full"))
            .hint("nothing that was spent is lost; free some space and try again"),
        ErrorCode::SystemIoFailure => Problem::system(format!(
            "the ledger `{place}` could not be {tried}: the operating system refused ({because})"
        ))
        .hint("nothing that was spent is lost; look for a full disk, a limit on file sizes or a failing disk"),
        ErrorCode::NotADatabase => Problem::bad(format!("`{place}` is not a SQLite database"))
            .hint("correct the path of the ledger, or name a file that does not exist yet"),
        ErrorCode::DatabaseCorrupt => damaged(path, &because),
        _ => Problem::system(format!("the ledger `{place}` could not be {tried}: {because}"))
            .hint("`congenial ledger verify` says whether the ledger is whole"),
    }
}

/// The file is no whole database.
fn damaged(path: &Path, because: &str) -> Problem {
    Problem::refused(format!("the database file of the ledger `{}` is damaged: {because}", path.display()))
        .hint("`congenial ledger restore BACKUP` puts a backup in its place, and books what was paid since as spent")
}

#[cfg(test)]
mod tests {
    use super::{Error, fault};
    use rusqlite::ffi;
    use std::path::Path;

    #[test]
    fn every_failure_has_words_and_a_next_step() {
        let codes = [
            ffi::SQLITE_BUSY,
            ffi::SQLITE_READONLY,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_FULL,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_NOTADB,
            ffi::SQLITE_CORRUPT,
            ffi::SQLITE_CONSTRAINT,
        ];
        let problems = codes.map(|code| {
            let error = Error::SqliteFailure(ffi::Error::new(code), Some("as SQLite says it".to_string()));
            fault(Path::new("ledger.db"), "written", &error)
        });
        assert!(problems.iter().all(|problem| problem.hint.is_some()));
        insta::assert_snapshot!(problems.map(|problem| problem.to_string()).join("\n"));
    }
}
