//! Malformed specs and tables, end to end: the exit code, the message, and that nothing is written.

use crate::run::Folder;

/// What is changed in the starter.
enum Change {
    /// This text of the spec, by that.
    Spec(&'static str, &'static str),
    /// This text of the table, by that.
    Table(&'static str, &'static str),
    /// The whole spec.
    WholeSpec(&'static [u8]),
    /// The whole table.
    WholeTable(&'static [u8]),
}
use Change::{Spec, Table, WholeSpec, WholeTable};

/// Name, change, exit code, and whether the message is kept as a snapshot.
type Case = (&'static str, Change, i32, bool);

const CASES: &[Case] = &[
    ("unknown dimension in an invariant", Spec("by = [\"county\"]", "by = [\"countyy\"]"), 2, true),
    ("misspelt key", Spec("epsilon =", "epsilom ="), 2, true),
    ("misspelt section", Spec("[constraints]", "[constraint]"), 2, false),
    ("misspelt noise", Spec("double-geometric", "double-geometrik"), 2, true),
    ("epsilon of zero", Spec("\"1/4\"", "\"0\""), 2, true),
    ("negative epsilon", Spec("\"1/4\"", "\"-1\""), 2, false),
    ("epsilon that is no number", Spec("\"1/4\"", "\"much\""), 2, false),
    ("epsilon of a zero denominator", Spec("\"1/4\"", "\"1/0\""), 2, false),
    ("rho with the double geometric", Spec("epsilon =", "rho ="), 2, false),
    ("unit that is unknown", Spec("\"unit\"", "\"units\""), 2, false),
    ("no mechanism", Spec("[mechanism]\nnoise ", "#"), 2, false),
    ("TOML that is not closed", Spec("title = \"Delinquent", "title = Delinquent"), 2, true),
    ("empty spec", WholeSpec(b""), 2, false),
    ("spec that is not text", WholeSpec(b"title = '\xff\xfe'\n"), 2, false),
    ("spec that is a table", WholeSpec(b"county,education\nAlpha,Low\n"), 2, false),
    ("value twice in a domain", Spec("\"Beta\", \"Gamma\"", "\"Beta\", \"Beta\""), 2, false),
    ("empty domain", Spec("[\"Alpha\", \"Beta\", \"Gamma\", \"Delta\"]", "[]"), 2, false),
    ("column that is not in the file", Spec("column = \"education_head\"", "column = \"education\""), 2, true),
    ("count column that is not in the file", Spec("count  = \"Freq\"", "count  = \"freq\""), 2, false),
    ("file that is not there", Spec("path   = \"delinquent.csv\"", "path   = \"delinquents.csv\""), 2, false),
    ("predicate of an unknown value", Spec("by = [\"county\"]", "by = []\nwhere = \"county = 'Alfa'\""), 2, true),
    ("predicate that orders a list", Spec("by = [\"county\"]", "by = []\nwhere = \"county < 'Beta'\""), 2, false),
    ("predicate that is not closed", Spec("by = [\"county\"]", "by = []\nwhere = \"(county = 'Beta'\""), 2, false),
    (
        "every cell a structural zero",
        Spec("nonnegative = false", "nonnegative = false\nzero = [\"not county = 'x'\"]"),
        2,
        false,
    ),
    ("sampler that is unknown", Spec("per  ", "sampler = \"magic\"\nper  "), 2, false),
    ("confidential without a budget", Spec("public = true", "public = false"), 2, true),
    (
        "concentrated privacy with non-negative counts and totals that cross",
        Spec(
            "nonnegative = false         # single released counts may fall below zero; the county totals stay exact\n\n[mechanism]\nnoise   = \"double-geometric\"\nepsilon = ",
            "[[invariant]]\nby = [\"education\"]\n\n[mechanism]\nnoise   = \"discrete-gaussian\"\nrho = ",
        ),
        3,
        true,
    ),
    ("suppression with noise", Spec("noise  ", "method = \"suppress\"\nnoise  "), 2, false),
    ("sampler of another method", Spec("noise  ", "method = \"project\"\nsampler = \"messages\"\nnoise  "), 2, false),
    ("a sampler for other noise", Spec("per  ", "sampler = \"klein\"\nper  "), 3, true),
    ("sampler of a later version", Spec("per  ", "sampler = \"atom\"\nper  "), 3, false),
    ("sampler that cannot", Spec("per  ", "sampler = \"independent\"\nper  "), 3, true),
    (
        "an operator for integers asked for real-valued noise",
        Spec("noise   = \"double-geometric\"", "sampler = \"messages\"\nnoise   = \"laplace\""),
        3,
        true,
    ),
    ("every cell an invariant", Spec("by = [\"county\"]", "by = [\"county\", \"education\"]"), 3, true),
    ("value outside the domain", Table("Beta,High,10", "Beta,Hihg,10"), 2, true),
    ("missing value", Table("Beta,High,10", "Beta,,10"), 2, false),
    ("cell twice", Table("Beta,High,10", "Beta,Low,10"), 2, true),
    ("count that is no number", Table("Beta,High,10", "Beta,High,ten"), 2, false),
    ("count that is not whole", Table("Beta,High,10", "Beta,High,10.5"), 2, false),
    ("negative count", Table("Beta,High,10", "Beta,High,-10"), 2, false),
    ("count that is too large", Table("Beta,High,10", "Beta,High,99999999999999999999"), 2, false),
    ("row that is too short", Table("Beta,High,10", "Beta,High"), 2, false),
    ("row that is too long", Table("Beta,High,10", "Beta,High,10,10"), 2, false),
    ("column twice", Table("county,education_head,Freq", "county,county,Freq"), 2, false),
    ("quotation mark that is not closed", Table("Beta,High,10", "\"Beta,High,10"), 2, false),
    ("steering characters", Table("Beta,High,10", "Beta,\u{1b}[31mHigh\u{7},10"), 2, true),
    ("empty table", WholeTable(b""), 2, false),
    ("table that is not text", WholeTable(b"county,education_head,Freq\nAlpha,L\xffw,3\n"), 2, false),
    ("Parquet named CSV", WholeTable(b"PAR1\x00\x00\x00\x00PAR1"), 2, false),
];

fn changed(change: &Change) -> Folder {
    let folder = Folder::started();
    match change {
        Spec(from, to) => folder.replace("congenial.toml", from, to),
        Table(from, to) => folder.replace("delinquent.csv", from, to),
        WholeSpec(bytes) => std::fs::write(folder.path("congenial.toml"), bytes).unwrap(),
        WholeTable(bytes) => std::fs::write(folder.path("delinquent.csv"), bytes).unwrap(),
    }
    folder
}

#[test]
fn each_has_its_exit_code_and_writes_nothing() {
    let mut messages = String::new();
    for (name, change, code, kept) in CASES {
        let folder = changed(change);
        let before = folder.listing();
        let commands = [
            "release congenial.toml --out out",
            "check congenial.toml",
            "explain congenial.toml",
            "simulate congenial.toml --draws 2 --out draws.csv",
        ];
        for command in commands {
            let ran = folder.run(command);
            assert_eq!(ran.code, *code, "{name}: {command}\n{}{}", ran.out, ran.err);
            // `check` says what holds of a sound table before it says why it cannot be released.
            let may_print = command.starts_with("check") && *code == 3;
            assert!(ran.out.is_empty() || may_print, "{name}: {command}\n{}", ran.out);
            assert!(ran.err.starts_with(if *code == 2 { "error: " } else { "refused: " }), "{name}:\n{}", ran.err);
            assert!(folder.listing() == before, "{name}: {command} wrote something");
            if *kept && command.starts_with("check") {
                messages.push_str(&format!("# {name}\n{}\n", ran.err));
            }
        }
    }
    insta::assert_snapshot!("messages", messages);
}

#[test]
fn margins_that_no_operator_draws_name_both_invariants() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "by = [\"county\"]", "by = [\"county\"]\n[[invariant]]\nby = [\"education\"]");
    folder.replace("congenial.toml", "double-geometric", "laplace");
    let err = folder.run("simulate congenial.toml --draws 2 --out draws.csv").exits(3).err;
    assert!(err.contains("by county") && err.contains("by education"), "{err}");
}
