//! Parts of a dataset: what is spent on disjoint parts counts by the largest, where that is sound
//! (theorem G6).
//!
//! A dataset may be opened with a partition, a column of its rows. A release from the rows with one
//! value of that column names the value as its part. The dataset has then spent what was spent on
//! all rows together, and the most that was spent on one part. Of every part the latest entry
//! `part-spent` says what it has spent. Why that is enough: `crates/certify/proofs/G6.md`.

use crate::chain::tampered;
use crate::entry::{Entry, Event, kind};
use crate::fingerprint::Print;
use crate::ledger::Ledger;
use crate::portions::Portions;
use crate::read::{Balance, PartSpent};
use crate::session::Session;
use crate::store::Value::Text;
use declare::Problem;

/// The safeguard that parts are disjoint: who overrides it vouches for that.
pub const PARTITION: &str = "partition";

/// Data of two parts share rows when so many of the few that were chosen are the same, and this
/// fraction of them.
const FEWEST_SHARED: usize = 4;
const SHARED_OF: usize = 4;

/// Why the rows of two parts are not shown to be disjoint; `None`: they are, or share none that is
/// known.
///
/// Rows with different values of one column of the same files are disjoint, whatever they look
/// like. Of different files that is the caller's word, which the prints of rows may contradict:
/// they leave out what is the same in all rows of a part.
fn shared(one: &[Print], other: &[Print]) -> Option<&'static str> {
    let common = |is: fn(&Print) -> bool| one.iter().filter(|print| is(print) && other.contains(print)).count();
    // Who gives no prints says nothing that they could contradict.
    if common(Print::is_of_source) > 0 || one.is_empty() || other.is_empty() {
        return None;
    }
    if common(Print::says_whose) > 0 {
        return Some("are these rows, or sums of them");
    }
    if common(Print::is_of_few) > 0 {
        return Some("have the same counts under other labels, and too few to be told apart");
    }
    let chosen = |prints: &[Print]| prints.iter().filter(|print| print.is_of_one_row()).count();
    let (fewer, both) = (chosen(one).min(chosen(other)), common(Print::is_of_one_row));
    if both >= FEWEST_SHARED && both * SHARED_OF >= fewer {
        return Some("share rows with these");
    }
    let are_known = |prints: &[Print]| prints.iter().any(Print::is_of_rows);
    (!are_known(one) || !are_known(other)).then_some("come from other files, and too little is known of their rows")
}

impl Ledger {
    /// Whether data may be those of a part: refuses those that were reserved under another part of
    /// the dataset. [`Ledger::reserve`] asks this itself, unless the safeguard [`PARTITION`] is
    /// overridden.
    pub fn check_rows_of_part(&mut self, dataset: &str, part: &str, prints: &[Print]) -> Result<(), Problem> {
        self.reading()?.check_rows_of_part(dataset, part, prints)
    }
}

impl Session<'_> {
    /// Refuses rows that were reserved under another part.
    pub(crate) fn check_rows_of_part(&mut self, dataset: &str, part: &str, prints: &[Print]) -> Result<(), Problem> {
        let mut reserved = Portions::of_kind(dataset, kind::RESERVED);
        while let Some(entry) = reserved.next(self)? {
            let Event::Reserved { part: Some(other), prints: theirs, .. } = &entry.event else { continue };
            if let Some(reason) = (other != part).then(|| shared(theirs, prints)).flatten() {
                return Err(Problem::refused(format!(
                    "the rows of part `{part}` are not shown to be others than those of part `{other}`: the data of entry {} {reason}",
                    entry.number
                ))
                .hint(
                    "release all parts from the same files, where the column tells them apart; \
                     or --override partition --because TEXT, and the certificate names it",
                ));
            }
        }
        Ok(())
    }

    /// What a part has spent, and what the part that spent most has.
    pub(crate) fn part_spent(&mut self, dataset: &str, part: &str, balance: &Balance) -> Result<PartSpent, Problem> {
        let nothing = || balance.budget.amount.nothing_of();
        let values = [Text(kind::PART_SPENT), Text(part), Text(dataset)];
        let rest = "WHERE kind = $1 AND subject = $2 AND dataset = $3 ORDER BY number DESC LIMIT 1";
        let stated = |entry: Option<Entry>| match entry.map(|entry| (entry.number, entry.event)) {
            None => Ok(PartSpent { spent: nothing(), largest: nothing() }),
            Some((_, Event::PartSpent { spent, largest, .. })) => Ok(PartSpent { spent, largest }),
            Some((number, _)) => Err(tampered(format_args!("entry {number} does not say what a part has spent"))),
        };
        let of_part = stated(self.entries(rest, &values)?.pop())?;
        Ok(PartSpent { spent: of_part.spent, ..stated(self.latest_of(dataset, kind::PART_SPENT)?)? })
    }
}

/// The column that a part is a value of; refuses a part of a dataset without one.
pub(crate) fn check_part(dataset: &str, balance: &Balance, part: Option<&str>) -> Result<(), Problem> {
    let Some(part) = part.filter(|_| balance.partition.is_none()) else { return Ok(()) };
    Err(Problem::bad(format!("`{part}` is no part of dataset `{dataset}`: it was opened without a partition"))
        .hint("leave the part out; whether a dataset has parts is decided when it is opened"))
}
