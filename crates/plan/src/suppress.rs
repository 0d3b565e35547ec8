//! `method = "suppress"`: a plan that draws nothing, because the exact totals alone are published.

use crate::blocks::only_one_table;
use crate::planned::Plan;
use crate::price;
use analyse::Analysis;
use declare::{Conditions, Declaration, Method, Problem};
use draw::NoiseLaw;
use exact::Rational;

/// The plan of a release that publishes the exact totals and nothing else.
///
/// # Errors
/// Refused when there is no total, when totals are pinned or tables are to be derived from released
/// counts, and when only one table has the totals.
pub fn suppressed(declaration: &Declaration, conditions: &Conditions, analysis: &Analysis) -> Result<Plan, Problem> {
    let refused = |what: &str, hint: &str| Err(Problem::refused(what).hint(hint));
    if analysis.invariants == 0 {
        return refused(
            "method = \"suppress\" publishes the exact totals alone, and none is declared",
            "declare an [[invariant]], or choose another method",
        );
    }
    if analysis.moves.pinned {
        return refused(
            "method = \"suppress\" publishes totals of the data, and some are pinned to values that were published before",
            "leave out invariants with `from` or `values`",
        );
    }
    if !declaration.outputs.is_empty() {
        return refused(
            "tables are derived from released counts ([[output]]), and method = \"suppress\" releases none",
            "leave out [[output]]: declare an [[invariant]] for every total that should be published",
        );
    }
    if analysis.disclosed.len() == analysis.cells {
        return Err(only_one_table());
    }
    let loss = price::suppressed(&analysis.moves);
    let loss = match &declaration.data.unit {
        Some(column) => loss.owned(column, declaration.data.rows_per_unit, declaration.mechanism.per),
        None => loss,
    };
    // Nothing is drawn: the limit of ever wider noise stands for it, which no sampler takes.
    let law = NoiseLaw::double_geometric(Rational::integer(0));
    Ok(Plan::bare(conditions, analysis, Method::Suppress, law, loss))
}
