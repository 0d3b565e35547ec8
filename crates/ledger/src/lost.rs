//! What somebody knows of a ledger that was set back, and wants done: payments that it may have
//! lost, and how they stand in it.

use crate::session::Session;
use declare::Problem;
use loss::Charge;

/// A payment that somebody knows of from elsewhere: a certificate names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The dataset that paid.
    pub dataset: String,
    /// The entry that paid.
    pub entry: u64,
    /// Its seal.
    pub seal: String,
    /// What was paid; absent for what cost nothing.
    pub charged: Option<Charge>,
    /// Where that is known from, in words.
    pub source: String,
}

/// How a payment stands in a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is an entry of the history.
    Entered,
    /// Its entry is lost; it was booked again in this one.
    Booked(u64),
    /// The history ends before it: the ledger was set back.
    Beyond,
    /// Another entry stands in its place: another ledger paid, or there are two histories of this
    /// one.
    Elsewhere,
}

/// What becomes of what nobody can know: payments that no head and no certificate lists, though
/// there may have been some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// The ledger is left as it is, and pays for nothing.
    #[default]
    Refused,
    /// All that is left of every dataset is booked as spent.
    Booked,
    /// Nothing: whoever recovers vouches that nothing else was paid, and the history and the status
    /// say so for ever.
    Vouched,
}

/// How somebody goes on with a ledger that was set back, copied, or whose head is lost.
#[derive(Debug, Clone, Copy)]
pub struct Adopting<'a> {
    /// Payments that are known from elsewhere.
    pub payments: &'a [Payment],
    /// Second places of the head that cannot be reached any more.
    pub given_up: &'a [String],
    /// What becomes of payments that nobody lists.
    pub unknown: Unknown,
    /// What happened.
    pub reason: &'a str,
    /// Who recovers.
    pub by: &'a str,
}

impl Session<'_> {
    /// How a payment stands.
    pub(crate) fn standing_of(&mut self, payment: &Payment) -> Result<Standing, Problem> {
        if self.holds(payment.entry, &payment.seal)? {
            return Ok(Standing::Entered);
        }
        if let Some(booked) = self.booked(&payment.dataset, &payment.seal)? {
            return Ok(Standing::Booked(booked));
        }
        Ok(if payment.entry > self.end() { Standing::Beyond } else { Standing::Elsewhere })
    }
}
