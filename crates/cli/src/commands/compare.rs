//! `congenial compare`: methods side by side on a public table.

use crate::output::{answer, print, shell};
use crate::progress::Stages;
use clap::Args;
use congenial::Problem;
use experiments::{CompareOptions, Strengths, Told};
use std::path::PathBuf;

/// Compare conditioning, projections, TopDown and plain noise on a public table, at equal certified
/// loss
#[derive(Args)]
#[command(after_help = "\
Every method gets the noise with which it is certified at the same loss: conditioning on counts at or above zero pays for that with more noise, projections do not. Public data only; for confidential data name a public stand-in with the same columns, such as last year's table.

Examples:
  congenial compare congenial.toml
  congenial compare congenial.toml --epsilon 0.1,0.5,1 --json
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
    /// Compare at these strengths instead of the spec's, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "rho")]
    epsilon: Vec<String>,
    /// Strengths of a spec with rho
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    rho: Vec<String>,
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
        let options = CompareOptions { draws: self.draws, seed: self.seed, on: self.on.map(Into::into) };
        let strengths = match (self.epsilon.is_empty(), self.rho.is_empty()) {
            (true, true) => None,
            (false, _) => Some(Strengths::Epsilon(self.epsilon)),
            (true, false) => Some(Strengths::Rho(self.rho)),
        };
        let told = |told: Told<'_>| stages.told(told);
        let (page, value, text) = match strengths {
            Some(strengths) => {
                let sweep = experiments::compare_at(&self.spec, &strengths, &options, &told)?;
                (experiments::sweep_page(&sweep), experiments::sweep_json(&sweep), experiments::sweep_text(&sweep))
            }
            None => {
                let found = experiments::compare(&self.spec, &options, &told)?;
                let page = experiments::comparison_html(&found, &[]);
                (page, experiments::comparison_json(&found), experiments::comparison_text(&found))
            }
        };
        drop(stages);
        if let Some(out) = &self.out {
            congenial::write_page(out, &page)?;
        }
        answer(self.json, || value, || text)?;
        match &self.out {
            Some(out) if !self.json => print(&format!("\nWrote {}\n", shell(out))),
            _ => Ok(()),
        }
    }
}
