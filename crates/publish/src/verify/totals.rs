//! A release of totals alone: its files are made again from the certificate, and all else is
//! derived again.

use super::{CertifiedFolder, check_report, check_spending, files};
use crate::contents::{Facts, metadata};
use crate::files::cannot;
use crate::folder::scratch_for;
use crate::known::known;
use crate::suppressed;
use certify::{Check, verify};
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
    let (derived, plan) = verify(certificate, restored, &[])?;
    checks.extend(derived);
    checks.extend(check_spending(certificate, &plan)?.map(|(_, check)| check));
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

    let listed = format.check_totals().is_ok().then(|| suppressed::listed(*format).to_vec());
    let expected = listed.unwrap_or_default();
    files::check_list(certificate, &expected)?;
    let work = scratch_for(folder)?;
    let facts = Facts::certified(certificate);
    suppressed::write_totals(work.path(), *format, facts)?;
    let (name, text) = suppressed::readme(certificate);
    let path = work.path().join(name);
    fs::write(&path, text).map_err(|error| cannot("write", &path, error))?;
    for (file, _) in &expected {
        files::check_same(certificate, folder, work.path(), file, "the certificate gives")?;
    }
    files::check_metadata(found, &folder.join(suppressed::file(*format)), &metadata::of(facts, "totals"))?;
    let found = format!("hashes of {} files hold, and each is what the certificate gives", expected.len());
    Ok(Check { what: "files".to_string(), found })
}
