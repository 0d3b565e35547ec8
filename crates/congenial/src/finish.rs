//! What was paid for, drawn and never completed is finished from what is kept: without the data,
//! and at no further loss.

use crate::options::Options;
use crate::present::outcome;
use crate::program;
use crate::released::Released;
use certify::{Derived, derive};
use declare::{Declaration, Problem};
use draw::{KeepingKey, Measurement};
use ledger::{Address, Entry, Event, Ledger, Outcome, Place, Print, Reservation, Unfinished};
use pay::{Current, Details, Identity, Keeping, KeptPlace, Payment, after_paying};
use plan::{Case, Plan, ReleaseMethod};
use prepare::{ColumnPrint, Quiet, kept_draw, kept_measurements, supported};
use project::MOST_CASES;
use publish::{
    Cells, ColumnKind, Contents, Field, FileWriter, Format, Making, RELEASE, STREAM_ABOVE, Signing, Workshop,
    find_order, new_folder, verify_folder,
};
use std::fs;
use std::path::{Path, PathBuf};

/// How a release that is kept is finished.
#[derive(Debug, Clone)]
pub struct Finishing {
    /// How it should look.
    pub options: Options,
    /// How many cases a search of the projection may tell apart; without a number as many as a
    /// release.
    pub cases: Option<u64>,
    /// The file of the draw, or the folder that has it, where it is not kept in the folder that the
    /// ledger names.
    pub from: Option<PathBuf>,
}

/// A release that was paid for and not completed, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoverable {
    /// The reservation.
    pub unfinished: Unfinished,
    /// What is left.
    pub state: KeptState,
}

/// What is left of a release that was not completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptState {
    /// It is being made at this moment.
    Busy,
    /// No draw is kept, and the entry fixes what is drawn: the same command makes it, with the
    /// data.
    Fixed,
    /// What was drawn is kept in this folder: it can be finished.
    Drawn(PathBuf),
    /// It was written to this folder, whole: it can be entered.
    Written(PathBuf),
    /// The entry, of an earlier version, does not fix what is drawn, and no draw is kept here.
    Lost,
}

/// The releases of a ledger that were paid for and not completed, of one dataset or of all, and
/// what is left of them here.
pub fn recoverable(address: &Address, dataset: Option<&str>) -> Result<Vec<Recoverable>, Problem> {
    let mut ledger = Ledger::open_to_read(address)?;
    let unfinished = ledger.unfinished(dataset)?;
    let recoverable = |unfinished: Unfinished| {
        let entry = ledger.entry_and_completion(unfinished.number)?.0;
        Ok(Recoverable { state: state_of(&entry, unfinished.place.as_ref()), unfinished })
    };
    unfinished.into_iter().map(recoverable).collect()
}

fn state_of(entry: &Entry, place: Option<&Place>) -> KeptState {
    let otherwise = if fixes_draw(entry) { KeptState::Fixed } else { KeptState::Lost };
    let Some(place) = place else { return otherwise };
    match Keeping::find(place) {
        KeptPlace::Missing => otherwise,
        KeptPlace::Busy => KeptState::Busy,
        KeptPlace::Drawn(keeping, _) => KeptState::Drawn(keeping.folder().to_path_buf()),
        KeptPlace::Left(keeping) => {
            let written = keeping.folder().join(RELEASE);
            match verify_folder(&written, STREAM_ABOVE, None) {
                Ok(_) => KeptState::Written(written),
                Err(_) => otherwise,
            }
        }
    }
}

/// Whether an entry says what is drawn for it, or nothing is.
fn fixes_draw(entry: &Entry) -> bool {
    let Event::Reserved { details, .. } = &entry.event else { return false };
    let Ok(details) = serde_json::from_str::<Details>(details) else { return false };
    details.seed.is_some() || {
        let declaration = Declaration::parse_alone(&details.spec, "entry");
        declaration.is_ok_and(|declaration| !ReleaseMethod::of(declaration.mechanism.method).draws)
    }
}

/// A draw that is kept, and all that its entry says about it.
struct KeptDraw {
    payment: Payment,
    reservation: Reservation,
    /// Where it is kept; `None` when its file was given.
    keeping: Option<Keeping>,
    draw: Vec<u8>,
    key: KeepingKey,
    declaration: Declaration,
    totals: Vec<Vec<i64>>,
    prints: Vec<Print>,
    columns: Vec<ColumnPrint>,
}

impl KeptDraw {
    fn open(address: &Address, number: u64, from: Option<&Path>, out: &Path, by: &str) -> Result<KeptDraw, Problem> {
        let mut ledger = Ledger::open(address)?;
        let entry: Entry = ledger.entry_and_completion(number)?.0;
        let Event::Reserved { details, place, prints, .. } = &entry.event else {
            return Err(Problem::bad(format!("entry {number} pays for nothing: it is `{}`", entry.event.kind()))
                .hint("`congenial ledger recover` lists what can be finished"));
        };
        let Some(place) = place else {
            return Err(Problem::refused(format!("entry {number} was made by an earlier version, which kept nothing")));
        };
        let (keeping, draw) = match (from, Keeping::find(place)) {
            (_, KeptPlace::Busy) => {
                return Err(Problem::refused(format!("the release of entry {number} is being made at this moment"))
                    .hint("wait for it, or end that process"));
            }
            (Some(path), _) => (None, Keeping::draw_in(path)?),
            (None, KeptPlace::Drawn(keeping, draw)) => (Some(keeping), draw),
            (None, found) => return Err(not_kept(&entry, place, &found)),
        };
        let token = place.token.clone();
        let Some(reservation) = ledger.resume(number, &token)? else {
            return Err(Problem::refused(format!("entry {number} is completed or was given up"))
                .hint("`congenial release` with the same spec and data hands a completed release back"));
        };
        let Details { spec, totals, shapes: columns, .. } = serde_json::from_str(details)
            .map_err(|_| Problem::refused(format!("entry {number} does not say what it paid for")))?;
        let Some(totals) = totals else {
            return Err(Problem::refused(format!("entry {number} has too many exact totals to be kept with it")).hint(
                "`congenial release` with the same spec and data goes on from the draw that is kept, and pays nothing",
            ));
        };
        let mut declaration = Declaration::parse_alone(&spec, &format!("entry {number}"))?;
        find_order(&mut declaration, out)?;
        let prints = prints.clone();
        let payment = Payment::of_entry(ledger, &entry, by)?;
        let key = payment.keeping_key(&reservation);
        Ok(KeptDraw { payment, reservation, keeping, draw, key, declaration, totals, prints, columns })
    }

    /// Plans and derives again what the release was planned as: functions of public values.
    fn follow(&self) -> Result<(Case, Plan, Derived), Problem> {
        let KeptDraw { declaration, totals, .. } = self;
        let case = Case::of(declaration.clone())?;
        let planned = case.plan(&case.analyse(totals)?)?;
        let plan = supported(planned, declaration.mechanism.max_delta.as_ref(), &Quiet)?;
        let derived = derive(&case, totals, &plan, &|_| {})?;
        Ok((case, plan, derived))
    }
}

/// Gives up a release that was paid for; says which entry that is. Nothing is paid back.
///
/// # Errors
/// Refused when it can still be finished, or is being made, and the caller does not say that this
/// is `known`.
pub fn give_up(address: &Address, entry: u64, reason: &str, known: bool, by: &str) -> Result<u64, Problem> {
    let mut ledger = Ledger::open(address)?;
    let paid = ledger.entry_and_completion(entry)?.0;
    let is_open = ledger.unfinished(None)?.iter().any(|open| open.number == entry);
    if let (Event::Reserved { place, .. }, true) = (&paid.event, is_open && !known) {
        let can = match state_of(&paid, place.as_ref()) {
            KeptState::Lost => None,
            KeptState::Busy => Some("is being made at this moment"),
            KeptState::Drawn(_) => Some("is drawn and kept: --finish makes it, without the data"),
            KeptState::Written(_) => Some("is written: --found enters it"),
            KeptState::Fixed => {
                Some("can be made: `congenial release` with the same spec and data does, and pays nothing")
            }
        };
        if let Some(can) = can {
            return Err(Problem::refused(format!("what entry {entry} paid for {can}"))
                .hint("to give it up all the same, and what it cost with it: --although-it-can-be-finished"));
        }
    }
    ledger.abandon(entry, reason, by)
}

/// No draw of an entry is here: where one may be, and who makes it otherwise.
fn not_kept(entry: &Entry, place: &Place, found: &KeptPlace) -> Problem {
    let (number, folder) = (entry.number, &place.folder);
    let message = match found {
        KeptPlace::Missing => {
            format!("no draw of entry {number} is here: it was being made in `{folder}`, which is gone")
        }
        _ => format!("no draw of entry {number} is kept in `{folder}`"),
    };
    let made = match fixes_draw(entry) {
        true => "`congenial release` with the same spec and data makes it: the same table, and nothing is paid",
        false => "an earlier version paid, and does not say what is drawn: a new draw needs --again, and pays",
    };
    Problem::refused(message).hint(format!(
        "{made}; if the folder was moved, --finish {number} --from FOLDER; if it was written, --found DIR"
    ))
}

/// Finishes a release from the draw that is kept: writes, certifies and verifies it, and enters it
/// in the ledger.
pub fn finish_release(
    address: &Address,
    entry: u64,
    folder: &Path,
    finishing: &Finishing,
    by: &str,
) -> Result<Released, Problem> {
    let folder = &new_folder(folder)?;
    let Finishing { options, cases, from } = finishing;
    let signing = options.sign.as_deref().map(Signing::read).transpose()?;
    let mut kept = KeptDraw::open(address, entry, from.as_deref(), folder, by)?;
    let (Case { declaration, domain, conditions, .. }, plan, derived) = &kept.follow()?;
    if plan.is_suppressed() {
        options.check_suppressed()?;
    }
    let outputs = declaration.output_rows(domain)?;
    let spread = options.check(domain, &outputs)?;
    let contents = Contents::new(domain, plan, conditions, None, outputs, options.format, spread)?;
    let identity = Identity::of(declaration);
    let (totals, prints, columns) = (&kept.totals, &kept.prints, &kept.columns);
    let current = Current { declaration, domain, totals, prints, columns };
    let together = kept.payment.together_of(entry, current, &|_| {})?;
    let making = Making {
        declaration,
        derived,
        contents: &contents,
        spec_sha256: &identity.spec,
        ledger: Some(kept.payment.spending(&kept.reservation, &plan.loss, together)?),
        signing: signing.as_ref(),
        stream_above: usize::MAX,
        program: program(),
        now: ledger::now,
    };
    let work = Workshop::new(folder)?;
    kept.payment.spending_now(Some(&kept.reservation), &plan.loss);
    if let Some(keeping) = &kept.keeping {
        kept.payment.kept_now(keeping.folder());
    }
    let written = kept_draw(plan, &derived.exactness, &kept.draw, &kept.key, cases.unwrap_or(MOST_CASES))
        .and_then(|drawn| making.write(drawn, &work.finished, &|_| {}));
    let (certificate, checks) = written.map_err(|problem| after_paying(problem, kept.payment.spent().as_ref()))?;
    let outcome = outcome(&certificate, &work.finished, folder)?;
    work.publish(folder)?;
    kept.payment.complete(&kept.reservation, &outcome)?;
    kept.payment.done_now();
    if let Some(keeping) = kept.keeping {
        keeping.remove();
    }
    Ok(Released { folder: folder.clone(), certificate, checks, left_out: Vec::new(), handed_back: None })
}

/// What a release of measurements wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedMeasurements {
    /// The folder.
    pub folder: PathBuf,
    /// How many there are.
    pub count: usize,
}

/// Releases the noisy measurements that an entry paid for as they are, where no projection ends
/// with a table.
///
/// They were paid for in full, so this loses nothing more (theorem G7). They are no table: noisy
/// sums contradict each other and the exact totals.
pub fn release_measurements(
    address: &Address,
    entry: u64,
    folder: &Path,
    from: Option<&Path>,
    by: &str,
) -> Result<ReleasedMeasurements, Problem> {
    let folder = &new_folder(folder)?;
    let mut kept = KeptDraw::open(address, entry, from, folder, by)?;
    let (Case { domain, conditions, .. }, plan, derived) = kept.follow()?;
    if !plan.is_projected() {
        return Err(Problem::refused(format!("entry {entry} is a table and has no measurements"))
            .hint("congenial ledger recover --finish ENTRY --out DIR finishes it"));
    }
    let measured = kept_measurements(&plan, &derived.exactness, &kept.draw, &kept.key)?;
    let described = |measurement| match measurement {
        Measurement::Cell(cell) => ("cells".to_string(), domain.describe(cell as usize)),
        Measurement::Sum { query, group } => {
            let grouping = &conditions.queries[query as usize].grouping;
            (grouping.label.clone(), grouping.names[group as usize].clone())
        }
    };
    let (queries, names): (Vec<String>, Vec<String>) = measured.measurements().into_iter().map(described).unzip();
    let work = Workshop::new(folder)?;
    let file = work.finished.join(MEASUREMENTS);
    let mut writer = FileWriter::create(&file, Format::CSV, &[])?;
    let fields = [
        Field::new("query", ColumnKind::Text),
        Field::new("sum", ColumnKind::Text),
        Field::new("noisy", ColumnKind::Integer),
    ];
    writer.begin("measurements", &fields)?;
    let most = writer.rows_at_once(fields.len());
    for ((queries, names), values) in queries.chunks(most).zip(names.chunks(most)).zip(measured.values().chunks(most)) {
        writer.put(&[Cells::Texts(queries), Cells::Texts(names), Cells::Integers(values)])?;
    }
    writer.finish()?;
    let paid = kept.reservation.entry();
    let page = format!(
        "{}\n\nNoisy measurements, one row each: `{MEASUREMENTS}`\n\n{}\n\nThese are the sums that the release of entry {} of the ledger of \
         `{}` (seal {}) measured, each with independent noise, and nothing else was drawn. They were not projected: they contradict each \
         other and the exact totals by their noise, and no certificate speaks of them as a table.\n",
        kept.declaration.title, derived.guarantee.statement, paid.number, paid.dataset, paid.seal,
    );
    let readme = work.finished.join(README);
    fs::write(&readme, page).map_err(|error| publish::cannot("write", &readme, error))?;
    let (number, seal) = (paid.number, paid.seal.clone());
    let told = Outcome {
        certificate: publish::hash(&readme)?,
        table: publish::hash(&file)?,
        folder: std::path::absolute(folder).unwrap_or_else(|_| folder.clone()).display().to_string(),
    };
    work.publish(folder)?;
    kept.payment.ledger.present(number, &seal, &told, by)?;
    Ok(ReleasedMeasurements { folder: folder.clone(), count: measured.values().len() })
}

/// The file of measurements.
const MEASUREMENTS: &str = "measurements.csv";
/// What they are.
const README: &str = "MEASUREMENTS-README.txt";
