//! Parts of a dataset: what is spent on disjoint parts counts by the largest, where that is sound (theorem G6).
//!
//! A dataset may be opened with a partition, a column of its rows. A release from the rows with one value of that column
//! names the value as its part. The dataset has then spent what was spent on all rows together, and the most that was spent on
//! one part. Of every part the latest entry `part-spent` says what it has spent. Why that is enough:
//! `crates/certify/proofs/G6.md`.

use crate::chain::tampered;
use crate::entry::{Event, kind};
use crate::ledger::Session;
use crate::read::Balance;
use crate::store::Value;
use certify::{Amount, Charge, composes_by_maximum};
use declare::Problem;

/// What a part of a dataset has spent, and what the part that spent most has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartSpent {
    pub(crate) spent: Amount,
    pub(crate) largest: Amount,
}

/// What a dataset and its part have spent once an amount is charged to the part; `None` for unlike definitions.
pub(crate) fn charged_to_part(total: &Amount, part: &PartSpent, charged: &Amount) -> Option<(Amount, PartSpent)> {
    let spent = part.spent.plus(charged)?;
    // What is within the largest part was paid for with it.
    let Some(more) = spent.left_after(&part.largest) else {
        // Nothing more is spent, but a loss at integer orders makes the whole one at integer orders.
        let nothing = charged.nothing_of();
        return Some((total.plus(&nothing)?, PartSpent { spent, largest: part.largest.plus(&nothing)? }));
    };
    Some((total.plus(&more)?, PartSpent { largest: spent.clone(), spent }))
}

/// Whether a loss on one part of a dataset counts for that part alone.
pub(crate) fn counts_by_part(budget: &Charge, loss: &Charge) -> bool {
    composes_by_maximum(budget) && composes_by_maximum(loss)
}

impl Session<'_> {
    /// What a part has spent, and what the part that spent most has.
    pub(crate) fn part_spent(&mut self, dataset: &str, part: &str, balance: &Balance) -> Result<PartSpent, Problem> {
        let nothing = || balance.budget.amount.nothing_of();
        let wrong = |number: u64| tampered(format_args!("entry {number} does not say what a part has spent"));
        let values = [Value::Text(kind::PART_SPENT), Value::Text(part), Value::Text(dataset)];
        let rest = "WHERE kind = $1 AND subject = $2 AND dataset = $3 ORDER BY number DESC LIMIT 1";
        let spent = match self.entries(rest, &values)?.pop() {
            None => nothing(),
            Some(entry) => match entry.event {
                Event::PartSpent { spent, .. } => spent,
                _ => return Err(wrong(entry.number)),
            },
        };
        let values = [Value::Text(kind::PART_SPENT), Value::Text(dataset)];
        let rest = "WHERE kind = $1 AND dataset = $2 ORDER BY number DESC LIMIT 1";
        let largest = match self.entries(rest, &values)?.pop() {
            None => nothing(),
            Some(entry) => match entry.event {
                Event::PartSpent { largest, .. } => largest,
                _ => return Err(wrong(entry.number)),
            },
        };
        Ok(PartSpent { spent, largest })
    }
}

/// The column that a part is a value of; refuses a part of a dataset without one.
pub(crate) fn check_part(dataset: &str, balance: &Balance, part: Option<&str>) -> Result<(), Problem> {
    match (&balance.partition, part) {
        (None, Some(part)) => {
            Err(Problem::bad(format!("`{part}` is no part of dataset `{dataset}`: it was opened without a partition"))
                .hint("leave the part out; whether a dataset has parts is decided when it is opened"))
        }
        _ => Ok(()),
    }
}
