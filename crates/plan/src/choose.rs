//! Which operator draws a block: the fastest that draws from the law itself, else what the registry
//! has for the rest.

use crate::blocks::block_in_words;
use crate::planned::{PlannedBlock, Refused, ReleaseMethod};
use crate::registry::Registry;
use analyse::Structure;
use declare::{Method, Problem};
use draw::{Operator, PlannedWork, Task, Turn, WEIGHTED, all};
use std::collections::BTreeMap;
use std::sync::Arc;
use walk::NOT_ACCEPTED;
use walk::{PROVED_WALKS, UNPROVED};

/// The operator that the spec asks for by name.
pub(crate) fn asked_for(
    registry: &Registry,
    sampler: Option<&str>,
    method: Method,
) -> Result<Option<&'static dyn Operator>, Problem> {
    let Some(name) = sampler else {
        return Ok(None);
    };
    let known = || registry.of(method).map(Operator::name).collect::<Vec<_>>().join(", ");
    let hint = || format!("write sampler = \"auto\", or one of {}", known());
    match registry.named(name) {
        Some(operator) if !operator.role().methods.contains(&method) => {
            Err(Problem::bad(format!("method = \"{}\" does not use the sampler `{name}`", method.name())).hint(hint()))
        }
        Some(operator) => Ok(Some(operator)),
        None if registry.later().any(|known| known == name) => {
            Err(Problem::not_yet(format!("sampler = \"{name}\"")).hint(hint()))
        }
        None => Err(Problem::bad(format!("no operator is called `{name}`")).hint(hint())),
    }
}

/// How a block is drawn: by the operator asked for, or by the one whose turn it is.
pub(crate) fn choose(
    registry: &Registry,
    method: &ReleaseMethod,
    asked_for: Option<&dyn Operator>,
    task: &Task,
    reasons: &mut BTreeMap<&'static str, String>,
) -> Result<Arc<dyn PlannedWork>, Problem> {
    let asked_for = asked_for.map(Operator::name);
    let wanted = |operator: &dyn Operator| asked_for.is_none_or(|name| name == operator.name());
    let mut refusals = Vec::new();
    let tried = |operator: &dyn Operator| match task.law.base().is_some() && !operator.role().takes_base {
        true => Err(WEIGHTED.to_owned()),
        false => operator.attempt(task),
    };
    let mut attempt = |operator: &dyn Operator| match tried(operator) {
        Ok(work) => Some(work).filter(|_| wanted(operator)),
        Err(why) => {
            reasons.entry(operator.name()).or_insert_with(|| why.clone());
            if wanted(operator) {
                refusals.push((operator.name(), why));
            }
            None
        }
    };
    let seconds = |work: &Arc<dyn PlannedWork>| work.prospect().seconds;
    let counted = |work: &Arc<dyn PlannedWork>| seconds(work) + work.gives_way();
    let faster = |one: &Arc<dyn PlannedWork>, other: &Arc<dyn PlannedWork>| counted(one).total_cmp(&counted(other));
    let at = |turn: Turn| registry.of(method.word).filter(move |operator| operator.role().turn == turn);
    let mut best = at(Turn::Fastest).filter_map(&mut attempt).min_by(faster);
    // Tables are only listed, and lattices only made, where nothing else draws within a short time,
    // or where that is asked for.
    for operator in at(Turn::WhereSlow).filter(|operator| wanted(*operator)) {
        if best.as_ref().is_none_or(|best| seconds(best) > operator.slow_seconds(task)) {
            best = best.into_iter().chain(attempt(operator)).min_by(faster);
        }
    }
    // Walks step in where nothing else draws, or where they are asked for.
    if best.is_none() {
        let further = registry.of(method.word).filter(|operator| match (asked_for, operator.role().turn) {
            (Some(name), Turn::WhereNothing | Turn::ByName) => name == operator.name(),
            (None, turn) => turn == Turn::WhereNothing,
            _ => false,
        });
        best = further.filter_map(&mut attempt).next();
    }
    best.ok_or_else(|| no_operator(method, asked_for, task, &refusals))
}

fn no_operator(
    method: &ReleaseMethod,
    asked_for: Option<&str>,
    task: &Task,
    refusals: &[(&'static str, String)],
) -> Problem {
    let block = block_in_words(task.block);
    if let (true, Some((operator, reason))) = (method.projects, refusals.last()) {
        let hint = match asked_for {
            Some("project-l2") => {
                "write nonnegative = false and no rule under [constraints], or sampler = \"project-nonnegative\""
            }
            _ => "declare fewer or coarser totals and rules, or use method = \"condition\"",
        };
        return Problem::refused(format!("`{operator}` cannot project onto {block}: {reason}")).hint(hint);
    }
    let accept = "write accept = \"estimated\" and max_delta = \"1e-6\" under [mechanism] to let a walk draw it";
    let acceptable = refusals.iter().any(|(_, reason)| reason == NOT_ACCEPTED);
    let unproved = refusals.iter().any(|(_, reason)| reason.starts_with(UNPROVED));
    if let (Some(_), Some((operator, reason))) = (asked_for, refusals.first()) {
        let hint = match acceptable {
            true => format!("{accept}, or sampler = \"auto\""),
            false if unproved => format!("write sampler = \"auto\"; {PROVED_WALKS}"),
            false => "write sampler = \"auto\"".into(),
        };
        return Problem::refused(format!("sampler = \"{operator}\" cannot draw {block}: {reason}")).hint(hint);
    }
    let reasons: Vec<String> = refusals.iter().map(|(operator, reason)| format!("\n  {operator}: {reason}")).collect();
    let other = match &task.block.structure {
        _ if !task.law.is_product() => {
            "use noise = \"double-geometric\" or \"discrete-gaussian\", which other operators draw".to_owned()
        }
        Structure::Crossing { invariants, .. } if invariants.len() > 1 => format!(
            "drop one of the invariants {}, or choose ones that nest: every group of one inside one group of the other",
            all(invariants)
        ),
        _ => "declare fewer or coarser totals and rules, or a larger epsilon".to_owned(),
    };
    let hint = match acceptable {
        true => format!("{accept}; or {other}"),
        false if unproved => format!("{PROVED_WALKS}; or {other}"),
        false => other,
    };
    Problem::refused(format!("no operator of this version draws {block}:{}", reasons.join(""))).hint(hint)
}

/// Every operator that draws nothing, with the first reason it gave.
pub(crate) fn not_used(
    registry: &Registry,
    used: &[PlannedBlock],
    mut reasons: BTreeMap<&'static str, String>,
    asked_for: Option<&dyn Operator>,
    method: Method,
) -> Vec<Refused> {
    let unused = registry.operators().filter(|operator| used.iter().all(|block| block.operator() != operator.name()));
    let refused = unused.map(|operator| {
        let reason = reasons.remove(operator.name());
        let reason = reason.unwrap_or_else(|| match (operator.untried(asked_for.map(Operator::name)), asked_for) {
            _ if !operator.role().methods.contains(&method) => {
                format!("method = \"{}\" does not use it", method.name())
            }
            (Some(why), _) => why.to_owned(),
            (None, Some(asked_for)) => format!("the spec asks for `{}`", asked_for.name()),
            (None, None) => "another operator draws every block faster".to_owned(),
        });
        Refused { operator: operator.name(), reason }
    });
    let later = registry.later().map(|operator| Refused { operator, reason: "not yet supported".to_owned() });
    refused.chain(later).collect()
}
