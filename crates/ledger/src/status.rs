//! What every dataset may spend, has spent and has left; and everything that happened.

use crate::entry::{Entry, Event, kind};
use crate::ledger::Ledger;
use crate::portions::Portions;
use crate::read::Balance;
use crate::session::Session;
use crate::store::Value::Text;
use declare::Problem;
use loss::{Amount, Charge};
use std::collections::BTreeMap;

/// The state of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its number of entries.
    pub entries: u64,
    /// The seal of the last one.
    pub head: String,
    /// Its datasets, by name.
    pub datasets: Vec<DatasetStatus>,
    /// Why it pays for nothing: it was set back, or its head is lost.
    pub refuses: Option<Problem>,
    /// The entries with which it went on after it was set back or its head was lost, oldest first.
    pub recovered: Vec<Entry>,
}

/// The state of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetStatus {
    /// Its name.
    pub name: String,
    /// What its releases may cost in all.
    pub budget: Charge,
    /// What was spent.
    pub spent: Amount,
    /// What is left.
    pub left: Amount,
    /// Whether a second person must approve every release.
    pub approval: bool,
    /// The column whose values are parts of the dataset: what is spent on different parts counts by
    /// the largest.
    pub partition: Option<String>,
    /// The public key, in hexadecimal, that must sign every approval.
    pub approver_key: Option<String>,
    /// Reservations that became a release.
    pub completed: u64,
    /// Reservations that were given up.
    pub abandoned: u64,
    /// Reservations that are neither: [`Ledger::unfinished`] lists them.
    pub unfinished: u64,
    /// Questions about its data that were answered and that nothing paid for.
    pub answers: u64,
    /// Releases that were asked for and not made yet.
    pub pending: Vec<Waiting>,
}

/// A release that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The entry that asks.
    pub number: u64,
    /// Who asks.
    pub by: String,
    /// When.
    pub time: String,
    /// What it would cost.
    pub loss: Charge,
    /// The entry that approves it; `None`: it waits for that.
    pub approved: Option<u64>,
}

impl Ledger {
    /// What every dataset may spend, has spent and has left.
    pub fn status(&mut self) -> Result<Status, Problem> {
        let refuses = self.why_refused()?;
        let mut session = self.reading()?;
        let mut datasets = Vec::new();
        for name in session.datasets()? {
            let balance = session.balance(&name)?;
            datasets.push(session.dataset_status(&name, balance)?);
        }
        let recovered = session.entries_of("", kind::RECOVERED)?;
        Ok(Status { entries: session.end(), head: session.head.clone(), datasets, refuses, recovered })
    }

    /// What one dataset may spend, has spent and has left; `None` where it was not opened. Other
    /// datasets are not looked at.
    pub fn dataset(&mut self, name: &str) -> Result<Option<DatasetStatus>, Problem> {
        let mut session = self.reading()?;
        let balance = session.balance_of(name)?;
        balance.map(|balance| session.dataset_status(name, balance)).transpose()
    }

    /// All entries in order, of one dataset or of all, in memory;
    /// [`Ledger::visit_history`] holds few of them at once.
    pub fn history(&mut self, dataset: Option<&str>) -> Result<Vec<Entry>, Problem> {
        let mut history = Vec::new();
        self.visit_history(dataset, 0, &mut |entry| {
            history.push(entry);
            Ok(())
        })?;
        Ok(history)
    }

    /// Calls a function with the entries after one, in order, up to the end as it is now, of one
    /// dataset or of all, each checked by its own seal; [`Ledger::verify_chain`] checks that none
    /// is missing.
    ///
    /// Few are held at once, and whoever writes need not wait for the function.
    pub fn visit_history(
        &mut self,
        dataset: Option<&str>,
        after: u64,
        visit: &mut dyn FnMut(Entry) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let end = {
            let mut session = self.reading()?;
            dataset.map(|dataset| session.balance(dataset)).transpose()?;
            session.count
        };
        let mut portions = match &dataset {
            Some(dataset) => Portions::after(after, "dataset = $1", &[Text(dataset)]),
            None => Portions::after(after, "", &[]),
        };
        // What is entered stays as it is: every portion may be of a later state.
        while let Some(sealed) = portions.next_sealed(self.store.as_mut())?.filter(|next| next.number <= end) {
            visit(sealed.opened(&self.key)?)?;
        }
        Ok(())
    }

    /// Whether the entry with this number has this seal.
    pub fn holds(&mut self, entry: u64, seal: &str) -> Result<bool, Problem> {
        self.reading()?.holds(entry, seal)
    }
}

impl Session<'_> {
    fn dataset_status(&mut self, name: &str, balance: Balance) -> Result<DatasetStatus, Problem> {
        let statement = "SELECT kind, count(*) FROM congenial_history WHERE dataset = $1 GROUP BY kind";
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for mut row in self.store.query(statement, &[Text(name)])? {
            counts.insert(row.text(0)?, u64::try_from(row.number(1)?).unwrap_or_default());
        }
        let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
        let (completed, abandoned) = (count(kind::COMPLETED), count(kind::ABANDONED));
        Ok(DatasetStatus {
            name: name.to_string(),
            left: balance.left(),
            pending: if balance.approval { self.waiting(name)? } else { Vec::new() },
            budget: balance.budget,
            spent: balance.spent,
            approval: balance.approval,
            partition: balance.partition,
            approver_key: balance.approver_key,
            completed,
            abandoned,
            unfinished: count(kind::RESERVED).saturating_sub(completed + abandoned),
            answers: count(kind::ANSWERED),
        })
    }

    /// Releases of a dataset that were asked for and not made with that approval.
    fn waiting(&mut self, dataset: &str) -> Result<Vec<Waiting>, Problem> {
        let mut pending = Vec::new();
        let mut asked = Portions::of_kind(dataset, kind::ASKED);
        while let Some(Entry { number, by, time, event, .. }) = asked.next(self)? {
            let Event::Asked { loss, .. } = event else { continue };
            let approved = self.about(number, kind::APPROVED)?.pop().map(|approval| approval.number);
            let used = approved.map_or(Ok(Vec::new()), |approval| self.about(approval, kind::RESERVED))?;
            if used.is_empty() {
                pending.push(Waiting { number, by, time, loss, approved });
            }
        }
        Ok(pending)
    }
}
