//! Checks a release with no access to the data: hashes, invariants, and all that its certificate
//! derives.

mod counts;
mod files;
mod stated;
mod totals;

use crate::files::{Format, column_names, hash, hash_within, largest_file, parent_of, read_within};
use crate::folder::{CERTIFICATE_FILE, REPORT_FILE};
use crate::intervals::Intervals;
use crate::signature;
use crate::suppressed::COLUMNS;
use certify::{Certificate, Check, Spending, changed, differs, read_certificate, restore};
use counts::counts;
use declare::{Declaration, Domain, EarlierRelease, Fold, Kind, Outside, Problem, believe};
use loss::{Charge, Unit};
use plan::{Case, Plan};
use report::{Figures, Known};
use stated::stated;
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};
use tabulate::public_table;

/// A release that holds.
#[derive(Debug)]
pub struct Verified {
    /// Its certificate.
    pub certificate: Certificate,
    /// What was checked.
    pub checks: Vec<Check>,
    /// What its ledger was charged, where it was.
    pub charged: Option<Charge>,
    /// What no reader can check: the word of whoever made the certificate. A signature vouches for
    /// it, and nothing else does.
    pub stated: Vec<Check>,
}

/// A table of more combinations of values is streamed, if it can be.
pub const STREAM_ABOVE: usize = 1 << 24;

/// The largest certificate that is read: one of a million totals has about a tenth.
const LARGEST_CERTIFICATE: u64 = 1 << 30;

/// How a release is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyOptions {
    /// The public key, a PEM file, of the secret one that must have signed the certificate.
    pub key: Option<PathBuf>,
    /// A table of more combinations of values is not held in memory, if its totals allow that.
    pub stream_above: usize,
}

impl Default for VerifyOptions {
    fn default() -> VerifyOptions {
        VerifyOptions { key: None, stream_above: STREAM_ABOVE }
    }
}

impl VerifyOptions {
    /// The certificate must be signed with the secret key of this public one, if there is one.
    pub fn signed_by(key: Option<&Path>) -> VerifyOptions {
        VerifyOptions { key: key.map(Path::to_path_buf), ..VerifyOptions::default() }
    }
}

/// Verifies the release in a folder, with no access to the data.
pub fn verify(folder: &Path, options: &VerifyOptions) -> Result<Verified, Problem> {
    verify_folder(folder, options.stream_above, options.key.as_deref())
}

fn check_is_folder(folder: &Path) -> Result<(), Problem> {
    let wrong = |what: &str| {
        Err(Problem::bad(format!("`{}` {what}", folder.display()))
            .hint("give the folder that `congenial release --out` wrote"))
    };
    match (folder.is_dir(), folder.join(CERTIFICATE_FILE).symlink_metadata().is_ok()) {
        (false, _) => wrong("is not a folder"),
        (true, false) => wrong("is not the folder of a release: it has no certificate.json"),
        (true, true) => Ok(()),
    }
}

/// A release as its certificate says it: the table has the hash that was certified, and nothing
/// else has been checked.
struct CertifiedFolder {
    certificate: Certificate,
    /// The certificate as it is written.
    text: String,
    restored: Case,
    table: PathBuf,
    format: Format,
    /// Whether the table has intervals.
    intervals: bool,
    /// Whether there is no table of counts, only totals.
    suppressed: bool,
}

/// The table of a release, if its bytes are those that were certified, and what its certificate
/// declares.
pub fn certified_table(folder: &Path) -> Result<(PathBuf, Case), Problem> {
    check_is_folder(folder)?;
    let CertifiedFolder { table, restored, .. } = read(folder, STREAM_ABOVE)?;
    Ok((table, restored))
}

/// Whether a certificate says that it is of another kind of release.
fn is_of_no_table(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.get("kind").is_some())
}

/// Reads the certificate of a release, and checks that its table is the one that was certified.
fn read(folder: &Path, stream_above: usize) -> Result<CertifiedFolder, Problem> {
    let path = folder.join(CERTIFICATE_FILE);
    let no_certificate =
        |error: &dyn Display| Problem::bad(format!("`{}` is not a certificate: {error}", path.display()));
    let text = String::from_utf8(read_within(&path, LARGEST_CERTIFICATE)?).map_err(|error| no_certificate(&error))?;
    let certificate = read_certificate(&text).map_err(|problem| match problem.kind {
        Kind::Bad if is_of_no_table(&text) => {
            let message =
                format!("`{}` is the release of a regression or a selection, not of a table", folder.display());
            Problem::bad(message)
                .hint("`congenial verify` reads it; `infer`, `export`, `retitle` and `sign` are for tables")
        }
        Kind::Bad => no_certificate(&problem.message),
        _ => problem,
    })?;
    let table = inside(folder, &certificate.table.file)?;
    // Wide tables and workbooks are made of whole tables.
    let streams = certificate.table.wide.is_none() && Format::of(&table).is_ok_and(|format| !format.is_workbook());
    let restored = restore(&certificate, if streams { stream_above } else { usize::MAX })?;
    if hash_within(&table, largest_file(&restored.domain))? != certificate.table.sha256 {
        let message = format!("`{}` is not the table that was certified: its hash differs", certificate.table.file);
        return Err(changed(message));
    }
    let columns = &certificate.table.columns;
    let suppressed = !restored.method().draws;
    let intervals = !suppressed && *columns == column_names(&restored.domain, true);
    let plain = if suppressed { COLUMNS.map(str::to_string).into() } else { column_names(&restored.domain, false) };
    if !intervals && *columns != plain {
        return Err(other_columns());
    }
    check_time(&certificate.time)?;
    let is_identity = |draw: &String| draw.len() == 32 && draw.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    if !certificate.draw.as_ref().is_none_or(is_identity) {
        return Err(changed("the identity of the draw in the certificate is not 32 hexadecimal digits"));
    }
    let format = Format::of(&table)?;
    Ok(CertifiedFolder { certificate, text, restored, table, format, intervals, suppressed })
}

/// Checks that what a certificate says is a time.
pub fn check_time(time: &str) -> Result<(), Problem> {
    match time.parse::<jiff::Timestamp>() {
        Ok(_) => Ok(()),
        Err(_) => Err(changed(format!("`{time}` in the certificate is not a time"))),
    }
}

/// The names of all files that the certificate in a folder vouches for, and of those that every
/// release has.
pub fn certified_files(folder: &Path) -> Result<Vec<String>, Problem> {
    let certificate = read(folder, STREAM_ABOVE)?.certificate;
    let mut names = vec![CERTIFICATE_FILE.to_string(), REPORT_FILE.to_string(), certificate.table.file.clone()];
    names.extend(certificate.signed_by.iter().map(|_| signature::SIGNATURE_FILE.to_string()));
    for listed in certificate.files {
        inside(folder, &listed.file)?;
        names.push(listed.file);
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// A file of the folder, by its name in the certificate.
fn inside(folder: &Path, name: &str) -> Result<PathBuf, Problem> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Ok(folder.join(name)),
        _ => Err(Problem::bad(format!("the certificate names a file outside its folder: `{name}`"))),
    }
}

fn other_columns() -> Problem {
    changed("the certificate lists other columns than the table of its spec has")
}

fn other_interval(domain: &Domain, cell: usize) -> Problem {
    let cell = domain.describe(cell);
    changed(format!("the interval of the cell `{cell}` is not the one that the noise law gives"))
}

/// The release in a folder as a spec reads it that keeps some of its numbers (`from`).
///
/// Its certificate may come from an earlier version of this program, so what it derives is not
/// derived again.
pub fn earlier(folder: &Path) -> Result<EarlierRelease, Problem> {
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not the folder of a release", folder.display()))
            .hint("`from` names a folder that `congenial release --out` wrote, relative to the spec"));
    }
    let found = read(folder, usize::MAX)?;
    if found.suppressed {
        return Err(Problem::refused(format!(
            "the release in `{}` has no counts: only totals were published",
            folder.display()
        ))
        .hint("pin to published numbers instead: values = \"FILE\", with a column for every dimension of `by`"));
    }
    let counts = counts(&found)?.counts;
    Ok(EarlierRelease { declaration: found.restored.declaration, counts })
}

/// Verifies the release in a folder; with a key, that it is signed with it.
pub fn verify_folder(folder: &Path, stream_above: usize, key: Option<&Path>) -> Result<Verified, Problem> {
    verify_parts(folder, stream_above, key).map(|(verified, _)| verified)
}

/// What a verified release is made of: its spec restored, the plan that follows, and its counts.
pub struct VerifiedParts {
    /// Its spec, and what follows from it alone.
    pub restored: Case,
    /// The plan.
    pub plan: Plan,
    /// Its counts, or of a folded table those of the small one; none where totals alone are
    /// published.
    pub counts: Vec<i64>,
}

/// Verifies the release in a folder, and hands on the parts that were verified.
pub fn verify_parts(
    folder: &Path,
    stream_above: usize,
    key: Option<&Path>,
) -> Result<(Verified, VerifiedParts), Problem> {
    check_is_folder(folder)?;
    let mut found = read(folder, stream_above)?;
    // What is signed is the certificate as it is: whoever changed it is found here, before the
    // reasons of anything else.
    let signed = signature::check(folder, found.certificate.signed_by.as_ref(), found.text.as_bytes(), key)?;
    let by_hash = knows_order_by_hash(&found.restored.declaration);
    find_order(&mut found.restored.declaration, folder)?;
    if found.suppressed {
        let (checks, plan) = totals::check(folder, &found)?;
        let checks = checks.into_iter().chain([signed]).collect();
        let stated = stated(&found.certificate, found.restored.declaration.mechanism.order.as_ref());
        let parts = VerifiedParts { restored: found.restored, plan, counts: Vec::new() };
        return Ok((Verified { certificate: found.certificate, checks, charged: None, stated }, parts));
    }
    let CertifiedFolder { certificate, restored, .. } = &found;
    let table = counts(&found)?;
    let cells = restored.domain.len();
    let mut checks =
        vec![Check { what: "table".into(), found: format!("hash holds, {cells} cells in the declared order") }];
    let (derived, plan) = certify::verify(certificate, restored, &table.counts)?;
    checks.extend(derived);
    let (charged, payment) = check_spending(certificate, &plan)?.unzip();
    checks.extend(payment);
    let intervals = check_intervals(&found, table.reach.as_deref(), &plan);
    checks.extend(intervals.map_err(|problem| if by_hash { of_declared_order(&problem) } else { problem })?);
    let (listed, known) = files::check(folder, &found, &table, &plan)?;
    checks.push(listed);
    checks.push(check_report(folder, certificate, restored, &table.gathered.figures, &known)?);
    checks.push(signed);
    let counts = table.counts;
    let stated = stated(&found.certificate, found.restored.declaration.mechanism.order.as_ref());
    let verified = Verified { stated, certificate: found.certificate, checks, charged };
    Ok((verified, VerifiedParts { restored: found.restored, plan, counts }))
}

/// Whether a spec has no more than the hash of the file that orders its cells.
fn knows_order_by_hash(declaration: &Declaration) -> bool {
    declaration.mechanism.order.as_ref().is_some_and(|order| !order.is_at_hand())
}

/// Looks for the file that orders the cells, where a spec has its hash alone: at its path in this
/// folder, or beside a release.
///
/// # Errors
/// Refused where no such file has the hash: another order is another law.
pub fn find_order(declaration: &mut Declaration, release: &Path) -> Result<(), Problem> {
    let Some(order) = declaration.mechanism.order.as_mut().filter(|order| !order.is_at_hand()) else { return Ok(()) };
    let problem = order.missing();
    let (path, sha256) = (PathBuf::from(&order.path), order.sha256.clone());
    // A stranger's certificate names no file elsewhere, and nothing is opened but files.
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(problem);
    }
    let text = declaration.to_toml();
    let outside = Outside { earlier: &earlier, tables: &public_table, check_public: &believe };
    let read = |folder: &Path| Declaration::parse_with(&text, "certificate.json (spec)", folder, outside).ok();
    let is_it = |folder: &&Path| {
        let file = folder.join(&path);
        file.metadata().is_ok_and(|found| found.is_file() && found.len() <= declare::LARGEST_FILE)
            && hash(&file).is_ok_and(|found| found == sha256)
    };
    let folders = [Path::new(""), parent_of(release)].into_iter().filter(is_it);
    let found = folders.filter_map(|folder| read(folder)?.mechanism.order).next();
    declaration.mechanism.order = Some(found.ok_or(problem)?);
    Ok(())
}

/// The problem of intervals that an earlier version took from another law.
fn of_declared_order(problem: &Problem) -> Problem {
    Problem::refused(format!(
        "{}: versions up to 0.3.0 finished releases whose cells a public table orders with the intervals of the declared order",
        problem.message
    ))
    .hint("do not use lower90 and upper90 of this release; its counts were drawn from the law that it states")
}

/// What a release can be charged: its loss in the unit of its budget, its own or one that it
/// bounds.
fn charges(plan: &Plan) -> impl Iterator<Item = Charge> + '_ {
    let owner = plan.loss.owner.as_ref().map(|owner| Unit::Owner(owner.column.clone()));
    let units = [Unit::Record, Unit::L1, Unit::L2].into_iter().chain(owner);
    units.filter_map(|unit| Charge::of_in(&plan.loss, &unit).ok())
}

/// What was charged is the loss that the plan states.
fn check_spending(certificate: &Certificate, plan: &Plan) -> Result<Option<(Charge, Check)>, Problem> {
    let Some(Spending { charged, entry, dataset, .. }) = &certificate.ledger else { return Ok(None) };
    let Some(charge) = charges(plan).find(|charge| charge.to_string() == *charged) else {
        let costs = Charge::of(&plan.loss)?;
        let message = format!("the ledger entry in the certificate charges {charged}, the release costs {costs}");
        return Err(changed(message));
    };
    let found = format!("entry {entry} of the ledger of `{dataset}` paid {charged}; with --ledger it is looked up");
    Ok(Some((charge, Check { what: "payment".into(), found })))
}

/// Intervals follow from the plan: they are there exactly when the law of the noise is public, and
/// are computed again.
fn check_intervals(found: &CertifiedFolder, reach: Option<&[u32]>, plan: &Plan) -> Result<Option<Check>, Problem> {
    let CertifiedFolder { certificate, restored, .. } = found;
    let expected = Intervals::of(plan, &restored.conditions, restored.fold.as_ref());
    match (reach, expected) {
        (Some(reach), Ok(expected)) => {
            let each = restored.fold.as_ref().map_or(1, Fold::each);
            let first = |place: usize| place * each;
            let mut places = reach.iter().enumerate();
            if let Some((place, _)) = places.find(|(place, reach)| i64::from(**reach) != expected.reach(first(*place)))
            {
                return Err(other_interval(&restored.domain, first(place)));
            }
            let cells = restored.domain.len();
            let by_rank = match expected.draws() {
                Some(draws) => format!(", by rank among {draws} draws of a fixed seed"),
                None => String::new(),
            };
            let found = format!("lower90 and upper90 follow from the noise law in all {cells} cells{by_rank}");
            Ok(Some(Check { what: "intervals".into(), found }))
        }
        (Some(_), Err(_)) | (None, Ok(_)) => Err(differs(
            certificate,
            "the table has an interval for every cell where its spec gives none, or none where it gives one",
        )),
        (None, Err(_)) => Ok(None),
    }
}

/// The report has the hash that was certified, and is made again of certificate and table and
/// compared.
fn check_report(
    folder: &Path,
    certificate: &Certificate,
    restored: &Case,
    figures: &Figures<'_>,
    known: &Known,
) -> Result<Check, Problem> {
    let path = folder.join(REPORT_FILE);
    let page = report::html(&report::Release { certificate, domain: &restored.domain, figures, known });
    // What is much larger than the page is not even read.
    if hash_within(&path, 2 * page.len() as u64 + (1 << 20))? != certificate.report_sha256 {
        return Err(changed(format!("`{REPORT_FILE}` is not the report that was certified: its hash differs")));
    }
    if certify::sha256(page.as_bytes()) != certificate.report_sha256 {
        return Err(differs(certificate, format!("`{REPORT_FILE}` is not the report of this certificate and table")));
    }
    let found = "hash holds, and it is exactly what the certificate and the table give".to_string();
    Ok(Check { what: "report".to_string(), found })
}
