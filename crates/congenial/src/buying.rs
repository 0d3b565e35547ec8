//! How a confidential release comes to be paid for, once: it exists, or another process makes it,
//! or one that stopped is gone on with.

use crate::hand_back::hand_back;
use crate::present::{Wanted, outcome};
use crate::released::{HandedBack, Released};
use crate::watched::Watched;
use certify::{Derived, Together};
use declare::Problem;
use ledger::{Entry, Event, Outcome, Pending, Reservation};
use pay::{Identity, Keeping, KeptPlace, Paying, Payment, Standing, check_space};
use prepare::Prepared;
use publish::{
    CERTIFICATE_FILE, Contents, Facts, RELEASE, Workshop, certified_files, occupied, steps, try_writing, verify_folder,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often it is looked whether another process has finished.
const PAUSE: Duration = Duration::from_millis(200);

/// A release that is to be paid for.
pub(crate) struct Buying<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) derived: &'a Derived,
    pub(crate) identity: &'a Identity,
    pub(crate) wanted: &'a Wanted<'a>,
    pub(crate) contents: &'a Contents<'a>,
}

/// What came of it.
pub(crate) enum Purchase {
    /// It is paid for.
    Bought(Box<Bought>),
    /// It existed.
    HandedBack(Box<Released>),
}

/// A release that is paid for.
pub(crate) struct Bought {
    pub(crate) reservation: Box<Reservation>,
    /// Where what is drawn is kept.
    pub(crate) keeping: Keeping,
    /// What was drawn before, if this goes on where another process stopped.
    pub(crate) draw: Option<Vec<u8>>,
    pub(crate) work: Workshop,
    /// What the exact totals of all releases say together.
    pub(crate) together: Option<Together>,
}

/// What becomes of a release that another process has paid for.
enum Next {
    /// It works on it.
    Wait,
    /// It stopped: go on with what it left, if that is here.
    GoOn(Option<Keeping>, Option<Vec<u8>>),
    /// It stopped after the release was finished.
    Finished(Box<Released>),
}

impl Buying<'_> {
    /// Pays for the release, or finds that this is not needed.
    pub(crate) fn buy(
        &self,
        payment: &mut Payment,
        folder: &Path,
        taken: bool,
        paying: &Paying,
        watching: &Watched<'_>,
    ) -> Result<Purchase, Problem> {
        let Buying { prepared, derived, identity, .. } = self;
        let mut ready: Option<(Workshop, Keeping)> = None;
        let mut missing = 0;
        let mut overtaken = 0;
        loop {
            let standing = if paying.again { None } else { payment.standing(prepared, identity)? };
            match standing {
                Some(Standing::Exists(exists)) => {
                    drop(ready);
                    return self.hand_back(payment, exists, folder);
                }
                Some(Standing::Pending(pending)) => match self.next(payment, &pending, folder, &mut missing)? {
                    Next::Wait => {
                        watching.reached(steps::WAITING);
                        std::thread::sleep(PAUSE);
                        continue;
                    }
                    Next::Finished(released) => return Ok(Purchase::HandedBack(released)),
                    Next::GoOn(keeping, draw) => {
                        if draw.is_none() {
                            prepared.check_memory()?;
                        }
                        // Completed at this moment: then it is handed back.
                        let token = pending.place.as_ref().map_or("", |place| place.token.as_str());
                        let Some(reservation) = payment.ledger.resume(pending.reservation, token)? else { continue };
                        if draw.is_none() && !prepared.plan.is_suppressed() {
                            payment.seed(&reservation, prepared)?;
                        }
                        if taken {
                            return Err(occupied(folder));
                        }
                        let work = ready.take().map_or_else(|| self.work(folder), |(work, _)| Ok(work))?;
                        let keeping = keeping.map_or_else(|| Keeping::new(work.private()), Ok)?;
                        let together =
                            payment.together_again(pending.reservation, &prepared.analysed, &watching.searching())?;
                        let reservation = Box::new(reservation);
                        return Ok(Purchase::Bought(Box::new(Bought { reservation, keeping, draw, work, together })));
                    }
                },
                Some(Standing::GivenUp(both)) => return Err(given_up(&both, &payment.costs(&prepared.plan.loss)?)),
                None => {}
            }
            if taken {
                return Err(occupied(folder));
            }
            let looked = payment.look(&prepared.analysed, derived, paying, &watching.searching())?;
            watching.reached(steps::LOOKED);
            if ready.is_none() {
                let work = match self.work(folder) {
                    Ok(work) => work,
                    // The same release may have got its name at this moment: then it is handed
                    // back.
                    Err(_) if overtaken < 3 && !paying.again && payment.standing(prepared, identity)?.is_some() => {
                        overtaken += 1;
                        continue;
                    }
                    Err(problem) => return Err(problem),
                };
                let keeping = Keeping::new(work.private())?;
                // The stand-ins are made of the plan, which exact totals decide.
                let fits = prepared.check_memory();
                let tried = fits.and_then(|()| prepared.try_projection()).and_then(|()| prepared.try_draw());
                tried.map_err(|problem| payment.count_answer(problem))?;
                watching.reached(steps::PREPARED);
                ready = Some((work, keeping));
            }
            let Some((_, keeping)) = &ready else { continue };
            payment.spending_now(None, &prepared.plan.loss);
            let paid = payment.pay(prepared, identity, paying, &looked, keeping.place());
            payment.done_now();
            let Some(reservation) = paid? else { continue };
            payment.spending_now(Some(&reservation), &prepared.plan.loss);
            let Some((work, keeping)) = ready.take() else { continue };
            let together = looked.together;
            return Ok(Purchase::Bought(Box::new(Bought { reservation, keeping, draw: None, work, together })));
        }
    }

    /// A folder to work in, in which there is room and the writers work.
    fn work(&self, folder: &Path) -> Result<Workshop, Problem> {
        let Buying { prepared, derived, identity, wanted, contents } = self;
        let work = Workshop::new(folder)?;
        Keeping::sweep(work.private());
        check_space(work.private(), contents.domain.len())?;
        let facts = Facts::derived(&wanted.declaration.title, derived, &identity.spec);
        let (suppressed, streamed) = (prepared.plan.is_suppressed(), prepared.opened().is_streamed());
        try_writing(contents, facts, suppressed, streamed, work.private())?;
        Ok(work)
    }

    fn hand_back(&self, payment: &mut Payment, exists: ledger::Earlier, folder: &Path) -> Result<Purchase, Problem> {
        let costs = payment.costs(&self.prepared.plan.loss)?;
        let copies: Vec<(PathBuf, String)> = payment
            .ledger
            .presentations(exists.reservation)?
            .into_iter()
            .filter_map(|entry| match entry.event {
                Event::Presented { certificate, folder, .. } => Some((PathBuf::from(folder), certificate)),
                _ => None,
            })
            .collect();
        let released = hand_back(exists, folder, &copies, self.wanted, &costs)?;
        let presented = released.handed_back.as_ref().is_some_and(|back| back.presented);
        if let (true, Some(paid)) = (presented, &released.certificate.ledger) {
            let outcome = outcome(&released.certificate, folder, folder)?;
            let by = payment.by.clone();
            payment.ledger.present(paid.entry, &paid.seal, &outcome, &by)?;
        }
        Ok(Purchase::HandedBack(Box::new(released)))
    }

    /// What to do about a release that was paid for and is not completed.
    fn next(
        &self,
        payment: &mut Payment,
        pending: &Pending,
        folder: &Path,
        missing: &mut u32,
    ) -> Result<Next, Problem> {
        let Pending { reservation: entry, time, by, place, same_data } = pending;
        let costs = payment.costs(&self.prepared.plan.loss)?;
        let paid = format!(
            "this release was paid for before (entry {entry} of the ledger, by {by}, {time}) and never completed"
        );
        let again = format!("--again draws anew, and pays {costs} once more");
        if !same_data {
            return Err(Problem::refused(format!("{paid}, from other data than these")).hint(again));
        }
        let Some(place) = place else {
            return Err(Problem::refused(format!("{paid}; an earlier version of congenial paid, and kept nothing"))
                .hint(format!("`congenial ledger recover` lists it; {again}")));
        };
        let (keeping, draw) = match Keeping::find(place) {
            KeptPlace::Busy => {
                *missing = 0;
                return Ok(Next::Wait);
            }
            // Finished and removed at this moment, perhaps: the ledger is asked once more.
            KeptPlace::Missing if *missing < 3 => {
                *missing += 1;
                return Ok(Next::Wait);
            }
            KeptPlace::Missing => (None, None),
            KeptPlace::Drawn(keeping, draw) => (Some(keeping), Some(draw)),
            KeptPlace::Left(keeping) => (Some(keeping), None),
        };
        // Whoever had the lock gives it up after the ledger was told: then it is handed back.
        if payment.ledger.entry_and_completion(*entry)?.1.is_some() {
            return Ok(Next::Wait);
        }
        // The release may have been written already, and the ledger alone not told.
        let written = keeping.as_ref().filter(|_| draw.is_none()).map(|keeping| keeping.folder().join(RELEASE));
        for from in [Some(folder), written.as_deref()].into_iter().flatten() {
            if let Some(released) = self.finished(payment, *entry, from, folder)? {
                if let Some(keeping) = keeping {
                    keeping.remove();
                }
                return Ok(Next::Finished(released));
            }
        }
        Ok(Next::GoOn(keeping, draw))
    }

    /// The release that an entry paid for, if it was finished in a folder: it gets the name that is
    /// wanted, and is entered.
    fn finished(
        &self,
        payment: &mut Payment,
        entry: u64,
        from: &Path,
        folder: &Path,
    ) -> Result<Option<Box<Released>>, Problem> {
        if !from.join(CERTIFICATE_FILE).is_file() {
            return Ok(None);
        }
        let Ok(verified) = verify_folder(from, self.wanted.stream_above, None) else { return Ok(None) };
        let Some(paid) = verified.certificate.ledger.clone().filter(|paid| paid.entry == entry) else {
            return Ok(None);
        };
        if from != folder {
            let work = Workshop::new(folder)?;
            work.copy(from, certified_files(from)?)?;
            work.publish(folder)?;
        }
        let outcome: Outcome = outcome(&verified.certificate, folder, folder)?;
        let by = payment.by.clone();
        payment.ledger.found(entry, &paid.seal, &outcome, &by)?;
        let time = verified.certificate.time.clone();
        let handed_back = Some(HandedBack { entry, time, folder: from.display().to_string(), presented: false });
        Ok(Some(Box::new(Released {
            folder: folder.to_path_buf(),
            certificate: verified.certificate,
            checks: verified.checks,
            left_out: Vec::new(),
            handed_back,
        })))
    }
}

/// A release that was paid for and given up is paid for once more only if somebody says so.
fn given_up((paid, given_up): &(Entry, Entry), costs: &str) -> Problem {
    let reason = match &given_up.event {
        Event::Abandoned { reason, .. } => reason.as_str(),
        _ => "no reason is known",
    };
    Problem::refused(format!(
        "this release was paid for before (entry {}, by {}, {}) and given up by {} (entry {}): {reason}",
        paid.number, paid.by, paid.time, given_up.by, given_up.number
    ))
    .hint(format!("what it cost stays spent; --again draws anew, and pays {costs} once more"))
}
