//! Datasets: opened with a budget, recognised by fingerprints, with overrides that the next certificate names.

use crate::chain::Saying;
use crate::entry::{Event, kind};
use crate::fingerprint::{Claim, Print};
use crate::ledger::{Ledger, Session};
use crate::read::Balance;
use crate::store::Value;
use crate::text;
use certify::{Charge, composes_by_maximum};
use declare::Problem;

/// A dataset that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDataset {
    /// Its name.
    pub name: String,
    /// What its releases may cost in all.
    pub budget: Charge,
    /// Whether a second person must approve every release.
    pub approval: bool,
    /// A column of its rows whose values are parts: what is spent on different parts counts by the largest.
    pub partition: Option<String>,
    /// Who opens it.
    pub by: String,
}

impl Ledger {
    /// Opens a dataset with a total budget; says which entry that is.
    pub fn open_dataset(&mut self, dataset: &NewDataset) -> Result<u64, Problem> {
        let name = text::name("the name of the dataset", &dataset.name)?;
        let by = text::name("the name of the person", &dataset.by)?;
        let partition = dataset.partition.as_deref().map(|column| text::name("the column of the partition", column));
        let partition = partition.transpose()?.map(str::to_string);
        dataset.budget.amount.check()?;
        if !dataset.budget.amount.is_a_budget() {
            return Err(Problem::bad(format!("a budget must be positive: {}", dataset.budget.amount)));
        }
        if partition.is_some() && !composes_by_maximum(&dataset.budget) {
            return Err(Problem::bad(format!("losses of parts add up where the budget is {}", dataset.budget))
                .hint("open the dataset without a partition, or with a budget of pure ε or ρ per record"));
        }
        let mut session = self.writing()?;
        if let Some(balance) = session.balance_of(name)? {
            return Err(Problem::refused(format!(
                "dataset `{name}` is open already, with a budget of {} of which {} is spent",
                balance.budget, balance.spent
            ))
            .hint("`congenial ledger status` shows it; other data need another name"));
        }
        let spent = dataset.budget.amount.nothing_of();
        let event = Event::Opened { budget: dataset.budget.clone(), approval: dataset.approval, partition };
        let entry = session.append(Saying { dataset: name, by, spent: Some(spent.clone()), event })?;
        let opened = session.count;
        session.put_balance(name, opened, &spent)?;
        session.put_end()?;
        session.commit()?;
        Ok(entry.number)
    }

    /// Says whether data may be what a caller claims: refuses those of another dataset, and those of any when they are claimed to
    /// be public. [`Ledger::reserve`] asks this itself.
    pub fn recognise(&mut self, prints: &[Print], claim: Claim<'_>) -> Result<(), Problem> {
        self.reading()?.recognise(prints, claim).map(|_| ())
    }

    /// Notes the fingerprints of data as those of a dataset, before anything is released. [`Ledger::reserve`] notes them itself.
    pub fn note_prints(&mut self, dataset: &str, prints: &[Print], by: &str) -> Result<(), Problem> {
        let by = text::name("the name of the person", by)?;
        let mut session = self.writing()?;
        let balance = session.balance(dataset)?;
        session.note_prints(dataset, &balance, prints, by)?;
        session.put_end()?;
        session.commit()
    }

    /// Enters that a safeguard is overridden, and why; the certificate of the next release names it. Says which entry that is.
    pub fn record_override(&mut self, dataset: &str, name: &str, reason: &str, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let name = text::name("the name of the override", name)?.to_string();
        let reason = text::sentence("the reason of the override", reason)?.to_string();
        let mut session = self.writing()?;
        let balance = session.balance(dataset)?;
        let entry = session.record(dataset, by, &balance, Event::Overridden { name, reason })?;
        session.put_end()?;
        session.commit()?;
        Ok(entry.number)
    }
}

impl Session<'_> {
    /// The prints that were not seen yet; refuses what [`Ledger::recognise`] refuses.
    pub(crate) fn recognise(&mut self, prints: &[Print], claim: Claim<'_>) -> Result<Vec<Print>, Problem> {
        let mut new = Vec::new();
        for print in prints.iter().filter(|print| print.says_whose()) {
            if claim == Claim::Public && print.is_of_sums() {
                continue;
            }
            let values = [Value::Text(kind::SEEN), Value::Text(&print.0)];
            let seen = self.entries("WHERE kind = $1 AND subject = $2 ORDER BY number LIMIT 1", &values)?.pop();
            match (seen, claim) {
                (None, _) => new.push(print.clone()),
                (Some(seen), Claim::Public) => {
                    return Err(Problem::refused(format!(
                        "these data are declared public, but they are those of the confidential dataset `{}` (entry {})",
                        seen.dataset, seen.number
                    ))
                    .hint(format!("remove `public = true` and release them from the budget of `{}`", seen.dataset)));
                }
                (Some(seen), Claim::Dataset(name)) if seen.dataset != name => {
                    return Err(Problem::refused(format!(
                        "these data are those of dataset `{}` (entry {}), not of `{name}`",
                        seen.dataset, seen.number
                    ))
                    .hint(format!("write dataset = \"{}\": the same data have one budget", seen.dataset)));
                }
                (Some(_), Claim::Dataset(_)) => {}
            }
        }
        Ok(new)
    }

    /// Enters the prints that are new as those of a dataset.
    pub(crate) fn note_prints(
        &mut self,
        dataset: &str,
        balance: &Balance,
        prints: &[Print],
        by: &str,
    ) -> Result<(), Problem> {
        for print in self.recognise(prints, Claim::Dataset(dataset))? {
            self.record(dataset, by, balance, Event::Seen { print })?;
        }
        Ok(())
    }
}
