//! What is kept with an entry of the ledger, and the seed that is part of it.

use crate::recognise::ColumnPrint;
use crate::seed::{KeptSeed, data_of};
use declare::Problem;
use exact::SystemSeed;
use ledger::{Event, Ledger, Reservation};
use prepare::Prepared;
use serde::{Deserialize, Serialize};

/// What is kept with an entry that pays: the public side of the release, for the analysis of later
/// ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// The canonical spec.
    pub spec: String,
    /// The totals of its invariants; absent when they are too many to be kept.
    pub totals: Option<Vec<Vec<i64>>>,
    /// What its columns count, whatever they are called; under the key of the ledger.
    #[serde(default)]
    pub shapes: Vec<ColumnPrint>,
    /// What it is drawn from, encrypted; suppression draws nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<KeptSeed>,
}

/// What is kept with an entry that asks: what a second person must see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The canonical spec.
    pub spec: String,
    /// What it means, in words.
    pub statement: String,
}

/// The seed that an entry keeps, for the same data.
pub fn seed_of(ledger: &Ledger, reservation: &Reservation, prepared: &Prepared) -> Result<SystemSeed, Problem> {
    seed_for(ledger, reservation, &data_of(prepared)?)
}

/// The seed that an entry keeps, for data that are known by their hash.
pub fn seed_for(ledger: &Ledger, reservation: &Reservation, data: &str) -> Result<SystemSeed, Problem> {
    let entry = reservation.entry();
    let Event::Reserved { details, place: Some(place), .. } = &entry.event else {
        return Err(nothing_fixed(entry.number));
    };
    let kept = serde_json::from_str::<Details>(details).ok().and_then(|details| details.seed);
    kept.ok_or_else(|| nothing_fixed(entry.number))?.open(ledger, &place.token, data)
}

/// An entry of an earlier version does not say what is drawn for it.
fn nothing_fixed(number: u64) -> Problem {
    Problem::refused(format!("entry {number} does not fix what is drawn for it: an earlier version of congenial paid"))
        .hint(
            "what it cost stays spent, because nobody can tell who saw a draw of it; a new one needs --again, and pays",
        )
}
