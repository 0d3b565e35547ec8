//! `congenial ledger backup`, `restore` and `recover --adopt`: copies of a ledger, and what to do
//! when one was put back.

use super::Person;
use crate::output::print;
use clap::Args;
use congenial::Problem;
use congenial::ledgers::{Address, Adopted, Adopting, Ledger, Unknown};
use std::path::PathBuf;

/// Write a consistent copy of the ledger to a new file, with its head, and verify it; nothing is
/// paid from a copy
#[derive(Args)]
pub struct Backup {
    /// The new file
    file: PathBuf,
}

impl Backup {
    /// Writes it.
    pub fn run(self, address: &Address) -> Result<(), Problem> {
        let copied = Ledger::open(address)?.backup(&self.file)?;
        print(&format!(
            "Copied: {} entries of {address} to `{}`, verified. The last seal is {}.\n",
            copied.entries,
            self.file.display(),
            copied.head
        ))
    }
}

/// Put a backup in the place of the ledger; refused where entries would be lost, unless they are
/// booked as spent
#[derive(Args)]
#[command(after_help = "\
The ledger that is there is kept under another name. Close every program that uses it.

Examples:
  congenial ledger restore monday.db
  congenial ledger restore monday.db --adopt --because 'the disk broke on Tuesday'
  congenial ledger restore monday.db --adopt --because 'disk and head are gone' --from published/ --book-all")]
pub struct Restore {
    /// The backup
    file: PathBuf,
    /// Restore although entries are lost, and book what they paid as spent
    #[arg(long, requires = "because")]
    adopt: bool,
    /// What happened to the ledger
    #[arg(long, value_name = "TEXT", requires = "adopt")]
    because: Option<String>,
    /// Releases, or folders of releases, whose certificates say what was paid
    #[arg(long, value_name = "DIR", num_args = 1.., requires = "adopt")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    rest: Rest,
    #[command(flatten)]
    person: Person,
}

/// What becomes of payments that nobody lists.
#[derive(Args)]
pub struct Rest {
    /// Where no head tells what was paid: book all that is left of every dataset as spent
    #[arg(long, requires = "adopt")]
    book_all: bool,
    /// Where no head tells what was paid: vouch that nothing else was; the history and the status
    /// say so for ever
    #[arg(long, requires = "adopt", conflicts_with = "book_all")]
    vouch: bool,
}

impl Rest {
    fn unknown(&self) -> Unknown {
        match (self.book_all, self.vouch) {
            (true, _) => Unknown::Booked,
            (_, true) => Unknown::Vouched,
            _ => Unknown::Refused,
        }
    }
}

impl Restore {
    /// Restores it.
    pub fn run(self, address: &Address) -> Result<(), Problem> {
        let (payments, by) = (congenial::payments_in(&self.from, &perfect::read_release)?, self.person.name()?);
        let (unknown, because) = (self.rest.unknown(), self.because.as_deref().filter(|_| self.adopt));
        let adopting = |reason| Adopting { payments: &payments, given_up: &[], unknown, reason, by: &by };
        let restored = Ledger::restore(address, &self.file, because.map(adopting).as_ref())?;
        let mut text =
            format!("Restored: {address} has the {} entries of `{}`.\n", restored.entries, self.file.display());
        if let Some(kept) = restored.replaced {
            text += &format!("What was there before is kept as `{}`.\n", kept.display());
        }
        print(&(text + &restored.adopted.map_or(String::new(), |adopted| words(&adopted))))
    }
}

/// Goes on with a ledger that was set back.
pub fn adopt(
    address: &Address,
    from: &[PathBuf],
    given_up: &[String],
    rest: &Rest,
    because: &str,
    by: &str,
) -> Result<(), Problem> {
    let adopted = congenial::adopt(address, from, &perfect::read_release, given_up, rest.unknown(), because, by)?;
    print(&words(&adopted))
}

fn words(adopted: &Adopted) -> String {
    let mut text = format!("Recovered (entry {}): {}.\n", adopted.entry, adopted.found);
    for entry in &adopted.booked {
        let spent = entry.spent.as_ref().map_or(String::new(), |spent| format!(", which has now spent {spent}"));
        text += &format!("  booked as spent: entry {}, dataset {}{spent}\n", entry.number, entry.dataset);
    }
    if adopted.booked.is_empty() {
        text += "  Nothing is known to be lost; the history stands as it is.\n";
    }
    if !adopted.emptied.is_empty() {
        text += &format!("  Nobody knows all that was paid, so nothing is left of: {}\n", adopted.emptied.join(", "));
    }
    text + "What was published and is not known here: congenial ledger verify --against DIR\n"
}
