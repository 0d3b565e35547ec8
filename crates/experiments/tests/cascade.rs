//! Cascades compared with other methods, and audited by their listed law.

use experiments::{AuditOptions, CompareOptions, audit, compare, comparison_json};
use std::fs;
use std::path::{Path, PathBuf};

const DIMENSIONS: &str =
    "[dimensions]\na = [\"1\", \"2\", \"3\"]\nb = [\"1\", \"2\", \"3\"]\nc = [\"1\", \"2\", \"3\"]\n";

/// A spec over three dimensions of three values, with its counts.
fn spec(folder: &Path, invariants: &[&str], rest: &str) -> PathBuf {
    let mut counts = String::from("a,b,c,n\n");
    for cell in 0..27 {
        counts.push_str(&format!("{},{},{},{}\n", cell / 9 + 1, cell / 3 % 3 + 1, cell % 3 + 1, cell * 7 % 11));
    }
    fs::write(folder.join("counts.csv"), counts).unwrap();
    let data = "title = \"A cascade\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n";
    let invariants: String = invariants.iter().map(|by| format!("[[invariant]]\nby = [{by}]\n")).collect();
    let mechanism = "[mechanism]\nmethod = \"cascade\"\nnoise = \"discrete-gaussian\"\n";
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{data}{DIMENSIONS}{invariants}{mechanism}{rest}")).unwrap();
    path
}

#[test]
fn a_cascade_is_compared_by_level_and_with_its_order_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut order = String::from("a,b,c,last\n");
    for cell in 0..27 {
        order.push_str(&format!(
            "{},{},{},{}\n",
            cell / 9 + 1,
            cell / 3 % 3 + 1,
            cell % 3 + 1,
            cell * 7 % 11 + cell % 2
        ));
    }
    fs::write(folder.path().join("last.csv"), &order).unwrap();
    let rest = "rho = \"1/4\"\norder_by = { path = \"last.csv\", value = \"last\" }\n";
    let spec = spec(folder.path(), &["\"a\""], rest);
    let options = CompareOptions { draws: 200, seed: 3, on: None };
    let found = comparison_json(&compare(&spec, &options, &|_| {}).unwrap());
    let method = |name: &str| {
        let methods = found["methods"].as_array().unwrap();
        methods.iter().find(|method| method["method"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    for name in ["cascade", "cascade-declared-order", "condition-unbounded", "project-nonnegative", "topdown"] {
        let method = method(name);
        assert_eq!(method["applies"], true, "{name}: {}", method["reason"]);
        assert_eq!(method["broken"]["mean"], 0.0, "{name}");
        assert_eq!(method["below_zero"]["mean"].as_f64().unwrap() > 0.0, name == "condition-unbounded", "{name}");
        let levels = method["by_level"].as_array().unwrap();
        let error = |name: &str| {
            let level = levels.iter().find(|level| level["level"] == name).unwrap();
            level["absolute"]["mean"].as_f64().unwrap()
        };
        assert_eq!(error("by a"), 0.0, "{name}");
        assert!(error("by b") > 0.5, "{name}");
    }
    let noise = |name: &str| method(name)["noise"].as_str().unwrap().to_owned();
    assert!(noise("topdown").starts_with("discrete Gaussian, σ² = 4"), "{}", noise("topdown"));
    assert_ne!(method("cascade")["l1"], method("cascade-declared-order")["l1"]);
}

#[test]
fn an_audit_of_a_cascade_enumerates_its_law() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("counts.csv"), "a,b,n\n1,1,2\n1,2,0\n2,1,1\n2,2,1\n").unwrap();
    let text = "title = \"Four cells\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\na = [\"1\", \
                \"2\"]\nb = [\"1\", \"2\"]\n[[invariant]]\nby = []\n[mechanism]\nmethod = \"cascade\"\nnoise = \
                \"discrete-gaussian\"\nrho = \"1/4\"\n[[mechanism.query]]\nby = [\"a\"]\nshare = \"1/2\"\n[[mechanism.query]]\nby = \
                [\"a\", \"b\"]\nshare = \"1/2\"\n";
    let spec = folder.path().join("spec.toml");
    fs::write(&spec, text).unwrap();
    let options = AuditOptions { draws: 200, runs: 2000, seed: 5, on: None };
    let audited = audit(&spec, &options, &|_| {}).unwrap();
    let exact = audited.privacy.exact.as_ref().unwrap();
    // Four counts that add up to four: 35 tables.
    assert_eq!((exact.tables, exact.distance, exact.concentrated), (35, 2, true));
    let (loss, claimed) = (exact.loss.to_f64(), exact.claimed.to_f64());
    assert!(loss <= claimed && loss > 0.3 * claimed, "{loss} of {claimed}");
    assert!(!audited.is_contradicted() && audited.privacy.runs.is_ok());
}
