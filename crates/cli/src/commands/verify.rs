//! `congenial verify`: checks a release with no access to the data.

use crate::commands::ledger::address;
use crate::output::{answer, checks_text, perfect_json, print, print_json, verified_text};
use clap::Args;
use congenial::{Problem, VerifyOptions};

use std::path::PathBuf;

/// Check a release with no access to the data: hashes, exact totals, and the arithmetic of the
/// certificate
#[derive(Args)]
#[command(after_help = "\
Exits with 2 when anything in the folder does not hold, and with 3 when it says that another version made it and this one
cannot make all of it again: what was not compared is not taken for true.

Examples:
  congenial verify release
  congenial verify release --key agency.key.pub
  congenial verify release --ledger sqlite:ledger.db")]
pub struct Verify {
    /// The folder that `congenial release --out` wrote
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Demand that the certificate is signed with the secret key of this public one
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Look up in this ledger the entry that paid for the release (curators only)
    #[arg(long, value_name = "ADDRESS")]
    ledger: Option<String>,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Verifies, and says what was checked.
    pub fn run(self) -> Result<(), Problem> {
        if perfect::is_perfect(&self.folder) {
            return self.run_perfect();
        }
        let mut verified = congenial::verify(&self.folder, &VerifyOptions::signed_by(self.key.as_deref()))?;
        if let Some(ledger) = &self.ledger {
            let address = address(Some(ledger))?;
            let looked_up = congenial::look_up(&verified, &self.folder, &address)?;
            verified.checks.push(looked_up);
        }
        let folder = &self.folder;
        answer(self.json, || congenial::verified_json(folder, &verified), || verified_text(folder, &verified))
    }

    /// Verifies a release of an exponential mechanism.
    fn run_perfect(self) -> Result<(), Problem> {
        let mut verified = perfect::verify_perfect(&self.folder, self.key.as_deref())?;
        if let Some(ledger) = &self.ledger {
            let address = address(Some(ledger))?;
            verified.checks.push(congenial::look_up_release(&verified.paid_release(), &self.folder, &address)?);
        }
        let certificate = &verified.certificate;
        if self.json {
            return print_json(&perfect_json(&self.folder, &verified));
        }
        print(&format!(
            "{}\n\nVerified: `{}` holds\n{}\nGuaranteed\n  {}\n  Run time: {}\n",
            certificate.title,
            self.folder.display(),
            checks_text(&verified.checks),
            certificate.guarantee.statement,
            certificate.guarantee.run_time
        ))
    }
}
