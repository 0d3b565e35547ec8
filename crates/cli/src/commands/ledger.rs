//! `congenial ledger`: open datasets, see what was spent, approve, back up, recover, verify.

mod copies;
mod entries;
mod open;

use crate::output::{checks_text, counted, print, print_json, shell};
use crate::progress::Progress;
use clap::{Args, Subcommand};
use congenial::ledgers::{Address, DatasetStatus, Ledger as Books, Unfinished};
use congenial::{LEDGER_VARIABLE, Override, Paying, Problem};
use serde_json::json;
use std::path::PathBuf;

/// Keep the budget of confidential datasets: open, status, history, note, ask, show, approve, recover, verify, backup, restore
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
        overridden: Vec<String>,
        /// Why the safeguard is overridden
        #[arg(long, value_name = "TEXT", requires = "overridden")]
        because: Option<String>,
        #[command(flatten)]
        person: Person,
    },
    /// Show what an entry asks for, or paid for: the spec, what is exact, what it discloses, what it costs, whose data
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
    /// List releases that were paid for and never completed; enter one that was found, or give one up
    #[command(after_help = "\
What was paid stays paid: bits may have been drawn and seen. A new draw pays again.

Examples:
  congenial ledger recover
  congenial ledger recover --found release
  congenial ledger recover --give-up 17 --because 'the machine lost power'
  congenial ledger recover --adopt --because 'restored from the tape of Monday' --from published/")]
    Recover {
        /// Of this dataset alone
        dataset: Option<String>,
        /// A release that was written and holds, though the ledger was not told
        #[arg(long, value_name = "DIR", conflicts_with = "give_up")]
        found: Option<PathBuf>,
        /// The entry that was looked at, and whose release does not exist
        #[arg(long, value_name = "ENTRY", requires = "because")]
        give_up: Option<u64>,
        /// Go on with a ledger that was set back, copied or lost its head: what it lost is booked as spent
        #[arg(long, requires = "because", conflicts_with_all = ["found", "give_up", "dataset"])]
        adopt: bool,
        /// Releases, or folders of releases, whose certificates say what was paid
        #[arg(long, value_name = "DIR", num_args = 1.., requires = "adopt")]
        from: Vec<PathBuf>,
        /// A second place of the head that cannot be reached any more
        #[arg(long, value_name = "FILE", requires = "adopt")]
        give_up_head: Vec<String>,
        /// Why it is given up, or what happened to the ledger
        #[arg(long, value_name = "TEXT")]
        because: Option<String>,
        #[command(flatten)]
        person: Person,
    },
    /// Check every entry, every seal, every balance and the head; with --against, what was published too
    Verify {
        /// Releases, or folders of releases: the ledger must hold every payment that their certificates name
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
            Action::History { dataset } => {
                let history = Books::open_to_read(&address)?.history(dataset.as_deref())?;
                if self.json { print_json(&entries::json(&history)) } else { print(&entries::text(&history)) }
            }
            Action::Note { spec, person } => {
                let reading = Progress::reading();
                let dataset = congenial::note_data(&spec, &person.name()?, &mut |bytes| reading.reached(bytes))?;
                drop(reading);
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
                let head = entries::text(std::slice::from_ref(&entry));
                print(&format!("{head}\n{words}"))
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
            Action::Recover { found: Some(found), person, .. } => {
                let (paid, number) = congenial::recover_release(&found, &address, &person.name()?)?;
                print(&format!(
                    "Entered: `{}` is the release that entry {paid} paid for (entry {number}).\n",
                    found.display()
                ))
            }
            Action::Recover { give_up: Some(entry), because, person, .. } => {
                let reason = because.unwrap_or_default();
                let number = Books::open(&address)?.abandon(entry, &reason, &person.name()?)?;
                print(&format!("Given up: entry {entry} (entry {number}). What it cost stays spent.\n"))
            }
            Action::Recover { adopt: true, from, give_up_head, because, person, .. } => {
                copies::adopt(&address, &from, &give_up_head, &because.unwrap_or_default(), &person.name()?)
            }
            Action::Recover { dataset, .. } => {
                let unfinished = Books::open_to_read(&address)?.unfinished(dataset.as_deref())?;
                if self.json { print_json(&unfinished_json(&unfinished)) } else { print(&unfinished_text(&unfinished)) }
            }
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
                    checks.push(congenial::verify_against(&address, &against)?);
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
        "Asked: the release of {} would cost {}.\nSomebody else looks at it with:   congenial ledger show {entry} --ledger '{}'\n\
         … and then approves it with:      congenial ledger approve {entry} --ledger '{}'\n",
        shell(spec),
        asked.loss,
        asked.ledger,
        asked.ledger,
        entry = asked.entry,
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
                "answers": dataset.answers,
                "pending": dataset.pending.iter().map(|pending| json!({
                    "entry": pending.number, "by": pending.by, "time": pending.time, "loss": pending.loss.to_string(),
                    "approved": pending.approved,
                })).collect::<Vec<_>>(),
            })
        };
        let datasets: Vec<_> = status.datasets.iter().map(dataset).collect();
        let refuses = status.refuses.map(|problem| problem.message);
        return print_json(
            &json!({"entries": status.entries, "seal": status.head, "refuses": refuses, "datasets": datasets}),
        );
    }
    let mut text = format!("Ledger {}, {} entries\n", books.address(), status.entries);
    if let Some(problem) = &status.refuses {
        text += &format!("\nRefused: {}\n", problem.message);
        text += &problem.hint.as_ref().map_or(String::new(), |hint| format!("  hint: {hint}\n"));
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
    print(&text)
}

fn unfinished_text(unfinished: &[Unfinished]) -> String {
    if unfinished.is_empty() {
        return "Nothing to recover: every release that was paid for was completed or given up.\n".to_string();
    }
    let mut text = "Paid for and not completed: the release crashed, or is still being made\n".to_string();
    for one in unfinished {
        text +=
            &format!("  entry {}, {}, by {}, dataset {}: {}\n", one.number, one.time, one.by, one.dataset, one.loss);
    }
    text + "\nIf its folder was written: congenial ledger recover --found DIR\n\
            If it was not:             congenial ledger recover --give-up ENTRY --because TEXT\n\
            What was paid stays paid in either case.\n"
}

fn unfinished_json(unfinished: &[Unfinished]) -> serde_json::Value {
    let one = |one: &Unfinished| {
        json!({
            "entry": one.number, "dataset": one.dataset, "time": one.time, "by": one.by,
            "spec_sha256": one.spec, "loss": one.loss.to_string(), "charged": one.charged.to_string(),
        })
    };
    unfinished.iter().map(one).collect()
}
