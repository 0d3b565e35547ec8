//! Every operator of the registry climbs the ladder: its folder has the rungs that none may miss.

use super::tree::{assert_none, root, with_extension};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms whose tests are ladders.
const ROOMS: [&str; 5] = ["draw", "walk", "cascade", "exponential", "project"];

/// What a file of tests in a folder of a ladder may be called; files without tests have names of
/// their own.
const RUNGS: [&str; 10] =
    ["law", "factors", "couplings", "privacy", "fit", "mutants", "identities", "golden", "quantities", "refusals"];

/// Where operators climb that do not have a folder of their own name.
const TOGETHER: [(&str, &str); 3] =
    [("project-l2", "projections"), ("project-nonnegative", "projections"), ("project-l1", "projections")];

/// The operators as `docs/spec.md` lists them, which a test of `plan` compares with the registry.
fn operators() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/spec.md")).expect("docs/spec.md");
    let rows = text.lines().filter_map(|line| {
        let mut columns = line.strip_prefix("| `")?.split(" | ");
        let name = columns.next()?.strip_suffix('`')?;
        let methods = ["`condition`", "`project`", "`topdown`", "`cascade`"];
        methods
            .iter()
            .any(|method| columns.clone().next().is_some_and(|column| column.starts_with(method)))
            .then_some(name)
    });
    rows.map(String::from).collect()
}

/// The rungs of every folder: those of its files that have tests.
fn rungs() -> (BTreeMap<String, BTreeSet<String>>, Vec<String>) {
    let (mut folders, mut faults): (BTreeMap<String, BTreeSet<String>>, Vec<String>) = Default::default();
    for (path, text) in with_extension("rs") {
        let Some(inside) = ROOMS.iter().find_map(|room| path.strip_prefix(format!("crates/{room}/tests")).ok()) else {
            continue;
        };
        let mut parts = inside.iter().filter_map(|part| part.to_str());
        let (Some(folder), Some(file), None) = (parts.next(), parts.next(), parts.next()) else { continue };
        if !text.contains("#[test]") {
            continue;
        }
        let rung = file.trim_end_matches(".rs");
        if !RUNGS.contains(&rung) {
            faults.push(format!("{} has tests, and `{rung}` is no rung", path.display()));
        }
        folders.entry(folder.to_string()).or_default().insert(rung.to_string());
    }
    (folders, faults)
}

#[test]
fn every_operator_climbs_the_ladder() {
    let (folders, mut faults) = rungs();
    let together: BTreeMap<&str, &str> = TOGETHER.into_iter().collect();
    let mut climbed = 0;
    for operator in operators() {
        let folder = together.get(operator.as_str()).map_or_else(|| operator.replace('-', "_"), ToString::to_string);
        let Some(rungs) = folders.get(&folder) else {
            faults.push(format!("`{}` has no folder `{folder}` of tests", operator));
            continue;
        };
        climbed += 1;
        for needed in [&["law"][..], &["mutants"], &["identities", "golden"]] {
            if !needed.iter().any(|rung| rungs.contains(*rung)) {
                faults.push(format!("`{}` lacks {}, it has {rungs:?}", operator, needed.join(" or ")));
            }
        }
    }
    assert!(climbed > 15, "only {climbed} operators have folders");
    assert_none(faults);
}

/// The roots of the ladders list every file, so that what is there is run.
#[test]
fn every_rung_is_run() {
    let mut faults = Vec::new();
    for room in ROOMS {
        let tests = Path::new("crates").join(room).join("tests");
        let list = std::fs::read_to_string(root().join(&tests).join("ladder.rs")).expect("a ladder");
        for (path, _) in with_extension("rs") {
            let Ok(inside) = path.strip_prefix(&tests) else { continue };
            let (Some(folder), Some(stem)) = (inside.parent(), inside.file_stem()) else { continue };
            if folder.as_os_str().is_empty() {
                continue;
            }
            let block = list.split(&format!("mod {} {{", folder.display())).nth(1);
            let listed = block.and_then(|block| block.split('}').next()).unwrap_or_default();
            let line = format!("mod {};", stem.to_string_lossy());
            if !listed.lines().any(|found| found.trim().trim_start_matches("pub ") == line) {
                faults.push(format!("{} is not listed in ladder.rs", path.display()));
            }
        }
    }
    assert_none(faults);
}
