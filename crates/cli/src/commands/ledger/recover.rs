//! `congenial ledger recover`: what was paid for and not completed, where it is kept, and how it is
//! finished.

use super::{Person, copies};
use crate::commands::release::{formats, print_written};
use crate::output::{answer, counted, note, print, shell};
use clap::Args;
use congenial::ledgers::Address;
use congenial::{
    Finishing, Format, KeptState, Options, Problem, Recoverable, Wide, finish_release, give_up, recoverable,
    release_measurements,
};
use serde_json::json;
use std::path::PathBuf;

/// List releases that were paid for and never completed; finish one, enter one, or give one up; or
/// go on with a ledger that was set back
#[derive(Args)]
#[command(after_help = "\
What was paid stays paid. The entry that paid fixes what is drawn for it: `congenial release` with
the same spec and data makes the same table, whatever became of the folder it was made in, and pays
nothing. What was drawn is kept too, encrypted under the key of the ledger, until its release is
completed: --finish makes the release of it without the data. Where a projection does not end, --cases gives it a larger limit than the 20000 that
a release has, and --measurements publishes the noisy sums as they are.

Examples:
  congenial ledger recover
  congenial ledger recover --finish 17 --out release
  congenial ledger recover --finish 17 --out release --cases 200000
  congenial ledger recover --measurements 17 --out measurements
  congenial ledger recover --found release
  congenial ledger recover --give-up 17 --because 'the machine lost power'
  congenial ledger recover --adopt --because 'restored from the tape of Monday' --from published/
  congenial ledger recover --adopt --because 'ledger.db.head was deleted' --book-all")]
pub struct Recover {
    /// Of this dataset alone
    dataset: Option<String>,
    /// The entry whose release is finished from what is kept
    #[arg(long, value_name = "ENTRY", requires = "out", conflicts_with_all = ["found", "give_up", "measurements"])]
    finish: Option<u64>,
    /// The entry whose noisy measurements are published as they are
    #[arg(long, value_name = "ENTRY", requires = "out", conflicts_with_all = ["found", "give_up"])]
    measurements: Option<u64>,
    /// The folder to write; it must be new or empty
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The format of the tables
    #[arg(long, value_parser = formats(), default_value = Format::PARQUET.extension())]
    format: Format,
    /// Write a wide table too, as `congenial release` does
    #[arg(long, value_name = "DIM", num_args = 0..=1, require_equals = true)]
    wide: Option<Option<String>>,
    /// Sign the certificate with this secret key
    #[arg(long, value_name = "FILE")]
    sign: Option<PathBuf>,
    /// How many cases a search of a projection may tell apart
    #[arg(long, value_name = "NUMBER", requires = "finish")]
    cases: Option<u64>,
    /// The file of the draw, or the folder it was kept in, where that was moved or a message named
    /// another; with --adopt, releases, or folders of releases, whose certificates say what was
    /// paid
    #[arg(long, value_name = "PATH", num_args = 1..)]
    from: Vec<PathBuf>,
    /// A release that was written and holds, though the ledger was not told
    #[arg(long, value_name = "DIR", conflicts_with = "give_up")]
    found: Option<PathBuf>,
    /// The entry that was looked at, and whose release does not exist
    #[arg(long, value_name = "ENTRY", requires = "because")]
    give_up: Option<u64>,
    /// Give it up although its release can still be made of what was paid for
    #[arg(long, requires = "give_up")]
    although_it_can_be_finished: bool,
    /// Go on with a ledger that was set back, copied or lost its head: what it lost is booked as
    /// spent
    #[arg(long, requires = "because", conflicts_with_all = ["found", "give_up", "finish", "measurements", "dataset"])]
    adopt: bool,
    /// A second place of the head that cannot be reached any more
    #[arg(long, value_name = "FILE", requires = "adopt")]
    give_up_head: Vec<String>,
    #[command(flatten)]
    rest: copies::Rest,
    /// Why it is given up, or what happened to the ledger
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    #[command(flatten)]
    person: Person,
}

impl Recover {
    /// Does what is asked.
    pub fn run(self, address: &Address, as_json: bool) -> Result<(), Problem> {
        let out = self.out.clone().unwrap_or_default();
        if self.adopt {
            let reason = self.because.unwrap_or_default();
            return copies::adopt(address, &self.from, &self.give_up_head, &self.rest, &reason, &self.person.name()?);
        }
        let draw = file_of_draw(&self.from, self.finish.or(self.measurements))?;
        if let Some(entry) = self.finish {
            let wide = self.wide.map(|name| name.map_or(Wide::Automatic, Wide::Dimension));
            let options = Options { wide, sign: self.sign, ..self.format.into() };
            let finishing = Finishing { options, cases: self.cases, from: draw };
            let released = finish_release(address, entry, &out, &finishing, &self.person.name()?)?;
            note(&format!("finished from the draw that entry {entry} paid for: nothing was drawn or spent"));
            return print_written(&released);
        }
        if let Some(entry) = self.measurements {
            let released = release_measurements(address, entry, &out, draw.as_deref(), &self.person.name()?)?;
            return print(&format!(
                "Released: {} of entry {entry} in {}. Nothing was drawn or spent; they are no table.\n",
                counted(released.count, "noisy measurement"),
                shell(&released.folder)
            ));
        }
        if let Some(found) = &self.found {
            let (paid, number) =
                congenial::recover_release(found, address, &self.person.name()?, &perfect::read_release)?;
            return print(&format!(
                "Entered: `{}` is the release that entry {paid} paid for (entry {number}).\n",
                found.display()
            ));
        }
        if let Some(entry) = self.give_up {
            let reason = self.because.unwrap_or_default();
            let known = self.although_it_can_be_finished;
            let number = give_up(address, entry, &reason, known, &self.person.name()?)?;
            return print(&format!("Given up: entry {entry} (entry {number}). What it cost stays spent.\n"));
        }
        let found = recoverable(address, self.dataset.as_deref())?;
        answer(as_json, || found.iter().map(json_of).collect(), || text(&found))
    }
}

/// The one file of the draw that was named.
fn file_of_draw(from: &[PathBuf], entry: Option<u64>) -> Result<Option<PathBuf>, Problem> {
    match (from, entry) {
        ([], _) => Ok(None),
        ([file], Some(_)) => Ok(Some(file.clone())),
        (_, Some(_)) => Err(Problem::bad("a release is finished from one file").hint("give --from one FILE")),
        (_, None) => Err(Problem::bad("--from belongs to --finish, --measurements or --adopt")),
    }
}

fn text(found: &[Recoverable]) -> String {
    if found.is_empty() {
        return "Nothing to recover: every release that was paid for was completed or given up.\n".to_string();
    }
    let mut text = "Paid for and not completed\n".to_string();
    for Recoverable { unfinished: one, state } in found {
        text +=
            &format!("  entry {}, {}, by {}, dataset {}: {}\n", one.number, one.time, one.by, one.dataset, one.loss);
        text += &format!("    {}\n", in_words(one.number, state));
    }
    text + "\nIf its folder was written:  congenial ledger recover --found DIR\n\
            If its draw is kept:        congenial ledger recover --finish ENTRY --out DIR\n\
            If that folder was moved:   congenial ledger recover --finish ENTRY --out DIR --from FOLDER\n\
            If you have the data:       congenial release SPEC --out DIR (or regress, or select)\n\
            If nothing of it is left:   congenial ledger recover --give-up ENTRY --because TEXT\n\
            What was paid stays paid in every case.\n"
}

fn in_words(entry: u64, state: &KeptState) -> String {
    match state {
        KeptState::Busy => "it is being made at this moment".to_string(),
        KeptState::Fixed => {
            "the same command with the same spec and data makes it: the entry fixes what is drawn, and nothing is paid"
                .to_string()
        }
        KeptState::Drawn(folder) => format!(
            "what was drawn is kept in {}: --finish {entry} --out DIR finishes it at no further loss",
            shell(folder)
        ),
        KeptState::Written(folder) => format!("it was written to {0}: --found {0} enters it", shell(folder)),
        KeptState::Lost => "an earlier version of congenial paid, and no draw is kept here".to_string(),
    }
}

fn json_of(found: &Recoverable) -> serde_json::Value {
    let Recoverable { unfinished: one, state } = found;
    let (name, folder) = match state {
        KeptState::Busy => ("busy", None),
        KeptState::Fixed => ("fixed", None),
        KeptState::Drawn(folder) => ("drawn", Some(folder)),
        KeptState::Written(folder) => ("written", Some(folder)),
        KeptState::Lost => ("lost", None),
    };
    json!({
        "entry": one.number, "dataset": one.dataset, "time": one.time, "by": one.by,
        "spec_sha256": one.spec, "loss": one.loss.to_string(), "charged": one.charged.to_string(),
        "state": name, "folder": folder.map(|folder| folder.display().to_string()),
    })
}
