//! A confidential release is paid for from its ledger, durably, before the first random bit is read.

use crate::files::cannot;
use crate::open::{Analysed, Opened, Prepared};
use crate::recognise::{Shape, prints_of, shapes_of};
use crate::statement;
use crate::steps::Hook;
use crate::together::{Current, Earlier};
use certify::{CertifiedOverride, DISCLOSURE, Derived, Spending, Together, part_of, sha256};
use declare::{Declaration, Kind, Problem};
use exact::SystemEntropy;
use ledger::{
    ANSWERS, Address, Answer, Charge, DatasetStatus, Entry, Event, Ledger, Outcome, Override, PARTITION, Print,
    Request, Reservation,
};
use plan::Loss;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The longest text that is kept with an entry; a release with more totals is kept without their values.
const LONGEST_DETAILS: usize = 3 << 20;

/// What is written to see whether a release will fit on the disk: so many bytes for a cell, and at most so many in all.
const BYTES_PER_CELL: u64 = 64;
const LARGEST_TRIAL: u64 = 256 << 20;

/// How a confidential release is paid for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paying {
    /// Who releases: the ledger keeps the name.
    pub by: Option<String>,
    /// Whether a new draw is wanted although the same release exists: it pays again.
    pub again: bool,
    /// Safeguards that are overridden, with the reason; entries of the ledger, and named on the certificate.
    pub overrides: Vec<Override>,
}

/// The safeguards that can be overridden.
pub const SAFEGUARDS: [&str; 3] = [DISCLOSURE, PARTITION, ANSWERS];

/// What is kept with an entry that pays: the public side of the release, for the analysis of later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Details {
    /// The canonical spec.
    pub(crate) spec: String,
    /// The totals of its invariants; absent when they are too many to be kept.
    pub(crate) totals: Option<Vec<Vec<i64>>>,
    /// What its columns count, whatever they are called; under the key of the ledger.
    #[serde(default)]
    pub(crate) shapes: Vec<Shape>,
}

/// What is kept with an entry that asks: what a second person must see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// The canonical spec.
    pub(crate) spec: String,
    /// What it means, in words.
    pub(crate) statement: String,
}

/// A result that depends on the exact totals of a confidential spec: that it is refused is an answer, and is counted.
pub(crate) fn answered<T>(payment: &mut Option<Payment>, result: Result<T, Problem>) -> Result<T, Problem> {
    result.map_err(|problem| match payment {
        Some(payment) => payment.count_answer(problem),
        None => problem,
    })
}

/// The ledger that a confidential release is paid from, and in whose name.
#[derive(Debug)]
pub(crate) struct Payment {
    ledger: Ledger,
    known: DatasetStatus,
    by: String,
    /// The second place of the ledger's head that the spec names.
    head: Option<PathBuf>,
    /// The hash of the canonical spec.
    spec_sha256: String,
    /// Why nothing more is answered about the data; somebody overrides that.
    exhausted: Option<Problem>,
}

/// What the ledger answered.
pub(crate) enum Paid {
    /// The loss is spent: draw.
    Now(Box<Reservation>),
    /// The same release exists.
    Before(ledger::Earlier),
    /// Another release was paid for meanwhile: nothing is spent, and there is more to look at.
    Meanwhile,
}

/// What was looked at before paying.
#[derive(Debug)]
pub(crate) struct Looked {
    /// The entry that paid last.
    last: u64,
    /// What the exact totals of all releases say together.
    together: Option<Together>,
    /// The safeguards that stand in the way and are overridden.
    overrides: Vec<Override>,
    /// The fingerprints of the data.
    prints: Vec<Print>,
    /// What its columns count.
    shapes: Vec<Shape>,
}

/// The right to draw: of public data, or of confidential data that were paid for.
#[derive(Debug)]
pub(crate) enum Right {
    /// The data are declared public, and no ledger that was asked knows better.
    Public,
    /// The loss is durably spent.
    Paid(Box<Reservation>),
}

impl Right {
    /// The first random bits: there are none before there is a right to draw.
    pub(crate) fn entropy(&self) -> SystemEntropy {
        SystemEntropy::new()
    }
}

impl Payment {
    /// Opens the ledger of a confidential spec; `None` when the data are declared public.
    pub(crate) fn open(opened: &Opened, paying: &Paying, hook: Option<&Hook>) -> Result<Option<Payment>, Problem> {
        if opened.declaration.data.public {
            return Ok(None);
        }
        let (mut ledger, dataset) = ledger_of(opened)?;
        let Some(known) = ledger.dataset(&dataset)? else {
            let address = ledger.address();
            return Err(Problem::refused(format!("the ledger `{address}` has no dataset `{dataset}`")).hint(format!(
                "open it with its total budget: congenial ledger open '{dataset}' --epsilon 1 --ledger '{address}'"
            )));
        };
        let by = paying.by.clone().ok_or_else(|| {
            Problem::bad("nobody is named who releases")
                .hint("give a name with --by, or in the environment variable CONGENIAL_USER")
        })?;
        if let Some(unknown) = paying.overrides.iter().find(|named| !SAFEGUARDS.contains(&named.safeguard.as_str())) {
            return Err(Problem::bad(format!("there is no safeguard `{}` to override", unknown.safeguard))
                .hint(format!("known: {}", SAFEGUARDS.join(", "))));
        }
        // What was answered too often is not answered once more: the data are not even read.
        let spec_sha256 = sha256(opened.declaration.to_toml().as_bytes());
        let exhausted = match ledger.check_answers(&dataset, &spec_sha256) {
            Ok(()) => None,
            Err(problem) if paying.overrides.iter().any(|named| named.safeguard == ANSWERS) => Some(problem),
            Err(problem) => return Err(problem),
        };
        if let Some(hook) = hook.cloned() {
            ledger.at_each_step(Box::new(move |step| hook(step)));
        }
        let head = second_head(opened)?;
        Ok(Some(Payment { ledger, known, by, head, spec_sha256, exhausted }))
    }

    /// Enters that a release was refused for what its exact totals say, before that is told: nothing paid for the answer.
    fn count_answer(&mut self, problem: Problem) -> Problem {
        if !matches!(problem.kind, Kind::Refused | Kind::Infeasible) {
            return problem;
        }
        let about = "whether a spec can be released";
        let overridden = self.exhausted.is_some();
        match self.ledger.answer(&self.known.name, &self.spec_sha256, about, &self.by, overridden) {
            Ok(_) => problem,
            Err(problem) => problem,
        }
    }

    /// Where the ledger is.
    pub(crate) fn address(&self) -> Address {
        self.ledger.address().clone()
    }

    /// The state of the dataset before anything was paid, and what a release would cost in its unit.
    pub(crate) fn offer(self, loss: &Loss) -> Result<(DatasetStatus, Charge), Problem> {
        let charge = Charge::of_in(loss, &self.known.budget.per)?;
        Ok((self.known, charge))
    }

    /// Looks at every release that the dataset has paid for: what their exact totals say together with those of this one.
    ///
    /// # Errors
    /// Refused when they confine sensitive cells, or are not shown to leave them open, and nobody overrides that; counted as
    /// an answer.
    pub(crate) fn look(
        &mut self,
        analysed: &Analysed,
        derived: &Derived,
        spec_sha256: &str,
        paying: &Paying,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Looked, Problem> {
        let looked = self.look_at(analysed, derived, spec_sha256, paying, searching);
        looked.map_err(|problem| self.count_answer(problem))
    }

    fn look_at(
        &mut self,
        analysed: &Analysed,
        derived: &Derived,
        spec_sha256: &str,
        paying: &Paying,
        searching: &(dyn Fn(u64) + Sync),
    ) -> Result<Looked, Problem> {
        let (prints, shapes) = (prints_of(&self.ledger, analysed)?, shapes_of(&self.ledger, analysed));
        let current = current(analysed, &prints, &shapes);
        let history = self.ledger.history(Some(&self.known.name))?;
        let earlier = Earlier::of(&history, current);
        let last = earlier.last;
        let is_this = |entry: &Entry| matches!(&entry.event, Event::Completed { spec, .. } if spec == spec_sha256);
        if !paying.again && history.iter().any(is_this) {
            // It will be handed back: its totals are out already.
            return Ok(Looked { last, together: None, overrides: Vec::new(), prints, shapes });
        }
        let mut together = None;
        let mut refused = derived.confined.clone();
        if !earlier.is_empty() {
            let joined = earlier.with(current, searching);
            refused = refused.or_else(|| earlier.confined(current, &joined));
            together = Some(earlier.stated(current, joined.as_ref(), searching));
        }
        let mut standing: Vec<_> = self.exhausted.iter().map(|problem| (ANSWERS, problem.clone())).collect();
        if let Some(problem) = refused {
            let also = "--override disclosure --because TEXT releases all the same, and the certificate names it";
            let hint = problem.hint.as_ref().map_or(also.to_string(), |hint| format!("{hint}; or {also}"));
            standing.push((DISCLOSURE, problem.hint(hint)));
        }
        if let Some(part) = self.part(&analysed.opened.declaration)
            && let Err(problem) = self.ledger.check_rows_of_part(&self.known.name, &part, &prints)
        {
            standing.push((PARTITION, problem));
        }
        // A safeguard that does not stand in the way is not overridden.
        let mut overrides = Vec::new();
        for (safeguard, problem) in standing {
            match paying.overrides.iter().find(|named| named.safeguard == safeguard) {
                Some(named) => overrides.push(named.clone()),
                None => return Err(problem),
            }
        }
        Ok(Looked { last, together, overrides, prints, shapes })
    }

    /// The part of the dataset that a spec alone uses.
    fn part(&self, declaration: &Declaration) -> Option<String> {
        self.known.partition.as_deref().and_then(|column| part_of(declaration, column))
    }

    /// Pays for a release, or finds that it exists.
    pub(crate) fn pay(
        &mut self,
        prepared: &Prepared,
        spec_sha256: &str,
        paying: &Paying,
        looked: &Looked,
    ) -> Result<Paid, Problem> {
        let request = self.request(prepared, spec_sha256, paying.again, looked)?;
        if let Some(head) = &self.head {
            self.ledger.keep_head(head, &self.by)?;
        }
        Ok(match self.ledger.reserve_after(&request, Some(looked.last))? {
            Answer::Reserved(reservation) => Paid::Now(reservation),
            Answer::Already(earlier) => Paid::Before(earlier),
            Answer::Newer(_) => Paid::Meanwhile,
        })
    }

    /// Asks a second person to approve a release; says which entry must be approved, and what it would cost.
    pub(crate) fn ask(
        &mut self,
        prepared: &Prepared,
        derived: &Derived,
        spec_sha256: &str,
        looked: &Looked,
    ) -> Result<(u64, Charge), Problem> {
        let mut request = self.request(prepared, spec_sha256, false, looked)?;
        let facts = statement::Facts {
            declaration: &prepared.opened().declaration,
            derived,
            cells: prepared.opened().domain.len(),
            together: looked.together.as_ref(),
            loss: &request.loss,
            left: &self.known,
            overrides: &looked.overrides,
            prints: &looked.prints,
        };
        let shown = Shown { spec: prepared.opened().declaration.to_toml(), statement: statement::statement(&facts) };
        request.details = serde_json::to_string(&shown)
            .map_err(|error| Problem::system(format!("cannot write to the ledger: {error}")))?;
        Ok((self.ledger.ask(&request)?, request.loss))
    }

    fn request(
        &self,
        prepared: &Prepared,
        spec_sha256: &str,
        again: bool,
        looked: &Looked,
    ) -> Result<Request, Problem> {
        let whole = Details {
            spec: prepared.opened().declaration.to_toml(),
            totals: Some(prepared.analysed.totals.clone()),
            shapes: looked.shapes.clone(),
        };
        let text = |details: &Details| {
            serde_json::to_string(details)
                .map_err(|error| Problem::system(format!("cannot write to the ledger: {error}")))
        };
        let mut details = text(&whole)?;
        if details.len() > LONGEST_DETAILS {
            details = text(&Details { totals: None, ..whole })?;
        }
        Ok(Request {
            dataset: self.known.name.clone(),
            spec: spec_sha256.to_string(),
            loss: Charge::of_in(&prepared.plan.loss, &self.known.budget.per)?,
            part: self.part(&prepared.opened().declaration),
            by: self.by.clone(),
            prints: looked.prints.clone(),
            again,
            overrides: looked.overrides.clone(),
            details,
        })
    }

    /// What the certificate says of a payment.
    pub(crate) fn spending(&self, reservation: &Reservation, loss: &Loss, looked: Looked) -> Result<Spending, Problem> {
        let entry = reservation.entry();
        let spent = entry.spent.clone().unwrap_or_else(|| self.known.budget.amount.clone());
        Ok(Spending {
            dataset: self.known.name.clone(),
            entry: entry.number,
            seal: entry.seal.clone(),
            charged: Charge::of_in(loss, &self.known.budget.per)?.to_string(),
            spent: {
                let spent = Charge { amount: spent, per: self.known.budget.per.clone() };
                match &self.known.partition {
                    Some(column) => format!("{spent} over all parts by {column} side by side"),
                    None => spent.to_string(),
                }
            },
            budget: self.known.budget.to_string(),
            approval: reservation.approval().map(|approval| approval.number),
            together: looked.together,
            overrides: reservation
                .overrides()
                .iter()
                .map(|named| CertifiedOverride {
                    entry: named.number,
                    safeguard: named.name.clone(),
                    reason: named.reason.clone(),
                })
                .collect(),
        })
    }

    /// Enters that the release was written.
    pub(crate) fn complete(&mut self, reservation: &Reservation, outcome: &Outcome) -> Result<(), Problem> {
        self.ledger.complete(reservation, outcome).map(|_| ()).map_err(|problem| {
            let number = reservation.entry().number;
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

/// A release that is about to be made from a dataset.
pub(crate) fn current<'a>(analysed: &'a Analysed, prints: &'a [Print], shapes: &'a [Shape]) -> Current<'a> {
    Current {
        declaration: &analysed.opened.declaration,
        domain: &analysed.opened.domain,
        totals: &analysed.totals,
        prints,
        shapes,
    }
}

/// The ledger that a confidential spec names, and its dataset.
pub(crate) fn ledger_of(opened: &Opened) -> Result<(Ledger, String), Problem> {
    let Some(budget) = &opened.declaration.budget else {
        return Err(Problem::refused("confidential data need a [budget]")
            .hint("add [budget] with dataset = \"…\" and ledger = \"sqlite:ledger.db\""));
    };
    let address = Address::parse(&budget.ledger)?.relative_to(&opened.folder);
    Ok((Ledger::open(&address)?, budget.dataset.clone()))
}

/// The second place of the ledger's head that a spec names, relative to the spec.
fn second_head(opened: &Opened) -> Result<Option<PathBuf>, Problem> {
    let Some(named) = opened.declaration.budget.as_ref().and_then(|budget| budget.head.as_ref()) else {
        return Ok(None);
    };
    let path = opened.folder.join(named);
    let absolute = std::path::absolute(&path).map_err(|error| cannot("use", &path, error))?;
    Ok(Some(absolute))
}

/// A problem after the loss was spent says so.
pub(crate) fn after_paying(problem: Problem, right: &Right) -> Problem {
    let Right::Paid(reservation) = right else { return problem };
    let number = reservation.entry().number;
    let also = format!(
        "the loss stays spent (entry {number}): `congenial ledger recover` lists it, and a new draw pays again"
    );
    let hint = match &problem.hint {
        Some(hint) => format!("{hint}; {also}"),
        None => also,
    };
    problem.hint(hint)
}

/// Checks, before anything is paid, that a release of so many cells can be written to a folder.
pub(crate) fn check_space(folder: &Path, cells: usize) -> Result<(), Problem> {
    let file = folder.join("trial");
    let full = |error: std::io::Error| {
        cannot("write", folder, error).hint("nothing was drawn or spent; make room, or choose another --out folder")
    };
    let mut left = ((1 << 20) + (cells as u64).saturating_mul(BYTES_PER_CELL)).min(LARGEST_TRIAL);
    let zeros = vec![0u8; 1 << 20];
    let mut written = std::fs::File::create(&file).map_err(full)?;
    while left > 0 {
        let portion = left.min(zeros.len() as u64);
        written.write_all(&zeros[..portion as usize]).map_err(full)?;
        left -= portion;
    }
    written.sync_all().map_err(full)?;
    drop(written);
    std::fs::remove_file(&file).map_err(full)
}
