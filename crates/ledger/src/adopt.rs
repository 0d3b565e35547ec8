//! A ledger that was set back, or whose head is lost, goes on: what it lost is booked as spent, and
//! nothing is given back.

use crate::address::Address;
use crate::chain::Saying;
use crate::check;
use crate::entry::{Entry, Event};
use crate::head::{HeadFile, Line, OpenedThen, Paid};
use crate::ledger::Ledger;
use crate::session::Session;
use crate::survey::{Adopting, HeadSurvey, Payment, Standing, Unknown};
use crate::text;
use declare::Problem;
use std::path::{Path, PathBuf};

/// What [`Ledger::adopt`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// The entry from which the ledger goes on.
    pub entry: u64,
    /// What was the matter.
    pub found: String,
    /// The entries that book what was lost.
    pub booked: Vec<Entry>,
    /// Datasets of which all that was left is booked, because the heads do not say what was paid.
    pub emptied: Vec<String>,
}

impl Ledger {
    /// Says how payments that are known from elsewhere stand in this ledger.
    pub fn standing_of(&mut self, payments: &[Payment]) -> Result<Vec<Standing>, Problem> {
        let mut session = self.reading()?;
        payments.iter().map(|payment| session.standing_of(payment)).collect()
    }

    /// Keeps the head in a second place from now on: a file that only grows, on another disk or
    /// where others watch it. Says whether that is new.
    pub fn keep_head(&mut self, place: &Path, by: &str) -> Result<bool, Problem> {
        let by = text::name("the name of the person", by)?;
        let name = place_name(place)?;
        let mut session = self.writing()?;
        if session.second_places()?.contains(&HeadFile(place.to_path_buf())) {
            return Ok(false);
        }
        if session.beside().as_ref().is_some_and(|beside| beside.0 == place) {
            return Err(
                Problem::bad(format!("`{name}` lies beside the ledger already")).hint("name a file on another disk")
            );
        }
        HeadFile(place.to_path_buf()).check_fit(session.store.file())?;
        let event = Event::HeadKept { place: name };
        session.append(Saying { dataset: "", by, spent: None, event })?;
        session.put_end()?;
        session.commit()?;
        Ok(true)
    }

    /// Refuses a file that must not keep a head of the ledger at an address: whatever holds
    /// something else, or is one of `others`, which hold data. Nothing is written, and the ledger
    /// need not be there yet.
    pub fn check_head(address: &Address, place: &Path, others: &[PathBuf]) -> Result<(), Problem> {
        let real = place.canonicalize().ok();
        if others.iter().any(|other| other == place || (real.is_some() && other.canonicalize().ok() == real)) {
            return Err(Problem::bad(format!("`{}` cannot keep a head: it holds the data", place.display()))
                .hint("name a new file of its own, on another disk"));
        }
        let file = address.file().and_then(|file| file.canonicalize().or_else(|_| std::path::absolute(file)).ok());
        HeadFile(place.to_path_buf()).check_fit(file.as_deref())
    }

    /// Whether the history names a file as a second place of the head.
    pub fn keeps_head(&mut self, place: &Path) -> Result<bool, Problem> {
        Ok(self.reading()?.second_places()?.contains(&HeadFile(place.to_path_buf())))
    }

    /// Goes on with a ledger that was set back, copied, or whose head is lost. What heads and
    /// certificates know to be paid and the history does not is booked as spent, even beyond the
    /// budget. Where no whole head proves that this is all, [`Unknown`] says what becomes of the
    /// rest.
    ///
    /// # Errors
    /// Refused where nothing is the matter, where the database itself is damaged, and where nobody
    /// can know what was paid and nobody says what becomes of that. Then nothing is written.
    pub fn adopt(&mut self, adopting: &Adopting<'_>) -> Result<Adopted, Problem> {
        let by = text::name("the name of the person", adopting.by)?;
        let reason = text::sentence("the reason", adopting.reason)?.to_string();
        let mut session = self.writing_unguarded()?;
        session.store.check_pages()?;
        check::verify(&mut session)?;
        let known = session.second_places()?;
        if let Some(place) = adopting.given_up.iter().find(|place| !known.contains(&HeadFile((*place).into()))) {
            return Err(Problem::bad(format!("no head of this ledger is kept at `{place}`"))
                .hint("`congenial ledger history` lists the second places"));
        }
        // Before anything is written: what is wrong is what was found.
        let beside = session.beside();
        let survey = session.survey(beside.as_ref(), adopting)?;
        if survey.found.is_empty() {
            return Err(Problem::bad("nothing is lost: the ledger ends where its heads say"));
        }
        survey.check(adopting.unknown)?;
        for place in adopting.given_up {
            let event = Event::HeadDropped { place: place.clone(), reason: reason.clone() };
            session.append(Saying { dataset: "", by, spent: None, event })?;
        }
        let found = survey.found.join("; ");
        // Beyond every recovery that a head knows of, so that this end of the history is the latest
        // one.
        session.epoch = survey.lines.iter().map(|line| line.epoch).fold(session.epoch, u64::max) + 1;
        let vouched = survey.unknown.clone().filter(|_| adopting.unknown == Unknown::Vouched);
        let (epoch, lost) = (session.epoch, survey.heads.clone());
        let event = Event::Recovered { epoch, lost, found: found.clone(), reason, vouched };
        let recovered = session.append(Saying { dataset: "", by, spent: None, event })?;
        let (booked, emptied) = session.book(&recovered, &survey, adopting, by)?;
        session.put_end()?;
        session.make_places()?;
        session.commit()?;
        Ok(Adopted { entry: recovered.number, found, booked, emptied })
    }
}

fn place_name(place: &Path) -> Result<String, Problem> {
    let name = place.to_str().filter(|_| place.is_absolute());
    let name = name.ok_or_else(|| Problem::bad("the place of a head is not an absolute path in UTF-8"))?;
    text::sentence("the place of the head", name).map(str::to_string)
}

impl Session<'_> {
    /// Books what was lost.
    fn book(
        &mut self,
        recovered: &Entry,
        survey: &HeadSurvey,
        adopting: &Adopting<'_>,
        by: &str,
    ) -> Result<(Vec<Entry>, Vec<String>), Problem> {
        let number = recovered.number;
        // The longest list is the last word on what was opened several times.
        let mut lines: Vec<&Line> = survey.lines.iter().collect();
        lines.sort_by_key(|line| line.place());
        for opened in lines.into_iter().flat_map(|line| line.opened.clone()) {
            let OpenedThen { dataset, budget, approval, partition, approver_key } = opened;
            let known = self.balance_of(&dataset)?;
            let is_again = known.is_some();
            let is_other = known.is_none_or(|known| {
                (known.budget, known.approval, known.partition, known.approver_key)
                    != (budget.clone(), approval, partition.clone(), approver_key.clone())
            });
            if is_other && self.is_unused(&dataset)? {
                let spent = budget.amount.nothing_of();
                let event = Event::Opened { budget, approval, partition, approver_key };
                self.append(Saying { dataset: &dataset, by, spent: Some(spent.clone()), event })?;
                self.put_balance(&dataset, self.count, &spent)?;
                if is_again {
                    self.put_opened(&dataset, self.count)?;
                }
            }
        }
        let mut booked = Vec::new();
        for paid in survey.lines.iter().flat_map(|line| &line.paid) {
            booked.extend(self.book_one(number, paid, "a head of the ledger", by)?);
        }
        for payment in adopting.payments {
            let Payment { dataset, entry, seal, charged: Some(charged), source } = payment.clone() else { continue };
            let charged = self.balance(&dataset)?.budget.counted(&charged)?;
            let paid = Paid { dataset, entry, seal, charged, prints: Vec::new() };
            booked.extend(self.book_one(number, &paid, &source, by)?);
        }
        let mut emptied = Vec::new();
        let all = survey.unknown.is_some() && adopting.unknown == Unknown::Booked;
        for dataset in if all { self.datasets()? } else { Vec::new() } {
            let balance = self.balance(&dataset)?;
            let left = balance.budget.amount.left_after(&balance.spent);
            let Some(left) = left.filter(|left| *left != balance.budget.amount.nothing_of()) else { continue };
            // No two recoveries have the same seal, so what one of them booked is never taken for
            // the other's.
            let seal = format!("all that was left, {}", recovered.seal);
            let paid = Paid { dataset: dataset.clone(), entry: 0, seal, charged: left, prints: Vec::new() };
            booked.extend(self.book_one(number, &paid, "nothing: what was paid is listed nowhere", by)?);
            emptied.push(dataset);
        }
        Ok((booked, emptied))
    }

    /// Books one payment, unless it is in the history or booked already.
    fn book_one(&mut self, recovered: u64, paid: &Paid, evidence: &str, by: &str) -> Result<Option<Entry>, Problem> {
        if self.holds(paid.entry, &paid.seal)? {
            return Ok(None);
        }
        let mut balance = self.balance(&paid.dataset)?;
        if self.booked(&paid.dataset, &paid.seal)?.is_some() {
            // Another head may have listed it without what was noted of the data.
            self.note_lost(paid, &balance, by)?;
            return Ok(None);
        }
        let Some(spent) = balance.spent.plus(&paid.charged) else {
            return Err(Problem::refused(format!(
                "a lost payment of dataset `{}` is not in the definition of its budget",
                paid.dataset
            )));
        };
        self.note_lost(paid, &balance, by)?;
        balance.spent = spent;
        let Paid { entry, seal, charged, .. } = paid.clone();
        let event = Event::Booked { recovered, entry, seal, charged, evidence: evidence.to_string() };
        self.record(&paid.dataset, by, &balance, event).map(Some)
    }

    /// Makes the files of heads that are missing; the commit writes to them. What stands in their
    /// place and is no head is moved aside, never written to.
    fn make_places(&mut self) -> Result<(), Problem> {
        let hint = "where the place is gone for good, --give-up-head PLACE goes on without it";
        for place in self.places()? {
            if let Err(problem) = place.check_fit(None) {
                place.move_aside().map_err(|_| problem.hint(hint))?;
            }
        }
        for place in self.second_places()? {
            place.writer(true).map_err(|problem| problem.hint(hint))?;
        }
        Ok(())
    }
}
