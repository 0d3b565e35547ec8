//! What parts of a dataset have spent: on disjoint parts it counts by the largest, where that is
//! sound (theorem G6).

use loss::{Amount, Charge, composes_by_maximum};

/// What a part of a dataset has spent, and what the part that spent most has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartSpent {
    pub(crate) spent: Amount,
    pub(crate) largest: Amount,
}

/// What a dataset and its part have spent once an amount is charged to the part; `None` for unlike
/// definitions.
pub(crate) fn charged_to_part(total: &Amount, part: &PartSpent, charged: &Amount) -> Option<(Amount, PartSpent)> {
    let spent = part.spent.plus(charged)?;
    // What is within the largest part was paid for with it.
    let Some(more) = spent.left_after(&part.largest) else {
        // Nothing more is spent, but a loss at integer orders makes the whole one at integer
        // orders.
        let nothing = charged.nothing_of();
        return Some((total.plus(&nothing)?, PartSpent { spent, largest: part.largest.plus(&nothing)? }));
    };
    Some((total.plus(&more)?, PartSpent { largest: spent.clone(), spent }))
}

/// Whether a loss on one part of a dataset counts for that part alone.
pub(crate) fn counts_by_part(budget: &Charge, loss: &Charge) -> bool {
    composes_by_maximum(budget) && composes_by_maximum(loss)
}
