//! What a requester may be told of confidential data: whose they are first, and no number of their
//! totals.

use certify::sha256;
use declare::{Declaration, Kind, Problem, Strength};
use ledger::{Ledger, Override};
use loss::{Amount, Loss, Theorem};
use plan::Case;
use prepare::{LoadedTable, Opened, prints, prints_of};

/// What names the question whether a spec can be released: the spec and the bytes of its files, so
/// that other data ask another one. Rows in memory have no bytes; who hands them over has them.
pub(crate) fn question(ledger: &Ledger, opened: &Opened, spec: &str) -> String {
    let Opened { case: Case { declaration, domain, .. }, folder, .. } = opened;
    // Of files that cannot be read nothing is answered.
    let files = (!declaration.data.path.is_empty()).then(|| prints(ledger, declaration, domain, folder, None).ok());
    let Some(files) = files.flatten() else { return spec.to_string() };
    let files: String = files.iter().map(|print| format!("{print}\n")).collect();
    sha256(format!("{spec}\n{files}").as_bytes())
}

/// A refusal for requesters: that the totals contradict the spec, and not which they are.
pub(crate) fn without_totals(problem: Problem) -> Problem {
    let message = match problem.kind {
        Kind::Infeasible => "no table has the exact totals of the data and satisfies what the spec declares",
        Kind::Bad => "what the spec declares of records or laws does not fit the exact totals of the data",
        _ => return problem,
    };
    let hint = "`congenial check SPEC` tells the curator which totals, and why";
    Problem { message: message.to_string(), hint: Some(hint.to_string()), place: None, ..problem }
}

/// Whether exact totals decide what a release costs: else its spec says that alone.
pub(crate) fn is_priced_by_totals(declaration: &Declaration, loss: &Loss) -> bool {
    let is_declared = match (&loss.amount, &declaration.mechanism.strength) {
        (Amount::Pure { epsilon: amount }, Strength::Epsilon(declared))
        | (Amount::ZeroConcentrated { rho: amount } | Amount::IntegerOrder { rho: amount }, Strength::Rho(declared)) => {
            amount == declared
        }
        _ => false,
    };
    let of_spec = [Theorem::G1, Theorem::G2, Theorem::G7, Theorem::G11, Theorem::Suppression].contains(&loss.theorem);
    !of_spec && !is_declared
}

/// Refuses data of another ledger, or of another dataset of this one.
pub fn check_whose(
    ledger: &mut Ledger,
    dataset: &str,
    loaded: &LoadedTable,
    overrides: &[Override],
    by: &str,
) -> Result<(), Problem> {
    loaded.check_others(by)?;
    ledger.check_whose(dataset, &prints_of(ledger, &loaded.opened, &loaded.tabulated)?, overrides, by)
}
