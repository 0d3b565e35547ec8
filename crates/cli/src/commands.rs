//! The commands, one file each.

mod audit;
mod bench;
mod check;
mod compare;
mod completions;
mod demo;
mod explain;
mod export;
mod infer;
mod key;
mod ledger;
mod man;
mod new;
mod regress;
pub mod release;
mod reproduce;
mod retitle;
mod schema;
mod sign;
mod simulate;
mod verify;

use clap::Subcommand;
use congenial::Problem;

/// A command with its arguments.
#[derive(Subcommand)]
pub enum Command {
    New(new::New),
    Check(check::Check),
    Explain(explain::Explain),
    Release(release::Release),
    Verify(verify::Verify),
    Regress(regress::Regress),
    Select(regress::Select),
    Export(export::Export),
    Infer(Box<infer::Infer>),
    Sign(sign::Sign),
    Retitle(retitle::Retitle),
    Simulate(simulate::Simulate),
    Compare(compare::Compare),
    Audit(audit::Audit),
    Ledger(ledger::Ledger),
    Key(key::Key),
    Demo(demo::Demo),
    Schema(schema::Schema),
    Bench(bench::Bench),
    Reproduce(reproduce::Reproduce),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<(), Problem> {
        match self {
            Command::New(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Release(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Regress(command) => command.run(),
            Command::Select(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Infer(command) => command.run(),
            Command::Sign(command) => command.run(),
            Command::Retitle(command) => command.run(),
            Command::Simulate(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Audit(command) => command.run(),
            Command::Ledger(command) => command.run(),
            Command::Key(command) => command.run(),
            Command::Demo(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Reproduce(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}
