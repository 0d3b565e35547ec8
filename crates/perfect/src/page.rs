//! The report of a release of an exponential mechanism: one self-contained page.

use crate::certificate::Circumstances;
use crate::declared::{Declared, Derived};

/// The page; a pure function of spec, number of records, what was drawn, and how it was made and
/// paid.
pub fn page(declared: &Declared, derived: &Derived, point: &[i64], circumstances: &Circumstances) -> String {
    let text = declared.written(point);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut rows = String::new();
    for (place, record) in reader.records().filter_map(Result::ok).enumerate() {
        let tag = if place == 0 { "th" } else { "td" };
        let cells: String = record.iter().map(|field| format!("<{tag}>{}</{tag}>", escaped(field))).collect();
        rows.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    let facts = [
        ("Definition", derived.definition.as_str()),
        ("ε per replaced record", &derived.epsilon),
        ("Chosen from", &derived.space),
        ("Points", &derived.points),
        ("Sensitivity", &derived.sensitivity),
        ("Drawn by", &derived.operators.join(", in turns with ")),
        ("Exactness", &derived.exactness),
        ("Run time", &derived.run_time),
    ];
    let facts: String = facts.iter().map(|(name, value)| row(name, value)).collect();
    let made = made(circumstances);
    let title = escaped(declared.title());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\nbody {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem; color: #1b1b1b; background: #fff }}\ntable {{ border-collapse: collapse; margin: 1rem 0 }}\nth, td {{ text-align: left; padding: .3rem .8rem; border-bottom: 1px solid #ccc }}\n@media (prefers-color-scheme: dark) {{ body {{ color: #eee; background: #161616 }} }}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n<h2>What was drawn</h2>\n<table>\n{rows}</table>\n<h2>What is guaranteed</h2>\n<p>{}</p>\n<table>\n{facts}</table>\n<h2>How it was made</h2>\n<table>\n{made}</table>\n<p>The run time of a draw is outside the guarantee, but for the number of proposals where the table says independent. Check this folder with <code>congenial verify</code>.</p>\n</body>\n</html>\n",
        escaped(&derived.statement)
    )
}

/// How it was made and paid, row by row.
fn made(Circumstances { program, ledger, signed_by, time }: &Circumstances) -> String {
    let commit = program.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let mut rows = row("Made by", &format!("{} {}{commit}", program.name, program.version)) + &row("At", time);
    rows += &signed_by.as_ref().map_or(String::new(), |key| row("Signed with", key));
    let Some(paid) = ledger else { return rows + &row("Paid", "nothing: the data are declared public") };
    let paid_by = format!("{} by entry {} of the ledger of {}", paid.charged, paid.entry, paid.dataset);
    rows += &(row("Paid", &paid_by) + &row("Seal of the entry", &paid.seal));
    rows += &row("All releases of the data", &format!("{} of {}", paid.spent, paid.budget));
    if let Some(approval) = paid.approval {
        rows += &row("Approved", &format!("in entry {approval}"));
    }
    for named in &paid.overrides {
        rows += &row("Overridden", &format!("{} in entry {}: {}", named.safeguard, named.entry, named.reason));
    }
    rows
}

fn row(name: &str, value: &str) -> String {
    format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(value))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
