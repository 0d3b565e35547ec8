//! `Portions`: entries read a portion at a time, so that however long a history is, little of it is
//! held at once.

use crate::chain::{COLUMNS, Sealed};
use crate::entry::Entry;
use crate::session::Session;
use crate::store::Store;
use crate::store::Value::{self, Number, Text};
use declare::Problem;

/// The most entries of a portion.
const MOST: i64 = 1000;

/// No further entry is read into a portion with more bytes of text.
const BYTES: usize = 1 << 20;

/// Entries in order, or the latest first.
pub(crate) struct Portions<'a> {
    /// Which ones; empty: all.
    condition: &'static str,
    values: Vec<Value<'a>>,
    /// The last entry that was read.
    read: i64,
    latest_first: bool,
    /// Read and not handed out.
    portion: std::vec::IntoIter<Sealed>,
}

impl<'a> Portions<'a> {
    /// Entries after one, in order; `condition` uses `$1` and so on for the values.
    pub(crate) fn after(entry: u64, condition: &'static str, values: &[Value<'a>]) -> Portions<'a> {
        let read = i64::try_from(entry).unwrap_or(i64::MAX);
        Portions { condition, values: values.to_vec(), read, latest_first: false, portion: Vec::new().into_iter() }
    }

    /// All entries there are, also those whose numbers no ledger writes.
    pub(crate) fn from_the_first() -> Portions<'a> {
        Portions { read: i64::MIN, ..Portions::after(0, "", &[]) }
    }

    /// Entries, the latest first.
    pub(crate) fn latest_first(condition: &'static str, values: &[Value<'a>]) -> Portions<'a> {
        Portions { read: i64::MAX, latest_first: true, ..Portions::after(0, condition, values) }
    }

    /// Entries of a kind about a dataset, in order.
    pub(crate) fn of_kind(dataset: &'a str, kind: &'a str) -> Portions<'a> {
        Portions::after(0, "dataset = $1 AND kind = $2", &[Text(dataset), Text(kind)])
    }

    /// The next entry, checked by its own seal.
    pub(crate) fn next(&mut self, session: &mut Session<'_>) -> Result<Option<Entry>, Problem> {
        let key = session.key;
        self.next_sealed(session.store)?.map(|sealed| sealed.opened(key)).transpose()
    }

    /// The next entry as it is stored, unchecked.
    pub(crate) fn next_sealed(&mut self, store: &mut dyn Store) -> Result<Option<Sealed>, Problem> {
        if let Some(next) = self.portion.next() {
            return Ok(Some(next));
        }
        let given = self.values.len();
        let (than, order) = if self.latest_first { ("<", "DESC") } else { (">", "ASC") };
        let also = if self.condition.is_empty() { "" } else { " AND " };
        let statement = format!(
            "SELECT {COLUMNS} FROM congenial_history WHERE {}{also}number {than} ${} ORDER BY number {order} LIMIT ${}",
            self.condition,
            given + 1,
            given + 2
        );
        let values: Vec<Value<'_>> = self.values.iter().copied().chain([Number(self.read), Number(MOST)]).collect();
        let rows = store.query_some(&statement, &values, BYTES)?;
        let portion = rows.into_iter().map(Sealed::from_row).collect::<Result<Vec<_>, _>>()?;
        if let Some(last) = portion.last() {
            self.read = last.number;
        }
        self.portion = portion.into_iter();
        Ok(self.portion.next())
    }

    /// How much text is held.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.portion.as_slice().iter().map(|sealed| sealed.content.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, MOST, Portions};
    use crate::chain::Saying;
    use crate::entry::Event;
    use crate::{Address, Ledger};

    #[test]
    fn however_long_the_history_is_little_of_it_is_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let address = Address::parse(&format!("sqlite:{}", folder.path().join("ledger.db").display())).expect("one");
        let mut ledger = Ledger::create(&address, "ann").expect("a ledger");
        let mut session = ledger.writing().expect("a session");
        // Some of them long, most of them short.
        let sizes: Vec<usize> = (0..2600).map(|number| if number % 97 == 5 { 200_000 } else { 10 }).collect();
        for size in &sizes {
            let event = Event::HeadDropped { place: String::new(), reason: "x".repeat(*size) };
            session.append(Saying { dataset: "", by: "ann", spent: None, event }).expect("an entry");
        }
        session.put_end().expect("written");
        session.commit().expect("written");
        for latest_first in [false, true] {
            let mut session = ledger.reading().expect("a session");
            let condition = "dataset = $1";
            let values = [crate::store::Value::Text("")];
            let mut portions = match latest_first {
                true => Portions::latest_first(condition, &values),
                false => Portions::after(1, condition, &values),
            };
            let (mut held, mut most, mut numbers) = (0, 0, Vec::new());
            while let Some(entry) = portions.next(&mut session).expect("an entry") {
                (held, most) = (held.max(portions.held()), most.max(portions.portion.len() as i64));
                numbers.push(entry.number);
            }
            if latest_first {
                assert_eq!(numbers.pop(), Some(1));
                numbers.reverse();
            }
            assert!(numbers.iter().copied().eq(2..=sizes.len() as u64 + 1), "all of them, in order");
            // One entry more, at most.
            assert!(
                held < BYTES + 300_000 && most < MOST,
                "{held} bytes of {}, {most} entries",
                sizes.iter().sum::<usize>()
            );
        }
        let mut visited = Vec::new();
        let read = ledger.visit_history(None, 2000, &mut |entry| {
            visited.push(entry);
            Ok(())
        });
        read.expect("read");
        assert_eq!(visited, ledger.history(None).expect("read")[2000..]);
    }
}
