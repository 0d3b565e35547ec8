//! What exact totals that are published alone guarantee, in words.

use plan::Plan;

/// What stands for the noise and for the source of random bits.
pub(crate) const NOTHING_DRAWN: &str = "none: nothing was drawn";

/// The guarantee in one paragraph.
pub(crate) fn statement(plan: &Plan) -> String {
    let listed = match plan.invariants {
        1 => "the total listed as exact".to_string(),
        totals => format!("all {totals} totals listed as exact"),
    };
    format!(
        "Nothing but the totals listed as exact is published. Take any two tables that the confidential table might have been and \
         that agree on {listed}: this release is the same for both, so it does not tell them apart at all (epsilon = 0). This does \
         not protect what the totals themselves tell: the cells that they disclose, the intervals that they leave for other cells, \
         and whatever else follows from them is public. Nothing is promised about pairs of tables that differ on a total."
    )
}
