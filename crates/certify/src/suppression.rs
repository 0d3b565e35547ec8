//! Suppression: the certificate of exact totals that are published alone, and its re-derivation.

use crate::certificate::{Certificate, Total};
use crate::certify::{Circumstances, confinement, derive_again, state};
use crate::check::{Check, changed};
use crate::derive::Derived;
use crate::totals_alone::NOTHING_DRAWN;
use declare::{Declaration, Kind, Problem};
use draw::Exactness;
use plan::{Case, Plan};

/// Certifies totals that are published alone. Nothing is drawn, so there is no draw to show.
///
/// # Errors
/// Refused when the spec demands a draw, when the number of totals is not that of the spec, and as
/// [`crate::certify`] is.
pub fn certify_suppressed(
    declaration: &Declaration,
    derived: &Derived,
    circumstances: Circumstances,
) -> Result<Certificate, Problem> {
    let totals = derived.invariants.iter().map(|invariant| invariant.totals.len()).sum();
    state(declaration, derived, &Exactness::Exact, totals, circumstances, NOTHING_DRAWN)
}

/// Derives again all that follows from the spec and the totals of a certificate: what was checked,
/// and the plan.
///
/// There is no table from which the totals could be added up again: hashes notice changed files,
/// and only a signature notices a certificate that was written anew around other totals that some
/// table has.
pub fn verify_suppressed(certificate: &Certificate, case: &Case) -> Result<(Vec<Check>, Plan), Problem> {
    let groupings = &case.conditions.invariants;
    let names = |totals: &[Total]| totals.iter().map(|total| total.name.clone()).collect::<Vec<_>>();
    let listed = certificate.invariants.iter().map(|invariant| (&invariant.label, names(&invariant.totals)));
    if listed.ne(groupings.iter().map(|grouping| (&grouping.label, grouping.names.clone()))) {
        return Err(changed("the certificate lists other totals than its spec declares"));
    }
    let values = |totals: &[Total]| totals.iter().map(|total| total.value).collect::<Vec<i64>>();
    let totals: Vec<Vec<i64>> = certificate.invariants.iter().map(|invariant| values(&invariant.totals)).collect();
    let count: usize = totals.iter().map(Vec::len).sum();
    if certificate.table.cells != count {
        let stated = certificate.table.cells;
        return Err(changed(format!("the certificate states {stated} rows of totals, its spec declares {count}")));
    }
    let (derived, plan) = derive_again(certificate, case, &totals).map_err(|problem| match problem.kind {
        Kind::Infeasible => changed(format!("no table has the totals of the certificate: {}", problem.message)),
        _ => problem,
    })?;
    let cells = case.domain.len();
    let checks = [
        ("spec", format!("hash and canonical form hold, {cells} cells declared")),
        (
            "totals",
            "named as the spec declares, and some table has them all; no counts are published to add them up again: hashes notice \
             changed files, and only a signature a certificate written anew"
                .to_string(),
        ),
        ("guarantee", format!("re-derived from the spec: {}, same numbers", derived.guarantee.theorem)),
        ("plan", "nothing was drawn; disclosed cells follow from the spec and the totals".to_string()),
        ("disclosure", confinement(&derived.disclosure)),
    ];
    Ok((checks.map(|(what, found)| Check { what: what.into(), found }).into(), plan))
}
