//! Reservations without a release: what a crash leaves behind. They stay spent; a curator can say that they were looked at.

use crate::entry::{Entry, Event, kind};
use crate::ledger::Ledger;
use crate::reserve::Outcome;
use crate::store::Value;
use crate::text;
use certify::{Amount, Charge};
use declare::Problem;

/// A reservation that was neither completed nor given up: its release crashed, or is still being drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The entry that reserved it.
    pub number: u64,
    /// The dataset that paid.
    pub dataset: String,
    /// When.
    pub time: String,
    /// Who.
    pub by: String,
    /// The hash of the canonical spec.
    pub spec: String,
    /// What it costs.
    pub loss: Charge,
    /// What it counts as in the budget: spent.
    pub charged: Amount,
}

impl Ledger {
    /// Lists the reservations without a release, of one dataset or of all.
    pub fn unfinished(&mut self, dataset: Option<&str>) -> Result<Vec<Unfinished>, Problem> {
        let mut session = self.reading()?;
        if let Some(dataset) = dataset {
            session.balance(dataset)?;
        }
        let open = "WHERE kind = $1 AND NOT EXISTS (SELECT 1 FROM congenial_history later \
                    WHERE later.reference = congenial_history.number AND later.kind IN ($2, $3))";
        let mut values = vec![Value::Text(kind::RESERVED), Value::Text(kind::COMPLETED), Value::Text(kind::ABANDONED)];
        let found = match dataset {
            Some(dataset) => {
                values.push(Value::Text(dataset));
                session.entries(&format!("{open} AND dataset = $4 ORDER BY number"), &values)?
            }
            None => session.entries(&format!("{open} ORDER BY number"), &values)?,
        };
        Ok(found
            .into_iter()
            .filter_map(|entry| match entry.event {
                Event::Reserved { spec, loss, charged, .. } => Some(Unfinished {
                    number: entry.number,
                    dataset: entry.dataset,
                    time: entry.time,
                    by: entry.by,
                    spec,
                    loss,
                    charged,
                }),
                _ => None,
            })
            .collect())
    }

    /// Enters a release that was found, though nobody completed it: its certificate names the reservation and its seal. Says
    /// which entry that is.
    pub fn found(&mut self, reservation: u64, seal: &str, outcome: &Outcome, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let certificate = text::name("the hash of the certificate", &outcome.certificate)?.to_string();
        let table = text::name("the hash of the table", &outcome.table)?.to_string();
        let folder = text::sentence("the folder of the release", &outcome.folder)?.to_string();
        let mut session = self.writing()?;
        let entry = session.entry(reservation)?;
        let Event::Reserved { spec, .. } = &entry.event else {
            return Err(Problem::bad(format!("entry {reservation} reserves nothing: it is `{}`", entry.event.kind())));
        };
        if entry.seal != seal {
            return Err(Problem::refused(format!("entry {reservation} of this ledger did not pay for that release"))
                .hint("its certificate names the seal of another entry: it was paid for elsewhere, or it is forged"));
        }
        session.check_unfinished(&entry)?;
        let balance = session.balance(&entry.dataset)?;
        let event = Event::Completed { reservation, spec: spec.clone(), certificate, table, folder };
        let completed = session.record(&entry.dataset, by, &balance, event)?;
        session.put_end()?;
        session.commit()?;
        Ok(completed.number)
    }

    /// The entry with this number, and the one that completed it, if it reserved something that was.
    pub fn entry_and_completion(&mut self, number: u64) -> Result<(Entry, Option<Entry>), Problem> {
        let mut session = self.reading()?;
        let entry = session.entry(number)?;
        let completed = session.about(number, kind::COMPLETED)?.pop();
        Ok((entry, completed))
    }

    /// Gives up a reservation without a release; says which entry that is. Nothing is paid back: bits may have been drawn and seen.
    pub fn abandon(&mut self, reservation: u64, reason: &str, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let reason = text::sentence("the reason", reason)?.to_string();
        let mut session = self.writing()?;
        let entry = session.entry(reservation)?;
        if !matches!(entry.event, Event::Reserved { .. }) {
            return Err(Problem::bad(format!("entry {reservation} reserves nothing: it is `{}`", entry.event.kind()))
                .hint("`congenial ledger recover` lists what can be given up"));
        }
        session.check_unfinished(&entry)?;
        let balance = session.balance(&entry.dataset)?;
        let given_up = session.record(&entry.dataset, by, &balance, Event::Abandoned { reservation, reason })?;
        session.put_end()?;
        session.commit()?;
        Ok(given_up.number)
    }
}
