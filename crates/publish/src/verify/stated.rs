//! What a certificate says that no reader can derive: told apart from what was checked.

use certify::{Certificate, Check};
use declare::Order;

/// The statements of a certificate that rest on the word of whoever made it.
pub(super) fn stated(certificate: &Certificate, order: Option<&Order>) -> Vec<Check> {
    let totals = match certificate.rows_in_words() {
        None => "that the exact totals are those of the data".to_string(),
        Some(rows) => format!("that the exact totals are those of the rows of the data that were counted: {rows}"),
    };
    let totals = certificate.invariants.first().map(|_| ("totals", totals));
    let data = match &certificate.ledger {
        None => "that they are public or synthetic, and that the table was drawn from them".to_string(),
        Some(_) => "that the table was drawn from them, with random bits, and once".to_string(),
    };
    let paid = certificate.ledger.iter().map(|paid| {
        let found = format!(
            "that entry {} of the ledger of `{}` paid {}, and that all releases cost {} of {}",
            paid.entry, paid.dataset, paid.charged, paid.spent, paid.budget
        );
        ("payment", found)
    });
    let program = &certificate.program;
    let commit = program.commit.as_ref().map(|commit| format!(" (commit {commit})")).unwrap_or_default();
    let made = format!("that it was made by version {}{commit} at {}", program.version, certificate.time);
    let drawn = certificate.draw.iter().map(|_| ("draw", "that it has an identity of its own, `draw`".to_string()));
    let order = order.map(|order| {
        let Order { path, sha256, .. } = order;
        let found = format!("that the values by which cells are ordered are those of `{path}` with SHA-256 {sha256}");
        ("order", found)
    });
    let choice = ("choice", format!("how the strength was chosen: {}", certificate.choice));
    let all = totals
        .into_iter()
        .chain([("data", data)])
        .chain(drawn)
        .chain(order)
        .chain(paid)
        .chain([choice, ("program and time", made)]);
    all.map(|(what, found)| Check { what: what.to_string(), found }).collect()
}
