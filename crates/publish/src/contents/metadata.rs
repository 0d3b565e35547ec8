//! What a Parquet file says about itself: pairs of keys and values in its footer.

use super::Facts;
use certify::VERSION;

/// The pairs of a file; `table` is its name without extension.
pub fn of(facts: Facts<'_>, table: &str) -> Vec<(String, String)> {
    let guarantee = facts.guarantee;
    let exact: Vec<String> = facts
        .invariants
        .iter()
        .map(|invariant| {
            let pinned = if invariant.pinned { ", pinned to published values" } else { "" };
            match invariant.totals.len() {
                1 => format!("{}: 1 exact total{pinned}", invariant.label),
                totals => format!("{}: {totals} exact totals{pinned}", invariant.label),
            }
        })
        .chain(facts.conditions.iter().cloned())
        .collect();
    let mut pairs = vec![
        ("title", facts.title.to_string()),
        ("table", table.to_string()),
        ("program", format!("congenial {VERSION}")),
        ("spec_sha256", facts.spec_sha256.to_string()),
        ("definition", guarantee.definition.clone()),
        ("unit", guarantee.unit.clone()),
        ("neighbours", guarantee.neighbours.clone()),
        ("noise", guarantee.noise.clone()),
        ("invariants", if exact.is_empty() { "none".to_string() } else { exact.join("; ") }),
        ("guarantee", guarantee.statement.clone()),
    ];
    let numbers = [
        ("epsilon", &guarantee.epsilon),
        ("delta", &guarantee.delta),
        ("rho", &guarantee.rho),
        ("epsilon_at_delta", &guarantee.epsilon_at_delta),
    ];
    pairs.extend(numbers.into_iter().filter_map(|(key, value)| Some((key, value.clone()?))));
    pairs.into_iter().map(|(key, value)| (format!("congenial.{key}"), value)).collect()
}
