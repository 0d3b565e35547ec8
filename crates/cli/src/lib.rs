//! The congenial program as a library, so that other languages can carry it along: the only code
//! that prints or parses arguments.

mod bug;
mod commands;
mod interrupt;
mod output;
mod problem;
mod progress;

pub use commands::release::released_text;
pub use output::verified_text;

use clap::Parser;
use commands::Command;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

static VERSION: LazyLock<String> = LazyLock::new(|| match congenial::COMMIT {
    Some(commit) => format!("{} (commit {commit})", congenial::VERSION),
    None => congenial::VERSION.to_string(),
});

/// Releases statistical tables with differential privacy while keeping declared totals exactly
/// true.
#[derive(Parser)]
#[command(
    name = "congenial",
    version = VERSION.as_str(),
    disable_help_subcommand = true,
    after_help = "\
Start here:
  congenial demo --out demo         a whole release of a public table, nothing to configure
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

/// Where what can be computed again is kept: `CONGENIAL_CACHE`, or the place for such things of
/// this user; nowhere if it is empty.
pub fn cache() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    match named("CONGENIAL_CACHE") {
        Some(folder) => Some(folder).filter(|folder| !folder.as_os_str().is_empty()),
        None => {
            let own = named("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
            own.or_else(|| named("HOME").map(|home| home.join(".cache"))).map(|folder| folder.join("congenial"))
        }
    }
}

/// Runs the program with these arguments, the first of which is its name, and says its exit code.
/// Called once in a process: it replaces what panics and interruptions do.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    bug::install();
    interrupt::install();
    if let Some(folder) = cache() {
        congenial::remember_evidence_in(folder.join("evidence"));
    }
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are asked for this way too; nothing is left to tell when a stream is
            // closed.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match congenial::caught(|| arguments.command.run()) {
        Ok(Ok(())) => 0,
        Ok(Err(problem)) => {
            problem::show(&problem);
            problem::exit_code(problem.kind)
        }
        Err(_) => 1,
    }
}
