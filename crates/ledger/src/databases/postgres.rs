//! A ledger on a PostgreSQL server: writers wait for the row that says where the history ends;
//! every commit is flushed.

use super::tls::demanded;
use crate::address::Address;
use crate::store::{Access, Cell, Row, Store, Value};
use declare::Problem;
use postgres::config::SslMode;
use postgres::error::{Error, SqlState};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Statement};
use std::collections::HashMap;
use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

/// How long to wait for the server to answer at all.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// How long a silent connection is believed in.
const SILENCE: Duration = Duration::from_secs(30);

/// One lock for all that creates ledgers in this database: the letters "congenia".
const CREATION: i64 = 0x636f_6e67_656e_6961;

/// An open connection.
pub(super) struct Postgres {
    client: Client,
    address: Address,
    /// Statements that the server has parsed: each saves a way there and back.
    prepared: HashMap<String, Statement>,
    /// The turns that it has: they end with the connection.
    turns: Vec<i64>,
}

impl Postgres {
    /// Connects. A password that the address does not hold is taken from `PGPASSWORD`, as other
    /// programs do.
    pub(super) fn open(text: &str, address: &Address) -> Result<Postgres, Problem> {
        let (text, demanded) = demanded(text);
        // What the parser found wrong may quote the password.
        let mut config: Config = text.parse().map_err(|_: Error| {
            Problem::bad(format!("`{address}` is not the address of a PostgreSQL database"))
                .hint("write postgres://user@host:5432/database")
        })?;
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(FIRST_ANSWER);
        }
        config.application_name("congenial").keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        let connected = match demanded.encryption(&config)? {
            None => config.ssl_mode(SslMode::Disable).connect(NoTls),
            Some(encryption) => config.ssl_mode(SslMode::Require).connect(encryption),
        };
        let client = connected.map_err(|error| fault(address, &error))?;
        let mut store = Postgres { client, address: address.clone(), prepared: HashMap::new(), turns: Vec::new() };
        let mut flushed = store.query("SHOW fsync", &[])?;
        if flushed.first_mut().map(|row| row.text(0)).transpose()?.as_deref() != Some("on") {
            let message =
                format!("the server at `{address}` runs with fsync = off: a power failure could give budget back");
            return Err(Problem::refused(message).hint("set fsync = on in postgresql.conf"));
        }
        Ok(store)
    }

    fn prepared(&mut self, statement: &str) -> Result<Statement, Problem> {
        if let Some(known) = self.prepared.get(statement) {
            return Ok(known.clone());
        }
        let new = self.client.prepare(statement).map_err(|error| fault(&self.address, &error))?;
        self.prepared.insert(statement.to_string(), new.clone());
        Ok(new)
    }

    fn run(&mut self, statements: &str) -> Result<(), Problem> {
        self.client.batch_execute(statements).map_err(|error| fault(&self.address, &error))
    }
}

impl Value<'_> {
    fn parameter(&self) -> &(dyn ToSql + Sync) {
        match self {
            Value::Number(number) => number,
            Value::Text(text) => text,
        }
    }
}

impl Store for Postgres {
    fn begin(&mut self, access: Access) -> Result<(), Problem> {
        if access == Access::Read {
            return self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        }
        // Read committed: what is read after the lock was got is the latest state.
        self.run(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
             SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '20s'",
        )?;
        match access {
            Access::Create => self.query("SELECT 1::bigint FROM pg_advisory_xact_lock($1)", &[Value::Number(CREATION)]),
            _ => self.query("SELECT id FROM congenial_state WHERE id = 1 FOR UPDATE", &[]),
        }?;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Problem> {
        self.run("COMMIT")
    }

    fn rollback(&mut self) {
        // A connection that is lost has been rolled back by the server.
        let _ = self.client.batch_execute("ROLLBACK");
    }

    fn has_ledger(&mut self) -> Result<bool, Problem> {
        let found = self
            .query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('congenial_state') AND relkind = 'r'", &[])?;
        Ok(found.first().map(|row| row.number(0)).transpose()? == Some(1))
    }

    fn create_tables(&mut self) -> Result<(), Problem> {
        self.run(include_str!("postgres.sql"))
    }

    fn file(&self) -> Option<&Path> {
        None
    }

    fn may_read_key(&mut self) -> Result<bool, Problem> {
        let asked = "SELECT has_column_privilege('congenial_state', 'key', 'SELECT')::int::bigint";
        Ok(self.query(asked, &[])?.first().map(|row| row.number(0)).transpose()? == Some(1))
    }

    fn check_pages(&mut self) -> Result<(), Problem> {
        // The server recovers by itself, and its administrator keeps its files.
        Ok(())
    }

    fn copy_to(&mut self, _path: &Path) -> Result<(), Problem> {
        Err(Problem::bad(format!("the ledger at `{}` is a database of a server", self.address))
            .hint("copy it with the tools of the server: pg_dump, or continuous archiving"))
    }

    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, Problem> {
        let prepared = self.prepared(statement)?;
        let values: Vec<_> = values.iter().map(Value::parameter).collect();
        self.client.execute(&prepared, &values).map_err(|error| fault(&self.address, &error))
    }

    fn query_some(&mut self, statement: &str, values: &[Value<'_>], bytes: usize) -> Result<Vec<Row>, Problem> {
        let prepared = self.prepared(statement)?;
        let told = |error| fault(&self.address, &error);
        let values = values.iter().map(Value::parameter);
        let mut found = self.client.query_raw(&prepared, values).map_err(told)?;
        let (mut rows, mut read) = (Vec::new(), 0);
        while read <= bytes {
            let Some(row) = found.next().map_err(told)? else { break };
            let row = Row((0..row.len()).map(|column| cell(&row, column)).collect());
            read += row.bytes();
            rows.push(row);
        }
        Ok(rows)
    }

    fn take_turn(&mut self, of: u64) -> Result<bool, Problem> {
        let of = of.cast_signed();
        let taken = self.query("SELECT pg_try_advisory_lock($1)::int::bigint", &[Value::Number(of)])?;
        let taken = taken.first().map(|row| row.number(0)).transpose()? == Some(1);
        self.turns.extend(taken.then_some(of));
        Ok(taken)
    }

    fn end_turn(&mut self) {
        for of in std::mem::take(&mut self.turns) {
            // A connection that is lost has none any more.
            let _ = self.query("SELECT pg_advisory_unlock($1)::int::bigint", &[Value::Number(of)]);
        }
    }
}

fn cell(row: &postgres::Row, column: usize) -> Cell {
    let kind = row.columns().get(column).map(postgres::Column::type_);
    if kind == Some(&Type::INT8) {
        return row.try_get(column).map_or(Cell::Other, Cell::Number);
    }
    if kind == Some(&Type::TEXT) {
        return row.try_get(column).map_or(Cell::Other, Cell::Text);
    }
    Cell::Other
}

/// A failure of the server or of the way to it, in words, with what to do next.
fn fault(address: &Address, error: &Error) -> Problem {
    let lost = || {
        Problem::system(format!("the connection to the ledger at `{address}` was lost"))
            .hint("what was being written may count as spent: `congenial ledger status` and `congenial ledger recover` show it")
    };
    let Some(answer) = error.as_db_error() else {
        if error.is_closed() {
            return lost();
        }
        let mut because = error.to_string();
        if let Some(source) = error.source() {
            because = format!("{because}: {source}");
        }
        if because.contains("does not support TLS") {
            return Problem::refused(format!(
                "the server at `{address}` offers no encryption, and the address demands it"
            ))
            .hint("set ssl = on in postgresql.conf; nothing was said to the server, not even the password");
        }
        if because.contains("TLS") {
            return Problem::refused(format!("no encrypted connection to the server at `{address}`: {because}")).hint(
                "the name in the address must be that in the server's certificate, and sslrootcert must hold its authority",
            );
        }
        if because.contains("password missing") {
            return Problem::bad(format!("the ledger at `{address}` wants a password"))
                .hint("give it in the environment variable PGPASSWORD");
        }
        if because.contains("connecting to server") {
            return Problem::system(format!("no PostgreSQL server answers at `{address}` ({because})"))
                .hint("is the server running, and are host and port right?");
        }
        return if because.contains("communicating with the server") {
            lost()
        } else {
            Problem::system(format!("the ledger at `{address}` could not be used: {because}"))
        };
    };
    let said = answer.message();
    let code = answer.code();
    if [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT]
        .contains(code)
    {
        lost()
    } else if [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION].contains(code) {
        Problem::bad(format!("the PostgreSQL server refused the user or the password of `{address}`: {said}"))
            .hint(
                "name the user in the address, and give the password in the environment variable PGPASSWORD; where the server \
                 demands encryption, add sslmode=verify-full&sslrootcert=FILE to the address",
            )
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        Problem::bad(format!("there is no such database at `{address}`: {said}"))
            .hint("create it (createdb), or correct the name")
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        Problem::bad(format!("the user of `{address}` may not do this: {said}"))
            .hint("the owner of the ledger's tables must GRANT SELECT and INSERT on them, and UPDATE on congenial_state and congenial_balance")
    } else if *code == SqlState::LOCK_NOT_AVAILABLE {
        Problem::system(format!(
            "the ledger at `{address}` is locked: another program has been writing to it for 20 seconds"
        ))
        .hint("nothing was written; end what holds the lock, and try again")
    } else if *code == SqlState::DISK_FULL {
        Problem::system(format!("the server at `{address}` has no room on its disk: {said}"))
            .hint("nothing that was spent is lost; free some space and try again")
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        Problem::system(format!("the server at `{address}` is read-only: {said}"))
            .hint("name the main server, not a copy of it")
    } else {
        Problem::system(format!("the server at `{address}` refused: {said}"))
    }
}
