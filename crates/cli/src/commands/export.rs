//! `congenial export`: a release in another format.

use crate::commands::ledger::{Person, address};
use crate::commands::release::{formats, print_written};
use crate::output::note;
use clap::Args;
use congenial::{Changes, Format, Problem, Wide, present_as};
use std::path::{Path, PathBuf};

/// Write a release that exists in another format: nothing is drawn or paid
#[derive(Args)]
#[command(after_help = "\
The new folder has the same counts and cites the same entry of the ledger; it is verified before it
gets its name. A signature is of its own certificate and is left behind: --sign signs the new one.

Examples:
  congenial export release --format xlsx --wide --out release-xlsx
  congenial export release --format csv --out release-csv --ledger sqlite:ledger.db")]
pub struct Export {
    /// The folder that `congenial release --out` wrote
    #[arg(value_name = "DIR")]
    release: PathBuf,
    /// The format of the tables; without it that of the release
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// Write a wide table too, with one column for every value of a dimension: the measures, or
    /// else the last one
    #[arg(long, value_name = "DIM", num_args = 0..=1, require_equals = true)]
    wide: Option<Option<String>>,
    /// Sign the certificate with this secret key
    #[arg(long, value_name = "FILE")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    place: NewPlace,
}

/// Where another presentation is written, and who is told.
#[derive(Args)]
pub struct NewPlace {
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Tell this ledger, so that `verify --ledger` knows the new folder (curators only)
    #[arg(long, value_name = "ADDRESS")]
    ledger: Option<String>,
    #[command(flatten)]
    person: Person,
}

impl Export {
    /// Writes the release anew, and says what was written and verified.
    pub fn run(self) -> Result<(), Problem> {
        let wide = self.wide.map(|name| name.map_or(Wide::Automatic, Wide::Dimension));
        let changes = Changes { title: None, format: self.format, wide, sign: self.sign };
        present(&self.release, &changes, &self.place)
    }
}

/// Writes another presentation of a release, and says what was written and verified.
pub fn present(release: &Path, changes: &Changes, place: &NewPlace) -> Result<(), Problem> {
    let told = match &place.ledger {
        Some(named) => Some((address(Some(named))?, place.person.name()?)),
        None => None,
    };
    let ledger = told.as_ref().map(|(address, by)| (address, by.as_str()));
    let released = present_as(release, &place.out, changes, ledger)?;
    if let (Some(paid), None) = (&released.certificate.ledger, &told) {
        note(&format!(
            "entry {} of the ledger of `{}` paid for these counts; with --ledger it is told of this folder too",
            paid.entry, paid.dataset
        ));
    }
    print_written(&released)
}
