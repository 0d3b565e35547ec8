//! `congenial simulate`: many draws of a public table.

use crate::output::{counted, print, shell};
use crate::progress::Progress;
use clap::Args;
use congenial::Problem;
use std::path::PathBuf;

/// Write many draws of a public table, to study a mechanism before it is used
#[derive(Args)]
#[command(after_help = "\
Public data only. Columns: the dimensions, `draw` (from 0) and `value`. With a seed the file is the same every time.

Example:
  congenial simulate congenial.toml --draws 1000 --seed 1 --out draws.parquet")]
pub struct Simulate {
    /// The spec, a TOML file
    spec: PathBuf,
    /// The number of draws
    #[arg(long, value_name = "N")]
    draws: u64,
    /// Makes the draws reproducible; without it they come from the operating system's generator
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The file to write, .parquet or .csv; it must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Simulate {
    /// Draws and writes.
    pub fn run(self) -> Result<(), Problem> {
        let progress = Progress::of_draws(self.draws);
        let simulated = congenial::simulate(&self.spec, self.draws, self.seed, &self.out, &progress)?;
        drop(progress);
        let (draws, cells) = (counted(simulated.draws as usize, "draw"), counted(simulated.cells, "cell"));
        print(&format!("Wrote {draws} of {cells} to {}\n", shell(&self.out)))
    }
}
