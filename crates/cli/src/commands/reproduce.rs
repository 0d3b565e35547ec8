//! `congenial reproduce`: experiments, published figures beside measured ones.

use crate::output::{print, shell};
use crate::progress::Progress;
use clap::Args;
use congenial::{Problem, Told};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

/// Repeat the papers' experiments, published figures beside measured ones
#[derive(Args)]
#[command(after_help = "\
Without a name the experiments are listed. Data are those of the repository, or synthetic from a fixed seed, and part of the program. The folder gets curves as CSV, figures as SVG and summary.md; files of an experiment appear when it is done. Meeting times and curves are the same in every run; figures per second are not.

Examples:
  congenial reproduce
  congenial reproduce isdp-margins --out isdp-margins
  congenial reproduce all --pairs 200 --out figures")]
pub struct Reproduce {
    /// The experiment, or `all`
    #[arg(requires = "out")]
    name: Option<String>,
    /// The folder to write; it must not exist
    #[arg(long, value_name = "DIR", requires = "name")]
    out: Option<PathBuf>,
    /// The number of coupled pairs of chains; each experiment has its own by default
    #[arg(long, value_name = "N", requires = "name")]
    pairs: Option<u64>,
}

impl Reproduce {
    /// Lists the experiments, or repeats them.
    pub fn run(self) -> Result<(), Problem> {
        let (Some(name), Some(out)) = (self.name, self.out) else {
            return print(&list());
        };
        let shown: Mutex<Option<Progress>> = Mutex::new(None);
        let replace = |progress: Option<Progress>| {
            if let Ok(mut shown) = shown.lock() {
                // The old one is cleared before the new one is shown.
                drop(shown.take());
                *shown = progress;
            }
        };
        let told = |told: Told<'_>| match told {
            Told::Stage(what, number) => replace(Some(Progress::stage(what, number))),
            Told::Done(number) => {
                if let Ok(Some(progress)) = shown.lock().as_deref() {
                    progress.advance(number);
                }
            }
            Told::Note(text) => {
                replace(None);
                // A note that nobody can read is no reason to fail.
                let _ = writeln!(std::io::stderr(), "note: {text}");
            }
        };
        let mut printed = Ok(());
        congenial::reproduce(&name, &out, self.pairs, &told, &mut |findings| {
            replace(None);
            if printed.is_ok() {
                printed = print(&format!("{}\n", findings.text()));
            }
        })?;
        printed?;
        print(&format!("Wrote {}\n", shell(&out.join("summary.md"))))
    }
}

fn list() -> String {
    let experiments = congenial::experiments();
    let width = experiments.iter().map(|experiment| experiment.name.len()).max().unwrap_or(0);
    let lines = experiments.iter().map(|experiment| format!("  {:width$}  {}\n", experiment.name, experiment.about));
    format!("Experiments\n{}\nNext\n  congenial reproduce NAME --out DIR\n", lines.collect::<String>())
}
