//! Reserve, then complete: what is reserved is durable before the first random bit is read, and
//! stays spent.
//!
//! Why one transaction each is enough is shown in `proofs/ledger.md`.

use crate::answers::ANSWERS;
use crate::chain::tampered;
use crate::entry::{Entry, Event, Override, Place, kind};
use crate::fingerprint::{Claim, Print};
use crate::ledger::Ledger;
use crate::partition::{PARTITION, check_part};
use crate::portions::Portions;
use crate::read::{Balance, PartSpent, charged_to_part, counts_by_part};
use crate::session::Session;
use crate::store::Value::{Number, Text};
use crate::text;
use declare::Problem;
use loss::{Amount, Charge};
use std::collections::BTreeSet;

/// The longest text that is kept with a reservation, in bytes.
const LONGEST_DETAILS: usize = 4 << 20;

/// What somebody wants to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The dataset that pays.
    pub dataset: String,
    /// The hash of the canonical spec.
    pub spec: String,
    /// The hash of what decides the law of the release, without title, outputs and the like:
    /// requests with the same one, of the same data, are the same. Without one, the spec says so.
    pub law: Option<String>,
    /// Where the release will be made, and where what is drawn is kept until it is completed.
    pub place: Option<Place>,
    /// What the release costs.
    pub loss: Charge,
    /// Whether the price follows from exact totals, and not from the spec alone: then it is an
    /// answer about the data whether the budget pays for it, which names no amount and is counted.
    pub priced_by_totals: bool,
    /// Who asks.
    pub by: String,
    /// The fingerprints of the data.
    pub prints: Vec<Print>,
    /// Whether a new draw is wanted although the same release exists: it pays again.
    pub again: bool,
    /// The part of the dataset that alone is released from: one value of its partition; `None`: all
    /// of it.
    pub part: Option<String>,
    /// Safeguards that this release overrides: entries beside its own, and named on its
    /// certificate.
    pub overrides: Vec<Override>,
    /// What should be kept with the entry, for example the canonical spec, for the analysis of
    /// later releases.
    pub details: String,
}

/// What [`Ledger::reserve`] answers.
#[derive(Debug)]
pub enum Answer {
    /// The loss is paid: draw.
    Reserved(Box<Reservation>),
    /// This release exists: hand it back, draw nothing.
    Already(Earlier),
    /// This release was paid for and is not completed: it is being made, or whoever made it
    /// stopped. Nothing was reserved.
    Pending(Pending),
    /// The dataset paid for another release, in this entry, which the caller does not know of:
    /// nothing was reserved.
    Newer(u64),
}

/// A loss that is paid. The ledger alone makes one.
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation {
    pub(crate) entry: Entry,
    pub(crate) overrides: Vec<NamedOverride>,
    pub(crate) approval: Option<Entry>,
}

/// An override that the certificate must name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOverride {
    /// Its entry.
    pub number: u64,
    /// Which safeguard.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl NamedOverride {
    /// The override that an entry is.
    pub(crate) fn of(entry: Entry) -> Option<NamedOverride> {
        let Event::Overridden { name, reason } = entry.event else { return None };
        Some(NamedOverride { number: entry.number, name, reason })
    }
}

/// A release that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The entry that reserved it.
    pub reservation: u64,
    /// The entry that completed it.
    pub completed: u64,
    /// When it was completed.
    pub time: String,
    /// Who released it.
    pub by: String,
    /// The hash of its certificate.
    pub certificate: String,
    /// The hash of its table.
    pub table: String,
    /// Where it was written.
    pub folder: String,
    /// Whether the data now are the data then: the same rows, or the same files. If not, they
    /// changed since.
    pub same_data: bool,
}

/// A release that was paid for and is neither completed nor given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The entry that paid.
    pub reservation: u64,
    /// When.
    pub time: String,
    /// Who.
    pub by: String,
    /// Where it is made; entries of earlier versions do not say.
    pub place: Option<Place>,
    /// Whether the data now are the data then.
    pub same_data: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The hash of the certificate.
    pub certificate: String,
    /// The hash of the table.
    pub table: String,
    /// The folder of the release.
    pub folder: String,
}

impl Outcome {
    /// What an entry says of it, if it is as an entry says it: the hashes of certificate and table,
    /// and the folder.
    pub(crate) fn checked(&self) -> Result<[String; 3], Problem> {
        Ok([
            text::name("the hash of the certificate", &self.certificate)?.to_string(),
            text::name("the hash of the table", &self.table)?.to_string(),
            text::sentence("the folder of the release", &self.folder)?.to_string(),
        ])
    }
}

impl Reservation {
    /// The entry that paid: its number and seal belong in the certificate.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The overrides that the certificate must name: all that no completed release has named.
    pub fn overrides(&self) -> &[NamedOverride] {
        &self.overrides
    }

    /// The entry that approved it, where the dataset asks for one.
    pub fn approval(&self) -> Option<&Entry> {
        self.approval.as_ref()
    }
}

impl Ledger {
    /// Pays for a release, or hands back the same release if it exists.
    ///
    /// One transaction checks data, approval and budget and writes the entry. When this returns
    /// [`Answer::Reserved`], the entry is on the disk: only then may a random bit be read. When it
    /// returns an error, nothing may be drawn; the loss can still count as spent, if the way to the
    /// database broke while it was being written.
    pub fn reserve(&mut self, request: &Request) -> Result<Answer, Problem> {
        self.reserve_after(request, None)
    }

    /// Pays for a release, if the caller knows every release that the dataset paid for: up to the
    /// entry `known`, 0 when there is none. What a release discloses together with others is known
    /// of those alone that were looked at.
    pub fn reserve_after(&mut self, request: &Request, known: Option<u64>) -> Result<Answer, Problem> {
        let dataset = &request.dataset;
        let by = text::name("the name of the person", &request.by)?;
        let spec = text::name("the hash of the spec", &request.spec)?;
        let part = request.part.as_deref().map(|part| text::name("the part of the dataset", part)).transpose()?;
        longest_details(&request.details)?;
        let mut session = self.writing()?;
        session.steps.of = "reserve";
        session.steps.reached("begun");
        let mut balance = session.balance(dataset)?;
        if let Some(standing) = if request.again { None } else { session.standing(request)? } {
            return Ok(standing);
        }
        if let Some(newer) = known.and_then(|known| session.newer(dataset, known).transpose()) {
            return newer.map(Answer::Newer);
        }
        let charged = balance.budget.counted(&request.loss)?;
        check_part(dataset, &balance, part)?;
        // Where losses of parts add up, a part counts like the whole.
        let part = part.filter(|_| counts_by_part(&balance.budget, &request.loss));
        if let Some(part) = part
            && !request.overrides.iter().any(|named| named.safeguard == PARTITION)
        {
            session.check_rows_of_part(dataset, part, &request.prints)?;
        }
        let part =
            part.map(|part| session.part_spent(dataset, part, &balance).map(|spent| (part, spent))).transpose()?;
        let (spent, after) = match affordable(dataset, &balance, &charged, part.as_ref().map(|part| &part.1)) {
            Err(_) if request.priced_by_totals => {
                let problem = not_paid_for(dataset);
                session.answer_price(request, &balance, by)?;
                session.put_end()?;
                session.commit()?;
                return Err(problem);
            }
            afforded => afforded?,
        };
        let key = balance.approver_key.as_deref();
        let approval = balance.approval.then(|| session.unused_approval(request, key)).transpose()?;
        match session.weigh(&request.prints, Claim::Dataset(dataset), &request.overrides)? {
            Err(refused) => return Err(session.answered(*refused, by)?),
            Ok(tokens) => session.note(dataset, &balance, &tokens, by)?,
        }
        for Override { safeguard, reason } in &request.overrides {
            let name = text::name("the name of the override", safeguard)?.to_string();
            let reason = text::sentence("the reason of the override", reason)?.to_string();
            session.record(dataset, by, &balance, Event::Overridden { name, reason })?;
        }
        let overrides = session.overrides(dataset)?;
        session.steps.reached("checked");
        balance.spent = spent;
        let event = Event::Reserved {
            spec: spec.to_string(),
            law: request.law.clone(),
            place: request.place.clone(),
            loss: request.loss.clone(),
            charged,
            part: part.as_ref().map(|(name, _)| (*name).to_string()),
            prints: request.prints.clone(),
            approval: approval.as_ref().map(|approval| approval.number),
            again: request.again,
            overrides: overrides.iter().map(|named| named.number).collect(),
            details: request.details.clone(),
        };
        let entry = session.record(dataset, by, &balance, event)?;
        if let (Some((part, _)), Some(PartSpent { spent, largest })) = (part, after) {
            let event = Event::PartSpent { reservation: entry.number, part: part.to_string(), spent, largest };
            session.record(dataset, by, &balance, event)?;
        }
        session.put_end()?;
        session.commit()?;
        Ok(Answer::Reserved(Box::new(Reservation { entry, overrides, approval })))
    }

    /// Refuses what the budget of a dataset does not pay for as it is now. Nothing is written, so
    /// that it can be asked before any data are read.
    pub fn check_budget(&mut self, dataset: &str, loss: &Charge) -> Result<(), Problem> {
        let balance = self.reading()?.balance(dataset)?;
        affordable(dataset, &balance, &balance.budget.counted(loss)?, None).map(|_| ())
    }

    /// What [`Ledger::reserve`] would answer to a request whose release exists or was paid for;
    /// `None`: it would pay. Nothing is written, and the answer may be another a moment later.
    pub fn standing(&mut self, request: &Request) -> Result<Option<Answer>, Problem> {
        self.reading()?.standing(request)
    }

    /// Enters what a reservation became; says which entry that is. Only once.
    pub fn complete(&mut self, reservation: &Reservation, outcome: &Outcome) -> Result<u64, Problem> {
        let number = reservation.entry.number;
        let [certificate, table, folder] = outcome.checked()?;
        let mut session = self.writing()?;
        session.steps.of = "complete";
        session.steps.reached("begun");
        let entry = session.entry(number)?;
        let Event::Reserved { spec, law, .. } = &entry.event else { return Err(reserves_nothing(&entry)) };
        if entry != reservation.entry {
            return Err(Problem::bad(format!("entry {number} of this ledger is not the one that was reserved"))
                .hint("a release is completed in the ledger that paid for it"));
        }
        session.check_unfinished(&entry)?;
        let balance = session.balance(&entry.dataset)?;
        session.steps.reached("checked");
        let (spec, law) = (spec.clone(), law.clone());
        let event = Event::Completed { reservation: number, spec, law, certificate, table, folder };
        session.enter(&entry.dataset, &entry.by, &balance, event)
    }
}

/// An entry that should have paid for a release.
pub(crate) fn reserves_nothing(entry: &Entry) -> Problem {
    Problem::bad(format!("entry {} reserves nothing: it is `{}`", entry.number, entry.event.kind()))
}

/// Refuses a text that is too long to be kept.
pub(crate) fn longest_details(details: &str) -> Result<(), Problem> {
    match details.len() > LONGEST_DETAILS {
        true => Err(Problem::bad(format!("what is kept with a reservation has more than {LONGEST_DETAILS} bytes"))),
        false => Ok(()),
    }
}

/// What a dataset will have spent, and what its part will have; refuses what is beyond its budget.
fn affordable(
    dataset: &str,
    balance: &Balance,
    charged: &Amount,
    part: Option<&PartSpent>,
) -> Result<(Amount, Option<PartSpent>), Problem> {
    let total = match part {
        None => balance.spent.plus(charged).map(|total| (total, None)),
        Some(part) => charged_to_part(&balance.spent, part, charged).map(|(total, after)| (total, Some(after))),
    };
    let (total, after) = total.ok_or_else(|| {
        tampered(format_args!("what dataset `{dataset}` has spent is not in the definition of its budget"))
    })?;
    if balance.budget.amount.left_after(&total).is_some() {
        return Ok((total, after));
    }
    Err(Problem::refused(format!(
        "the budget of dataset `{dataset}` does not pay for this release: it costs {charged}, and of {} there is {} left",
        balance.budget,
        balance.left()
    ))
    .hint("lower the loss of the release, or use what was released before: `congenial ledger history` lists it"))
}

/// What is said where the price follows from exact totals.
pub(crate) fn not_paid_for(dataset: &str) -> Problem {
    Problem::refused(format!("the budget of dataset `{dataset}` does not pay for this release"))
        .hint("its price follows from exact totals, so it is told to the curator alone: congenial explain SPEC")
}

/// Whether data now are those of then: the same rows, or, where rows have no print, the same files
/// read in the same way.
pub(crate) fn same_data(then: &[Print], now: &[Print]) -> bool {
    let rows = |prints: &[Print]| prints.iter().find(|print| print.is_of_rows()).cloned();
    if let (Some(then), Some(now)) = (rows(then), rows(now)) {
        return then == now;
    }
    let files = |prints: &[Print]| -> BTreeSet<Print> {
        prints.iter().filter(|print| print.is_of_file() || print.is_of_source()).cloned().collect()
    };
    match (files(then), files(now)) {
        (none, no_more) if none.is_empty() && no_more.is_empty() => then == now,
        (then, now) => then == now,
    }
}

impl Session<'_> {
    /// Refuses a request that the budget does not pay for.
    pub(crate) fn check_affordable(&mut self, request: &Request, balance: &Balance) -> Result<(), Problem> {
        let dataset = &request.dataset;
        let charged = balance.budget.counted(&request.loss)?;
        let part = request.part.as_deref().filter(|_| counts_by_part(&balance.budget, &request.loss));
        check_part(dataset, balance, part)?;
        let part = part.map(|part| self.part_spent(dataset, part, balance)).transpose()?;
        affordable(dataset, balance, &charged, part.as_ref()).map(|_| ())
    }

    /// Enters, once for a spec and data, that it is told whether a budget pays for what exact
    /// totals decide the price of.
    pub(crate) fn answer_price(&mut self, request: &Request, balance: &Balance, by: &str) -> Result<(), Problem> {
        let Request { dataset, spec, prints, overrides, .. } = request;
        let question = self.question_about(spec, prints);
        if self.was_answered(dataset, &question)? {
            return Ok(());
        }
        if !overrides.iter().any(|named| named.safeguard == ANSWERS) {
            self.check_answers(dataset, &question, None)?;
        }
        let about = "whether the budget pays for a release whose price follows from exact totals".to_string();
        self.record(dataset, by, balance, Event::Answered { question, about })?;
        Ok(())
    }

    /// Entries of a kind about the same release: by what decides its law, or, of earlier versions,
    /// by its spec. The latest first.
    pub(crate) fn same_release<'r>(kind: &'r str, request: &'r Request) -> Portions<'r> {
        let law = request.law.as_deref().unwrap_or(&request.spec);
        let values = [Text(kind), Text(law), Text(&request.spec), Text(&request.dataset)];
        Portions::latest_first("kind = $1 AND subject IN ($2, $3) AND dataset = $4", &values)
    }

    /// What is answered to a request whose release exists or was paid for.
    fn standing(&mut self, request: &Request) -> Result<Option<Answer>, Problem> {
        if let Some(earlier) = self.earlier(request)? {
            return Ok(Some(Answer::Already(earlier)));
        }
        Ok(self.pending(request)?.map(Answer::Pending))
    }

    /// The latest completed release of the same law and the same data; else the latest of the same
    /// spec, of other data.
    fn earlier(&mut self, request: &Request) -> Result<Option<Earlier>, Problem> {
        let mut of_other_data = None;
        let mut same = Session::same_release(kind::COMPLETED, request);
        while let Some(Entry { number: completed, time, by, event, .. }) = same.next(self)? {
            let Event::Completed { reservation, spec, certificate, table, folder, .. } = event else { continue };
            let Event::Reserved { prints, .. } = self.entry(reservation)?.event else {
                return Err(tampered(format_args!("entry {completed} completes what was never reserved")));
            };
            let same_data = same_data(&prints, &request.prints);
            let earlier = Earlier { reservation, completed, time, by, certificate, table, folder, same_data };
            if same_data {
                return Ok(Some(earlier));
            }
            if spec == request.spec {
                of_other_data = of_other_data.or(Some(earlier));
            }
        }
        Ok(of_other_data)
    }

    /// This release, paid for and neither completed nor given up: of these data, else of the same
    /// spec and other data.
    fn pending(&mut self, request: &Request) -> Result<Option<Pending>, Problem> {
        let mut of_other_data = None;
        let mut same = Session::same_release(kind::RESERVED, request);
        while let Some(Entry { number, time, by, event, .. }) = same.next(self)? {
            let Event::Reserved { spec, place, prints, .. } = event else { continue };
            let same_data = same_data(&prints, &request.prints);
            if !same_data && (spec != request.spec || of_other_data.is_some()) {
                continue;
            }
            if !self.about(number, kind::COMPLETED)?.is_empty() || !self.about(number, kind::ABANDONED)?.is_empty() {
                continue;
            }
            let pending = Pending { reservation: number, time, by, place, same_data };
            if same_data {
                return Ok(Some(pending));
            }
            of_other_data = Some(pending);
        }
        Ok(of_other_data)
    }

    /// The latest reservation of a dataset, if it comes after an entry.
    fn newer(&mut self, dataset: &str, known: u64) -> Result<Option<u64>, Problem> {
        Ok(self.latest_of(dataset, kind::RESERVED)?.map(|entry| entry.number).filter(|number| *number > known))
    }

    /// The overrides since the last release that was completed: what only a lost release named is
    /// named again.
    fn overrides(&mut self, dataset: &str) -> Result<Vec<NamedOverride>, Problem> {
        let named = self.latest_of(dataset, kind::COMPLETED)?.and_then(|entry| entry.event.reference()).unwrap_or(0);
        let named = i64::try_from(named).unwrap_or(i64::MAX);
        let values = [Text(dataset), Text(kind::OVERRIDDEN), Number(named)];
        let found = self.entries("WHERE dataset = $1 AND kind = $2 AND number > $3 ORDER BY number", &values)?;
        Ok(found.into_iter().filter_map(NamedOverride::of).collect())
    }

    /// Refuses a reservation that was completed or given up.
    pub(crate) fn check_unfinished(&mut self, entry: &Entry) -> Result<(), Problem> {
        let number = entry.number;
        if let Some(done) = self.about(number, kind::COMPLETED)?.pop() {
            let message = format!("reservation {number} is completed already, by {} in entry {}", done.by, done.number);
            return Err(Problem::refused(message).hint("a new draw needs a reservation of its own, and pays again"));
        }
        if let Some(given_up) = self.about(number, kind::ABANDONED)?.pop() {
            let message = format!("reservation {number} was given up by {} in entry {}", given_up.by, given_up.number);
            return Err(Problem::refused(message).hint("what it reserved stays spent; a new draw pays again"));
        }
        Ok(())
    }
}
