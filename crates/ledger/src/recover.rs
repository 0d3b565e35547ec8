//! Reservations without a release: what a crash leaves behind. They stay spent; a curator can say
//! that they were looked at.

use crate::entry::{Entry, Event, Place, kind};
use crate::ledger::Ledger;
use crate::reserve::{NamedOverride, Outcome, Request, Reservation, reserves_nothing, same_data};
use crate::session::Session;
use crate::store::Value::Text;
use crate::text;
use declare::Problem;
use loss::{Amount, Charge};
use zeroize::Zeroizing;

/// A reservation that was neither completed nor given up: its release crashed, or is still being
/// drawn.
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
    /// Where it was being made; entries of earlier versions do not say.
    pub place: Option<Place>,
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
        let mut values = vec![Text(kind::RESERVED), Text(kind::COMPLETED), Text(kind::ABANDONED)];
        let found = match dataset {
            Some(dataset) => {
                values.push(Text(dataset));
                session.entries(&format!("{open} AND dataset = $4 ORDER BY number"), &values)?
            }
            None => session.entries(&format!("{open} ORDER BY number"), &values)?,
        };
        let unfinished = |Entry { number, dataset, time, by, event, .. }: Entry| match event {
            Event::Reserved { spec, loss, charged, place, .. } => {
                Some(Unfinished { number, dataset, time, by, spec, loss, charged, place })
            }
            _ => None,
        };
        Ok(found.into_iter().filter_map(unfinished).collect())
    }

    /// Enters a release that was found, though nobody completed it: its certificate names the
    /// reservation and its seal. Says which entry that is.
    pub fn found(&mut self, reservation: u64, seal: &str, outcome: &Outcome, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let [certificate, table, folder] = outcome.checked()?;
        let mut session = self.writing()?;
        let entry = session.entry(reservation)?;
        let Event::Reserved { spec, law, .. } = &entry.event else { return Err(reserves_nothing(&entry)) };
        if entry.seal != seal {
            return Err(Problem::refused(format!("entry {reservation} of this ledger did not pay for that release"))
                .hint("its certificate names the seal of another entry: it was paid for elsewhere, or it is forged"));
        }
        session.check_unfinished(&entry)?;
        let balance = session.balance(&entry.dataset)?;
        let (spec, law) = (spec.clone(), law.clone());
        let event = Event::Completed { reservation, spec, law, certificate, table, folder };
        session.enter(&entry.dataset, by, &balance, event)
    }

    /// Enters another presentation of what a reservation paid for; says which entry that is.
    pub fn present(&mut self, reservation: u64, seal: &str, outcome: &Outcome, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let [certificate, table, folder] = outcome.checked()?;
        let mut session = self.writing()?;
        let entry = session.entry(reservation)?;
        if !matches!(entry.event, Event::Reserved { .. }) || entry.seal != seal {
            return Err(Problem::refused(format!("entry {reservation} of this ledger did not pay for that release"))
                .hint("its certificate names the seal of another entry: it was paid for elsewhere, or it is forged"));
        }
        let balance = session.balance(&entry.dataset)?;
        let event = Event::Presented { reservation, certificate, table, folder };
        session.enter(&entry.dataset, by, &balance, event)
    }

    /// The other presentations of what a reservation paid for.
    pub fn presentations(&mut self, reservation: u64) -> Result<Vec<Entry>, Problem> {
        self.reading()?.about(reservation, kind::PRESENTED)
    }

    /// This release, paid for and given up, if that was the end of it: the entry that paid, and the
    /// one that gives it up.
    pub fn given_up(&mut self, request: &Request) -> Result<Option<(Entry, Entry)>, Problem> {
        let mut session = self.reading()?;
        let mut same = Session::same_release(kind::RESERVED, request);
        while let Some(paid) = same.next(&mut session)? {
            let Event::Reserved { prints, .. } = &paid.event else { continue };
            if same_data(prints, &request.prints)
                && let Some(given_up) = session.about(paid.number, kind::ABANDONED)?.pop()
            {
                return Ok(Some((paid, given_up)));
            }
        }
        Ok(None)
    }

    /// The reservation of an entry once more, for whoever goes on where another process stopped;
    /// `None` when it was completed or given up meanwhile.
    ///
    /// The caller has found the place that the entry names, knows its token and holds the lock
    /// there, so that nobody else goes on too; and draws only if no bit was read before. Why that
    /// is safe is in `proofs/ledger.md`. A ledger that was set back or copied pays for nothing, and
    /// nobody goes on with what it paid for.
    pub fn resume(&mut self, reservation: u64, token: &str) -> Result<Option<Reservation>, Problem> {
        if let Some(problem) = self.why_refused()? {
            return Err(problem);
        }
        let mut session = self.reading()?;
        let entry = session.entry(reservation)?;
        let Event::Reserved { place, approval, overrides, .. } = &entry.event else {
            return Err(reserves_nothing(&entry));
        };
        if place.as_ref().is_none_or(|place| place.token != token) {
            return Err(Problem::refused(format!("entry {reservation} was not being made in that folder")));
        }
        for kind in [kind::COMPLETED, kind::ABANDONED] {
            if !session.about(reservation, kind)?.is_empty() {
                return Ok(None);
            }
        }
        let approval = approval.map(|number| session.entry(number)).transpose()?;
        let mut named = Vec::new();
        for number in overrides {
            named.extend(NamedOverride::of(session.entry(*number)?));
        }
        session.balance(&entry.dataset)?;
        Ok(Some(Reservation { entry, overrides: named, approval }))
    }

    /// The key under which what an entry paid for is kept. It is that of the ledger, and of this
    /// entry alone.
    pub fn keeping_key(&self, entry: &Entry) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.key.derived("kept", [entry.number.to_be_bytes().as_slice(), entry.seal.as_bytes()]))
    }

    /// The key under which the seed of a draw is kept with the entry that pays for it: that of the
    /// ledger, of the place with this token alone, and of the data, of which this is a hash.
    /// Whoever has the ledger and not the data cannot open it.
    pub fn seed_key(&self, token: &str, data: &[u8]) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.key.derived("seed", [token.as_bytes(), data]))
    }

    /// The entry with this number, and the one that completed it, if it reserved something that
    /// was.
    pub fn entry_and_completion(&mut self, number: u64) -> Result<(Entry, Option<Entry>), Problem> {
        let mut session = self.reading()?;
        let entry = session.entry(number)?;
        let completed = session.about(number, kind::COMPLETED)?.pop();
        Ok((entry, completed))
    }

    /// Gives up a reservation without a release; says which entry that is. Nothing is paid back:
    /// bits may have been drawn and seen.
    pub fn abandon(&mut self, reservation: u64, reason: &str, by: &str) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let reason = text::sentence("the reason", reason)?.to_string();
        let mut session = self.writing()?;
        let entry = session.entry(reservation)?;
        if !matches!(entry.event, Event::Reserved { .. }) {
            return Err(reserves_nothing(&entry).hint("`congenial ledger recover` lists what can be given up"));
        }
        session.check_unfinished(&entry)?;
        let balance = session.balance(&entry.dataset)?;
        session.enter(&entry.dataset, by, &balance, Event::Abandoned { reservation, reason })
    }
}
