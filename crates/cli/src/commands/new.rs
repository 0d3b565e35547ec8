//! `congenial new`: a commented spec and a small public table to start from.

use crate::output::{print, shell};
use clap::Args;
use congenial::Problem;
use std::path::PathBuf;

/// Write a commented spec and a small public table to start from
#[derive(Args)]
#[command(after_help = "Example:\n  congenial new census && congenial check census/congenial.toml")]
pub struct New {
    /// The folder, which is made if need be; nothing in it is overwritten
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl New {
    /// Writes the files and says what to do next.
    pub fn run(self) -> Result<(), Problem> {
        // Paths read better without the dot that stands for this folder.
        let folder = self.folder.strip_prefix(".").unwrap_or(&self.folder);
        let spec = shell(&congenial::start(folder)?);
        let (table, release) = (shell(&folder.join("delinquent.csv")), shell(&folder.join("release")));
        print(&format!(
            "Wrote\n  {spec}  what is released, what stays exact, at what privacy loss: edit this\n  \
             {table}  a small public table\n\n\
             Next\n  congenial check {spec}\n  congenial explain {spec} --error\n  \
             congenial release {spec} --out {release}\n"
        ))
    }
}
