//! Copies of a ledger: consistent, verified, with a head of their own; and the way back, which
//! never leads behind the head.

use crate::address::Address;
use crate::adopt::Adopted;
use crate::check;
use crate::databases::create_file;
use crate::head::{HeadFile, Line, State, cannot_write as cannot, extended, file_number, synchronise_folder};
use crate::ledger::{Ledger, Verified};
use crate::survey::Adopting;
use declare::Problem;
use std::fs;
use std::path::{Path, PathBuf};

/// What [`Ledger::restore`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// How many entries the backup has.
    pub entries: u64,
    /// Where the ledger that was there is kept.
    pub replaced: Option<PathBuf>,
    /// What was booked as spent because the backup does not have it.
    pub adopted: Option<Adopted>,
}

impl Ledger {
    /// Writes a copy of a whole ledger to a new file, with a head beside it, and verifies the copy.
    /// Nothing is paid from a copy.
    pub fn backup(&mut self, file: &Path) -> Result<Verified, Problem> {
        let file = absolute(file)?;
        self.verify_chain()?;
        let head = HeadFile::beside(&file);
        // Also a link to nothing, and a journal that would be applied to the copy.
        let own = ["", ".head", "-journal", "-wal", "-shm"].map(|end| extended(&file, end));
        if let Some(there) = own.iter().find(|path| path.symlink_metadata().is_ok()) {
            return Err(Problem::bad(format!("`{}` exists; a backup overwrites nothing", there.display()))
                .hint("name a new file, with the date for example"));
        }
        create_file(&file)?;
        let copied = self.store.copy_to(&file).and_then(|()| {
            let mut copy = Ledger::open(&self.address().with_file(file.clone()))?;
            let mut session = copy.reading()?;
            session.store.check_pages()?;
            check::verify(&mut session)?;
            let end = (session.epoch, session.end(), session.head.as_str());
            let line = Line::new(&self.key, State::Backup, end, file_number(&file));
            head.writer(true)?.append(&line, &self.key)?;
            Ok(Verified { entries: session.end(), head: session.head.clone() })
        });
        if copied.is_err() {
            // What is no backup is not left where one is expected.
            let _ = fs::remove_file(&file);
            let _ = fs::remove_file(&head.0);
        }
        copied
    }

    /// Puts a backup in the place of a ledger. The ledger that is there is kept under another name.
    ///
    /// # Errors
    /// Refused where a head knows entries that the backup does not have, or where there is no head
    /// at all; unless `adopting` says why, and what was lost is booked as spent. Where it does not
    /// say what becomes of what nobody can know, and something is not known, nothing is touched.
    pub fn restore(address: &Address, file: &Path, adopting: Option<&Adopting<'_>>) -> Result<Restored, Problem> {
        let Some(target) = address.file().map(absolute).transpose()? else {
            return Err(Problem::bad(format!("the ledger at `{address}` is a database of a server")).hint(
                "restore it with the tools of the server; the head in a second place tells whether it is the newest",
            ));
        };
        let file = absolute(file)?;
        // A link stays a link.
        let target = target.canonicalize().unwrap_or(target);
        if file.canonicalize().is_ok_and(|file| file == target) {
            return Err(Problem::bad(format!("`{}` is the ledger itself", file.display()))
                .hint("name a backup; `congenial ledger recover --adopt` goes on with a ledger that was put back"));
        }
        let mut backup = Ledger::open_to_read(&address.with_file(file.clone()))?;
        let entries = {
            let mut session = backup.reading()?;
            session.store.check_pages()?;
            check::verify(&mut session)?;
            session.end()
        };
        let beside = HeadFile::beside(&target);
        let own_head = beside.all_lines(&backup.key)?.is_some_and(|said| !said.lines.is_empty());
        if beside.holds_any()? && !own_head {
            return Err(Problem::refused(format!(
                "`{}` is the head of another ledger than the backup",
                beside.0.display()
            ))
            .hint("restore a backup of that ledger, or restore this one under another name"));
        }
        check_replaceable(address, &target, own_head, &backup.key.identity())?;
        let behind = backup.behind(&beside)?;
        match (&behind, adopting) {
            (None, _) => {}
            (Some(_), Some(adopting)) => backup.reading()?.survey(Some(&beside), adopting)?.check(adopting.unknown)?,
            (Some(problem), None) => {
                return Err(problem.clone().hint(
                    "find a newer copy; where there is none, --adopt --because TEXT restores this one and books what was lost as spent",
                ));
            }
        }
        let new = extended(&target, ".restoring");
        if new.exists() {
            fs::remove_file(&new).map_err(|error| cannot(&new, &error))?;
        }
        create_file(&new)?;
        backup.store.copy_to(&new)?;
        let replaced = set_aside(&target)?;
        fs::rename(&new, &target)
            .and_then(|()| synchronise_folder(&target))
            .map_err(|error| cannot(&target, &error))?;
        let mut ledger = Ledger::open(address)?;
        let adopted = adopting.filter(|_| behind.is_some()).map(|adopting| ledger.adopt(adopting)).transpose()?;
        ledger.verify_chain()?;
        Ok(Restored { entries, replaced, adopted })
    }

    /// Why a backup must not take the place of the ledger with this head.
    fn behind(&mut self, beside: &HeadFile) -> Result<Option<Problem>, Problem> {
        let mut session = self.reading()?;
        let places: Vec<HeadFile> = std::iter::once(beside.clone()).chain(session.second_places()?).collect();
        for place in places {
            if let Some(trouble) = session.judge(place == *beside, place.last_lines(session.key)?, true)?.trouble {
                return Ok(Some(trouble.problem(&place, &session)));
            }
        }
        Ok(None)
    }
}

/// Refuses to replace a file that never was this ledger.
fn check_replaceable(address: &Address, target: &Path, own_head: bool, identity: &str) -> Result<(), Problem> {
    let Ok(found) = std::fs::metadata(target) else { return Ok(()) };
    let is_this = || {
        let there = Ledger::open_to_read(&address.with_file(target.to_path_buf()));
        there.is_ok_and(|ledger| ledger.key.identity() == identity)
    };
    // The head of this ledger beside it says what it was, however damaged it is.
    if own_head || (found.is_file() && (found.len() == 0 || is_this())) {
        return Ok(());
    }
    let message = format!("`{}` is another file than the ledger of this backup, and is not replaced", target.display());
    Err(Problem::bad(message).hint("correct --ledger, or move the file away"))
}

fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    std::path::absolute(path).map_err(|error| cannot(path, &error))
}

/// Gives the database that is there, and a journal that belongs to it, another name.
fn set_aside(target: &Path) -> Result<Option<PathBuf>, Problem> {
    if !target.exists() {
        return Ok(None);
    }
    let free = (1..).map(|number| extended(target, &format!(".replaced-{number}"))).find(|path| !path.exists());
    let Some(aside) = free else { return Ok(None) };
    fs::rename(target, &aside).map_err(|error| cannot(&aside, &error))?;
    // A journal of the old database must not be applied to the new one.
    for end in ["-journal", "-wal", "-shm"] {
        let (journal, kept) = (extended(target, end), extended(&aside, end));
        if journal.exists() {
            fs::rename(&journal, &kept).map_err(|error| cannot(&kept, &error))?;
        }
    }
    Ok(Some(aside))
}
