//! Checks a release with no access to the data: hashes, invariants, and all that its certificate derives.

mod files;

use crate::VERSION;
use crate::files::{Format, cannot, column_names, hash, read_table};
use crate::intervals::Intervals;
use certify::{Certificate, Check, Restored, changed, restore};
use declare::{Domain, EarlierRelease, Problem};
use plan::Plan;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A release that holds.
#[derive(Debug)]
pub struct Verified {
    /// Its certificate.
    pub certificate: Certificate,
    /// What was checked.
    pub checks: Vec<Check>,
}

/// The largest certificate that is read.
const LARGEST_CERTIFICATE: u64 = 1 << 30;

/// Verifies the release in a folder.
pub fn verify(folder: &Path) -> Result<Verified, Problem> {
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not a folder", folder.display()))
            .hint("give the folder that `congenial release --out` wrote"));
    }
    verify_folder(folder)
}

/// A release as its files say it: the table is the one that was certified, and nothing else has been checked.
struct Found {
    certificate: Certificate,
    restored: Restored,
    format: Format,
    counts: Vec<i64>,
    /// How far the interval of every cell reaches, if the table has intervals.
    reach: Option<Vec<u32>>,
}

/// Reads the certificate of a release and its table, and checks that the table is the one that was certified.
fn read(folder: &Path) -> Result<Found, Problem> {
    let path = folder.join("certificate.json");
    let size = fs::metadata(&path).map_err(|error| cannot("read", &path, error))?.len();
    if size > LARGEST_CERTIFICATE {
        return Err(Problem::bad(format!("`{}` is too large to be a certificate", path.display())));
    }
    let text = fs::read_to_string(&path).map_err(|error| cannot("read", &path, error))?;
    let certificate: Certificate = serde_json::from_str(&text)
        .map_err(|error| Problem::bad(format!("`{}` is not a certificate: {error}", path.display())))?;
    let restored = restore(&certificate)?;
    let table = inside(folder, &certificate.table.file)?;
    if hash(&table)? != certificate.table.sha256 {
        let message = format!("`{}` is not the table that was certified: its hash differs", certificate.table.file);
        return Err(changed(message));
    }
    let columns = &certificate.table.columns;
    let intervals = *columns == column_names(&restored.domain, true);
    if !intervals && *columns != column_names(&restored.domain, false) {
        return Err(other_columns());
    }
    if certificate.time.parse::<jiff::Timestamp>().is_err() {
        return Err(changed(format!("`{}` in the certificate is not a time", certificate.time)));
    }
    let format = Format::of(&table)?;
    let mut counts = Vec::with_capacity(restored.domain.len());
    let mut reach: Option<Vec<u32>> = intervals.then(|| Vec::with_capacity(restored.domain.len()));
    read_table(&table, format, &restored.domain, intervals, &mut |portion| {
        if let (Some(reach), Some([lower, upper])) = (&mut reach, portion.interval) {
            for ((value, lower), upper) in portion.values.iter().zip(lower).zip(upper) {
                let below = value.checked_sub(*lower).and_then(|below| u32::try_from(below).ok());
                match below.filter(|below| upper.checked_sub(*value) == Some(i64::from(*below))) {
                    Some(below) => reach.push(below),
                    None => return Err(other_interval(&restored.domain, reach.len())),
                }
            }
        }
        counts.extend_from_slice(portion.values);
        Ok(())
    })?;
    Ok(Found { certificate, restored, format, counts, reach })
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
/// Its certificate may come from an earlier version of this program, so what it derives is not derived again.
pub(crate) fn earlier(folder: &Path) -> Result<EarlierRelease, Problem> {
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not the folder of a release", folder.display()))
            .hint("`from` names a folder that `congenial release --out` wrote, relative to the spec"));
    }
    let Found { restored, counts, .. } = read(folder)?;
    Ok(EarlierRelease { declaration: restored.declaration, counts })
}

pub(crate) fn verify_folder(folder: &Path) -> Result<Verified, Problem> {
    let found = read(folder)?;
    let Found { certificate, restored, counts, .. } = &found;
    let mut checks = vec![Check {
        what: "table".into(),
        found: format!("hash holds, {} cells in the declared order", counts.len()),
    }];
    let (derived, plan) = certify::verify(certificate, restored, counts)?;
    checks.extend(derived);
    checks.extend(check_intervals(&found, &plan)?);
    checks.extend(files::check(folder, &found, &plan)?);
    checks.push(check_report(folder, certificate, restored, counts)?);
    Ok(Verified { certificate: found.certificate, checks })
}

/// Intervals follow from the plan: they are there exactly when the law of the noise is public, and are computed again.
fn check_intervals(found: &Found, plan: &Plan) -> Result<Option<Check>, Problem> {
    let Found { certificate, restored, reach, .. } = found;
    let expected = Intervals::of(plan);
    match (reach, expected) {
        (Some(reach), Ok(expected)) => {
            let other = reach.iter().enumerate().find(|(cell, reach)| i64::from(**reach) != expected.reach(*cell));
            if let Some((cell, _)) = other {
                return Err(other_interval(&restored.domain, cell));
            }
            let found = format!("lower90 and upper90 follow from the noise law in all {} cells", reach.len());
            Ok(Some(Check { what: "intervals".into(), found }))
        }
        (Some(_), Err(_)) => Err(other_columns()),
        // Tables of earlier versions, whose certificates list no files, had no intervals.
        (None, Ok(_)) if !certificate.files.is_empty() && certificate.program.version == VERSION => {
            Err(other_columns())
        }
        (None, _) => Ok(None),
    }
}

/// The report is a function of certificate and table: it is made again and compared, unless another version made it.
fn check_report(
    folder: &Path,
    certificate: &Certificate,
    restored: &Restored,
    counts: &[i64],
) -> Result<Check, Problem> {
    let path = folder.join("report.html");
    let found = fs::read_to_string(&path).map_err(|error| cannot("read", &path, error))?;
    let what = "report".to_string();
    if certificate.program.version != VERSION {
        let found = format!("made by version {}, so not compared", certificate.program.version);
        return Ok(Check { what, found });
    }
    let page = report::html(&report::Release { certificate, domain: &restored.domain, values: counts });
    if found != page {
        return Err(changed("`report.html` is not the report of this certificate and table"));
    }
    Ok(Check { what, found: "is exactly what the certificate and the table give".to_string() })
}
