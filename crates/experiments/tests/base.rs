//! Audits of laws with a base measure.

use experiments::{AuditOptions, audit, audit_text};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "title = \"Weighted\"\n[data]\npath = \"counts.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n\
                    place = [\"a\", \"b\", \"c\"]\n[[invariant]]\nby = []\n";
const MECHANISM: &str = "[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n";
const COUNTS: &str = "place,n\na,5\nb,0\nc,3\n";
const LAST: &str = "place,period,before\na,1,7\nb,1,0\nc,1,2\na,0,1\nb,0,1\nc,0,1\n";
const BASE: &str = "[mechanism.base]\nlaw = \"dirichlet-multinomial\"\npath = \"last.csv\"\nwhere = \"period = 1\"\n\
                    count = \"before\"\nalpha = \"1/10\"\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("counts.csv"), COUNTS).unwrap();
    fs::write(folder.path().join("last.csv"), LAST).unwrap();
    folder
}

fn spec(folder: &Path, mechanism: &str, base: &str) -> PathBuf {
    let path = folder.join("spec.toml");
    fs::write(&path, format!("{HEAD}{mechanism}{base}")).unwrap();
    path
}

#[test]
fn an_audit_lists_all_tables_with_their_weights() {
    let folder = folder();
    let spec = spec(folder.path(), MECHANISM, &BASE.replace("alpha = \"1/10\"", "alpha = \"1/1000\""));
    let options = AuditOptions { draws: 200, runs: 1_000, seed: 1, on: None };
    let text = audit_text(&audit(&spec, &options, &|_| {}).unwrap());
    assert!(text.contains("45"), "all 45 tables of 8 in 3 cells: {text}");
}
