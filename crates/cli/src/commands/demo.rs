//! `congenial demo`: the main job on a public table that is built in.

use crate::commands::release::{formats, released_text};
use crate::output::{print, shell};
use clap::Args;
use congenial::{Format, Problem};
use std::path::PathBuf;

/// Release, verify and report a public table that is built in: nothing to configure
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
        print(&format!(
            "{}\nNext\n  open {}\n  congenial verify {}\n  congenial new my-table    a spec of your own to start from\n",
            released_text(&released),
            shell(&self.out.join("report.html")),
            shell(&self.out),
        ))
    }
}
