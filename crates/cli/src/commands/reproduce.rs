//! `congenial reproduce`: experiments, published figures beside measured ones.

use crate::output::{print, shell};
use crate::progress::Stages;
use clap::Args;
use congenial::Problem;
use std::path::PathBuf;

/// Repeat the papers' experiments, published figures beside measured ones
#[derive(Args)]
#[command(after_help = "\
Without a name the experiments are listed. Data are those of the repository, or synthetic from a fixed seed, and part of the program. The folder gets curves as CSV, figures as SVG and summary.md; files of an experiment appear when it is done. Meeting times and curves are the same in every run; figures per second are not.

Examples:
  congenial reproduce
  congenial reproduce see-alaska see-power
  congenial reproduce isdp-margins --out isdp-margins
  congenial reproduce all --pairs 200 --out figures")]
pub struct Reproduce {
    /// The experiments, or `all`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The folder to write; it must not exist. Without it figures are printed alone
    #[arg(long, value_name = "DIR", requires = "names")]
    out: Option<PathBuf>,
    /// The number of coupled pairs of chains; each experiment has its own by default
    #[arg(long, value_name = "N", requires = "names")]
    pairs: Option<u64>,
}

impl Reproduce {
    /// Lists the experiments, or repeats them.
    pub fn run(self) -> Result<(), Problem> {
        if self.names.is_empty() {
            return print(&list());
        }
        let stages = Stages::default();
        let mut printed = Ok(());
        experiments::reproduce(
            &self.names,
            self.out.as_deref(),
            self.pairs,
            &|told| stages.told(told),
            &mut |findings| {
                stages.end();
                if printed.is_ok() {
                    printed = print(&format!("{}\n", findings.text()));
                }
            },
        )?;
        printed?;
        match self.out {
            Some(out) => print(&format!("Wrote {}\n", shell(&out.join("summary.md")))),
            None => Ok(()),
        }
    }
}

fn list() -> String {
    let experiments = experiments::experiments();
    let width = experiments.iter().map(|experiment| experiment.name.len()).max().unwrap_or(0);
    let lines = experiments.iter().map(|experiment| {
        let takes = experiment.takes.map_or(String::new(), |takes| format!(" ({takes})"));
        format!("  {:width$}  {}{takes}\n", experiment.name, experiment.about)
    });
    format!("Experiments\n{}\nNext\n  congenial reproduce NAME --out DIR\n", lines.collect::<String>())
}
