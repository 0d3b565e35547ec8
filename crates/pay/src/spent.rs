//! What is spent and not completed, for whoever is told of a failure; and whether there is room for
//! a release.

use declare::Problem;
use ledger::Address;
use publish::cannot;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is written to see whether a release will fit on the disk: so many bytes for a cell, and at
/// most so many in all.
const BYTES_PER_CELL: u64 = 64;
const LARGEST_TRIAL: u64 = 256 << 20;

/// What this process has paid for and not completed: for messages when it is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The entry that paid; 0 while it is being written and nobody knows whether it was.
    pub entry: u64,
    /// What it cost.
    pub charged: String,
    /// Where the ledger is.
    pub ledger: Address,
    /// Where what was drawn is kept, once it is.
    pub kept: Option<PathBuf>,
}

static SPENT: Mutex<Option<Spent>> = Mutex::new(None);

/// What this process has paid for and not completed, at this moment.
pub fn spent_now() -> Option<Spent> {
    SPENT.lock().map(|spent| spent.clone()).unwrap_or_default()
}

/// Notes what is spent from now on.
pub fn note_spent(spent: Option<Spent>) {
    if let Ok(mut now) = SPENT.lock() {
        *now = spent;
    }
}

/// A problem after the loss was spent says so, and where what was drawn is kept.
pub fn after_paying(problem: Problem, spent: Option<&Spent>) -> Problem {
    let Some(Spent { entry, charged, ledger, kept }) = spent else { return problem };
    let also = match kept {
        Some(kept) => format!(
            "the loss stays spent (entry {entry}), and what was drawn is kept in `{}`: the same command goes on from there at no \
             further loss, and so does congenial ledger recover --finish {entry} --out DIR --ledger '{ledger}'",
            kept.display()
        ),
        None => format!(
            "the loss stays spent (entry {entry}, {charged}), and the entry fixes what is drawn for it: the same command goes on, draws \
             the same table and pays nothing; `congenial ledger recover` lists it"
        ),
    };
    let before = problem.hint.as_ref().map_or(String::new(), |hint| format!("{hint}; "));
    problem.hint(before + &also)
}

/// Checks, before anything is paid, that a release of so many cells can be written to a folder.
pub fn check_space(folder: &Path, cells: usize) -> Result<(), Problem> {
    let file = folder.join("trial");
    let full = |error: std::io::Error| {
        cannot("write", folder, error).hint("nothing was drawn or spent; make room, or choose another --out folder")
    };
    let mut left = ((1 << 20) + (cells as u64).saturating_mul(BYTES_PER_CELL)).min(LARGEST_TRIAL);
    let zeros = vec![0u8; 1 << 20];
    let mut written = std::fs::File::create(&file).map_err(full)?;
    while left > 0 {
        let portion = left.min(zeros.len() as u64);
        written.write_all(&zeros[..portion as usize]).map_err(full)?;
        left -= portion;
    }
    written.sync_all().map_err(full)?;
    drop(written);
    std::fs::remove_file(&file).map_err(full)
}
