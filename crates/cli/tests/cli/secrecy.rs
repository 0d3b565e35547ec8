//! Confidential data: what is refused, and that no number of the interior is ever shown.

use crate::run::{Folder, Ran};

/// Distinctive counts, one per cell, that no total has.
fn interior() -> Vec<u64> {
    (0..16).map(|cell| 987_123 - 10_111 * cell).collect()
}

/// The starter with a confidential table of distinctive counts.
fn confidential() -> Folder {
    let folder = Folder::started();
    let mut counts = interior().into_iter();
    let rows: Vec<String> = folder
        .read("delinquent.csv")
        .lines()
        .enumerate()
        .map(|(number, line)| match (number, line.rsplit_once(',')) {
            (1.., Some((cell, _))) => format!("{cell},{}", counts.next().unwrap()),
            _ => line.to_string(),
        })
        .collect();
    folder.write("delinquent.csv", &(rows.join("\n") + "\n"));
    // A control: the numbers that must not be shown are in the file that is read.
    assert!(folder.read("delinquent.csv").contains("Alpha,Low,987123\n"));
    folder.replace("congenial.toml", "public = true ", "public = false");
    let budget = "[budget]\ndataset = \"children\"\nledger = \"sqlite:ledger.db\"\n";
    folder.write("congenial.toml", &(folder.read("congenial.toml") + budget));
    folder
}

/// Whether a text holds a count as a number of its own. Six digits inside a hash, a seal or a token
/// say nothing: among a hundred thousand hexadecimal digits some count is found in one run of
/// fifteen.
fn shows(text: &str, count: u64) -> bool {
    let digits = count.to_string();
    let alone = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_ascii_alphanumeric());
    text.match_indices(&digits).any(|(place, _)| {
        alone(text[..place].chars().next_back()) && alone(text[place + digits.len()..].chars().next())
    })
}

fn assert_silent(ran: &Ran) {
    for count in interior() {
        assert!(!shows(&ran.out, count) && !shows(&ran.err, count), "{count} in\n{}\n{}", ran.out, ran.err);
    }
}

#[test]
fn a_count_is_seen_beside_punctuation_and_not_inside_a_hash() {
    for text in ["987123", "\"Alpha\",987123\n", "[987123]", "{\"count\":987123}", "\u{0}987123\u{fffd}"] {
        assert!(shows(text, 987_123), "{text}");
    }
    assert!(!shows("ab987123ff00", 987_123) && !shows("19871234", 987_123));
}

#[test]
fn check_and_explain_show_nothing_of_the_interior() {
    let folder = confidential();
    let before = folder.listing();
    for arguments in [
        "check congenial.toml",
        "check congenial.toml --json",
        "explain congenial.toml",
        "explain congenial.toml --error",
        "explain congenial.toml --error --json",
    ] {
        assert_silent(&folder.run(arguments).exits(0));
    }
    assert!(folder.listing() == before);
}

#[test]
fn without_a_ledger_confidential_data_are_not_drawn() {
    let folder = confidential();
    let before = folder.listing();
    let release = folder.run("release congenial.toml --out release --by ann").exits(2);
    let simulate = folder.run("simulate congenial.toml --draws 2 --seed 1 --out draws.csv").exits(3);
    assert_silent(&release);
    assert_silent(&simulate);
    insta::assert_snapshot!("confidential", format!("{}\n{}", release.err, simulate.err));
    assert!(folder.listing() == before);
}

#[test]
fn a_confidential_release_says_nothing_of_the_interior() {
    let folder = confidential();
    folder.run("ledger open children --epsilon 2 --per unit --by ann").exits(0);
    let released = folder.run("release congenial.toml --out release --by ann").exits(0);
    assert_silent(&released);
    for arguments in ["ledger status", "ledger history", "ledger history --json", "ledger recover", "ledger verify"] {
        assert_silent(&folder.run(arguments).exits(0));
    }
    let database = std::fs::read(folder.path("ledger.db")).unwrap();
    let database = String::from_utf8_lossy(&database);
    for text in [folder.read("release/certificate.json"), folder.read("release/DATA-README.txt"), database.into_owned()]
    {
        for count in interior() {
            assert!(!shows(&text, count), "{count}");
        }
    }
}

#[test]
fn a_budget_for_public_data_spends_nothing() {
    let folder = confidential();
    folder.replace("congenial.toml", "public = false", "public = true");
    folder.run("release congenial.toml --out release").exits(0);
    folder.run("verify release").exits(0);
    assert!(!folder.path("ledger.db").exists());
}

#[test]
fn a_public_release_states_totals_and_no_counts_of_the_data() {
    let folder = confidential();
    folder.replace("congenial.toml", "public = false", "public = true");
    let spec = folder.read("congenial.toml");
    folder.write("congenial.toml", spec.split("[budget]").next().unwrap());
    assert_silent(&folder.run("release congenial.toml --out release").exits(0));
    let certificate = folder.read("release/certificate.json");
    for count in interior() {
        assert!(!shows(&certificate, count), "{certificate}");
    }
}

#[test]
fn a_broken_structural_zero_names_the_rule_only() {
    let folder = confidential();
    let zero = "zero = [\"county = 'Beta' and education in ('Low', 'High')\"]\nnonnegative = false";
    folder.replace("congenial.toml", "nonnegative = false", zero);
    folder.run("ledger open children --epsilon 2 --per unit --by ann").exits(0);
    let before = folder.listing();
    // What is declared is trusted …
    for arguments in ["check congenial.toml", "explain congenial.toml"] {
        assert_silent(&folder.run(arguments).exits(0));
    }
    assert!(folder.listing() == before);
    // … and the curator can ask.
    let ran = folder.run("check congenial.toml --data --by ann").exits(2);
    assert_silent(&ran);
    assert!(!ran.err.contains("delinquent.csv:"), "{}", ran.err);
    insta::assert_snapshot!("structural_zero", ran.err);
}
