//! `congenial demo`: the main job on the built-in example.

use crate::commands::release::{formats, written_text};
use crate::output::{checks_text, guarantee_text, print, shell};
use clap::Args;
use congenial::{Certificate, Format, Problem};
use std::path::PathBuf;

/// Release, verify and report the built-in example: nothing to configure
#[derive(Args)]
#[command(after_help = "Example:\n  congenial demo --out demo")]
pub struct Demo {
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The format of the released tables
    #[arg(long, value_parser = formats(), default_value = Format::PARQUET.extension())]
    format: Format,
}

impl Demo {
    /// Releases, and shows what stayed exact.
    pub fn run(self) -> Result<(), Problem> {
        let released = congenial::demo(&self.out, self.format)?;
        let certificate = &released.certificate;
        print(&format!(
            "{}\nExactly true, and public: these totals are the same in the data and in the release\n{}\n\
             Guaranteed\n{}\nVerified by reading it back\n{}\n\
             Next\n  open {}\n  congenial verify {}\n  congenial new my-table    a spec of your own to start from\n",
            written_text(&released),
            totals_text(certificate),
            guarantee_text(certificate),
            checks_text(&released.checks),
            shell(&self.out.join("report.html")),
            shell(&self.out),
        ))
    }
}

fn totals_text(certificate: &Certificate) -> String {
    let totals: Vec<_> = certificate.invariants.iter().flat_map(|invariant| &invariant.totals).collect();
    let width = totals.iter().map(|total| total.name.chars().count()).max().unwrap_or(0);
    totals.iter().map(|total| format!("  {:width$}  {:>4}\n", total.name, total.value)).collect()
}
