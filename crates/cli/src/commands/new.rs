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
        let spec = congenial::start(&self.folder)?;
        let table = shell(&self.folder.join("delinquent.csv"));
        let (release, spec) = (shell(&self.folder.join("release")), shell(&spec));
        print(&format!(
            "Wrote\n  {spec}  what is released, what stays exact, at what privacy loss: edit this\n  \
             {table}  a small public table\n\n\
             Next\n  congenial check {spec}\n  congenial explain {spec} --error\n  \
             congenial release {spec} --out {release}\n"
        ))
    }
}
