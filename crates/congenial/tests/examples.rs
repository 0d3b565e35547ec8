//! Every example is released, verified and explained with an exact operator, and its totals come out as they went in.

use congenial::{Format, Prepared, release, verify};
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Releases, verifies, and returns the operators with their blocks and cells.
fn run(name: &str, format: Format) -> Vec<(String, usize, usize)> {
    let spec = example(name);
    let prepared = Prepared::open(&spec, &mut |_| {}).unwrap();
    let explained = prepared.plan.explain_json();
    assert_eq!(explained["cells"], prepared.opened().domain.len());
    for block in explained["blocks"].as_array().unwrap() {
        assert_eq!(block["exactness"], "exact");
    }
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let released = release(&spec, &folder, format, &mut |_| {}, &|_| {}).unwrap();
    let verified = verify(&folder).unwrap();
    assert_eq!(released.certificate, verified.certificate);
    // The certified totals are those of the table that went in.
    for (invariant, totals) in verified.certificate.invariants.iter().zip(&prepared.analysed.totals) {
        assert_eq!(invariant.totals.iter().map(|total| total.value).collect::<Vec<_>>(), *totals);
    }
    let mut files: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, ["certificate.json", "report.html", &format!("table.{}", format.extension())]);
    assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 1, "nothing but the release is left behind");
    let uses = verified.certificate.operators.into_iter();
    uses.map(|used| (used.operator, used.blocks, used.cells)).collect()
}

#[test]
fn five_cells() {
    assert_eq!(run("five-cells/spec.toml", Format::Parquet), [("closed-form".to_string(), 1, 5)]);
    assert_eq!(run("five-cells/spec.toml", Format::Csv), [("closed-form".to_string(), 1, 5)]);
}

#[test]
fn illinois() {
    assert_eq!(run("illinois/spec.toml", Format::Parquet), [("closed-form".to_string(), 1, 102)]);
}

#[test]
fn all_counties_with_state_totals() {
    // The District of Columbia is one county: its cell is fixed by its state's total.
    assert_eq!(run("us-counties/spec.toml", Format::Parquet), [("closed-form".to_string(), 50, 3142)]);
    assert_eq!(run("us-counties/spec.toml", Format::Csv), [("closed-form".to_string(), 50, 3142)]);
}

#[test]
fn delinquent_children() {
    assert_eq!(run("delinquent-children/spec.toml", Format::Parquet), [("closed-form".to_string(), 4, 16)]);
    assert_eq!(run("delinquent-children/gaussian.toml", Format::Csv), [("messages".to_string(), 4, 16)]);
}
