//! `Session`: a transaction on a ledger, and what it writes: entries, balances, and where the
//! history ends.

use crate::chain::{Saying, Sealed, tampered};
use crate::entry::Entry;
use crate::head::{HeadFile, HeadWriter};
use crate::key::Key;
use crate::step::Steps;
use crate::store::Value::{Number, Text};
use crate::store::{Row, Store};
use declare::Problem;
use loss::Amount;

/// The version of the schema that this program writes; a ledger of an earlier one becomes one of
/// this when it is first written to. From version 3 on fingerprints are noted as tokens, and those
/// of entries are encrypted.
pub(crate) const VERSION: u32 = 3;

/// From this version on a head is kept outside the database, and a ledger without one pays for
/// nothing.
pub(crate) const VERSION_WITH_HEADS: i64 = 2;

pub(crate) fn one_row(store: &mut dyn Store, statement: &str) -> Result<Row, Problem> {
    store.query(statement, &[])?.pop().ok_or_else(|| tampered("the row that says where the history ends is missing"))
}

/// The heads of a session that writes.
#[derive(Default)]
pub(crate) struct Heads {
    /// The file beside the database, locked.
    pub(crate) writer: Option<HeadWriter>,
    pub(crate) after: u64,
    /// Second places, and up to where they list what was paid.
    pub(crate) seconds: Vec<(HeadFile, u64)>,
}

/// The seal on where the history ends.
pub(crate) fn state_seal(key: &Key, version: i64, count: i64, head: &str) -> String {
    key.seal("state", &[&version.to_string(), &count.to_string(), head])
}

/// The seal on what a dataset has spent.
pub(crate) fn balance_seal(key: &Key, dataset: &str, opened: i64, last: i64, spent: &str) -> String {
    key.seal("balance", &[dataset, &opened.to_string(), &last.to_string(), spent])
}

/// A transaction; forgotten unless it is committed.
pub(crate) struct Session<'a> {
    pub(crate) store: &'a mut dyn Store,
    pub(crate) key: &'a Key,
    /// How many entries there are.
    pub(crate) count: i64,
    /// The seal of the last one.
    pub(crate) head: String,
    /// How many there were when the session began.
    pub(crate) began: i64,
    /// The version of the schema when it began.
    pub(crate) version: i64,
    /// How often the ledger has recovered.
    pub(crate) epoch: u64,
    /// What the heads outside the database say; of a session that writes.
    pub(crate) heads: Heads,
    /// Who is told of its steps.
    pub(crate) steps: Steps<'a>,
    /// Whether nothing is left to be forgotten.
    pub(crate) finished: bool,
}

impl<'a> Session<'a> {
    /// Writes an entry after the last one.
    pub(crate) fn append(&mut self, saying: Saying<'_>) -> Result<Entry, Problem> {
        let sealed = Sealed::new(self.key, self.count + 1, &self.head, saying)?;
        sealed.insert(self.store)?;
        self.count = sealed.number;
        self.head.clone_from(&sealed.seal);
        sealed.opened(self.key)
    }

    /// Writes what a dataset has spent after the last entry.
    pub(crate) fn put_balance(&mut self, dataset: &str, opened: i64, spent: &Amount) -> Result<(), Problem> {
        let spent = serde_json::to_string(spent)
            .map_err(|error| Problem::bad(format!("an amount could not be written as text: {error}")))?;
        let seal = balance_seal(self.key, dataset, opened, self.count, &spent);
        let statement = "INSERT INTO congenial_balance (dataset, opened, last, spent, seal) VALUES ($1, $2, $3, $4, $5) \
                         ON CONFLICT (dataset) DO UPDATE SET last = excluded.last, spent = excluded.spent, \
                         seal = excluded.seal";
        let values = [Text(dataset), Number(opened), Number(self.count), Text(&spent), Text(&seal)];
        self.store.execute(statement, &values).map(|_| ())
    }

    /// Writes which entry opened a dataset that was opened again. Roles that only pay may not.
    pub(crate) fn put_opened(&mut self, dataset: &str, opened: i64) -> Result<(), Problem> {
        let statement = "UPDATE congenial_balance SET opened = $1 WHERE dataset = $2";
        self.store.execute(statement, &[Number(opened), Text(dataset)]).map(|_| ())
    }

    /// Writes where the history ends now.
    pub(crate) fn put_end(&mut self) -> Result<(), Problem> {
        let seal = state_seal(self.key, VERSION.into(), self.count, &self.head);
        let statement = "UPDATE congenial_state SET count = $1, head = $2, seal = $3, version = $4 WHERE id = 1";
        let values = [Number(self.count), Text(&self.head), Text(&seal), Number(VERSION.into())];
        match self.store.execute(statement, &values)? {
            1 => Ok(()),
            _ => Err(tampered("the row that says where the history ends is missing")),
        }
    }

    /// Makes all of it durable in the database.
    pub(crate) fn commit_database(mut self) -> Result<(), Problem> {
        self.store.commit()?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.store.rollback();
        }
    }
}
