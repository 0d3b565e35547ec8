//! `congenial ledger`: open datasets, see what was spent, approve, recover, verify.

mod entries;
mod open;
mod recover;

use crate::output::{checks_text, counted, print, print_json, shell};
use crate::progress::Progress;
use clap::{Args, Subcommand};
use congenial::ledgers::{Address, DatasetStatus, Ledger as Books};
use congenial::{LEDGER_VARIABLE, Override, Paying, Problem};
use serde_json::json;
use std::path::PathBuf;

/// Keep the budget of confidential datasets: open, status, history, note, ask, approve, recover, verify
#[derive(Args)]
#[command(after_help = "\
The ledger is --ledger, or the environment variable CONGENIAL_LEDGER, or sqlite:ledger.db.
Who acts is --by, or the environment variable CONGENIAL_USER, or else the name you are logged in with.

Examples:
  congenial ledger open fcsm-2005 --epsilon 2
  congenial ledger status
  congenial ledger history fcsm-2005
  congenial ledger recover
  congenial ledger status --ledger postgres://curator@db.example.org/ledger")]
pub struct Ledger {
    #[command(subcommand)]
    action: Action,
    /// Where the ledger is: sqlite:FILE or postgres://USER@HOST/DATABASE; a password belongs in PGPASSWORD
    #[arg(long, global = true, value_name = "ADDRESS")]
    ledger: Option<String>,
    /// Print JSON, for scripts (status, history, recover)
    #[arg(long, global = true)]
    json: bool,
}

/// Who acts.
#[derive(Args, Clone)]
pub struct Person {
    /// Who acts; the ledger keeps the name
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

impl Person {
    /// The name that was given, or that of the environment.
    pub fn name(&self) -> Result<String, Problem> {
        let given = self.by.clone();
        let known = || ["CONGENIAL_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
        given.or_else(known).filter(|name| !name.trim().is_empty()).ok_or_else(|| {
            Problem::bad("nobody is named").hint("give a name with --by, or in the environment variable CONGENIAL_USER")
        })
    }
}

#[derive(Subcommand)]
enum Action {
    Open(open::Open),
    /// Show what every dataset may spend, has spent and has left
    Status,
    /// List everything that happened, oldest first
    History {
        /// Of this dataset alone
        dataset: Option<String>,
    },
    /// Note the data of a spec as those of its dataset: from now on they are recognised, also when they are declared public
    Note {
        /// The spec, a TOML file; it names the ledger
        spec: PathBuf,
        #[command(flatten)]
        person: Person,
    },
    /// Ask a second person to approve the release of a spec: nothing is drawn or spent
    Ask {
        /// The spec, a TOML file; it names the ledger
        spec: PathBuf,
        /// Ask for approval of an override too
        #[arg(long = "override", value_name = "SAFEGUARD", requires = "because")]
        overridden: Option<String>,
        /// Why the safeguard is overridden
        #[arg(long, value_name = "TEXT", requires = "overridden")]
        because: Option<String>,
        #[command(flatten)]
        person: Person,
    },
    /// Approve what another person asked for
    Approve {
        /// The entry that asks
        entry: u64,
        #[command(flatten)]
        person: Person,
    },
    Recover(recover::Recover),
    /// Check every entry, every seal and every balance
    Verify,
}

impl Ledger {
    /// Does what is asked.
    pub fn run(self) -> Result<(), Problem> {
        if self.ledger.is_some() && matches!(self.action, Action::Note { .. } | Action::Ask { .. }) {
            return Err(Problem::bad("the spec names the ledger").hint("leave out --ledger"));
        }
        let address = address(self.ledger.as_deref())?;
        match self.action {
            Action::Open(open) => open.run(&address),
            Action::Status => status(&mut Books::open(&address)?, self.json),
            Action::History { dataset } => {
                let history = Books::open(&address)?.history(dataset.as_deref())?;
                if self.json { print_json(&entries::json(&history)) } else { print(&entries::text(&history)) }
            }
            Action::Note { spec, person } => {
                let reading = Progress::reading();
                let dataset = congenial::note_data(&spec, &person.name()?, &mut |bytes| reading.reached(bytes))?;
                drop(reading);
                print(&format!("Noted: the data of {} are those of dataset {dataset}.\n", shell(&spec)))
            }
            Action::Ask { spec, overridden, because, person } => {
                let overrides = overridden.into_iter().zip(because);
                let overrides = overrides.map(|(safeguard, reason)| Override { safeguard, reason }).collect();
                ask(&spec, &Paying { by: Some(person.name()?), again: false, overrides })
            }
            Action::Approve { entry, person } => {
                let by = person.name()?;
                let number = Books::open(&address)?.approve(entry, &by)?;
                print(&format!("Approved by {by}: entry {number}. The release can be made once.\n"))
            }
            Action::Recover(recover) => recover.run(&address, self.json),
            Action::Verify => {
                let whole = Books::open(&address)?.verify_chain()?;
                let entries =
                    counted(usize::try_from(whole.entries).unwrap_or(usize::MAX), "entry").replace("entrys", "entries");
                let found = format!("{entries}: every seal, link and balance holds");
                let last = format!(
                    "the last seal is {}; noted elsewhere, it tells an older copy from this ledger",
                    whole.head
                );
                print(&format!("{}  {last}\n", checks_text(&[congenial::Check { what: "ledger".into(), found }])))
            }
        }
    }
}

/// The ledger that is named, or that of the environment, or the one in this folder.
pub fn address(named: Option<&str>) -> Result<Address, Problem> {
    match named {
        Some(named) => Address::parse(named),
        None => match std::env::var(LEDGER_VARIABLE) {
            Ok(named) if !named.is_empty() => Address::parse(&named),
            _ => Address::parse("sqlite:ledger.db"),
        },
    }
}

fn ask(spec: &std::path::Path, paying: &Paying) -> Result<(), Problem> {
    let (reading, gathering) = (Progress::reading(), Progress::gathering());
    let met = |pairs| {
        reading.end();
        gathering.advance(pairs);
    };
    let asked = congenial::ask(spec, paying, &mut |bytes| reading.reached(bytes), &met)?;
    drop((reading, gathering));
    print(&format!(
        "Asked: the release of {} would cost {}.\nSomebody else approves it with: congenial ledger approve {} --ledger '{}'\n",
        shell(spec),
        asked.loss,
        asked.entry,
        asked.ledger
    ))
}

fn status(books: &mut Books, as_json: bool) -> Result<(), Problem> {
    let status = books.status()?;
    if as_json {
        let dataset = |dataset: &DatasetStatus| {
            json!({
                "name": dataset.name,
                "budget": dataset.budget.to_string(),
                "spent": dataset.spent.to_string(),
                "left": dataset.left.to_string(),
                "approval": dataset.approval,
                "partition": dataset.partition,
                "completed": dataset.completed,
                "unfinished": dataset.unfinished,
                "given_up": dataset.abandoned,
            })
        };
        let datasets: Vec<_> = status.datasets.iter().map(dataset).collect();
        return print_json(&json!({"entries": status.entries, "seal": status.head, "datasets": datasets}));
    }
    let mut text = format!("Ledger {}, {} entries\n", books.address(), status.entries);
    for dataset in &status.datasets {
        text += &format!(
            "\n{}\n  budget  {}\n  spent   {}\n  left    {}\n  {} completed, {} unfinished, {} given up{}\n",
            dataset.name,
            dataset.budget,
            dataset.spent,
            dataset.left,
            dataset.completed,
            dataset.unfinished,
            dataset.abandoned,
            if dataset.approval { "; a second person approves every release" } else { "" }
        );
        if let Some(column) = &dataset.partition {
            text += &format!("  what is spent on different parts, by {column}, counts by the largest\n");
        }
    }
    if status.datasets.iter().any(|dataset| dataset.unfinished > 0) {
        text += "\nUnfinished releases were paid for and never completed: `congenial ledger recover` lists them.\n";
    }
    print(&text)
}
