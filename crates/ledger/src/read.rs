//! What the operations look up: entries by kind and subject, and the `Balance` of a dataset, each
//! checked by its seal. What is spent on disjoint parts counts by the largest, where that is sound
//! (theorem G6).

use crate::chain::{COLUMNS, Saying, Sealed, tampered};
use crate::entry::{Entry, Event, LostHead, kind};
use crate::head::HeadFile;
use crate::session::{Session, balance_seal};
use crate::store::Value::{self, Number, Text};
use crate::text;
use declare::{Problem, nearest};
use loss::{Amount, Charge, composes_by_maximum};
use std::collections::BTreeSet;

/// What a dataset may spend and has spent.
#[derive(Debug, Clone)]
pub(crate) struct Balance {
    /// The entry that opened it.
    pub(crate) opened: i64,
    pub(crate) budget: Charge,
    pub(crate) approval: bool,
    pub(crate) partition: Option<String>,
    /// The public key that must sign approvals.
    pub(crate) approver_key: Option<String>,
    pub(crate) spent: Amount,
}

impl Balance {
    /// What is left; nothing, where what was lost and booked again is more than the budget.
    pub(crate) fn left(&self) -> Amount {
        let budget = &self.budget.amount;
        budget.left_after(&self.spent).unwrap_or_else(|| budget.nothing_of())
    }
}

/// What a part of a dataset has spent, and what the part that spent most has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartSpent {
    pub(crate) spent: Amount,
    pub(crate) largest: Amount,
}

/// What a dataset and its part have spent once an amount is charged to the part; `None` for unlike
/// definitions.
pub(crate) fn charged_to_part(total: &Amount, part: &PartSpent, charged: &Amount) -> Option<(Amount, PartSpent)> {
    let spent = part.spent.plus(charged)?;
    // What is within the largest part was paid for with it.
    let Some(more) = spent.left_after(&part.largest) else {
        // Nothing more is spent, but a loss at integer orders makes the whole one at integer
        // orders.
        let nothing = charged.nothing_of();
        return Some((total.plus(&nothing)?, PartSpent { spent, largest: part.largest.plus(&nothing)? }));
    };
    Some((total.plus(&more)?, PartSpent { largest: spent.clone(), spent }))
}

/// Whether a loss on one part of a dataset counts for that part alone.
pub(crate) fn counts_by_part(budget: &Charge, loss: &Charge) -> bool {
    composes_by_maximum(budget) && composes_by_maximum(loss)
}

impl Session<'_> {
    /// Entries as they are stored, unchecked; `rest` goes on where a statement has named the table.
    pub(crate) fn sealed(&mut self, rest: &str, values: &[Value<'_>]) -> Result<Vec<Sealed>, Problem> {
        let statement = format!("SELECT {COLUMNS} FROM congenial_history {rest}");
        self.store.query(&statement, values)?.into_iter().map(Sealed::from_row).collect()
    }

    /// Entries, each checked by its own seal.
    pub(crate) fn entries(&mut self, rest: &str, values: &[Value<'_>]) -> Result<Vec<Entry>, Problem> {
        let sealed = self.sealed(rest, values)?;
        sealed.into_iter().map(|entry| entry.opened(self.key)).collect()
    }

    /// The entry with a number.
    pub(crate) fn entry(&mut self, number: u64) -> Result<Entry, Problem> {
        let wanted = i64::try_from(number).unwrap_or(i64::MAX);
        let found = self.entries("WHERE number = $1", &[Number(wanted)])?.pop();
        found.ok_or_else(|| {
            Problem::bad(format!("there is no entry {number}, the ledger has {}", self.count))
                .hint("`congenial ledger history` lists the entries")
        })
    }

    /// Entries of a kind about an earlier entry.
    pub(crate) fn about(&mut self, number: u64, kind: &str) -> Result<Vec<Entry>, Problem> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let values = [Number(number), Text(kind)];
        self.entries("WHERE reference = $1 AND kind = $2 ORDER BY number", &values)
    }

    /// Entries of a kind about a dataset, in order; about the ledger, where it has no name. Of
    /// kinds that are few: [`Portions`](crate::portions::Portions) are for others.
    pub(crate) fn entries_of(&mut self, dataset: &str, kind: &str) -> Result<Vec<Entry>, Problem> {
        self.entries("WHERE dataset = $1 AND kind = $2 ORDER BY number", &[Text(dataset), Text(kind)])
    }

    /// The latest of them.
    pub(crate) fn latest_of(&mut self, dataset: &str, kind: &str) -> Result<Option<Entry>, Problem> {
        let values = [Text(dataset), Text(kind)];
        Ok(self.entries("WHERE dataset = $1 AND kind = $2 ORDER BY number DESC LIMIT 1", &values)?.pop())
    }

    /// Those of them that are found by a subject.
    pub(crate) fn with_subject(&mut self, dataset: &str, kind: &str, subject: &str) -> Result<Vec<Entry>, Problem> {
        let values = [Text(kind), Text(subject), Text(dataset)];
        self.entries("WHERE kind = $1 AND subject = $2 AND dataset = $3 ORDER BY number", &values)
    }

    /// The names of all datasets.
    pub(crate) fn datasets(&mut self) -> Result<Vec<String>, Problem> {
        let mut rows = self.store.query("SELECT dataset FROM congenial_balance ORDER BY dataset", &[])?;
        rows.iter_mut().map(|row| row.text(0)).collect()
    }

    /// The balance of a dataset, if it was opened.
    pub(crate) fn balance_of(&mut self, dataset: &str) -> Result<Option<Balance>, Problem> {
        let statement = "SELECT opened, last, spent, seal FROM congenial_balance WHERE dataset = $1";
        let Some(mut row) = self.store.query(statement, &[Text(dataset)])?.pop() else {
            let known = self.sealed("WHERE dataset = $1 LIMIT 1", &[Text(dataset)])?;
            return if known.is_empty() {
                Ok(None)
            } else {
                Err(tampered(format_args!("the balance of dataset `{dataset}` was deleted")))
            };
        };
        let (opened, last, spent, seal) = (row.number(0)?, row.number(1)?, row.text(2)?, row.text(3)?);
        let wrong = || tampered(format_args!("the balance of dataset `{dataset}` was edited"));
        if self.key.is_known() && seal != balance_seal(self.key, dataset, opened, last, &spent) {
            return Err(wrong());
        }
        let spent: Amount = serde_json::from_str(&spent).map_err(|_| wrong())?;
        // An earlier balance that was put back does not fit the latest entry of the dataset.
        let latest = self.entries("WHERE dataset = $1 ORDER BY number DESC LIMIT 1", &[Text(dataset)])?.pop();
        let latest = latest.filter(|latest| i64::try_from(latest.number) == Ok(last));
        if latest.and_then(|latest| latest.spent).as_ref() != Some(&spent) {
            return Err(wrong());
        }
        let first = self.entries("WHERE number = $1 AND dataset = $2", &[Number(opened), Text(dataset)])?.pop();
        match first.map(|first| first.event) {
            Some(Event::Opened { budget, approval, partition, approver_key }) => {
                Ok(Some(Balance { opened, budget, approval, partition, approver_key, spent }))
            }
            _ => Err(wrong()),
        }
    }

    /// The balance of a dataset that must have been opened.
    pub(crate) fn balance(&mut self, dataset: &str) -> Result<Balance, Problem> {
        if let Some(balance) = self.balance_of(text::name("the name of the dataset", dataset)?)? {
            return Ok(balance);
        }
        let names = self.datasets()?;
        let problem = Problem::bad(format!("the ledger has no dataset `{dataset}`"));
        Err(match nearest(dataset, names.iter().map(String::as_str)) {
            Some(name) => problem.hint(format!("did you mean `{name}`? `congenial ledger open` opens a new one")),
            None => problem.hint("`congenial ledger open` opens it with a budget"),
        })
    }

    /// The second places of the head.
    pub(crate) fn second_places(&mut self) -> Result<Vec<HeadFile>, Problem> {
        let values = [Text(kind::HEAD_KEPT), Text(kind::HEAD_DROPPED)];
        let mut places = BTreeSet::new();
        for entry in self.entries("WHERE dataset = '' AND kind IN ($1, $2) ORDER BY number", &values)? {
            match entry.event {
                Event::HeadKept { place } => places.extend([place]),
                Event::HeadDropped { place, .. } => places.retain(|kept| *kept != place),
                _ => {}
            }
        }
        Ok(places.into_iter().map(|place| HeadFile(place.into())).collect())
    }

    /// How often the ledger has recovered, those times included that are lost and that its heads
    /// knew.
    pub(crate) fn recoveries(&mut self) -> Result<u64, Problem> {
        Ok(match self.latest_of("", kind::RECOVERED)?.map(|entry| entry.event) {
            Some(Event::Recovered { epoch, .. }) => epoch,
            _ => 0,
        })
    }

    /// Whether the entry with this number has this seal.
    pub(crate) fn holds(&mut self, entry: u64, seal: &str) -> Result<bool, Problem> {
        let number = i64::try_from(entry).unwrap_or(i64::MAX);
        Ok(self.sealed("WHERE number = $1", &[Number(number)])?.pop().is_some_and(|found| found.seal == seal))
    }

    /// The ends of lost histories that were adopted.
    pub(crate) fn adopted(&mut self) -> Result<Vec<LostHead>, Problem> {
        Ok(self
            .entries_of("", kind::RECOVERED)?
            .into_iter()
            .flat_map(|entry| if let Event::Recovered { lost, .. } = entry.event { lost } else { Vec::new() })
            .collect())
    }

    /// The number of the last entry.
    pub(crate) fn end(&self) -> u64 {
        u64::try_from(self.count).unwrap_or_default()
    }

    /// The entry that books a lost payment of a dataset again.
    pub(crate) fn booked(&mut self, dataset: &str, seal: &str) -> Result<Option<u64>, Problem> {
        Ok(self.with_subject(dataset, kind::BOOKED, seal)?.first().map(|entry| entry.number))
    }

    /// Writes one entry about a dataset and what it has spent after it.
    pub(crate) fn record(
        &mut self,
        dataset: &str,
        by: &str,
        balance: &Balance,
        event: Event,
    ) -> Result<Entry, Problem> {
        let entry = self.append(Saying { dataset, by, spent: Some(balance.spent.clone()), event })?;
        self.put_balance(dataset, balance.opened, &balance.spent)?;
        Ok(entry)
    }
}
