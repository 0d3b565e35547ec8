//! `congenial retitle`: a release with another title.

use crate::commands::export::{NewPlace, present};
use clap::Args;
use congenial::{Changes, Problem};
use std::path::PathBuf;

/// Give a release that exists another title: nothing is drawn or paid
#[derive(Args)]
#[command(after_help = "\
The title is in the spec, the certificate and every file, so this writes a new folder; it cites the
same entry of the ledger. Derived tables and other statements are corrected in the spec itself:
`congenial release` with the corrected spec hands the same counts back.

Examples:
  congenial retitle release --title 'Children by county, 2005, corrected' --out release-2
  congenial retitle release --title 'Children by county, 2005' --out release-2 --sign agency.key")]
pub struct Retitle {
    /// The folder that `congenial release --out` wrote
    #[arg(value_name = "DIR")]
    release: PathBuf,
    /// The new title
    #[arg(long, value_name = "TEXT")]
    title: String,
    /// Sign the certificate with this secret key
    #[arg(long, value_name = "FILE")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    place: NewPlace,
}

impl Retitle {
    /// Writes the release anew, and says what was written and verified.
    pub fn run(self) -> Result<(), Problem> {
        let changes = Changes { title: Some(self.title), sign: self.sign, ..Changes::default() };
        present(&self.release, &changes, &self.place)
    }
}
