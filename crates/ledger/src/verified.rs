//! `Verified`: a whole ledger, checked on demand.

use crate::check;
use crate::ledger::Ledger;
use declare::Problem;

/// What a whole ledger amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its number of entries.
    pub entries: u64,
    /// The seal of the last one. Noted elsewhere, it tells an older copy of the ledger from this
    /// one.
    pub head: String,
}

impl Ledger {
    /// Checks every seal, every link between neighbours, where the history ends, and what every
    /// dataset has spent.
    ///
    /// And that no head outside the database knows more than it. Somebody who holds the key, which
    /// lies in the database, and who knows this program can make a history that passes; so can an
    /// older copy of the database with all of its heads.
    pub fn verify_chain(&mut self) -> Result<Verified, Problem> {
        if let Some(problem) = self.why_refused()? {
            return Err(problem);
        }
        let mut session = self.reading()?;
        session.store.check_pages()?;
        check::verify(&mut session)?;
        Ok(Verified { entries: u64::try_from(session.count).unwrap_or_default(), head: session.head.clone() })
    }
}
