//! A ledger that was set back, or whose head is lost, goes on: what it lost is booked as spent, and nothing is given back.

use crate::chain::Saying;
use crate::check;
use crate::entry::{Entry, Event, LostHead, kind};
use crate::head::{HeadFile, Line, Paid, State};
use crate::ledger::{Ledger, Session};
use crate::store::Value;
use crate::text;
use certify::Charge;
use declare::Problem;
use std::path::Path;

/// A payment that somebody knows of from elsewhere: a certificate names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The dataset that paid.
    pub dataset: String,
    /// The entry that paid.
    pub entry: u64,
    /// Its seal.
    pub seal: String,
    /// What was paid; absent for what cost nothing.
    pub charged: Option<Charge>,
    /// Where that is known from, in words.
    pub source: String,
}

/// How a payment stands in a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is an entry of the history.
    Entered,
    /// Its entry is lost; it was booked again in this one.
    Booked(u64),
    /// The history ends before it: the ledger was set back.
    Beyond,
    /// Another entry stands in its place: another ledger paid, or there are two histories of this one.
    Elsewhere,
}

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

/// What is known of the lost part of a history.
#[derive(Default)]
struct Lost {
    heads: Vec<LostHead>,
    lines: Vec<Line>,
    /// Whether some lost entries are listed nowhere.
    gaps: bool,
}

impl Ledger {
    /// Says how payments that are known from elsewhere stand in this ledger.
    pub fn standing_of(&mut self, payments: &[Payment]) -> Result<Vec<Standing>, Problem> {
        let mut session = self.reading()?;
        payments.iter().map(|payment| session.standing_of(payment)).collect()
    }

    /// Keeps the head in a second place from now on: a file that only grows, on another disk or where others watch it. Says
    /// whether that is new.
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
        let event = Event::HeadKept { place: name };
        session.append(Saying { dataset: "", by, spent: None, event })?;
        session.put_end()?;
        session.commit()?;
        Ok(true)
    }

    /// Goes on with a ledger that was set back, copied, or whose head is lost. What heads and certificates know to be paid and the
    /// history does not is booked as spent, even beyond the budget; where they do not say what was paid, all that is left is
    /// booked. `given_up` are second places that cannot be reached any more.
    ///
    /// # Errors
    /// Refused where nothing is the matter, and where the database itself is damaged.
    pub fn adopt(
        &mut self,
        payments: &[Payment],
        given_up: &[String],
        reason: &str,
        by: &str,
    ) -> Result<Adopted, Problem> {
        let by = text::name("the name of the person", by)?;
        let reason = text::sentence("the reason", reason)?.to_string();
        let mut session = self.writing_unguarded()?;
        session.store.check_pages()?;
        check::verify(&mut session)?;
        let known = session.second_places()?;
        for place in given_up {
            if !known.contains(&HeadFile(place.into())) {
                return Err(Problem::bad(format!("no head of this ledger is kept at `{place}`"))
                    .hint("`congenial ledger history` lists the second places"));
            }
            let event = Event::HeadDropped { place: place.clone(), reason: reason.clone() };
            session.append(Saying { dataset: "", by, spent: None, event })?;
        }
        let mut found = session.troubles()?;
        let lost = session.lost()?;
        for payment in payments {
            if !matches!(session.standing_of(payment)?, Standing::Entered | Standing::Booked(_)) {
                found.push(format!("{} is not in the history", payment.source));
            }
        }
        found.extend(given_up.iter().map(|place| format!("the head at `{place}` is given up")));
        if found.is_empty() {
            return Err(Problem::bad("nothing is lost: the ledger ends where its heads say"));
        }
        let found = found.join("; ");
        session.epoch += 1;
        let event = Event::Recovered { epoch: session.epoch, lost: lost.heads.clone(), found: found.clone(), reason };
        let recovered = session.append(Saying { dataset: "", by, spent: None, event })?.number;
        let (booked, emptied) = session.book(recovered, &lost, payments, by)?;
        session.put_end()?;
        session.make_places()?;
        session.commit()?;
        Ok(Adopted { entry: recovered, found, booked, emptied })
    }
}

fn place_name(place: &Path) -> Result<String, Problem> {
    let name = place.to_str().filter(|_| place.is_absolute());
    let name = name.ok_or_else(|| Problem::bad("the place of a head is not an absolute path in UTF-8"))?;
    text::sentence("the place of the head", name).map(str::to_string)
}

impl Session<'_> {
    fn standing_of(&mut self, payment: &Payment) -> Result<Standing, Problem> {
        if self.holds(payment.entry, &payment.seal)? {
            return Ok(Standing::Entered);
        }
        if let Some(booked) = self.booked(&payment.seal)? {
            return Ok(Standing::Booked(booked));
        }
        Ok(if payment.entry > self.end() { Standing::Beyond } else { Standing::Elsewhere })
    }

    /// The entry that books a lost payment again.
    fn booked(&mut self, seal: &str) -> Result<Option<u64>, Problem> {
        let values = [Value::Text(kind::BOOKED), Value::Text(seal)];
        let found = self.entries("WHERE kind = $1 AND subject = $2 ORDER BY number LIMIT 1", &values)?.pop();
        Ok(found.map(|entry| entry.number))
    }

    /// What is wrong between the history and each of its heads.
    pub(crate) fn troubles(&mut self) -> Result<Vec<String>, Problem> {
        let mut found = Vec::new();
        for place in self.places()? {
            let lines = place.last_lines(self.key)?;
            if let Some(trouble) = self.judge(&place, lines, false)?.trouble {
                found.push(trouble.words(&place, self));
            }
        }
        Ok(found)
    }

    /// What heads know, and the history does not.
    fn lost(&mut self) -> Result<Lost, Problem> {
        let mut lost = Lost::default();
        for place in self.places()? {
            let (mut unknown, mut ours) = (Vec::new(), vec![0]);
            for line in place.all_lines(self.key)? {
                match (line.state, self.accounts_for(&line)?) {
                    (State::Kept, false) => unknown.push(line),
                    (_, true) => ours.push(line.entry),
                    _ => {}
                }
            }
            unknown.sort_by_key(Line::place);
            let Some(newest) = unknown.last() else { continue };
            let head = LostHead { epoch: newest.epoch, entry: newest.entry, seal: newest.seal.clone() };
            if !lost.heads.contains(&head) {
                lost.heads.push(head);
            }
            // Each line lists what was paid since the one before, so a missing line leaves a gap.
            let first = unknown.first().map_or(0, |line| line.after);
            let (mut gap, mut known) = (!ours.contains(&first), first);
            for line in &unknown {
                gap |= line.after > known;
                known = line.entry;
            }
            // Where one place has gaps, another may not: all that any lists is booked, and gaps count if every place has them.
            lost.gaps = gap && (lost.gaps || lost.lines.is_empty());
            lost.lines.append(&mut unknown);
        }
        Ok(lost)
    }

    /// Books what was lost.
    fn book(
        &mut self,
        recovered: u64,
        lost: &Lost,
        payments: &[Payment],
        by: &str,
    ) -> Result<(Vec<Entry>, Vec<String>), Problem> {
        for opened in lost.lines.iter().flat_map(|line| &line.opened) {
            if self.balance_of(&opened.dataset)?.is_none() {
                let spent = opened.budget.amount.nothing_of();
                let (budget, approval, partition) = (opened.budget.clone(), opened.approval, opened.partition.clone());
                let event = Event::Opened { budget, approval, partition };
                self.append(Saying { dataset: &opened.dataset, by, spent: Some(spent.clone()), event })?;
                self.put_balance(&opened.dataset, self.count, &spent)?;
            }
        }
        let mut booked = Vec::new();
        for paid in lost.lines.iter().flat_map(|line| &line.paid) {
            booked.extend(self.book_one(recovered, paid, "a head of the ledger", by)?);
        }
        for payment in payments {
            let Some(charged) = &payment.charged else { continue };
            let charged = self.balance(&payment.dataset)?.budget.counted(charged)?;
            let paid = Paid {
                dataset: payment.dataset.clone(),
                entry: payment.entry,
                seal: payment.seal.clone(),
                charged,
                prints: Vec::new(),
            };
            booked.extend(self.book_one(recovered, &paid, &payment.source, by)?);
        }
        let mut emptied = Vec::new();
        for dataset in if lost.gaps { self.datasets()? } else { Vec::new() } {
            let balance = self.balance(&dataset)?;
            let Some(left) = balance.budget.amount.left_after(&balance.spent) else { continue };
            let paid = Paid {
                dataset: dataset.clone(),
                entry: 0,
                seal: format!("all that was left at {recovered}"),
                charged: left,
                prints: Vec::new(),
            };
            booked.extend(self.book_one(recovered, &paid, "nothing: lost entries are listed nowhere", by)?);
            emptied.push(dataset);
        }
        Ok((booked, emptied))
    }

    /// Books one payment, unless it is in the history or booked already.
    fn book_one(&mut self, recovered: u64, paid: &Paid, evidence: &str, by: &str) -> Result<Option<Entry>, Problem> {
        if self.holds(paid.entry, &paid.seal)? || self.booked(&paid.seal)?.is_some() {
            return Ok(None);
        }
        let mut balance = self.balance(&paid.dataset)?;
        let Some(spent) = balance.spent.plus(&paid.charged) else {
            return Err(Problem::refused(format!(
                "a lost payment of dataset `{}` is not in the definition of its budget",
                paid.dataset
            )));
        };
        self.note_prints(&paid.dataset, &balance, &paid.prints, by)?;
        balance.spent = spent;
        let event = Event::Booked {
            recovered,
            entry: paid.entry,
            seal: paid.seal.clone(),
            charged: paid.charged.clone(),
            evidence: evidence.to_string(),
        };
        self.record(&paid.dataset, by, &balance, event).map(Some)
    }

    /// Makes the files of heads that are missing; the commit writes to them.
    fn make_places(&mut self) -> Result<(), Problem> {
        for place in self.second_places()? {
            place.writer(true, false).map_err(|problem| {
                problem.hint("where the place is gone for good, --give-up-head PLACE goes on without it")
            })?;
        }
        Ok(())
    }
}
