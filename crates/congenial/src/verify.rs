//! Checks a release with no access to the data: hashes, invariants, and all that its certificate derives.

use crate::VERSION;
use crate::files::{Format, cannot, column_names, read_counts};
use certify::{Certificate, Check, Restored, changed, restore, sha256};
use declare::{EarlierRelease, Problem};
use std::fs;
use std::path::Path;

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
    counts: Vec<i64>,
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
    let restored = restore(&certificate, usize::MAX)?;
    let name = Path::new(&certificate.table.file);
    if name.components().count() != 1 || name.file_name().is_none() {
        return Err(Problem::bad(format!(
            "the certificate names a table outside its folder: `{}`",
            certificate.table.file
        )));
    }
    let table = folder.join(name);
    let bytes = fs::read(&table).map_err(|error| cannot("read", &table, error))?;
    let hash = sha256(&bytes);
    drop(bytes);
    if hash != certificate.table.sha256 {
        let message = format!("`{}` is not the table that was certified: its hash differs", certificate.table.file);
        return Err(changed(message));
    }
    if certificate.table.columns != column_names(&restored.domain, false) {
        return Err(changed("the certificate lists other columns than the table of its spec has"));
    }
    if certificate.time.parse::<jiff::Timestamp>().is_err() {
        return Err(changed(format!("`{}` in the certificate is not a time", certificate.time)));
    }
    let counts = read_counts(&table, Format::of(name)?, &restored.domain)?;
    Ok(Found { certificate, restored, counts })
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
    let Found { certificate, restored, counts } = read(folder)?;
    let mut checks = vec![Check {
        what: "table".into(),
        found: format!("hash holds, {} cells in the declared order", counts.len()),
    }];
    checks.extend(certify::verify(&certificate, &restored, &counts)?);
    checks.push(check_report(folder, &certificate, &restored, &counts)?);
    Ok(Verified { certificate, checks })
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
    let figures = report::Figures::of(&restored.domain, counts);
    let page = report::html(&report::Release { certificate, domain: &restored.domain, figures: &figures });
    if found != page {
        return Err(changed("`report.html` is not the report of this certificate and table"));
    }
    Ok(Check { what, found: "is exactly what the certificate and the table give".to_string() })
}
