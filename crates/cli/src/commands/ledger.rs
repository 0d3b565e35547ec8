//! `congenial ledger`: open datasets, see what was spent, approve, back up, recover, verify.

mod copies;
mod open;
mod recover;

use crate::output::{answer, checks_text, counted, print, shell};
use crate::progress::Progress;
use clap::{Args, Subcommand};
use congenial::ledgers::{Address, Event, Ledger as Books, Status};
use congenial::{LEDGER_VARIABLE, Override, Paying, Problem};
use std::path::PathBuf;

/// Keep the budget of confidential datasets: open, status, history, note, ask, show, approve,
/// recover, verify, backup, restore
#[derive(Args)]
#[command(after_help = "\
The ledger is --ledger, or the environment variable CONGENIAL_LEDGER, or sqlite:ledger.db. A file is relative to the folder
you are in; with --ledger SPEC it is the one that the spec names, relative to the spec as in every other command.
Who acts is --by, or the environment variable CONGENIAL_USER, or else the name you are logged in with.

Examples:
  congenial ledger open fcsm-2005 --epsilon 2
  congenial ledger open fcsm-2005 --epsilon 2 --ledger release/congenial.toml
  congenial ledger status
  congenial ledger history fcsm-2005
  congenial ledger recover
  congenial ledger status --ledger 'postgres://curator@db.example.org/ledger?sslmode=verify-full&sslrootcert=root.crt'")]
pub struct Ledger {
    #[command(subcommand)]
    action: Action,
    /// Where the ledger is: sqlite:FILE, postgres://USER@HOST/DATABASE (a password belongs in
    /// PGPASSWORD), or a spec that says it
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
        congenial::person(self.by.as_deref())
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
    /// Note the data of a spec as those of its dataset: from now on they are recognised, also when
    /// they are declared public
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
        overridden: Vec<String>,
        /// Why the safeguard is overridden
        #[arg(long, value_name = "TEXT", requires = "overridden")]
        because: Option<String>,
        #[command(flatten)]
        person: Person,
    },
    /// Show what an entry asks for, or paid for: the spec, what is exact, what it discloses, what
    /// it costs, whose data
    Show {
        /// The entry
        entry: u64,
    },
    /// Approve what another person asked for: `show` it first
    Approve {
        /// The entry that asks
        entry: u64,
        /// Sign the approval with this secret key (`congenial key new` makes one)
        #[arg(long, value_name = "FILE")]
        sign: Option<PathBuf>,
        #[command(flatten)]
        person: Person,
    },
    Recover(recover::Recover),
    /// Check every entry, every seal, every balance and the head; with --against, what was
    /// published too
    Verify {
        /// Releases, or folders of releases: the ledger must hold every payment that their
        /// certificates name
        #[arg(long, value_name = "DIR", num_args = 1..)]
        against: Vec<PathBuf>,
    },
    Backup(copies::Backup),
    Restore(copies::Restore),
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
            Action::Status => status(&mut Books::open_to_read(&address)?, self.json),
            Action::History { dataset } => history(&mut Books::open_to_read(&address)?, dataset.as_deref(), self.json),
            Action::Note { spec, person } => {
                let progress = Progress::new();
                let dataset = congenial::note_data(&spec, &person.name()?, &progress)?;
                drop(progress);
                print(&format!("Noted: the data of {} are those of dataset {dataset}.\n", shell(&spec)))
            }
            Action::Ask { spec, overridden, because, person } => {
                let reason = because.unwrap_or_default();
                let overridden = overridden.into_iter();
                let overrides = overridden.map(|safeguard| Override { safeguard, reason: reason.clone() }).collect();
                ask(&spec, &Paying { by: Some(person.name()?), again: false, overrides })
            }
            Action::Show { entry } => {
                let (entry, words) = congenial::shown(&address, entry)?;
                print(&format!("{}\n{words}", congenial::entry_text(&entry)))
            }
            Action::Approve { entry, sign: Some(key), person } => {
                let by = person.name()?;
                let (number, key) = congenial::approve_signed(&address, entry, &by, &key)?;
                print(&format!(
                    "Approved by {by}, signed with key {key}: entry {number}. The release can be made once.\n"
                ))
            }
            Action::Approve { entry, sign: None, person } => {
                let by = person.name()?;
                let number = Books::open(&address)?.approve(entry, &by)?;
                print(&format!("Approved by {by}: entry {number}. The release can be made once.\n"))
            }
            Action::Recover(recover) => recover.run(&address, self.json),
            Action::Backup(backup) => backup.run(&address),
            Action::Restore(restore) => restore.run(&address),
            Action::Verify { against } => {
                let mut books = Books::open_to_read(&address)?;
                let whole = books.verify_chain()?;
                let entries =
                    counted(usize::try_from(whole.entries).unwrap_or(usize::MAX), "entry").replace("entrys", "entries");
                let found = match books.knows_its_key() {
                    true => format!("{entries}: every seal, link and balance holds, and no head knows more"),
                    false => format!(
                        "{entries}: every link and balance holds; seals were not checked, for the key is out of reach"
                    ),
                };
                let mut checks = vec![congenial::Check { what: "ledger".into(), found }];
                if !against.is_empty() {
                    checks.push(congenial::verify_against(&address, &against, &perfect::read_release)?);
                }
                let last = format!(
                    "the last seal is {}; noted elsewhere, it tells an older copy from this ledger",
                    whole.head
                );
                print(&format!("{}  {last}\n", checks_text(&checks)))
            }
        }
    }
}

/// The ledger that is named, or that a spec names, or that of the environment, or the one in this
/// folder.
pub fn address(named: Option<&str>) -> Result<Address, Problem> {
    match named {
        Some(spec) if spec.ends_with(".toml") => congenial::ledger_of_spec(std::path::Path::new(spec)),
        Some(named) => Address::parse(named),
        None => match std::env::var(LEDGER_VARIABLE) {
            Ok(named) if !named.is_empty() => Address::parse(&named),
            _ => Address::parse("sqlite:ledger.db"),
        },
    }
}

fn ask(spec: &std::path::Path, paying: &Paying) -> Result<(), Problem> {
    let progress = Progress::new();
    let asked = match perfect::is_perfect_spec(spec) {
        true => perfect::ask_perfect(spec, paying)?,
        false => congenial::ask(spec, paying, &progress)?,
    };
    drop(progress);
    print(&format!(
        "Asked: the release of {} would cost {}.\nSomebody else looks at it with:   congenial ledger show {entry} --ledger '{}'\n\
         … and then approves it with:      congenial ledger approve {entry} --ledger '{}'\n",
        shell(spec),
        asked.loss,
        asked.ledger,
        asked.ledger,
        entry = asked.entry,
    ))
}

/// Prints entries as they are read: a long history is never held whole.
fn history(books: &mut Books, dataset: Option<&str>, as_json: bool) -> Result<(), Problem> {
    let mut before = if as_json { "[\n" } else { "" };
    books.visit_history(dataset, 0, &mut |entry| {
        let text = match as_json {
            true => indented(&format!("{:#}", congenial::entry_json(&entry))),
            false => congenial::entry_text(&entry),
        };
        let printed = print(&format!("{before}{text}"));
        before = if as_json { ",\n" } else { "" };
        printed
    })?;
    match (as_json, before) {
        (true, ",\n") => print("\n]\n"),
        (true, _) => print("[]\n"),
        (false, _) => Ok(()),
    }
}

/// A JSON value as it stands in a list.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn status(books: &mut Books, as_json: bool) -> Result<(), Problem> {
    let status = books.status()?;
    answer(as_json, || congenial::status_json(&status), || status_text(&status, books.address()))
}

fn status_text(status: &Status, address: &Address) -> String {
    let mut text = format!("Ledger {address}, {} entries\n", status.entries);
    if let Some(problem) = &status.refuses {
        text += &format!("\nRefused: {}\n", problem.message);
        text += &problem.hint.as_ref().map_or(String::new(), |hint| format!("  hint: {hint}\n"));
    }
    for entry in &status.recovered {
        let Event::Recovered { found, reason, vouched, .. } = &entry.event else { continue };
        text += &format!(
            "\nRecovered in entry {}, {}, by {}: {found}. Because: {reason}\n",
            entry.number, entry.time, entry.by
        );
        if let Some(why) = vouched {
            text += &format!("  {} vouched that nothing else was paid, though that cannot be known: {why}\n", entry.by);
        }
    }
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
        if let Some(key) = &dataset.approver_key {
            text += &format!("  approvals must be signed with key {key}\n");
        }
        for pending in &dataset.pending {
            let waits = match pending.approved {
                None => "waits for approval".to_string(),
                Some(approval) => format!("is approved (entry {approval}) and not released"),
            };
            text += &format!("  entry {} of {}, {}, {waits}\n", pending.number, pending.by, pending.loss);
        }
        if dataset.answers > 0 {
            let most = congenial::ledgers::MOST_ANSWERS;
            text +=
                &format!("  {} of {most} questions about the data answered that nothing paid for\n", dataset.answers);
        }
        if let Some(column) = &dataset.partition {
            text += &format!("  what is spent on different parts, by {column}, counts by the largest\n");
        }
    }
    if status.datasets.iter().any(|dataset| dataset.unfinished > 0) {
        text += "\nUnfinished releases were paid for and never completed: `congenial ledger recover` lists them.\n";
    }
    text
}
