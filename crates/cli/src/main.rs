//! The congenial program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(congenial_cli::run(std::env::args_os()))
}
