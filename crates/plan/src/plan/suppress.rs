//! `method = "suppress"`: a plan that draws nothing, because the exact totals alone are published.

use crate::case::Case;
use crate::planned::{Plan, ReleaseMethod};
use crate::price::{self, PairLoss};
use analyse::{Analysis, Moves};
use declare::{Method, Per, Problem};
use draw::NoiseLaw;
use exact::Rational;
use loss::{Amount, Attained, Loss, NearestLoss, Norm, Theorem};

pub(super) static SUPPRESS: ReleaseMethod = ReleaseMethod {
    draws: false,
    ..ReleaseMethod::new(Method::Suppress, "nothing is drawn: the exact totals are published alone", suppressed)
};

/// Refuses when there is no total, and when totals are pinned or tables are to be derived from
/// released counts.
fn suppressed(method: &'static ReleaseMethod, case: &Case, analysis: &Analysis) -> Result<Plan, Problem> {
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
    if !case.declaration.outputs.is_empty() {
        return refused(
            "tables are derived from released counts ([[output]]), and method = \"suppress\" releases none",
            "leave out [[output]]: declare an [[invariant]] for every total that should be published",
        );
    }
    // Nothing is drawn: the limit of ever wider noise stands for it, which no sampler takes.
    let law = NoiseLaw::double_geometric(Rational::integer(0));
    Ok(Plan::bare(method, &case.conditions, analysis, law, loss(&analysis.moves)))
}

/// The loss between tables with the same totals when nothing but these is published: the release is
/// the same, so ε = 0. Proof: `crates/certify/proofs/suppression.md`.
fn loss(moves: &Moves) -> Loss {
    let nothing = Amount::Pure { epsilon: Rational::integer(0) };
    let nearest = NearestLoss { others: false, ..PairLoss::new(moves).losing(nothing.clone()) };
    let loss = Loss::new(nothing, Per::Record, Norm::L1, 2 * moves.measures, nearest);
    price::by(Theorem::Suppression, Loss { attained: Attained::Reached, ..loss })
}
