//! A release of totals alone: its files are made again from the certificate, and all else is
//! derived again.

use super::{CertifiedFolder, check_report, check_spending, files};
use crate::contents::{Facts, metadata};
use crate::files::{cannot, same_contents};
use crate::folder::scratch_for;
use crate::known::known;
use crate::suppressed;
use certify::{Check, differs, verify_suppressed};
use declare::Problem;
use plan::{NoReach, Plan};
use report::Figures;
use std::fs;
use std::path::Path;

/// What was checked of a suppressed release.
pub(super) fn check(folder: &Path, found: &CertifiedFolder) -> Result<(Vec<Check>, Plan), Problem> {
    let CertifiedFolder { certificate, restored, .. } = found;
    let count = certificate.table.cells;
    let mut checks = vec![Check { what: "table".into(), found: format!("hash holds, {count} totals") }];
    let (derived, plan) = verify_suppressed(certificate, restored)?;
    checks.extend(derived);
    checks.extend(check_spending(certificate, &plan)?);
    checks.push(check_files(folder, found)?);
    let (domain, conditions) = (&restored.domain, &restored.conditions);
    let known = known(domain, &plan, conditions, None, &Err(NoReach::TooWide));
    checks.push(check_report(folder, certificate, restored, &Figures::new(domain), &known)?);
    Ok((checks, plan))
}

/// All files are there, and each is what the certificate gives.
fn check_files(folder: &Path, found: &CertifiedFolder) -> Result<Check, Problem> {
    let CertifiedFolder { certificate, format, .. } = found;
    files::check_present(folder, found)?;
    let what = "files".to_string();
    let expected = suppressed::listed(*format);
    let stated = certificate.files.iter().map(|listed| (&listed.file, &listed.what));
    if format.check_totals().is_err() || stated.ne(expected.iter().map(|(file, what)| (file, what))) {
        return Err(differs(certificate, "the certificate lists other files than its spec gives"));
    }
    let work = scratch_for(folder)?;
    let facts = Facts::certified(certificate);
    suppressed::write_totals(work.path(), *format, facts)?;
    let (name, text) = suppressed::readme(certificate);
    let path = work.path().join(name);
    fs::write(&path, text).map_err(|error| cannot("write", &path, error))?;
    for (file, _) in &expected {
        if !same_contents(&folder.join(file), &work.path().join(file))? {
            return Err(differs(certificate, format!("`{file}` is not what the certificate gives")));
        }
    }
    let table = folder.join(suppressed::file(*format));
    if format.metadata(&table)?.is_some_and(|pairs| pairs != metadata::of(facts, "totals")) {
        let message = format!("the metadata of `{}` do not follow from the certificate", certificate.table.file);
        return Err(differs(certificate, message));
    }
    Ok(Check {
        what,
        found: format!("hashes of {} files hold, and each is what the certificate gives", expected.len()),
    })
}
