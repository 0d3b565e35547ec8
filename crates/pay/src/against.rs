//! A ledger against what was published: every certificate names the entry that paid for it, and a
//! ledger without it was set back.

use crate::paid::{PaidRelease, ReadRelease};
use certify::{Check, Spending};
use declare::Problem;
use ledger::{Address, Adopted, Adopting, Ledger, Payment, Standing, Unknown};
use publish::CERTIFICATE_FILE;
use std::path::{Path, PathBuf};

/// The payments that releases in these folders name; each folder is a release, or holds some. Every
/// release is verified, by `read`.
pub fn payments_in(folders: &[PathBuf], read: &ReadRelease<'_>) -> Result<Vec<Payment>, Problem> {
    let mut payments = Vec::new();
    for folder in folders {
        let is_release = |path: &PathBuf| path.join(CERTIFICATE_FILE).is_file();
        let mut found = vec![folder.clone()];
        if !is_release(folder) {
            let listed = std::fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
            found = listed.map_err(|error| publish::cannot("read", folder, error))?;
            found.retain(is_release);
            found.sort();
        }
        if found.is_empty() {
            return Err(Problem::bad(format!("`{}` neither is a release nor holds one", folder.display()))
                .hint("name folders that `congenial release --out` wrote, or the folder that they are in"));
        }
        for release in found {
            payments.extend(payment(&read(&release)?, &release));
        }
    }
    Ok(payments)
}

fn payment(release: &PaidRelease, folder: &Path) -> Option<Payment> {
    let Spending { dataset, entry, seal, .. } = release.ledger.clone()?;
    let source = format!("the release in `{}`, paid by entry {entry}", folder.display());
    Some(Payment { dataset, entry, seal, charged: release.charged.clone(), source })
}

/// Checks that a ledger holds every payment that published releases name.
///
/// # Errors
/// Refused when it does not: then it is older than what was published, or another history of the
/// same ledger.
pub fn verify_against(address: &Address, folders: &[PathBuf], read: &ReadRelease<'_>) -> Result<Check, Problem> {
    let payments = payments_in(folders, read)?;
    let standings = Ledger::open_to_read(address)?.standing_of(&payments)?;
    let hint = "if they were paid from this ledger: put its newest copy back; where there is none, \
                `congenial ledger recover --adopt --from DIR… --because TEXT` books what was lost as spent";
    for (wrong, what) in [
        (Standing::Beyond, "is older than what was published"),
        (Standing::Elsewhere, "has other entries in the place of those that paid"),
    ] {
        let found = payments.iter().zip(&standings).filter(|(_, standing)| **standing == wrong);
        let found: Vec<&str> = found.map(|(payment, _)| payment.source.as_str()).collect();
        if !found.is_empty() {
            let message = format!("the ledger `{address}` {what}: {}", found.join("; "));
            return Err(Problem::refused(message).hint(hint));
        }
    }
    let booked = standings.iter().filter(|standing| matches!(standing, Standing::Booked(_))).count();
    let entered = payments.len() - booked;
    let again = if booked == 0 { String::new() } else { format!(", {booked} booked again after they were lost") };
    let found = format!("{entered} of {} published payments are entries of this ledger{again}", payments.len());
    Ok(Check { what: "published".into(), found })
}

/// Goes on with a ledger that was set back or lost its head, booking what releases in these folders
/// and its heads say was paid.
pub fn adopt(
    address: &Address,
    folders: &[PathBuf],
    read: &ReadRelease<'_>,
    given_up: &[String],
    unknown: Unknown,
    reason: &str,
    by: &str,
) -> Result<Adopted, Problem> {
    let payments = payments_in(folders, read)?;
    Ledger::open(address)?.adopt(&Adopting { payments: &payments, given_up, unknown, reason, by })
}
