//! `congenial compare`: methods side by side on a public table.

use crate::output::{print, print_json, shell};
use crate::progress::Stages;
use clap::Args;
use congenial::{CompareOptions, Problem};
use std::path::PathBuf;

/// Compare conditioning, projections, TopDown and plain noise on a public table, at equal certified loss
#[derive(Args)]
#[command(after_help = "\
Every method gets the noise with which it is certified at the same loss: conditioning on counts at or above zero pays for that with more noise, projections do not. Public data only; for confidential data name a public stand-in with the same columns, such as last year's table.

Examples:
  congenial compare congenial.toml
  congenial compare congenial.toml --on last_year.csv --draws 1000 --out comparison.html")]
pub struct Compare {
    /// The spec, a TOML file
    spec: PathBuf,
    /// A public file that stands in for the data
    #[arg(long, value_name = "FILE")]
    on: Option<PathBuf>,
    /// The draws of each method
    #[arg(long, value_name = "N", default_value_t = 1000)]
    draws: u64,
    /// The seed of the draws
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
    /// Also write a page with plots; it must not exist
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

impl Compare {
    /// Draws and prints.
    pub fn run(self) -> Result<(), Problem> {
        if let Some(out) = &self.out {
            congenial::check_new(out)?;
        }
        let stages = Stages::default();
        let options = CompareOptions { draws: self.draws, seed: self.seed, on: self.on };
        let comparison = congenial::compare(&self.spec, &options, &|told| stages.told(told))?;
        drop(stages);
        if let Some(out) = &self.out {
            congenial::write_page(out, &congenial::comparison_html(&comparison))?;
        }
        match self.json {
            true => print_json(&congenial::comparison_json(&comparison))?,
            false => print(&congenial::comparison_text(&comparison))?,
        }
        match &self.out {
            Some(out) if !self.json => print(&format!("\nWrote {}\n", shell(out))),
            _ => Ok(()),
        }
    }
}
