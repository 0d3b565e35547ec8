//! Checks a release with no access to the data: hashes, invariants, and all that its certificate derives.

use crate::VERSION;
use crate::files::{Format, cannot, column_names, read_table};
use crate::open::STREAM_ABOVE;
use certify::{Certificate, Check, Restored, changed, restore, sha256_of};
use declare::{EarlierRelease, Fold, MOST_CELLS, Problem};
use report::Figures;
use std::fs;
use std::path::{Path, PathBuf};

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
    verify_streaming(folder, STREAM_ABOVE)
}

/// The same; a table of more than `stream_above` combinations of values is not held in memory, if its totals allow that.
pub fn verify_streaming(folder: &Path, stream_above: usize) -> Result<Verified, Problem> {
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not a folder", folder.display()))
            .hint("give the folder that `congenial release --out` wrote"));
    }
    verify_folder(folder, stream_above)
}

/// A release as its certificate says it: its table has the hash that was certified, and nothing else has been checked.
struct Found {
    certificate: Certificate,
    restored: Restored,
    table: PathBuf,
}

impl Found {
    /// Reads the table and hands on the counts of consecutive cells.
    fn read(&self, visit: &mut dyn FnMut(&[i64]) -> Result<(), Problem>) -> Result<(), Problem> {
        let format = Format::of(&self.table)?;
        read_table(&self.table, format, &self.restored.domain, false, &mut |portion| visit(portion.values))
    }
}

/// The hash of a file, read in portions.
pub(crate) fn hash_of(path: &Path) -> Result<String, Problem> {
    let file = fs::File::open(path).map_err(|error| cannot("read", path, error))?;
    sha256_of(file).map_err(|error| cannot("read", path, error))
}

/// Reads the certificate of a release, and checks that its table is the one that was certified.
fn read(folder: &Path, stream_above: usize) -> Result<Found, Problem> {
    let path = folder.join("certificate.json");
    let size = fs::metadata(&path).map_err(|error| cannot("read", &path, error))?.len();
    if size > LARGEST_CERTIFICATE {
        return Err(Problem::bad(format!("`{}` is too large to be a certificate", path.display())));
    }
    let text = fs::read_to_string(&path).map_err(|error| cannot("read", &path, error))?;
    let certificate: Certificate = serde_json::from_str(&text)
        .map_err(|error| Problem::bad(format!("`{}` is not a certificate: {error}", path.display())))?;
    let restored = restore(&certificate, stream_above)?;
    let name = Path::new(&certificate.table.file);
    if name.components().count() != 1 || name.file_name().is_none() {
        return Err(Problem::bad(format!(
            "the certificate names a table outside its folder: `{}`",
            certificate.table.file
        )));
    }
    let table = folder.join(name);
    if hash_of(&table)? != certificate.table.sha256 {
        let message = format!("`{}` is not the table that was certified: its hash differs", certificate.table.file);
        return Err(changed(message));
    }
    if certificate.table.columns != column_names(&restored.domain, false) {
        return Err(changed("the certificate lists other columns than the table of its spec has"));
    }
    if certificate.time.parse::<jiff::Timestamp>().is_err() {
        return Err(changed(format!("`{}` in the certificate is not a time", certificate.time)));
    }
    Ok(Found { certificate, restored, table })
}

/// The release in a folder as a spec reads it that keeps some of its numbers (`from`).
///
/// Its certificate may come from an earlier version of this program, so what it derives is not derived again.
pub(crate) fn earlier(folder: &Path) -> Result<EarlierRelease, Problem> {
    if !folder.is_dir() {
        return Err(Problem::bad(format!("`{}` is not the folder of a release", folder.display()))
            .hint("`from` names a folder that `congenial release --out` wrote, relative to the spec"));
    }
    let found = read(folder, usize::MAX)?;
    if found.restored.domain.len() > MOST_CELLS {
        return Err(Problem::bad(format!("the release in `{}` is too large to be kept by another", folder.display()))
            .hint(format!("`from` holds a release in memory, {MOST_CELLS} cells at the most; use `values` instead")));
    }
    let mut counts = Vec::with_capacity(found.restored.domain.len());
    found.read(&mut |values| {
        counts.extend_from_slice(values);
        Ok(())
    })?;
    Ok(EarlierRelease { declaration: found.restored.declaration, counts })
}

pub(crate) fn verify_folder(folder: &Path, stream_above: usize) -> Result<Verified, Problem> {
    let found = read(folder, stream_above)?;
    let Found { certificate, restored, .. } = &found;
    let mut figures = Figures::new(&restored.domain);
    // Of a folded table the counts of the small one, which has the same totals.
    let mut counts = Vec::with_capacity(restored.conditions.cells);
    let mut cells = 0;
    found.read(&mut |values| {
        figures.add(values);
        match &restored.fold {
            None => counts.extend_from_slice(values),
            Some(fold) => add_folded(&mut counts, fold, cells, values)?,
        }
        cells += values.len();
        Ok(())
    })?;
    let mut checks =
        vec![Check { what: "table".into(), found: format!("hash holds, {cells} cells in the declared order") }];
    checks.extend(certify::verify(certificate, restored, &counts)?);
    checks.push(check_report(folder, certificate, restored, &figures)?);
    Ok(Verified { certificate: found.certificate, checks })
}

/// Adds consecutive counts, from this cell on, to those of the small table with the same totals.
fn add_folded(small: &mut Vec<i64>, fold: &Fold, first: usize, values: &[i64]) -> Result<(), Problem> {
    small.resize(fold.domain.len(), 0);
    let mut rest = values;
    let mut cell = first;
    while !rest.is_empty() {
        let (now, later) = rest.split_at((fold.each() - cell % fold.each()).min(rest.len()));
        let sum: i128 = now.iter().map(|value| i128::from(*value)).sum();
        let place = &mut small[fold.place(cell)];
        *place = i64::try_from(i128::from(*place) + sum).map_err(|_| changed("the table has sums beyond 64 bits"))?;
        cell += now.len();
        rest = later;
    }
    Ok(())
}

/// The report is a function of certificate and table: it is made again and compared, unless another version made it.
fn check_report(
    folder: &Path,
    certificate: &Certificate,
    restored: &Restored,
    figures: &Figures<'_>,
) -> Result<Check, Problem> {
    let path = folder.join("report.html");
    let found = fs::read_to_string(&path).map_err(|error| cannot("read", &path, error))?;
    let what = "report".to_string();
    if certificate.program.version != VERSION {
        let found = format!("made by version {}, so not compared", certificate.program.version);
        return Ok(Check { what, found });
    }
    let page = report::html(&report::Release { certificate, domain: &restored.domain, figures });
    if found != page {
        return Err(changed("`report.html` is not the report of this certificate and table"));
    }
    Ok(Check { what, found: "is exactly what the certificate and the table give".to_string() })
}
