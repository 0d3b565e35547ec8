//! The main job: a certified release, written atomically and verified before it is handed over.

use crate::buying::{Bought, Buying, Purchase};
use crate::options::Options;
use crate::present::{Wanted, outcome};
use crate::program;
use crate::released::Released;
use crate::watched::Watched;
use certify::{Certificate, derive};
use declare::{Kind, Problem};
use draft::demonstration;
use exact::attention::{stoppable, undisturbed};
use ledger::Reservation;
use pay::{Identity, Keeping, Payment, Right, after_paying, answered, answered_of_totals};
use plan::Case;
use prepare::{Given, Prepared, Progress, Quiet, check_not_its_own_order, check_order, kept_draw};
use project::MOST_CASES;
use publish::{
    Contents, Made, Making, Signing, Visit, Workshop, check_folder, occupied, plain_name, private_folder, steps,
};
use std::path::Path;
use tabulate::survived;

/// Draws a release of the table that a spec declares and writes it to `folder`: its tables, what
/// readers must know about them, the certificate and the report.
///
/// Everything is written to a temporary folder beside it and read back and verified there; only
/// then does the folder appear under its name. On failure nothing is left behind but folders that
/// had to be made above it, and what was paid for.
///
/// The loss of confidential data is spent from their ledger, durably, before the first random bit
/// is read. A release that exists is handed back instead, and one that another process makes is
/// waited for.
///
/// # Errors
/// Also when it was stopped. Before it is paid for, that costs nothing; after that the entry is an
/// unfinished one, as after any other failure, and the problem says so.
///
/// ```
/// use congenial::{Format, Quiet, VerifyOptions, release, start, verify};
///
/// let folder = tempfile::tempdir().unwrap();
/// let spec = start(&folder.path().join("spec"))?;
/// let released = release(&spec, &folder.path().join("release"), Format::CSV, &Quiet)?;
/// let verified = verify(&released.folder, &VerifyOptions::default())?;
/// assert_eq!(verified.certificate.title, released.certificate.title);
/// # Ok::<(), congenial::Problem>(())
/// ```
pub fn release(
    spec: impl Into<Given>,
    folder: &Path,
    options: impl Into<Options>,
    progress: &dyn Progress,
) -> Result<Released, Problem> {
    let (given, options) = (spec.into(), options.into());
    stoppable(|| release_watched(&given, folder, options, &Watched::new(progress))).unwrap_or_else(|| Err(stopped()))
}

/// Releases a public table that is built in into a folder: nothing to configure.
pub fn demo(folder: &Path, options: impl Into<Options>) -> Result<Released, Problem> {
    let work = private_folder("congenial-demo-", &std::env::temp_dir())?;
    let spec = demonstration(work.path())?;
    release(&spec, folder, options, &Quiet)
}

fn release_watched(
    given: &Given,
    folder: &Path,
    options: Options,
    watching: &Watched<'_>,
) -> Result<Released, Problem> {
    let (folder, stream_above) = (&plain_name(folder), options.stream_above);
    let taken = check_folder(folder)?;
    let signing = options.sign.as_deref().map(Signing::read).transpose()?;
    let opened = given.open(if options.streams() { stream_above } else { usize::MAX })?;
    if taken && opened.declaration.data.public {
        return Err(occupied(folder));
    }
    let outputs = opened.declaration.output_rows(&opened.domain)?;
    let spread = options.check(&opened.domain, &outputs)?;
    if !opened.method().draws {
        options.check_suppressed()?;
    }
    let mut payment = Payment::open(&opened, &options.paying, watching.steps.as_ref())?;
    watching.reached(steps::OPENED);
    let loaded = match &mut payment {
        None => opened.load(watching.progress)?,
        Some(payment) => payment.load(opened, &options.paying, watching.progress)?,
    };
    let analysed = answered(&mut payment, loaded.analyse())?;
    check_order(&analysed)?;
    answered(&mut payment, check_not_its_own_order(&analysed))?;
    watching.reached(steps::ANALYSED);
    let prepared = analysed.plan().and_then(|prepared| prepared.supported(watching.progress));
    let prepared = answered(&mut payment, prepared)?;
    let Case { declaration, domain, conditions, fold, .. } = &prepared.opened().case;
    let totals = &prepared.analysed.totals;
    let derived = derive(&prepared.opened().case, totals, &prepared.plan, &watching.searching());
    let derived = answered_of_totals(&mut payment, derived)?;
    if let (None, Some(problem)) = (&payment, &derived.confined) {
        return Err(problem.clone());
    }
    let contents = Contents::new(domain, &prepared.plan, conditions, fold.as_ref(), outputs, options.format, spread)?;
    let identity = Identity::of(declaration);
    let wanted = Wanted { declaration, format: options.format, spread, signing: signing.as_ref(), stream_above };
    let mut making = Making {
        declaration,
        derived: &derived,
        contents: &contents,
        spec_sha256: &identity.spec,
        ledger: None,
        signing: signing.as_ref(),
        stream_above,
        program: program(),
        now: ledger::now,
    };
    let left_out = prepared.analysed.left_out();
    let Some(payment) = &mut payment else {
        prepared.check_memory()?;
        let work = Workshop::new(folder)?;
        watching.reached(steps::PREPARED);
        let (certificate, checks) = draw_public(&making, &prepared, &work.finished, watching)?;
        work.publish(folder)?;
        return Ok(Released { folder: folder.clone(), certificate, checks, left_out, handed_back: None });
    };
    let paying =
        Buying { prepared: &prepared, derived: &derived, identity: &identity, wanted: &wanted, contents: &contents };
    // Whoever wants it to stop is heard at the steps of buying alone: nobody is left in doubt
    // whether it was paid for.
    let whole = undisturbed();
    let bought = match paying.buy(payment, folder, taken, &options.paying, watching)? {
        Purchase::HandedBack(released) => return Ok(Released { left_out, ..*released }),
        Purchase::Bought(bought) => *bought,
    };
    let Bought { reservation, keeping, draw, mut work, together } = bought;
    making.ledger = Some(payment.spending(&reservation, &prepared.plan.loss, together)?);
    payment.spending_now(Some(&reservation), &prepared.plan.loss);
    if work.is(keeping.folder()) {
        work.keep();
    }
    if draw.is_some() {
        payment.kept_now(keeping.folder());
    }
    let reservation = &*reservation;
    let drawn = Drawing { making: &making, prepared: &prepared, reservation, keeping: &keeping, draw };
    drop(whole);
    let made = stoppable(|| survived(|| drawn.make(payment, &work.finished, watching)));
    let made = made.map_or_else(|| Err(stopped()), |made| made.unwrap_or_else(|| Err(library_stopped())));
    let _whole = undisturbed();
    let (certificate, checks) = made.map_err(|problem| after_paying(problem, payment.spent().as_ref()))?;
    let given = outcome(&certificate, &work.finished, folder).and_then(|outcome| {
        work.publish(folder)?;
        Ok(outcome)
    });
    let outcome = match given {
        Ok(outcome) => outcome,
        Err(problem) => return Err(kept_unnamed(problem, payment, reservation, keeping, work, folder, &certificate)),
    };
    watching.reached(steps::PUBLISHED);
    payment.complete(reservation, &outcome)?;
    payment.done_now();
    watching.reached(steps::COMPLETED);
    keeping.remove();
    drop(work);
    Ok(Released { folder: folder.clone(), certificate, checks, left_out, handed_back: None })
}

/// The problem of work that was stopped before anything was spent.
fn stopped() -> Problem {
    Problem::system("stopped, as was asked").hint("nothing was written")
}

fn library_stopped() -> Problem {
    Problem::system("a library stopped while the release was being made")
        .hint("please report the line above; it holds nothing of your data")
}

/// Draws public data: nothing is paid, and nothing need be kept.
fn draw_public(
    making: &Making<'_>,
    prepared: &Prepared,
    finished: &Path,
    watching: &Watched<'_>,
) -> Result<Made, Problem> {
    let reached = |step: &'static str| watching.reached(step);
    if prepared.plan.is_suppressed() {
        return making.write_suppressed(finished, &reached);
    }
    let source = Right::public(prepared.opened().declaration.data.public)?.entropy();
    if prepared.opened().is_streamed() {
        return making.write_streamed(|visit| prepared.stream(&source, &watching.drawing(), visit), finished, &reached);
    }
    let drawn = prepared.draw(&source, &watching.drawing())?;
    reached(steps::DRAWN);
    making.write(drawn, finished, &reached)
}

/// What is drawn of confidential data, once that is paid for.
struct Drawing<'a> {
    making: &'a Making<'a>,
    prepared: &'a Prepared,
    reservation: &'a Reservation,
    keeping: &'a Keeping,
    /// A draw that was kept before.
    draw: Option<Vec<u8>>,
}

impl Drawing<'_> {
    /// Draws, or takes what was drawn before; keeps it, writes it, and verifies what was written.
    fn make(&self, payment: &Payment, finished: &Path, watching: &Watched<'_>) -> Result<Made, Problem> {
        let Drawing { making, prepared, reservation, keeping, draw } = self;
        let reached = |step: &'static str| watching.reached(step);
        if prepared.plan.is_suppressed() {
            return making.write_suppressed(finished, &reached);
        }
        let key = payment.keeping_key(reservation);
        if let Some(draw) = draw {
            match kept_draw(&prepared.plan, &making.derived.exactness, draw, &key, MOST_CASES) {
                // What somebody has changed is no draw; the entry has the right one.
                Err(problem) if problem.kind == Kind::Bad => {}
                drawn => return making.write(drawn?, finished, &reached),
            }
        }
        let seed = payment.seed(reservation, prepared)?;
        reached(steps::BEGUN);
        let source = Right::paid(reservation, seed).entropy();
        if prepared.opened().is_streamed() {
            let stream = |visit: &mut Visit<'_>| prepared.stream(&source, &watching.drawing(), visit);
            return making.write_streamed(stream, finished, &reached);
        }
        let others = payment.other_folders();
        let drawn = prepared.draw_kept(&source, &watching.drawing(), &key, &mut |draw| {
            reached(steps::DRAWN);
            // Where no folder takes it the release is written all the same: it may well succeed.
            if let Ok(kept) = keeping.keep(draw, reservation.entry().number, &others) {
                payment.kept_now(&kept);
            }
            reached(steps::KEPT);
        })?;
        making.write(drawn, finished, &reached)
    }
}

/// A release that is finished and cannot be given its name stays where it was made, and the ledger
/// is told so.
fn kept_unnamed(
    problem: Problem,
    payment: &mut Payment,
    reservation: &Reservation,
    keeping: Keeping,
    mut work: Workshop,
    folder: &Path,
    certificate: &Certificate,
) -> Problem {
    work.keep();
    let kept = work.finished.clone();
    let told = outcome(certificate, &kept, &kept).and_then(|outcome| payment.complete(reservation, &outcome));
    let number = reservation.entry().number;
    let message = format!(
        "the release is made and holds (entry {number}), but cannot be given the name `{}`: {}",
        folder.display(),
        problem.message
    );
    if let Err(untold) = told {
        return after_paying(Problem::system(format!("{message}; {}", untold.message)), payment.spent().as_ref());
    }
    payment.done_now();
    keeping.completed_in(&kept);
    Problem::system(message).hint(format!(
        "it is kept in `{}`, and the ledger knows: copy it from there, or give the same command another --out, which hands it back at no further loss",
        kept.display()
    ))
}
