//! A confidential release of an exponential mechanism is paid for from its ledger, durably and
//! once, before it is drawn.
//!
//! The entry that pays fixes the seed, encrypted under the ledger and the data: whoever goes on
//! with it draws the same point.

use crate::certificate::PerfectCertificate;
use crate::declared::{Declared, Derived, charge};
use crate::folder::{is_perfect, verify_perfect, write};
use crate::records::{Ready, Unread};
use crate::{PerfectReleased, PerfectVerified};
use certify::{CertifiedOverride, Spending, sha256};
use congenial::HandedBack;
use declare::Problem;
use ledger::{
    ANSWERS, Address, Answer, DatasetStatus, Earlier, Ledger, Outcome, Override, Pending, Place, Print, Request,
    Reservation,
};
use loss::Charge;
use pay::{
    Asked, Details, Keeping, KeptPlace, KeptSeed, Paying, Right, Shown, Spent, account, after_paying, head_beside,
    kept_text, note_spent, outcome_of, seed_for,
};
use prepare::{check_other_files, record_prints};
use publish::{CERTIFICATE_FILE, SIGNATURE_FILE, Signing, Workshop, hash, occupied};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tabulate::survived;

/// How often it is looked whether another process has finished.
const PAUSE: Duration = Duration::from_millis(200);

/// The ledger of confidential data, which is asked before they are read.
pub struct Account<'a> {
    declared: &'a Declared,
    beside: &'a Path,
    ledger: Ledger,
    known: DatasetStatus,
    by: String,
    spec: String,
    law: String,
    head: Option<PathBuf>,
    prints: Vec<Print>,
    /// Why nothing more is answered about the data, and nobody overrides that.
    exhausted: Option<Problem>,
    /// The safeguards that stand in the way and are overridden.
    overrides: Vec<Override>,
}

impl<'a> Account<'a> {
    /// Asks the ledger: whether the dataset is there, whether anything more is answered about its
    /// data, whether it pays for `costs`, whether the data are another one's.
    pub fn open(
        declared: &'a Declared,
        beside: &'a Path,
        paying: &Paying,
        costs: Option<&Charge>,
    ) -> Result<Account<'a>, Problem> {
        let Some(budget) = declared.budget() else {
            return Err(Problem::refused("confidential data need a [budget]")
                .hint("add [budget] with dataset = \"…\" and ledger = \"sqlite:ledger.db\""));
        };
        let address = Address::parse(&budget.ledger)?.relative_to(beside);
        let mut ledger = Ledger::open(&address)?;
        let (known, by) = account(&mut ledger, &budget.dataset, paying, "--epsilon 1")?;
        let (spec, law) = (sha256(declared.to_toml().as_bytes()), sha256(declared.law().as_bytes()));
        if let Some(unknown) = paying.overrides.iter().find(|named| named.safeguard != ANSWERS) {
            let message = format!("`{}` is no safeguard of regressions and selections", unknown.safeguard);
            return Err(Problem::bad(message).hint(format!("one of them can be overridden: {ANSWERS}")));
        }
        let named = paying.overrides.first();
        let mut exhausted = ledger.check_answers(&known.name, &spec, &spec).err();
        // What was paid for may exist, and is then handed back; if not, this is looked at again.
        if paying.again || !ledger.has_paid_for(&known.name, &law)? {
            if let Some(problem) = exhausted.clone().filter(|_| named.is_none()) {
                return Err(problem);
            }
            costs.map_or(Ok(()), |costs| ledger.check_budget(&known.name, costs))?;
        }
        let head = head_beside(beside, budget.head.as_deref(), declared.path(), &mut ledger)?;
        check_other_files(declared.path(), declared.budget(), beside, &by)?;
        let prints = record_prints(&ledger, beside, declared.path())?;
        // A safeguard that does not stand in the way is not overridden.
        exhausted = exhausted.or(ledger.check_guess(&known.name, &prints).err());
        let overrides = exhausted.iter().filter_map(|_| named.cloned()).collect();
        exhausted = exhausted.filter(|_| named.is_none());
        Ok(Account { declared, beside, ledger, known, by, spec, law, head, prints, exhausted, overrides })
    }

    /// Reads the data. That their rows cannot be used is an answer about them: it is entered before
    /// it is told.
    pub fn read(&mut self) -> Result<Ready, Problem> {
        Ready::read(self.declared, self.beside).map_err(|unread| match unread {
            Unread::Told(problem) => problem,
            Unread::Answer(problem) => {
                let prints: String = self.prints.iter().map(|print| format!("{print}\n")).collect();
                let question = sha256(format!("{}\n{prints}", self.spec).as_bytes());
                let about = "whether the data can be used as a spec says";
                let overridden = !self.overrides.is_empty();
                let entered = self.ledger.answer(&self.known.name, &question, about, &self.by, overridden);
                entered.err().unwrap_or(problem)
            }
        })
    }
}

/// A release that is being paid for.
struct Purchase<'a> {
    account: Account<'a>,
    ready: &'a Ready,
    again: bool,
    signing: Option<&'a Signing>,
}

/// Earlier versions whose seeds draw the same coefficients and candidates here: none, data are
/// known by another hash since 0.4.0.
const SAME_DRAWS: &[&str] = &[];

/// Pays for a release and makes it, or hands it back.
pub fn release(
    declared: &Declared,
    beside: &Path,
    folder: &Path,
    taken: bool,
    paying: &Paying,
    signing: Option<&Signing>,
) -> Result<PerfectReleased, Problem> {
    let mut account = Account::open(declared, beside, paying, Some(&charge(declared)))?;
    let ready = account.read()?;
    Purchase { account, ready: &ready, again: paying.again, signing }.make(folder, taken)
}

/// Asks a second person to approve a release.
pub fn ask(declared: &Declared, beside: &Path, paying: &Paying) -> Result<Asked, Problem> {
    let mut account = Account::open(declared, beside, paying, Some(&charge(declared)))?;
    let ready = account.read()?;
    let Derived { statement, .. } = declared.derive(ready.records())?;
    let purchase = Purchase { account, ready: &ready, again: false, signing: None };
    let shown = Shown { spec: declared.to_toml(), statement: format!("What is guaranteed\n  {statement}\n") };
    let request = Request { details: kept_text(&shown)?, ..purchase.request(None)? };
    let mut account = purchase.account;
    if let Some(problem) = account.exhausted {
        return Err(problem);
    }
    let (entry, loss) = (account.ledger.ask(&request)?, request.loss);
    Ok(Asked { entry, loss, ledger: account.ledger.address().clone() })
}

impl Purchase<'_> {
    fn charge(&self) -> Charge {
        charge(self.account.declared)
    }

    fn request(&self, place: Option<Place>) -> Result<Request, Problem> {
        let Account { declared, ledger, known, by, spec, law, prints, overrides, .. } = &self.account;
        let fresh = |place: &Place| KeptSeed::fresh_for(ledger, &place.token, self.ready.data());
        let seed = place.as_ref().map(fresh).transpose()?;
        let details = Details { spec: declared.to_toml(), totals: Some(Vec::new()), shapes: Vec::new(), seed };
        Ok(Request {
            dataset: known.name.clone(),
            spec: spec.clone(),
            law: Some(law.clone()),
            place,
            loss: self.charge(),
            priced_by_totals: false,
            by: by.clone(),
            prints: prints.clone(),
            again: self.again,
            part: None,
            overrides: overrides.clone(),
            details: kept_text(&details)?,
        })
    }

    fn make(mut self, folder: &Path, taken: bool) -> Result<PerfectReleased, Problem> {
        loop {
            let asked = self.request(None)?;
            let standing = if self.again { None } else { self.account.ledger.standing(&asked)? };
            match standing {
                Some(Answer::Already(earlier)) => return hand_back(&earlier, folder, &self.charge(), self.signing),
                Some(Answer::Pending(pending)) => {
                    if let Some(released) = self.go_on(&pending, folder, taken)? {
                        return Ok(released);
                    }
                    std::thread::sleep(PAUSE);
                    continue;
                }
                _ => {}
            }
            if let Some((paid, given_up)) = self.account.ledger.given_up(&asked)?.filter(|_| !self.again) {
                return Err(Problem::refused(format!(
                    "this release was paid for before (entry {}) and given up (entry {})",
                    paid.number, given_up.number
                ))
                .hint(format!("--again draws anew, and pays {} once more", self.charge())));
            }
            if taken {
                return Err(occupied(folder));
            }
            if let Some(problem) = self.account.exhausted.clone() {
                return Err(problem);
            }
            let work = Workshop::new(folder)?;
            Keeping::sweep(work.private());
            let keeping = Keeping::new(work.private())?;
            let request = self.request(Some(keeping.place()))?;
            if let Some(head) = &self.account.head {
                self.account.ledger.keep_head(head, &self.account.by)?;
            }
            self.note(0);
            let answer = self.account.ledger.reserve(&request);
            note_spent(None);
            if let Answer::Reserved(reservation) = answer? {
                return self.draw(&reservation, keeping, work, folder);
            }
        }
    }

    /// Says what is spent from now on, for whoever stops this process.
    fn note(&self, entry: u64) {
        let ledger = self.account.ledger.address().clone();
        note_spent(Some(Spent { entry, charged: self.charge().to_string(), ledger, kept: None }));
    }

    /// Goes on with what another process paid for; `None`: it is being made, or was completed at
    /// this moment.
    fn go_on(&mut self, pending: &Pending, folder: &Path, taken: bool) -> Result<Option<PerfectReleased>, Problem> {
        let Pending { reservation: entry, time, by, place, same_data } = pending;
        let paid = format!(
            "this release was paid for before (entry {entry} of the ledger, by {by}, {time}) and never completed"
        );
        let again = format!("--again draws anew, and pays {} once more", self.charge());
        let (true, Some(place)) = (*same_data, place) else {
            return Err(Problem::refused(format!("{paid}, from other data than these")).hint(again));
        };
        if let Some(released) = self.written(*entry, folder)? {
            return Ok(Some(released));
        }
        let keeping = match Keeping::find(place) {
            KeptPlace::Busy => return Ok(None),
            KeptPlace::Missing => None,
            KeptPlace::Drawn(keeping, _) | KeptPlace::Left(keeping) => Some(keeping),
        };
        if taken {
            return Err(occupied(folder));
        }
        let Some(reservation) = self.account.ledger.resume(*entry, &place.token)? else { return Ok(None) };
        let work = Workshop::new(folder)?;
        let keeping = keeping.map_or_else(|| Keeping::new(work.private()), Ok)?;
        self.draw(&reservation, keeping, work, folder).map(Some)
    }

    /// A release that was finished in the folder, of which the ledger alone was not told.
    fn written(&mut self, entry: u64, folder: &Path) -> Result<Option<PerfectReleased>, Problem> {
        if !is_perfect(folder) {
            return Ok(None);
        }
        let Ok(PerfectVerified { certificate, checks, .. }) = verify_perfect(folder, None) else { return Ok(None) };
        let Some(paid) = certificate.ledger.clone().filter(|paid| paid.entry == entry) else { return Ok(None) };
        self.account.ledger.found(entry, &paid.seal, &outcome(&certificate, folder, folder)?, &self.account.by)?;
        let time = certificate.time.clone();
        let handed_back = Some(HandedBack { entry, time, folder: folder.display().to_string(), presented: false });
        Ok(Some(PerfectReleased { folder: folder.to_path_buf(), certificate, checks, handed_back }))
    }

    /// Draws what an entry paid for, writes and verifies it, gives the folder its name and tells
    /// the ledger.
    fn draw(
        &mut self,
        reservation: &Reservation,
        keeping: Keeping,
        mut work: Workshop,
        folder: &Path,
    ) -> Result<PerfectReleased, Problem> {
        let entry = reservation.entry().number;
        self.note(entry);
        if work.is(keeping.folder()) {
            work.keep();
        }
        let made = survived(|| {
            let seed = seed_for(&self.account.ledger, reservation, self.ready.data(), SAME_DRAWS)?;
            let chosen = self.ready.draw(&Right::paid(reservation, seed).entropy())?;
            let spending = self.spending(reservation);
            let made = write(self.account.declared, self.ready, chosen, Some(spending), self.signing, &work.finished)?;
            let outcome = outcome(&made.0, &work.finished, folder)?;
            work.publish(folder)?;
            Ok((made, outcome))
        });
        let made = made.unwrap_or_else(|| Err(Problem::system("a library stopped while the release was being made")));
        let ((certificate, checks), outcome) =
            made.map_err(|problem| after_paying(problem, pay::spent_now().as_ref()))?;
        self.account.ledger.complete(reservation, &outcome).map_err(|problem| {
            Problem::system(format!(
                "the release is written to `{}` and holds, but the ledger could not be told: {}",
                outcome.folder, problem.message
            ))
            .hint("the same command tells it, and pays nothing")
        })?;
        note_spent(None);
        keeping.remove();
        Ok(PerfectReleased { folder: folder.to_path_buf(), certificate, checks, handed_back: None })
    }

    /// What the certificate says of a payment.
    fn spending(&self, reservation: &Reservation) -> Spending {
        let entry = reservation.entry();
        let spent = entry.spent.clone().unwrap_or_else(|| self.account.known.budget.amount.clone());
        let named = |named: &ledger::NamedOverride| CertifiedOverride {
            entry: named.number,
            safeguard: named.name.clone(),
            reason: named.reason.clone(),
        };
        Spending {
            dataset: self.account.known.name.clone(),
            entry: entry.number,
            seal: entry.seal.clone(),
            charged: self.charge().to_string(),
            spent: Charge { amount: spent, per: self.account.known.budget.per.clone() }.to_string(),
            budget: self.account.known.budget.to_string(),
            approval: reservation.approval().map(|approval| approval.number),
            together: None,
            overrides: reservation.overrides().iter().map(named).collect(),
        }
    }
}

/// What the ledger is told of a release.
fn outcome(certificate: &PerfectCertificate, finished: &Path, folder: &Path) -> Result<Outcome, Problem> {
    outcome_of(finished, folder, certificate.files.first().map_or(String::new(), |file| file.sha256.clone()))
}

/// Hands back a release that exists: verified, and copied to the folder that was asked for.
fn hand_back(
    earlier: &Earlier,
    folder: &Path,
    costs: &Charge,
    signing: Option<&Signing>,
) -> Result<PerfectReleased, Problem> {
    let Earlier { reservation: entry, time, folder: then, .. } = earlier;
    let exists = format!("this release was made before (entry {entry} of the ledger, {time}, to `{then}`)");
    if !earlier.same_data {
        return Err(Problem::refused(format!("{exists}, from other data than these"))
            .hint(format!("--again draws from the data as they are now, and pays {costs} once more")));
    }
    let is_there = |place: &Path| hash(&place.join(CERTIFICATE_FILE)).is_ok_and(|found| found == earlier.certificate);
    let Some(from) = [Path::new(then), folder].into_iter().find(|place| is_there(place)) else {
        return Err(Problem::refused(format!("{exists}, and is not there any more")).hint(format!(
            "a completed release is handed back and never drawn again: put its folder back; or --again draws anew, and pays {costs} once more"
        )));
    };
    let PerfectVerified { certificate, checks, .. } = verify_perfect(from, None)?;
    if let Some(key) = signing.map(Signing::public).filter(|key| certificate.signed_by.as_ref() != Some(key)) {
        return Err(Problem::refused(format!("{exists}, and is not signed with {key}"))
            .hint("what exists is handed back as it is: leave --sign out"));
    }
    if !is_there(folder) {
        if folder.join(CERTIFICATE_FILE).exists() {
            return Err(occupied(folder));
        }
        let work = Workshop::new(folder)?;
        let signature = certificate.signed_by.iter().map(|_| SIGNATURE_FILE);
        work.copy(
            from,
            certificate.files.iter().map(|file| file.file.as_str()).chain([CERTIFICATE_FILE]).chain(signature),
        )?;
        verify_perfect(&work.finished, None)?;
        work.publish(folder)?;
    }
    let handed_back = Some(HandedBack { entry: *entry, time: time.clone(), folder: then.clone(), presented: false });
    Ok(PerfectReleased { folder: folder.to_path_buf(), certificate, checks, handed_back })
}
