//! What the program prints, word for word.

use crate::run::{Folder, steady};
use std::process::{Command, Stdio};

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    let commands =
        ["", "new", "check", "explain", "release", "verify", "simulate", "demo", "bench", "reproduce", "completions"];
    for command in commands {
        let help = folder.run(&format!("{command} --help")).exits(0);
        assert!(help.err.is_empty() && help.out.contains("  congenial "), "no example: {}", help.out);
        let name = if command.is_empty() { "help" } else { command };
        insta::assert_snapshot!(format!("help_{name}"), help.out);
    }
    assert!(folder.listing().is_empty());
}

#[test]
fn version_has_a_commit_when_built_from_a_checkout() {
    let version = Folder::new().run("--version").exits(0).out;
    assert!(version.starts_with(&format!("congenial {}", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn wrong_usage_is_2() {
    let folder = Folder::started();
    let before = folder.listing();
    let wrong = [
        "",
        "chek congenial.toml",
        "check",
        "check congenial.toml --jsn",
        "release congenial.toml",
        "release congenial.toml --out out --format ods",
        "simulate congenial.toml --draws many --out d.csv",
        "simulate congenial.toml --draws -1 --out d.csv",
        "simulate congenial.toml --draws 0 --out d.csv",
        "simulate congenial.toml --draws 2 --out d.txt",
        "completions cmd",
        "verify nowhere",
        "verify .",
        "check nowhere.toml",
        "check .",
        "release congenial.toml --out delinquent.csv",
        "release congenial.toml --out delinquent.csv/out",
        "simulate congenial.toml --draws 2 --out nowhere/d.csv",
        "new",
    ];
    for arguments in wrong {
        let ran = folder.run(arguments).exits(2);
        assert!(ran.out.is_empty(), "{arguments}: {}", ran.out);
        assert!(!ran.err.is_empty(), "{arguments}");
    }
    assert!(folder.listing() == before);
}

#[test]
fn new_says_what_to_do_next() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.run("new").exits(0).out, @"
    Wrote
      congenial.toml  what is released, what stays exact, at what privacy loss: edit this
      delinquent.csv  a small public table

    Next
      congenial check congenial.toml
      congenial explain congenial.toml --error
      congenial release congenial.toml --out release
    ");
    let there = folder.run("new deep/folder").exits(0);
    assert!(there.out.contains("congenial check deep/folder/congenial.toml\n"), "{}", there.out);
}

#[test]
fn the_starter() {
    let folder = Folder::started();
    for (name, arguments) in [
        ("check", "check congenial.toml"),
        ("check_json", "check congenial.toml --json"),
        ("explain", "explain congenial.toml"),
        ("explain_json", "explain congenial.toml --json"),
        ("explain_error", "explain congenial.toml --error"),
        ("explain_error_json", "explain congenial.toml --error --json"),
        ("release", "release congenial.toml --out release"),
        ("release_json", "release congenial.toml --out release_json --json"),
        ("verify", "verify release"),
        ("verify_json", "verify release --json"),
        ("demo", "demo --out demo --format csv"),
    ] {
        let ran = folder.run(arguments).exits(0);
        assert!(ran.err.is_empty(), "{}", ran.err);
        insta::assert_snapshot!(name, steady(&ran.out, &folder));
    }
}

#[test]
fn a_concentrated_guarantee_says_what_it_is_per() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "double-geometric", "discrete-gaussian");
    folder.replace("congenial.toml", "epsilon =", "rho =");
    folder.replace("congenial.toml", "\"unit\"", "\"record\"");
    let released = folder.run("release congenial.toml --out release").exits(0);
    insta::assert_snapshot!("release_rho", steady(&released.out, &folder));
    folder.run("verify release").exits(0);
}

#[test]
fn totals_that_follow_and_cells_that_are_disclosed() {
    let folder = Folder::started();
    let more =
        "by = []\n[[invariant]]\nby = [\"county\"]\n[[invariant]]\nby = [\"county\"]\nwhere = \"education = 'Low'\"";
    folder.replace("congenial.toml", "by = [\"county\"]", more);
    // The rest of Gamma is empty, which its two totals give away.
    for row in ["Gamma,Medium,10", "Gamma,High,10", "Gamma,Very High,2"] {
        let empty = row.rsplit_once(',').unwrap().0.to_string() + ",0";
        folder.replace("delinquent.csv", row, &empty);
    }
    insta::assert_snapshot!("check_disclosed", folder.run("check congenial.toml").exits(0).out);
    insta::assert_snapshot!("check_disclosed_json", folder.run("check congenial.toml --json").exits(0).out);
}

#[test]
fn rows_left_out_are_told_to_the_curator_alone() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "[data]", "[data]\noutside = \"drop\"\nmissing = \"drop\"");
    let table = folder.read("delinquent.csv") + "Omega,Low,3\nOmega,High,4\nAlpha,,4\n";
    folder.write("delinquent.csv", &table);
    for arguments in ["check congenial.toml", "explain congenial.toml", "release congenial.toml --out release"] {
        let ran = folder.run(arguments).exits(0);
        insta::assert_snapshot!("left_out", ran.err);
        assert!(!ran.out.contains("left out"), "{}", ran.out);
    }
    assert!(!folder.read("release/certificate.json").contains("Omega"));
}

#[test]
fn completions_know_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("completions {shell}")).exits(0).out;
        assert!(script.contains("simulate") && script.contains("congenial"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_congenial"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}
