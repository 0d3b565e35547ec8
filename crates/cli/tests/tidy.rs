//! The house rules that a machine can check: arrows between crates, sizes, cited proofs, forbidden
//! words and paths; in `house` what is said in prose, how things are called, and which rungs of the
//! ladder every operator has.

mod house {
    mod draws;
    mod ladder;
    mod levels;
    mod prose;
    pub mod tree;
}

use house::tree::{assert_none, cited, crate_folder, files, root, with_extension};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every crate and the crates of this workspace that it may use, apart from tests.
const ARROWS: &[(&str, &[&str])] = &[
    ("exact", &[]),
    ("declare", &["exact"]),
    ("analyse", &["declare", "exact"]),
    ("disclose", &["analyse", "declare", "exact"]),
    ("cascade", &["declare", "exact"]),
    ("exponential", &["declare", "exact"]),
    ("draw", &["analyse", "declare", "exact"]),
    ("walk", &["draw", "analyse", "declare", "exact"]),
    ("project", &["analyse", "declare", "exact"]),
    ("loss", &["declare", "exact"]),
    ("plan", &["loss", "cascade", "walk", "draw", "project", "disclose", "analyse", "declare", "exact"]),
    ("secrets", &["declare", "exact"]),
    ("certify", &["secrets", "loss", "plan", "walk", "draw", "disclose", "analyse", "declare", "exact"]),
    ("infer", &["certify", "plan", "cascade", "walk", "draw", "project", "analyse", "declare", "exact"]),
    ("audit", &["walk", "draw", "exact"]),
    ("ledger", &["loss", "declare", "exact"]),
    ("tabulate", &["declare", "exact"]),
    ("report", &["audit", "certify", "declare"]),
    ("publish", &["analyse", "certify", "declare", "draw", "exact", "infer", "loss", "plan", "report", "tabulate"]),
    (
        "prepare",
        &[
            "analyse", "certify", "declare", "draw", "exact", "ledger", "plan", "project", "publish", "report",
            "tabulate",
        ],
    ),
    (
        "pay",
        &[
            "disclose", "certify", "declare", "draw", "exact", "ledger", "loss", "plan", "prepare", "publish",
            "tabulate",
        ],
    ),
    ("draft", &["declare", "publish", "tabulate"]),
    ("interpret", &["declare", "exact", "infer", "plan", "prepare", "publish", "report", "tabulate"]),
    (
        "congenial",
        &[
            "audit",
            "certify",
            "declare",
            "draft",
            "draw",
            "exact",
            "infer",
            "interpret",
            "ledger",
            "pay",
            "plan",
            "prepare",
            "project",
            "publish",
            "report",
            "tabulate",
        ],
    ),
    (
        "perfect",
        &[
            "certify",
            "congenial",
            "declare",
            "exact",
            "exponential",
            "ledger",
            "loss",
            "pay",
            "prepare",
            "publish",
            "tabulate",
        ],
    ),
    (
        "experiments",
        &[
            "analyse",
            "audit",
            "certify",
            "congenial",
            "declare",
            "draw",
            "exact",
            "exponential",
            "infer",
            "loss",
            "pay",
            "plan",
            "prepare",
            "project",
            "publish",
            "report",
            "secrets",
            "tabulate",
            "walk",
        ],
    ),
    ("cli", &["congenial", "experiments", "perfect"]),
    ("py", &["congenial", "cli", "experiments", "perfect"]),
    ("testkit", &["exact", "declare"]),
    ("fuzz", &["congenial", "certify", "tabulate", "declare"]),
];

/// No Rust file is longer.
const MOST_LINES: usize = 600;

/// Names that say nothing about what a module does.
const EMPTY_NAMES: [&str; 4] = ["utils", "common", "helpers", "manager"];

/// What no Rust file may contain. Written in two halves, because this file is checked too.
const FORBIDDEN_CODE: [&str; 9] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
    concat!("#[ig", "nore"),
    concat!("un", "safe {"),
    concat!("un", "safe fn"),
    concat!("un", "safe impl"),
    concat!("un", "safe trait"),
    concat!("un", "safe extern"),
];

/// What no tracked file may contain: places on somebody's machine.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("../sh", "ared")];

#[test]
fn the_checks_see_the_tree() {
    let rust = with_extension("rs");
    assert!(rust.len() > 100, "only {} Rust files found", rust.len());
    assert_eq!(
        cited("see `proofs/lazy.md`, or crates/a/proofs/b.md. End", ".md"),
        ["proofs/lazy.md", "crates/a/proofs/b.md"]
    );
}

#[test]
fn every_file_opens_with_a_sentence_and_is_short() {
    let mut faults = Vec::new();
    for (path, text) in with_extension("rs") {
        if !text.starts_with("//! ") {
            faults.push(format!("{} does not open with `//!` and a sentence", path.display()));
        }
        let lines = text.lines().count();
        if lines > MOST_LINES {
            faults.push(format!("{} has {lines} lines, at most {MOST_LINES} are allowed", path.display()));
        }
    }
    assert_none(faults);
}

#[test]
fn nothing_unfinished_and_no_back_doors() {
    let mut faults = Vec::new();
    for (path, text) in with_extension("rs") {
        for word in FORBIDDEN_CODE {
            if let Some(line) = text.lines().position(|line| line.contains(word)) {
                faults.push(format!("{}:{} contains `{word}`", path.display(), line + 1));
            }
        }
    }
    assert_none(faults);
}

/// Certifiable bits are had from a right to draw alone.
#[test]
fn entropy_comes_from_a_right() {
    let makes = [concat!("SystemEntropy::of_public", "_data("), concat!("SystemEntropy::remem", "bering(")];
    let may = [Path::new("crates/exact/src/entropy.rs"), Path::new("crates/pay/src/seed.rs")];
    let sources = with_extension("rs");
    let made = |text: &str| makes.iter().any(|make| text.contains(make));
    assert_eq!(
        sources.iter().filter(|(path, text)| may.iter().any(|may| path.ends_with(may)) && made(text)).count(),
        2
    );
    let faults = sources.iter().filter(|(path, text)| made(text) && !may.iter().any(|may| path.ends_with(may)));
    assert_none(faults.map(|(path, _)| format!("{}: entropy without a right to draw", path.display())).collect());
}

#[test]
fn modules_are_named_by_what_they_do() {
    let mut faults = Vec::new();
    for path in files() {
        let Some(folder) = crate_folder(&path) else { continue };
        let source = path.starts_with(folder.join("src"));
        let Ok(inside) = path.strip_prefix(folder) else { continue };
        let names = inside.iter().filter_map(|part| part.to_str());
        for name in names {
            let stem = name.strip_suffix(".rs").unwrap_or(name);
            if EMPTY_NAMES.contains(&stem) || source && name == "mod.rs" {
                faults.push(format!("{}: `{name}` says nothing", path.display()));
            }
        }
    }
    assert_none(faults);
}

#[test]
fn cited_proofs_exist() {
    let mut faults = Vec::new();
    let mut proofs = 0;
    for (path, text) in with_extension("rs") {
        let Some(folder) = crate_folder(&path).filter(|folder| path.starts_with(folder.join("src"))) else { continue };
        for proof in cited(&text, ".md").into_iter().filter(|word| word.contains("proofs/")) {
            proofs += 1;
            let place =
                if proof.starts_with("crates/") { root().join(proof) } else { root().join(&folder).join(proof) };
            if !place.is_file() {
                faults.push(format!("{} cites `{proof}`, which does not exist", path.display()));
            }
        }
    }
    assert!(proofs > 5, "only {proofs} citations found");
    assert_none(faults);
}

#[test]
fn paths_in_documents_exist() {
    let mut faults = Vec::new();
    for (path, text) in with_extension("md") {
        let words = cited(&text, ".md").into_iter().chain(cited(&text, ".rs"));
        for word in words.filter(|word| word.starts_with("crates/")) {
            if !root().join(word).is_file() {
                faults.push(format!("{} names `{word}`, which does not exist", path.display()));
            }
        }
    }
    assert_none(faults);
}

#[test]
fn no_machine_paths() {
    let mut faults = Vec::new();
    for path in files() {
        // What is not text names no path that a reader could follow.
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for place in MACHINE_PATHS {
            if let Some(line) = text.lines().position(|line| line.contains(place)) {
                faults.push(format!("{}:{} contains `{place}`", path.display(), line + 1));
            }
        }
    }
    assert_none(faults);
}

#[test]
fn the_documents_are_there() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "GUARANTEE.md",
        "KNOWN-ISSUES.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
    ];
    let missing = documents.into_iter().filter(|name| !root().join(name).is_file());
    assert_none(missing.map(|name| format!("{name} is missing")).collect());
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

fn allowed() -> Arrows {
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    ARROWS.iter().map(|(name, uses)| (name.to_string(), set(uses))).collect()
}

/// The arrows of the manifests: normal and build dependencies first, then those of tests.
fn declared() -> (Arrows, Arrows) {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let short = |name: &serde_json::Value| {
        let name = name.as_str().expect("a name");
        name.strip_prefix("congenial-").unwrap_or(name).to_string()
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let ours: BTreeSet<String> = packages.iter().map(|package| short(&package["name"])).collect();
    let (mut normal, mut tests) = (Arrows::new(), Arrows::new());
    for package in packages {
        let name = short(&package["name"]);
        normal.entry(name.clone()).or_default();
        // A crate of this workspace has a path; a crate of the same short name from elsewhere has
        // none.
        let inside = package["dependencies"].as_array().expect("dependencies").iter().filter(|d| d["path"].is_string());
        for dependency in inside {
            let used = short(&dependency["name"]);
            assert!(ours.contains(&used), "{name} uses {used}, which is not in the workspace");
            let arrows = if dependency["kind"] == "dev" { &mut tests } else { &mut normal };
            arrows.entry(name.clone()).or_default().insert(used);
        }
    }
    (normal, tests)
}

/// Everything that a crate uses, directly or through others.
fn reached(arrows: &Arrows, name: &str) -> BTreeSet<String> {
    let (mut below, mut next) = (BTreeSet::new(), vec![name.to_string()]);
    while let Some(one) = next.pop() {
        next.extend(arrows[&one].iter().filter(|used| below.insert((*used).clone())).cloned());
    }
    below
}

#[test]
fn arrows_point_one_way() {
    let (normal, tests) = declared();
    assert_eq!(normal, allowed(), "the manifests and the list in this test differ");
    for (name, uses) in &normal {
        assert!(!uses.contains("testkit"), "{name} uses testkit outside tests");
    }
    for (name, uses) in &tests {
        let below = reached(&normal, name);
        let more: Vec<&String> = uses.iter().filter(|used| *used != "testkit" && !below.contains(*used)).collect();
        assert!(more.is_empty(), "the tests of {name} use {more:?}, which is not below {name}");
    }
}

#[test]
fn the_code_map_is_true() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let arrows = allowed();
    let mut above = BTreeSet::new();
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let columns: Vec<&str> = row.split('|').map(|column| column.trim().trim_matches('`')).collect();
        let &[_, name, _, begin, _] = columns.as_slice() else { panic!("a row of the map: {row}") };
        let uses = arrows.get(name).unwrap_or_else(|| panic!("{name} is no crate"));
        let below: Vec<&String> = uses.iter().filter(|used| !above.contains(*used)).collect();
        assert!(below.is_empty(), "{name} uses {below:?}, which is not above it in the map");
        assert!(root().join("crates").join(name).join(begin).is_file(), "{name}: `{begin}` does not exist");
        assert!(above.insert(name.to_string()), "{name} is twice in the map");
    }
    assert_eq!(above, arrows.into_keys().collect(), "the map in ARCHITECTURE.md has other rooms than the workspace");
}

/// A page has 70 lines of 130 characters, in a small print.
#[test]
fn the_map_fits_two_pages() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let lines: usize = text.lines().map(|line| line.chars().count().max(1).div_ceil(130)).sum();
    assert!(lines <= 140, "{lines} lines");
}

/// Every crate that is not of this workspace has its reason.
#[test]
fn dependencies_have_their_line() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let (_, listed) = manifest.split_once("[workspace.dependencies]").expect("dependencies");
    let names =
        listed.lines().skip(1).take_while(|line| !line.starts_with('[')).filter(|line| !line.contains("path ="));
    let names = names.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim());
    let missing =
        names.filter(|name| !name.is_empty() && !name.starts_with('#') && !text.contains(&format!("`{name}`")));
    assert_none(missing.map(|name| format!("{name} has no line in ARCHITECTURE.md")).collect());
}
