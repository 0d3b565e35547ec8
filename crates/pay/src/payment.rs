//! A confidential release is paid for from its ledger, durably, before the first random bit is
//! read.

use crate::dataset::budget_words;
use crate::named::{head_beside, ledger_of};
use crate::past::Past;
use crate::seed::{Details, KeptSeed, SAME_TABLES, Shown, data_of, kept_text, seed_for};
use crate::spent::{Spent, note_spent};
use crate::statement::write_statement;
use crate::together::{Current, Earlier};
use crate::told::{check_whose, is_priced_by_totals, question, without_totals};
use certify::{CertifiedOverride, DISCLOSURE, Derived, Spending, Together, part_of, sha256};
use declare::{Declaration, Kind, Problem};
use draw::KeepingKey;
use exact::SystemSeed;
use ledger::{
    ANSWERS, Answer, Charge, DatasetStatus, Earlier as Exists, Entry, Event, Ledger, NamedOverride, Outcome, Override,
    PARTITION, Pending, Place, Print, RECOGNITION, Request, Reservation,
};
use loss::Loss;
use prepare::{
    Analysed, ColumnPrint, LoadedTable, Opened, Prepared, Progress, STAND_IN, column_prints, prints_of,
    without_stand_in,
};
use publish::steps::Hook;
use publish::{CERTIFICATE_FILE, hash};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The longest text that is kept with an entry; a release with more totals is kept without their
/// values.
const LONGEST_DETAILS: usize = 3 << 20;

/// How a confidential release is paid for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paying {
    /// Who releases: the ledger keeps the name.
    pub by: Option<String>,
    /// Whether a new draw is wanted although the same release exists: it pays again.
    pub again: bool,
    /// Safeguards that are overridden, with the reason; entries of the ledger, and named on the
    /// certificate.
    pub overrides: Vec<Override>,
}

/// The safeguards that can be overridden.
pub const SAFEGUARDS: [&str; 5] = [DISCLOSURE, PARTITION, ANSWERS, RECOGNITION, STAND_IN];

/// A result that depends on the exact totals of a confidential spec: that it is refused is an
/// answer, and is counted.
pub fn answered<T>(payment: &mut Option<Payment>, result: Result<T, Problem>) -> Result<T, Problem> {
    result.map_err(|problem| match payment {
        Some(payment) => payment.count_answer(problem),
        None => problem,
    })
}

/// A result that follows from a plan, whose refusal is counted as an answer: there a spec can be
/// bad for its exact totals too, with a family of laws that does not fit them.
pub fn answered_of_totals<T>(payment: &mut Option<Payment>, result: Result<T, Problem>) -> Result<T, Problem> {
    result.map_err(|problem| match payment {
        Some(payment) if problem.kind == Kind::Bad => payment.enter_answer(problem),
        Some(payment) => payment.count_answer(problem),
        None => problem,
    })
}

/// The dataset that pays, and in whose name; `budget` are the options that would open it.
pub fn account(
    ledger: &mut Ledger,
    dataset: &str,
    paying: &Paying,
    budget: &str,
) -> Result<(DatasetStatus, String), Problem> {
    let Some(known) = ledger.dataset(dataset)? else {
        let address = ledger.address();
        return Err(Problem::refused(format!("the ledger `{address}` has no dataset `{dataset}`")).hint(format!(
            "open it with its total budget: congenial ledger open '{dataset}' {budget} --ledger '{address}'"
        )));
    };
    let by = paying.by.clone().ok_or_else(|| {
        Problem::bad("nobody is named who releases")
            .hint("give a name with --by, or in the environment variable CONGENIAL_USER")
    })?;
    Ok((known, by))
}

/// What the ledger is told of a release that was written and will have this name.
pub fn outcome_of(finished: &Path, folder: &Path, table: String) -> Result<Outcome, Problem> {
    Ok(Outcome {
        certificate: hash(&finished.join(CERTIFICATE_FILE))?,
        table,
        folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()).display().to_string(),
    })
}

/// The ledger that a confidential release is paid from, and in whose name.
#[derive(Debug)]
pub struct Payment {
    /// The ledger.
    pub ledger: Ledger,
    known: DatasetStatus,
    /// Who acts.
    pub by: String,
    /// The second place of the ledger's head that the spec names.
    head: Option<PathBuf>,
    /// The hash of the canonical spec.
    spec_sha256: String,
    /// What names the question whether the spec can be released from these files.
    question: String,
    /// Why nothing more is answered about the data; somebody overrides that.
    exhausted: Option<Problem>,
    /// The fingerprints of the data and what their columns count, once they are known.
    recognised: Option<(Vec<Print>, Vec<ColumnPrint>)>,
    /// What the dataset has paid for, as far as it was read.
    past: Past,
    /// Whether others pay at the same time: then one after the other looks and pays.
    crowded: bool,
    /// What was paid and is not completed.
    spent: RefCell<Option<Spent>>,
}

/// Where the same release stands, if it was ever paid for.
pub enum Standing {
    /// It exists.
    Exists(Exists),
    /// It was paid for and is not completed.
    Pending(Pending),
    /// It was paid for in the first entry, and given up in the second.
    GivenUp(Box<(Entry, Entry)>),
}

/// What makes two requests the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The hash of the canonical spec.
    pub spec: String,
    /// The hash of what decides the law.
    pub law: String,
}

impl Identity {
    /// Of a spec.
    pub fn of(declaration: &Declaration) -> Identity {
        Identity { spec: sha256(declaration.to_toml().as_bytes()), law: sha256(declaration.law().as_bytes()) }
    }
}

/// What was looked at before paying.
#[derive(Debug)]
pub struct Looked {
    /// The entry that paid last.
    last: u64,
    /// What the exact totals of all releases say together.
    pub together: Option<Together>,
    /// The safeguards that stand in the way and are overridden.
    overrides: Vec<Override>,
}

impl Payment {
    /// Opens the ledger of a confidential spec; `None` when the data are declared public.
    pub fn open(opened: &Opened, paying: &Paying, hook: Option<&Hook>) -> Result<Option<Payment>, Problem> {
        if opened.declaration.data.public {
            return Ok(None);
        }
        let (mut ledger, dataset) = ledger_of(opened)?;
        let (known, by) = account(&mut ledger, &dataset, paying, &budget_words(&opened.declaration))?;
        if let Some(unknown) = paying.overrides.iter().find(|named| !SAFEGUARDS.contains(&named.safeguard.as_str())) {
            return Err(Problem::bad(format!("there is no safeguard `{}` to override", unknown.safeguard))
                .hint(format!("known: {}", SAFEGUARDS.join(", "))));
        }
        // What was answered too often is not answered once more: the data are not even read.
        let Identity { spec: spec_sha256, law } = Identity::of(&opened.declaration);
        let question = question(&ledger, opened, &spec_sha256);
        let exhausted = match ledger.check_answers(&dataset, &question, &spec_sha256) {
            Ok(()) => None,
            // It may exist, and is then handed back; if not, this is looked at again.
            Err(_) if ledger.has_paid_for(&dataset, &law)? => None,
            Err(problem) if paying.overrides.iter().any(|named| named.safeguard == ANSWERS) => Some(problem),
            Err(problem) => return Err(problem),
        };
        if let Some(hook) = hook.cloned() {
            ledger.at_each_step(Box::new(move |step| hook(step)));
        }
        let named = opened.declaration.budget.as_ref().and_then(|budget| budget.head.as_deref());
        let head = head_beside(&opened.folder, named, &opened.declaration.data.path, &mut ledger)?;
        Ok(Some(Payment { head, exhausted, question, ..Payment::new(ledger, known, by, spec_sha256) }))
    }

    fn new(ledger: Ledger, known: DatasetStatus, by: String, spec_sha256: String) -> Payment {
        let (head, exhausted, recognised, spent) = (None, None, None, RefCell::default());
        let (past, crowded) = (Past::default(), false);
        let question = spec_sha256.clone();
        Payment { ledger, known, by, head, spec_sha256, question, exhausted, recognised, past, crowded, spent }
    }

    /// Enters that a release was refused for what its exact totals say, before that is told:
    /// nothing paid for the answer.
    pub fn count_answer(&mut self, problem: Problem) -> Problem {
        if !matches!(problem.kind, Kind::Refused | Kind::Infeasible) {
            return problem;
        }
        self.enter_answer(problem)
    }

    fn enter_answer(&mut self, problem: Problem) -> Problem {
        let about = "whether a spec can be released";
        let overridden = self.exhausted.is_some();
        match self.ledger.answer(&self.known.name, &self.question, about, &self.by, overridden) {
            Ok(_) => without_totals(problem),
            Err(problem) => problem,
        }
    }

    /// The payment of an entry that paid before: its dataset, and who acts now.
    pub fn of_entry(mut ledger: Ledger, entry: &Entry, by: &str) -> Result<Payment, Problem> {
        let Event::Reserved { spec, .. } = &entry.event else {
            return Err(Problem::bad(format!("entry {} pays for nothing", entry.number)));
        };
        let Some(known) = ledger.dataset(&entry.dataset)? else {
            return Err(Problem::refused(format!("the ledger has no dataset `{}`", entry.dataset)));
        };
        Ok(Payment::new(ledger, known, by.to_string(), spec.clone()))
    }

    /// What a release costs, in words.
    pub fn costs(&self, loss: &Loss) -> Result<String, Problem> {
        Ok(Charge::of_in(loss, &self.known.budget.per)?.to_string())
    }

    /// The key under which what an entry paid for is kept.
    pub fn keeping_key(&self, reservation: &Reservation) -> KeepingKey {
        KeepingKey::new(self.ledger.keeping_key(reservation.entry()))
    }

    /// The seed that an entry keeps, for the same data.
    pub fn seed(&self, reservation: &Reservation, prepared: &Prepared) -> Result<SystemSeed, Problem> {
        seed_for(&self.ledger, reservation, &data_of(prepared)?, SAME_TABLES)
    }

    /// Folders that may keep a draw where its own does not: that of the ledger, and that of the
    /// system's temporary files.
    pub fn other_folders(&self) -> Vec<PathBuf> {
        let beside =
            self.ledger.address().file().and_then(Path::parent).map(|folder| match folder.as_os_str().is_empty() {
                true => PathBuf::from("."),
                false => folder.to_path_buf(),
            });
        beside.into_iter().chain([std::env::temp_dir()]).collect()
    }

    /// Reads the table of a confidential spec, and refuses data of another dataset or ledger,
    /// before anything is said of its totals.
    pub fn load(&mut self, opened: Opened, paying: &Paying, progress: &dyn Progress) -> Result<LoadedTable, Problem> {
        let loaded = opened.load(progress)?;
        check_whose(&mut self.ledger, &self.known.name, &loaded, &paying.overrides, &self.by)?;
        loaded.check_recognisable().map_err(|problem| self.count_answer(problem))?;
        Ok(loaded)
    }

    /// Where the same release stands: the same law, of the same data. Nothing is written.
    pub fn standing(&mut self, prepared: &Prepared, identity: &Identity) -> Result<Option<Standing>, Problem> {
        let request = self.request(prepared, identity, false, None, Vec::new())?;
        Ok(match self.ledger.standing(&request)? {
            Some(Answer::Already(exists)) => Some(Standing::Exists(exists)),
            Some(Answer::Pending(pending)) => Some(Standing::Pending(pending)),
            _ => self.ledger.given_up(&request)?.map(|both| Standing::GivenUp(Box::new(both))),
        })
    }

    /// Says what is spent from now on, for whoever stops this process; without a reservation it may
    /// be spent at any moment.
    pub fn spending_now(&self, reservation: Option<&Reservation>, loss: &Loss) {
        let entry = reservation.map_or(0, |reservation| reservation.entry().number);
        let charged = self.costs(loss).unwrap_or_default();
        self.set_spent(Some(Spent { entry, charged, ledger: self.ledger.address().clone(), kept: None }));
    }

    /// Says where what was drawn is kept.
    pub fn kept_now(&self, kept: &Path) {
        let spent = self.spent().map(|spent| Spent { kept: Some(kept.to_path_buf()), ..spent });
        self.set_spent(spent);
    }

    /// Says that nothing is open any more.
    pub fn done_now(&self) {
        self.set_spent(None);
    }

    /// What was paid and is not completed.
    pub fn spent(&self) -> Option<Spent> {
        self.spent.borrow().clone()
    }

    fn set_spent(&self, spent: Option<Spent>) {
        self.spent.replace(spent.clone());
        note_spent(spent);
    }

    /// What the exact totals of all completed releases say together with those of one that was paid
    /// for before.
    pub fn together_again(
        &mut self,
        entry: u64,
        analysed: &Analysed,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<Together>, Problem> {
        let (prints, columns) = self.recognised(analysed)?;
        self.together_of(entry, Current::of(analysed, &prints, &columns), searching)
    }

    /// What all totals say together with those of a release that is known by its entry alone.
    pub fn together_of(
        &mut self,
        entry: u64,
        current: Current<'_>,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<Together>, Problem> {
        let mut past = Past::without(entry);
        past.read_on(&mut self.ledger, &self.known.name)?;
        Ok(Earlier::of(&past, current).told(current, searching).map(|(_, stated)| stated))
    }

    /// The fingerprints of the data, and what their columns count.
    fn recognised(&mut self, analysed: &Analysed) -> Result<(Vec<Print>, Vec<ColumnPrint>), Problem> {
        if let Some(recognised) = &self.recognised {
            return Ok(recognised.clone());
        }
        let recognised = (
            prints_of(&self.ledger, &analysed.opened, &analysed.tabulated)?,
            column_prints(&self.ledger, &analysed.opened.case, analysed.tabulated.table.counts()),
        );
        self.recognised = Some(recognised.clone());
        Ok(recognised)
    }

    /// The state of the dataset before anything was paid, and what a release would cost in its
    /// unit.
    pub fn offer(self, loss: &Loss) -> Result<(DatasetStatus, Charge), Problem> {
        let charge = Charge::of_in(loss, &self.known.budget.per)?;
        Ok((self.known, charge))
    }

    /// Looks at every release that the dataset has paid for: what their exact totals say together
    /// with those of this one. Where others pay at the same time, it waits for its turn, and keeps
    /// it until [`Payment::pay`]: so nobody looks more than twice.
    ///
    /// # Errors
    /// Refused when they confine sensitive cells, or are not shown to leave them open, and nobody
    /// overrides that; counted as an answer.
    pub fn look(
        &mut self,
        analysed: &Analysed,
        derived: &Derived,
        paying: &Paying,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Looked, Problem> {
        // Another presentation of what was paid for came so far because it might exist: it does
        // not.
        if self.exhausted.is_none()
            && let Err(problem) = self.ledger.check_answers(&self.known.name, &self.question, &self.spec_sha256)
        {
            if !paying.overrides.iter().any(|named| named.safeguard == ANSWERS) {
                return Err(problem);
            }
            self.exhausted = Some(problem);
        }
        if self.crowded {
            self.ledger.wait_for_turn(&self.known.name, &mut || searching(0))?;
        }
        self.look_at(analysed, derived, paying, searching).map_err(|problem| {
            self.ledger.end_turn();
            self.count_answer(problem)
        })
    }

    fn look_at(
        &mut self,
        analysed: &Analysed,
        derived: &Derived,
        paying: &Paying,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Looked, Problem> {
        let (prints, columns) = self.recognised(analysed)?;
        let current = Current::of(analysed, &prints, &columns);
        self.past.read_on(&mut self.ledger, &self.known.name)?;
        let earlier = Earlier::of(&self.past, current);
        let (last, mut together) = (self.past.last, None);
        let mut refused = derived.confined.clone();
        if let Some((joined, stated)) = earlier.told(current, searching) {
            refused = refused.or_else(|| earlier.confined(current, &joined));
            together = Some(stated);
        }
        let mut standing: Vec<_> = self.exhausted.iter().map(|problem| (ANSWERS, problem.clone())).collect();
        if let Some(problem) = refused {
            let also = "--override disclosure --because TEXT releases all the same, and the certificate names it";
            let hint = problem.hint.as_ref().map_or(also.to_string(), |hint| format!("{hint}; or {also}"));
            standing.push((DISCLOSURE, problem.hint(hint)));
        }
        // Whatever the data are, when nothing more may be answered about those of another dataset.
        if self.exhausted.is_none()
            && let Err(problem) = self.ledger.check_guess(&self.known.name, &prints)
        {
            standing.push((ANSWERS, problem));
        }
        if let Some(problem) = without_stand_in(analysed)? {
            standing.push((STAND_IN, problem));
        }
        if let Some(part) = self.part(&analysed.opened.declaration)
            && let Err(problem) = self.ledger.check_rows_of_part(&self.known.name, &part, &prints)
        {
            standing.push((PARTITION, problem));
        }
        // A safeguard that does not stand in the way is not overridden.
        let mut overrides = Vec::new();
        if let Some(named) = paying.overrides.iter().find(|named| named.safeguard == RECOGNITION)
            && self.ledger.has_counts_of_another(&self.known.name, &prints)?
        {
            overrides.push(named.clone());
        }
        for (safeguard, problem) in standing {
            let named = paying.overrides.iter().find(|named| named.safeguard == safeguard);
            overrides.push(named.cloned().ok_or(problem)?);
        }
        Ok(Looked { last, together, overrides })
    }

    /// The part of the dataset that a spec alone uses.
    fn part(&self, declaration: &Declaration) -> Option<String> {
        self.known.partition.as_deref().and_then(|column| part_of(declaration, column))
    }

    /// Pays for a release; `None`: another one was, or is being, paid for meanwhile, so that
    /// nothing is spent and there is more to look at.
    pub fn pay(
        &mut self,
        prepared: &Prepared,
        identity: &Identity,
        paying: &Paying,
        looked: &Looked,
        place: Place,
    ) -> Result<Option<Box<Reservation>>, Problem> {
        let request = self.request(prepared, identity, paying.again, Some(place), looked.overrides.clone())?;
        if let Some(head) = &self.head {
            self.ledger.keep_head(head, &self.by)?;
        }
        // Whoever comes while another has the turn would take from it what it has looked for.
        if !self.crowded && !self.ledger.take_turn(&self.known.name)? {
            self.crowded = true;
            return Ok(None);
        }
        let answer = self.ledger.reserve_after(&request, Some(looked.last));
        self.ledger.end_turn();
        Ok(match answer? {
            Answer::Reserved(reservation) => Some(reservation),
            Answer::Already(_) | Answer::Pending(_) => None,
            Answer::Newer(_) => {
                self.crowded = true;
                None
            }
        })
    }

    /// Asks a second person to approve a release; says which entry must be approved, and what it
    /// would cost.
    pub fn ask(
        &mut self,
        prepared: &Prepared,
        derived: &Derived,
        identity: &Identity,
        looked: &Looked,
    ) -> Result<(u64, Charge), Problem> {
        let mut request = self.request(prepared, identity, false, None, looked.overrides.clone())?;
        let (case, mut statement) = (&prepared.opened().case, String::new());
        // Writing to a String cannot fail.
        let _ = write_statement(&mut statement, case, derived, looked.together.as_ref(), &request, &self.known);
        request.details = kept_text(&Shown { spec: case.declaration.to_toml(), statement })?;
        Ok((self.ledger.ask(&request)?, request.loss))
    }

    fn request(
        &mut self,
        prepared: &Prepared,
        identity: &Identity,
        again: bool,
        place: Option<Place>,
        overrides: Vec<Override>,
    ) -> Result<Request, Problem> {
        let (prints, columns) = self.recognised(&prepared.analysed)?;
        let drawn = place.as_ref().filter(|_| !prepared.plan.is_suppressed());
        let seed =
            drawn.map(|place| KeptSeed::fresh_for(&self.ledger, &place.token, &data_of(prepared)?)).transpose()?;
        let whole = Details {
            spec: prepared.opened().declaration.to_toml(),
            totals: Some(prepared.analysed.totals.clone()),
            shapes: columns,
            seed,
        };
        let mut details = kept_text(&whole)?;
        if details.len() > LONGEST_DETAILS {
            // Without its totals the entry finishes no release, nor needs what orders the cells.
            let mut declaration = prepared.opened().declaration.clone();
            declaration.mechanism.order.iter_mut().for_each(|order| *order = order.hash_alone());
            details = kept_text(&Details { spec: declaration.to_toml(), totals: None, ..whole })?;
        }
        Ok(Request {
            dataset: self.known.name.clone(),
            spec: identity.spec.clone(),
            law: Some(identity.law.clone()),
            place,
            loss: Charge::of_in(&prepared.plan.loss, &self.known.budget.per)?,
            priced_by_totals: is_priced_by_totals(&prepared.opened().declaration, &prepared.plan.loss),
            part: self.part(&prepared.opened().declaration),
            by: self.by.clone(),
            prints,
            again,
            overrides,
            details,
        })
    }

    /// What the certificate says of a payment.
    pub fn spending(
        &self,
        reservation: &Reservation,
        loss: &Loss,
        together: Option<Together>,
    ) -> Result<Spending, Problem> {
        let entry = reservation.entry();
        let amount = entry.spent.clone().unwrap_or_else(|| self.known.budget.amount.clone());
        let spent = Charge { amount, per: self.known.budget.per.clone() };
        let named = |named: &NamedOverride| CertifiedOverride {
            entry: named.number,
            safeguard: named.name.clone(),
            reason: named.reason.clone(),
        };
        Ok(Spending {
            dataset: self.known.name.clone(),
            entry: entry.number,
            seal: entry.seal.clone(),
            charged: Charge::of_in(loss, &self.known.budget.per)?.to_string(),
            spent: match &self.known.partition {
                Some(column) => format!("{spent} over all parts by {column} side by side"),
                None => spent.to_string(),
            },
            budget: self.known.budget.to_string(),
            approval: reservation.approval().map(|approval| approval.number),
            together,
            overrides: reservation.overrides().iter().map(named).collect(),
        })
    }

    /// Enters that the release was written.
    pub fn complete(&mut self, reservation: &Reservation, outcome: &Outcome) -> Result<(), Problem> {
        let number = reservation.entry().number;
        let completed = self.ledger.complete(reservation, outcome).map(|_| ()).or_else(|problem| {
            // Whoever else drew for this entry drew the same table: this is another copy of it.
            match self.ledger.entry_and_completion(number) {
                Ok((entry, Some(_))) => self.ledger.present(number, &entry.seal, outcome, &self.by).map(|_| ()),
                _ => Err(problem),
            }
        });
        completed.map_err(|problem| {
            Problem::system(format!(
                "the release is written to `{}` and holds, but the ledger could not be told: {}",
                outcome.folder, problem.message
            ))
            .hint(format!(
                "when the ledger can be reached again: congenial ledger recover --found '{}' --ledger '{}' (entry {number})",
                outcome.folder,
                self.ledger.address()
            ))
        })
    }
}
