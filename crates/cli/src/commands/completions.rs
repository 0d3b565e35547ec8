//! `congenial completions`: what a shell needs to complete commands.

use crate::output::print;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use congenial::Problem;

/// Print the completions of a shell
#[derive(Args)]
#[command(after_help = "Example:\n  congenial completions bash > ~/.local/share/bash-completion/completions/congenial")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the completions.
    pub fn run(self) -> Result<(), Problem> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Arguments::command(), "congenial", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
