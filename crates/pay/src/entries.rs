//! The status of a ledger and its history as people and scripts read them.

use exact::Rational as Number;
use ledger::{Amount, DatasetStatus, Entry, Event, Override, Status, Unit};
use serde_json::{Value, json};

/// An entry in one line.
pub fn entry_text(entry: &Entry) -> String {
    let dataset = if entry.dataset.is_empty() { String::new() } else { format!(" {}", entry.dataset) };
    format!("{:>6}  {}  {}{dataset}: {}\n", entry.number, entry.time, entry.by, happened(&entry.event))
}

/// An entry for scripts.
pub fn entry_json(entry: &Entry) -> Value {
    json!({
        "entry": entry.number, "dataset": entry.dataset, "time": entry.time, "by": entry.by,
        "kind": entry.event.kind(), "what": happened(&entry.event),
        "spent": entry.spent.as_ref().map(|spent| amounts(spent, None)), "seal": entry.seal,
    })
}

/// What every dataset may spend, has spent and has left, for scripts.
pub fn status_json(status: &Status) -> Value {
    let dataset = |dataset: &DatasetStatus| {
        let per = Some(&dataset.budget.per);
        let pending = dataset.pending.iter().map(|pending| {
            json!({
                "entry": pending.number, "by": pending.by, "time": pending.time,
                "loss": amounts(&pending.loss.amount, Some(&pending.loss.per)), "approved": pending.approved,
            })
        });
        json!({
            "name": dataset.name,
            "budget": amounts(&dataset.budget.amount, per),
            "spent": amounts(&dataset.spent, per),
            "left": amounts(&dataset.left, per),
            "approval": dataset.approval,
            "partition": dataset.partition,
            "approver_key": dataset.approver_key,
            "completed": dataset.completed,
            "unfinished": dataset.unfinished,
            "given_up": dataset.abandoned,
            "answers": dataset.answers,
            "pending": pending.collect::<Vec<_>>(),
        })
    };
    json!({
        "entries": status.entries,
        "seal": status.head,
        "refuses": status.refuses.as_ref().map(|problem| &problem.message),
        "recovered": status.recovered.iter().map(entry_json).collect::<Vec<_>>(),
        "datasets": status.datasets.iter().map(dataset).collect::<Vec<_>>(),
    })
}

/// An amount as numbers, exactly as text beside them, and what it is per.
fn amounts(amount: &Amount, per: Option<&Unit>) -> Value {
    let (epsilon, delta, rho) = match amount {
        Amount::Pure { epsilon } => (Some(epsilon), None, None),
        Amount::ZeroConcentrated { rho } | Amount::IntegerOrder { rho } => (None, None, Some(rho)),
        Amount::Approximate { epsilon, delta } => (Some(epsilon), Some(delta), None),
    };
    let number = |value: Option<&Number>| value.map(Number::to_f64);
    let exact = |value: Option<&Number>| value.map(Number::to_string);
    json!({
        "epsilon": number(epsilon), "epsilon_exact": exact(epsilon),
        "delta": number(delta), "delta_exact": exact(delta),
        "rho": number(rho), "rho_exact": exact(rho),
        "integer_orders": matches!(amount, Amount::IntegerOrder { .. }),
        "unit": per.map(ToString::to_string),
        "text": amount.to_string(),
    })
}

/// What an event says, in a few words.
fn happened(event: &Event) -> String {
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    match event {
        Event::Created { .. } => "made this ledger".to_string(),
        Event::Opened { budget, approval, approver_key, .. } => {
            let approved = if *approval { ", every release approved by a second person" } else { "" };
            let signed = approver_key.as_ref().map_or(String::new(), |key| format!(", signed with key {}", short(key)));
            format!("opened with a budget of {budget}{approved}{signed}")
        }
        Event::Seen { .. } => "data seen, and recognised from now on".to_string(),
        Event::Overridden { name, reason } => format!("overrode the safeguard `{name}`: {reason}"),
        Event::Asked { spec, loss, overrides, .. } => {
            let overriding = |named: &Override| format!(", overriding `{}`: {}", named.safeguard, named.reason);
            let overrides: String = overrides.iter().map(overriding).collect();
            format!("asked to release spec {} for {loss}{overrides}", short(spec))
        }
        Event::Approved { asked, signed, .. } => match signed {
            Some(signed) => format!("approved entry {asked}, signed with key {}", short(&signed.key)),
            None => format!("approved entry {asked}"),
        },
        Event::Answered { question, about } => format!("was told {about} (question {})", short(question)),
        Event::Reserved { spec, loss, again, .. } => {
            let again = if *again { ", once more" } else { "" };
            format!("paid {loss} for spec {}{again}", short(spec))
        }
        Event::PartSpent { part, spent, .. } => format!("what was spent on part `{part}` is now {spent}"),
        Event::Completed { reservation, folder, .. } => format!("wrote the release of entry {reservation} to {folder}"),
        Event::HeadKept { place } => format!("keeps the head of the ledger at {place} too"),
        Event::HeadDropped { place, reason } => format!("keeps the head of the ledger no longer at {place}: {reason}"),
        Event::Recovered { found, reason, vouched, .. } => {
            let vouched = vouched.as_ref().map_or(String::new(), |why| {
                format!("; vouched that nothing else was paid, though that cannot be known: {why}")
            });
            format!("recovered the ledger ({found}): {reason}{vouched}")
        }
        Event::Booked { entry: 0, charged, evidence, .. } => {
            format!("booked all that was left, {charged}, as spent; known from {evidence}")
        }
        Event::Booked { entry, charged, evidence, .. } => {
            format!("booked {charged} as spent, paid by entry {entry} which is lost; known from {evidence}")
        }
        Event::Presented { reservation, folder, .. } => {
            format!("wrote what entry {reservation} paid for once more, to {folder}: nothing was drawn")
        }
        Event::Abandoned { reservation, reason } => format!("gave up entry {reservation}, which stays spent: {reason}"),
    }
}
