//! `congenial audit`: errors against theory, and privacy against what is claimed.

use crate::output::answer;
use crate::progress::Stages;
use clap::Args;
use congenial::Problem;
use experiments::AuditOptions;
use std::path::PathBuf;

/// Audit a mechanism on a public table: bias, variance and fairness against theory, privacy against
/// what is claimed
#[derive(Args)]
#[command(after_help = "\
Public data only; for confidential data name a public stand-in with the same columns. Privacy is computed exactly where a block has few tables, and otherwise measured by runs on two neighbouring tables: a lower confidence limit of the loss, which must not exceed the claim. Such runs can contradict a claim, never prove it.

Example:
  congenial audit congenial.toml --runs 20000")]
pub struct Audit {
    /// The spec, a TOML file
    spec: PathBuf,
    /// A public file that stands in for the data
    #[arg(long, value_name = "FILE")]
    on: Option<PathBuf>,
    /// Draws by which errors are measured
    #[arg(long, value_name = "N", default_value_t = 500)]
    draws: u64,
    /// Runs on each of two neighbouring tables by which privacy is measured
    #[arg(long, value_name = "N", default_value_t = 4000)]
    runs: u64,
    /// The seed of draws and runs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Audit {
    /// Draws, runs and prints.
    pub fn run(self) -> Result<(), Problem> {
        let stages = Stages::default();
        let options = AuditOptions { draws: self.draws, runs: self.runs, seed: self.seed, on: self.on.map(Into::into) };
        let audited = experiments::audit(&self.spec, &options, &|told| stages.told(told))?;
        drop(stages);
        answer(self.json, || experiments::audit_json(&audited), || experiments::audit_text(&audited))?;
        match audited.is_contradicted() {
            true => Err(Problem::system("the mechanism loses more than is claimed for it: a bug in this program")
                .hint("do not release with it; report this with the spec and the seed")),
            false => Ok(()),
        }
    }
}
