//! `Store` and `Database`: what the ledger needs of an open database, transactions first, and of a
//! kind of databases.
//!
//! Statements are written once, with `$1`, `$2` in the order in which they first occur, which all
//! databases understand.

use crate::address::{Address, Place};
use declare::Problem;
use std::path::Path;

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads one consistent state.
    Read,
    /// Reads the latest state and writes: at most one such transaction at a time.
    Write,
    /// Writes the tables of a new ledger: at most one such transaction at a time.
    Create,
}

/// What a statement is given.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(&'a str),
}

/// What a statement found in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// What no ledger writes.
    Other,
}

/// One row of an answer.
#[derive(Debug)]
pub(crate) struct Row(pub(crate) Vec<Cell>);

impl Row {
    /// The whole number in a column.
    pub(crate) fn number(&self, column: usize) -> Result<i64, Problem> {
        match self.0.get(column) {
            Some(Cell::Number(number)) => Ok(*number),
            _ => Err(damaged("a number")),
        }
    }

    /// How many bytes of text it has.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|cell| if let Cell::Text(text) = cell { text.len() } else { 0 }).sum()
    }

    /// The text in a column, taken out of the row.
    pub(crate) fn text(&mut self, column: usize) -> Result<String, Problem> {
        match self.0.get_mut(column) {
            Some(Cell::Text(text)) => Ok(std::mem::take(text)),
            _ => Err(damaged("a text")),
        }
    }
}

fn damaged(wanted: &str) -> Problem {
    Problem::refused(format!("the ledger was edited by another program: there is a value where {wanted} belongs"))
        .hint("restore the database from a backup; what was released since must be entered again as spent")
}

/// An open database.
pub(crate) trait Store: Send {
    /// Begins a transaction; nothing is written before [`Store::commit`] succeeds.
    fn begin(&mut self, access: Access) -> Result<(), Problem>;

    /// Makes everything since `begin` durable: when this returns, neither a crash nor a power
    /// failure takes it back.
    fn commit(&mut self) -> Result<(), Problem>;

    /// Forgets everything since `begin`.
    fn rollback(&mut self);

    /// Whether the tables of a ledger are there.
    fn has_ledger(&mut self) -> Result<bool, Problem>;

    /// Creates the tables of a ledger.
    fn create_tables(&mut self) -> Result<(), Problem>;

    /// The file that it is, where it is one, by its real path.
    fn file(&self) -> Option<&Path>;

    /// Whether the key of the ledger may be read.
    fn may_read_key(&mut self) -> Result<bool, Problem>;

    /// Checks that the database is whole as a database, whatever it holds.
    fn check_pages(&mut self) -> Result<(), Problem>;

    /// Writes one consistent state of all of it to an empty file.
    fn copy_to(&mut self, path: &Path) -> Result<(), Problem>;

    /// Runs a statement that changes rows; says how many.
    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, Problem>;

    /// Runs a statement that answers.
    fn query(&mut self, statement: &str, values: &[Value<'_>]) -> Result<Vec<Row>, Problem> {
        self.query_some(statement, values, usize::MAX)
    }

    /// The first rows that a statement answers: none after those with so many bytes of text.
    fn query_some(&mut self, statement: &str, values: &[Value<'_>], bytes: usize) -> Result<Vec<Row>, Problem>;

    /// Takes the turn with a number, if nobody else has it; says whether whoever asks may go on.
    /// Where no turns can be kept, everybody may.
    fn take_turn(&mut self, of: u64) -> Result<bool, Problem>;

    /// Gives up every turn that was taken.
    fn end_turn(&mut self);
}

/// A kind of databases that can keep a ledger. One file each in `databases`, and one line in its
/// list.
pub(crate) trait Database: Sync {
    /// What its addresses begin with.
    fn schemes(&self) -> &'static [&'static str];

    /// An address of it, for hints.
    fn example(&self) -> &'static str;

    /// The place that an address with one of its schemes names.
    fn place(&self, text: &str) -> Result<Place, Problem>;

    /// Opens the database at an address; with `create`, makes the file of a database that is one.
    fn open(&self, address: &Address, create: bool) -> Result<Box<dyn Store>, Problem>;
}
