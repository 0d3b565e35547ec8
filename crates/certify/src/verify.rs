//! Checks a `Certificate` again, from itself and the released table alone.

use crate::certificate::{Certificate, Total};
use crate::certify::{PROGRAM, check_confined, differs, unpaid};
use crate::check::{Check, changed};
use crate::composition::emptied;
use crate::derive::{Derived, derive, totals_of};
use crate::disclosure::CertifiedDisclosure;
use crate::estimated::supported;
use crate::secrets::check_in_words;
use declare::{Kind, Problem};
use plan::{Case, Plan, decimal};

/// What was checked about the intervals that the totals leave.
fn confinement(disclosure: &CertifiedDisclosure) -> String {
    let sums: usize = disclosure.margins.iter().map(|margin| margin.widths.total).sum();
    let sums = if sums == 0 { String::new() } else { format!(" and {sums} sums") };
    let sensitive = match &disclosure.sensitive {
        Some(sensitive) if sensitive.confined > 0 => {
            format!(
                "; {} of {} sensitive cells are confined, which was overridden",
                sensitive.confined, sensitive.cells
            )
        }
        Some(sensitive) if sensitive.cells == 1 => "; 1 sensitive cell is left open enough".to_string(),
        Some(sensitive) => format!("; {} sensitive cells are left open enough", sensitive.cells),
        None => String::new(),
    };
    format!("intervals that the totals leave for {} cells{sums} were found again{sensitive}", disclosure.cells.total)
}

/// What was found, by what was checked, and the plan.
type FoundAgain = (Vec<(&'static str, String)>, Plan);

/// Re-derives all that can be re-derived from a certificate and the released counts: what was
/// checked, and the plan. Of a folded table the counts are those of the small one that they add up
/// to; of totals that are published alone there are none.
pub fn verify(certificate: &Certificate, case: &Case, values: &[i64]) -> Result<(Vec<Check>, Plan), Problem> {
    let (found, plan) = match case.method().draws {
        true => table(certificate, case, values)?,
        false => totals_alone(certificate, case)?,
    };
    let checks = found.into_iter().map(|(what, found)| Check { what: what.into(), found });
    Ok((checks.collect(), plan))
}

fn table(certificate: &Certificate, case: &Case, values: &[i64]) -> Result<FoundAgain, Problem> {
    let Case { domain, conditions, .. } = case;
    let groupings = &conditions.invariants;
    if values.len() != conditions.cells || certificate.table.cells != domain.len() {
        return Err(changed(format!("the table has {} cells, the spec declares {}", values.len(), domain.len())));
    }
    let totals = totals_of(groupings, values)?;
    let kept = certificate.invariants.iter().zip(groupings.iter().zip(&totals));
    for (certified, (grouping, totals)) in kept {
        for (total, (name, value)) in certified.totals.iter().zip(grouping.names.iter().zip(totals)) {
            if total.value != *value {
                return Err(changed(format!(
                    "the invariant `{}` does not hold: `{name}` is certified as {}, the table has {value}",
                    grouping.label, total.value
                )));
            }
        }
    }
    if totals != conditions.totals(values)? {
        return Err(changed("an invariant pinned to published values does not have them in the table"));
    }
    if let Err(broken) = conditions.check_table(values) {
        return Err(changed(broken.message.replacen("the data break", "the table breaks", 1)));
    }
    let (derived, plan) = derive_again(certificate, case, &totals)?;
    let holding = match derived.invariants.iter().map(|invariant| invariant.totals.len()).sum() {
        0 => "no total is claimed to be exact".to_string(),
        1 => "1 exact total holds in the table".to_string(),
        count => format!("{count} exact totals hold in the table"),
    };
    let conditions = match derived.conditions.as_slice() {
        [] => "no bound or rule is claimed".to_string(),
        [one] => format!("{one}: holds in every cell and sum"),
        more => format!("{} hold in every cell and sum", more.join("; ")),
    };
    let theorem = &derived.guarantee.theorem;
    let mut found = vec![
        ("spec", spec_holds(case)),
        ("invariants", holding),
        ("conditions", conditions),
        ("guarantee", format!("re-derived from the spec: theorem {theorem}, same numbers")),
        ("plan", "operators, exactness and disclosed cells follow from the spec and the totals".to_string()),
        ("disclosure", confinement(&derived.disclosure)),
    ];
    found.extend(derived.secrets.as_ref().map(|secrets| ("secrets", check_in_words(secrets))));
    if let Some(estimated) = plan.loss.estimated() {
        let pairs: u64 = derived.evidence.iter().map(|evidence| evidence.pairs).sum();
        let evidence = format!(
            "distance {} and δ follow from how {pairs} pairs of chains met, and the walk is one whose steps are proved to join all tables; \
             the chains are not run again",
            decimal(estimated.distance.to_f64())
        );
        found.push(("evidence", evidence));
    }
    Ok((found, plan))
}

/// There is no table from which the totals could be added up again: hashes notice changed files,
/// and only a signature notices a certificate that was written anew around other totals that some
/// table has.
fn totals_alone(certificate: &Certificate, case: &Case) -> Result<FoundAgain, Problem> {
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
    let found = vec![
        ("spec", spec_holds(case)),
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
    Ok((found, plan))
}

fn spec_holds(case: &Case) -> String {
    format!("hash and canonical form hold, {} cells declared", case.domain.len())
}

/// Derives again what follows from the spec of a certificate and these totals, and compares it with
/// what is certified.
fn derive_again(certificate: &Certificate, case: &Case, totals: &[Vec<i64>]) -> Result<(Derived, Plan), Problem> {
    let declaration = &case.declaration;
    let planned = case.plan(&case.analyse(totals)?)?;
    let plan = supported(planned, certificate, declaration)?;
    let derived = derive(case, totals, &plan, &|_| {})?;
    let same = [
        ("the list of invariants", derived.invariants == certificate.invariants),
        ("the bounds and rules", derived.conditions == certificate.conditions),
        ("the guarantee", derived.guarantee == certificate.guarantee),
        ("what it tells of secrets", derived.secrets == certificate.secrets),
        ("which rows were counted", derived.counted == certificate.counted),
        ("how their fields were read", derived.read_as == certificate.read_as),
        ("the cells disclosed by the invariants", derived.disclosed == certificate.disclosed),
        ("the number of disclosed cells", derived.disclosed_cells == certificate.disclosed_cells),
        ("how closely the invariants confine cells", Some(&derived.disclosure) == certificate.disclosure.as_ref()),
        ("the operators", derived.operators == certificate.operators),
        ("the evidence of coupled chains", derived.evidence == certificate.evidence),
        ("how the strength was chosen", derived.choice == certificate.choice),
        ("the source of random bits", derived.entropy == certificate.entropy),
        ("the program", certificate.program.name == PROGRAM),
        ("the title", declaration.title == certificate.title),
    ];
    if let Some(wrong) = unpaid(declaration, certificate.ledger.as_ref()) {
        return Err(changed(wrong));
    }
    check_confined(&derived, certificate.ledger.as_ref())?;
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        let message = format!("the certificate does not follow from its spec and the table: {what}");
        if certificate.disclosed_cells < derived.disclosed_cells && emptied(declaration, &case.domain, true)?.is_some()
        {
            return Err(Problem::refused(format!(
                "{message}; it counts {} disclosed cells and there are {}: versions up to 0.3.0 did not see what a filter leaves empty",
                certificate.disclosed_cells, derived.disclosed_cells
            ))
            .hint("take the cells that `congenial check` lists for its spec as public; release again for a certificate that says so"));
        }
        return Err(differs(certificate, message));
    }
    Ok((derived, plan))
}
