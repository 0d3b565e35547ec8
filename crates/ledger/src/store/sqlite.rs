//! A ledger in a SQLite file: write-ahead log, one writer at a time, every commit synced to the disk.

use super::{Access, Cell, Row, Store, Value};
use declare::Problem;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ToSql, params_from_iter};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another writer, who needs milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open SQLite file.
pub(crate) struct Sqlite {
    connection: Connection,
    path: PathBuf,
}

impl Sqlite {
    /// Opens the file; with `create`, makes one that only its owner can read, for it holds the key.
    pub(crate) fn open(path: &Path, create: bool) -> Result<Sqlite, Problem> {
        if create {
            create_file(path)?;
        } else if let Err(error) = std::fs::metadata(path) {
            return Err(match error.kind() {
                ErrorKind::NotFound => Problem::bad(format!("there is no ledger at `{}`", path.display()))
                    .hint("`congenial ledger open` creates a ledger and opens a dataset in it; or correct the path"),
                _ => Problem::system(format!("the ledger `{}` cannot be reached: {error}", path.display())),
            });
        }
        // No URIs: a path is a path.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let fault = |error| fault(path, "opened", &error);
        let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
        connection.busy_timeout(PATIENCE).map_err(fault)?;
        // A trigger or view that another program left here must not call anything.
        connection.pragma_update(None, "trusted_schema", false).map_err(fault)?;
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(fault)?;
        if !mode.eq_ignore_ascii_case("wal") {
            return Err(Problem::system(format!(
                "the ledger `{}` is on a file system without a write-ahead log",
                path.display()
            ))
            .hint("keep it on a local disk, or use a PostgreSQL server"));
        }
        connection.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
        Ok(Sqlite { connection, path: path.to_path_buf() })
    }

    fn run(&mut self, statement: &str) -> Result<(), Problem> {
        self.connection.execute_batch(statement).map_err(|error| fault(&self.path, "written", &error))
    }
}

/// Makes an empty file, synced together with its name, unless there is one.
fn create_file(path: &Path) -> Result<(), Problem> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let synced =
                file.sync_all().and_then(|()| if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) });
            synced.map_err(|error| Problem::system(format!("`{}` could not be written: {error}", path.display())))
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
        self.run(match access {
            Access::Read => "BEGIN",
            Access::Write | Access::Create => "BEGIN IMMEDIATE",
        })
    }

    fn commit(&mut self) -> Result<(), Problem> {
        self.run("COMMIT")
    }

    fn rollback(&mut self) {
        // After some failures SQLite has rolled back already; a connection that is closed does it too.
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

    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, Problem> {
        let changed = self
            .connection
            .prepare_cached(statement)
            .and_then(|mut prepared| prepared.execute(params_from_iter(values)))
            .map_err(|error| fault(&self.path, "written", &error))?;
        Ok(changed as u64)
    }

    fn query(&mut self, statement: &str, values: &[Value<'_>]) -> Result<Vec<Row>, Problem> {
        let read = || -> rusqlite::Result<Vec<Row>> {
            let mut prepared = self.connection.prepare_cached(statement)?;
            let columns = prepared.column_count();
            let mut found = prepared.query(params_from_iter(values))?;
            let mut rows = Vec::new();
            while let Some(row) = found.next()? {
                let cells = (0..columns).map(|column| row.get_ref(column).map(cell));
                rows.push(Row(cells.collect::<rusqlite::Result<_>>()?));
            }
            Ok(rows)
        };
        read().map_err(|error| fault(&self.path, "read", &error))
    }
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
        .hint(
            "nothing was written; SQLite writes two more files beside the ledger, so its folder must be writable too",
        ),
        ErrorCode::CannotOpen => Problem::system(format!("the ledger `{place}` could not be opened"))
            .hint("its folder must exist and be writable: SQLite writes two more files beside the ledger"),
        ErrorCode::DiskFull => Problem::system(format!("the ledger `{place}` could not be {tried}: the disk is full"))
            .hint("nothing that was spent is lost; free some space and try again"),
        ErrorCode::SystemIoFailure => Problem::system(format!(
            "the ledger `{place}` could not be {tried}: the operating system refused ({because})"
        ))
        .hint("nothing that was spent is lost; look for a full disk, a limit on file sizes or a failing disk"),
        ErrorCode::NotADatabase => Problem::bad(format!("`{place}` is not a SQLite database"))
            .hint("correct the path of the ledger, or name a file that does not exist yet"),
        ErrorCode::DatabaseCorrupt => {
            Problem::system(format!("the database file of the ledger `{place}` is damaged: {because}"))
                .hint("restore it from a backup; what was released since must be entered again as spent")
        }
        _ => Problem::system(format!("the ledger `{place}` could not be {tried}: {because}"))
            .hint("`congenial ledger verify` says whether the ledger is whole"),
    }
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
