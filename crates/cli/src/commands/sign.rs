//! `congenial sign`: a release with a signature that it did not have.

use crate::commands::export::{NewPlace, present};
use clap::Args;
use congenial::{Changes, Problem};
use std::path::PathBuf;

/// Sign a release that exists: nothing is drawn or paid
#[derive(Args)]
#[command(after_help = "\
The certificate names its key, so the signed release is a new folder; it cites the same entry of
the ledger.

Examples:
  congenial sign release --key agency.key --out release-signed
  congenial verify release-signed --key agency.key.pub")]
pub struct Sign {
    /// The folder that `congenial release --out` wrote
    #[arg(value_name = "DIR")]
    release: PathBuf,
    /// The secret key (`congenial key new` makes one)
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    place: NewPlace,
}

impl Sign {
    /// Signs, and says what was written and verified.
    pub fn run(self) -> Result<(), Problem> {
        present(&self.release, &Changes { sign: Some(self.key), ..Changes::default() }, &self.place)
    }
}
