//! The congenial program: the only code that prints or parses arguments.

mod bug;
mod commands;
mod interrupt;
mod output;
mod problem;
mod progress;

use clap::Parser;
use commands::Command;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

static VERSION: LazyLock<String> = LazyLock::new(|| match congenial::COMMIT {
    Some(commit) => format!("{} (commit {commit})", congenial::VERSION),
    None => congenial::VERSION.to_string(),
});

/// Releases statistical tables with differential privacy while keeping declared totals exactly true.
#[derive(Parser)]
#[command(
    name = "congenial",
    version = VERSION.as_str(),
    disable_help_subcommand = true,
    after_help = "\
Start here:
  congenial demo --out demo         a whole release of a built-in example, nothing to configure
  congenial new census              a commented spec and a small table to start from

Exit codes:
  0  done
  1  a bug in the program
  2  bad usage, spec or data, or a release that does not verify
  3  refused: budget, disclosure, not certifiable, or not yet supported
  4  no table satisfies the constraints"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Where what can be computed again is kept: `CONGENIAL_CACHE`, or the place for such things of this user; nowhere if it is empty.
fn cache() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    match named("CONGENIAL_CACHE") {
        Some(folder) => Some(folder).filter(|folder| !folder.as_os_str().is_empty()),
        None => {
            let own = named("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
            own.or_else(|| named("HOME").map(|home| home.join(".cache"))).map(|folder| folder.join("congenial"))
        }
    }
}

fn main() -> ExitCode {
    bug::install();
    interrupt::install();
    if let Some(folder) = cache() {
        congenial::remember_evidence_in(folder.join("evidence"));
    }
    let arguments = Arguments::parse();
    match bug::caught(|| arguments.command.run()) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(problem)) => {
            problem::show(&problem);
            ExitCode::from(problem::exit_code(problem.kind))
        }
        None => ExitCode::from(1),
    }
}
