//! What commands print: results to stdout, notes to stderr.

use congenial::{Certificate, Check, Problem};
use serde_json::{Value, json};

use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints results to stdout. When the reader of a pipe has gone, nothing is left to do: the program
/// ends, and well.
pub fn print(text: &str) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(harmless(text).as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Problem::system(format!("cannot write the results: {error}"))),
    }
}

/// Text without characters that could steer a terminal or turn the direction of writing: titles,
/// names and values come from files, and the files of a release that is verified from strangers.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if congenial::is_unseen(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Prints a JSON document to stdout.
pub fn print_json(value: &Value) -> Result<(), Problem> {
    print(&format!("{value:#}\n"))
}

/// Prints the answer of a command: JSON, or text.
pub fn answer(as_json: bool, value: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Result<(), Problem> {
    if as_json { print_json(&value()) } else { print(&text()) }
}

/// Tells the curator how many rows of the data file were left out or changed.
pub fn note_left_out(left_out: &[(u64, &'static str)]) {
    for (rows, why) in left_out {
        let (rows, were) = (counted(*rows as usize, "row"), if *rows == 1 { "was" } else { "were" });
        note(&format!("{rows} of the data file {were} {why}"));
    }
}

/// Tells something beside the results.
pub fn note(text: &str) {
    // A note that nobody can read is no reason to fail.
    let _ = writeln!(std::io::stderr(), "note: {}", harmless(text));
}

/// `1 cell`, `12 cells`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A path as it can be pasted into a shell.
pub fn shell(path: &Path) -> String {
    let text = path.display().to_string();
    let text = text.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(&text);
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%~,\\".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_string()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The guarantee of a certificate in three lines.
pub fn guarantee_text(certificate: &Certificate) -> String {
    let guarantee = &certificate.guarantee;
    let strength = |epsilon: &Option<String>, rho: &Option<String>| match (epsilon, rho) {
        (Some(epsilon), _) => format!("ε = {epsilon}"),
        (None, Some(rho)) => format!("ρ = {rho}"),
        (None, None) => "no loss".to_string(),
    };
    let loss = strength(&guarantee.epsilon, &guarantee.rho);
    let nearest = strength(&guarantee.nearest.epsilon, &guarantee.nearest.rho);
    let mut text =
        format!("  {}, {loss} per {} (theorem {})\n", guarantee.definition, guarantee.unit, guarantee.theorem);
    if let (Some(delta), false) = (&guarantee.delta, certificate.evidence.is_empty()) {
        text += &format!("  with δ = {delta}, estimated from coupled chains: evidence, not proof\n");
    }
    text += &format!("  for {}\n", guarantee.neighbours);
    let distance = guarantee.nearest.distance;
    let apart = match (guarantee.nearest.known, guarantee.nearest.at_least) {
        (true, None) => format!("the nearest two are at l1 distance {distance}"),
        (true, Some(least)) => format!("two are known at l1 distance {distance}, none are nearer than {least}"),
        (false, _) => format!("no two are nearer than l1 distance {distance}; at that distance"),
    };
    text += &format!("  {apart}: {nearest}\n");
    if certificate.is_suppressed() {
        text.push_str("  not protected: what the totals tell, such as disclosed cells and narrow intervals\n");
    }
    if let (Some(epsilon), Some(delta)) = (&guarantee.nearest.epsilon_at_delta, &guarantee.delta)
        && certificate.evidence.is_empty()
    {
        text += &format!("  for these two ε = {epsilon} at δ = {delta}\n");
    }
    text
}

/// What was paid, if something was.
pub fn paid_text(certificate: &Certificate) -> String {
    let Some(paid) = &certificate.ledger else { return String::new() };
    let mut text = format!(
        "\nPaid\n  {} from dataset {} (entry {})\n  all its releases so far cost {}, of {}\n",
        paid.charged, paid.dataset, paid.entry, paid.spent, paid.budget
    );
    if let Some(together) = &paid.together {
        text += &format!("  {}\n", together.in_words());
    }
    for named in &paid.overrides {
        text += &format!("  safeguard `{}` overridden (entry {}): {}\n", named.safeguard, named.entry, named.reason);
    }
    text
}

/// How many totals of which kind are exactly true.
pub fn exact_text(certificate: &Certificate) -> String {
    let invariants = &certificate.invariants;
    let width = invariants.iter().map(|invariant| invariant.label.chars().count()).max().unwrap_or(0);
    let lines = invariants
        .iter()
        .map(|invariant| format!("  {:width$}  {}\n", invariant.label, counted(invariant.totals.len(), "total")));
    let own = invariants.iter().any(|invariant| !invariant.pinned);
    let rows = certificate.rows_in_words().filter(|_| own);
    let rows = rows.map(|rows| format!("  of the rows that were counted: {rows}\n"));
    let conditions = certificate.conditions.iter().map(|condition| format!("  {condition}\n"));
    let text: String = lines.chain(rows).chain(conditions).collect();
    if text.is_empty() { "  nothing: no total was kept\n".to_string() } else { text }
}

/// What was checked, one line each.
pub fn checks_text(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.what.chars().count()).max().unwrap_or(0);
    checks.iter().map(|check| format!("  {:width$}  {}\n", check.what, check.found)).collect()
}

/// A release that was verified, in words.
pub fn verified_text(folder: &Path, verified: &congenial::Verified) -> String {
    let certificate = &verified.certificate;
    format!(
        "{}\n\nVerified: `{}` holds\n{}\nGuaranteed\n{}\nStated and signed by {}: no reader can check it\n{}",
        certificate.title,
        folder.display(),
        checks_text(&verified.checks),
        guarantee_text(certificate),
        certificate.signed_by.as_deref().unwrap_or("nobody"),
        checks_text(&verified.stated)
    )
}

/// A release of an exponential mechanism that was verified, for scripts.
pub fn perfect_json(folder: &Path, verified: &perfect::PerfectVerified) -> Value {
    json!({
        "holds": true,
        "folder": folder.display().to_string(),
        "title": verified.certificate.title,
        "verified": congenial::checks_json(&verified.checks),
        "guarantee": verified.certificate.guarantee,
    })
}
