//! The chain of sealed entries: each is sealed under the ledger's key together with the seal before
//! it.

use crate::conceal::{concealed, revealed};
use crate::entry::{Content, Entry, Event, in_words, kind};
use crate::key::Key;
use crate::store::Value::{Number, Text};
use crate::store::{Row, Store};
use crate::text::look;
use crate::time::now;
use declare::Problem;
use loss::Amount;

/// The columns of an entry, in the order in which [`Sealed`] reads them.
pub(crate) const COLUMNS: &str = "number, dataset, kind, subject, reference, content, previous, seal";

/// What the first entry has for the seal before it.
pub(crate) const BEGINNING: &str = "";

/// An entry as the database holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) number: i64,
    pub(crate) dataset: String,
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) reference: i64,
    pub(crate) content: String,
    pub(crate) previous: String,
    pub(crate) seal: String,
}

/// What a new entry says.
pub(crate) struct Saying<'a> {
    pub(crate) dataset: &'a str,
    pub(crate) by: &'a str,
    pub(crate) spent: Option<Amount>,
    pub(crate) event: Event,
}

impl Sealed {
    /// Seals a new entry after another.
    pub(crate) fn new(key: &Key, number: i64, previous: &str, saying: Saying<'_>) -> Result<Sealed, Problem> {
        let Saying { dataset, by, spent, event } = saying;
        let (kind, subject, reference) = event.found_by();
        let reference = reference
            .map_or(Ok(0), i64::try_from)
            .map_err(|_| Problem::bad("the number of an entry is beyond all that a ledger could hold"))?;
        // A name that looks the same is found by it.
        let subject = if kind == kind::OPENED { look(dataset) } else { subject.to_string() };
        let kind = kind.to_string();
        let content = Content { time: now()?, by: by.to_string(), spent, event: concealed(key, event)? };
        let content = serde_json::to_string(&content)
            .map_err(|error| Problem::bad(format!("an entry could not be written as text: {error}")))?;
        let (dataset, previous, seal) = (dataset.to_string(), previous.to_string(), String::new());
        let mut sealed = Sealed { number, dataset, kind, subject, reference, content, previous, seal };
        sealed.seal = sealed.true_seal(key, number);
        Ok(sealed)
    }

    pub(crate) fn from_row(mut row: Row) -> Result<Sealed, Problem> {
        Ok(Sealed {
            number: row.number(0)?,
            dataset: row.text(1)?,
            kind: row.text(2)?,
            subject: row.text(3)?,
            reference: row.number(4)?,
            content: row.text(5)?,
            previous: row.text(6)?,
            seal: row.text(7)?,
        })
    }

    /// The seal that belongs on these contents at a place in the history.
    pub(crate) fn true_seal(&self, key: &Key, number: i64) -> String {
        key.seal(
            "entry",
            &[
                &self.previous,
                &number.to_string(),
                &self.dataset,
                &self.kind,
                &self.subject,
                &self.reference.to_string(),
                &self.content,
            ],
        )
    }

    /// Whether the contents are those that were sealed here.
    pub(crate) fn is_whole(&self, key: &Key) -> bool {
        !key.is_known() || self.seal == self.true_seal(key, self.number)
    }

    /// What the entry says; only of an entry that is whole.
    pub(crate) fn opened(self, key: &Key) -> Result<Entry, Problem> {
        if !self.is_whole(key) {
            return Err(edited(&self));
        }
        let Content { time, by, spent, event } = serde_json::from_str(&self.content).map_err(|error| {
            Problem::refused(format!("entry {} of the ledger cannot be read: {error}", self.number))
                .hint("it was written by another version of congenial: use that one or a newer one")
        })?;
        let (number, event) = (u64::try_from(self.number).unwrap_or_default(), revealed(key, event)?);
        Ok(Entry { number, dataset: self.dataset, time, by, spent, event, seal: self.seal })
    }

    /// Writes the entry.
    pub(crate) fn insert(&self, store: &mut dyn Store) -> Result<(), Problem> {
        let statement = "INSERT INTO congenial_history (number, dataset, kind, subject, reference, content, previous, seal) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let values = [
            Number(self.number),
            Text(&self.dataset),
            Text(&self.kind),
            Text(&self.subject),
            Number(self.reference),
            Text(&self.content),
            Text(&self.previous),
            Text(&self.seal),
        ];
        store.execute(statement, &values).map(|_| ())
    }
}

/// An entry whose contents are not those that were sealed.
pub(crate) fn edited(entry: &Sealed) -> Problem {
    tampered(format_args!("entry {}, {}, was edited", entry.number, in_words(&entry.kind)))
}

/// Something in the database is not as the ledger left it.
pub(crate) fn tampered(what: impl std::fmt::Display) -> Problem {
    Problem::refused(format!("the ledger was changed by another program: {what}"))
        .hint("find out who did it; go on with a backup, and enter what was released since then as spent")
}
