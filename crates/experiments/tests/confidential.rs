//! Confidential data are neither compared nor audited, under whatever name; and what is answered
//! about them is counted.

use congenial::ledgers::{Address, Amount, Charge, Ledger, NewDataset, Unit};
use congenial::{Format, Kind, Options, Paying, Problem, Quiet, release};
use experiments::{AuditOptions, CompareOptions, audit, compare};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const DATA: &str =
    "county,education,children\nAlpha,Low,15\nAlpha,High,4\nBeta,Low,17\nBeta,High,38\nGamma,Low,1\nGamma,High,24\n";

/// A folder with confidential data, and a ledger with a budget for them.
fn scene() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.csv"), DATA).unwrap();
    let mut ledger = Ledger::create(&Address::parse(&address(folder.path())).unwrap(), "ann").unwrap();
    let budget = Charge { amount: Amount::Pure { epsilon: "1".parse().unwrap() }, per: Unit::L1 };
    let dataset = NewDataset { name: "children".into(), budget, approval: false, partition: None, by: "ann".into() };
    ledger.open_dataset(&dataset).unwrap();
    folder
}

fn address(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("books.db").display())
}

/// A spec of these data, with more lines in [data].
fn spec(folder: &Path, name: &str, data: &str) -> PathBuf {
    let path = folder.join(name);
    let text = format!(
        "title = \"a\"\n[data]\npath = \"data.csv\"\ncount = \"children\"\n{data}\
         [dimensions]\ncounty = [\"Alpha\", \"Beta\", \"Gamma\"]\neducation = [\"Low\", \"High\"]\n\
         [[invariant]]\nby = [\"county\"]\n[constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/100\"\nper = \"unit\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{}\"\n",
        address(folder)
    );
    fs::write(&path, text).unwrap();
    path
}

/// The problems of a comparison and of an audit.
fn problems(spec: &Path, on: Option<PathBuf>) -> [Problem; 2] {
    let compared = CompareOptions { draws: 2, seed: 1, on: on.clone().map(Into::into) };
    let audited = AuditOptions { draws: 2, runs: 2, seed: 1, on: on.map(Into::into) };
    [compare(spec, &compared, &|_| {}).unwrap_err(), audit(spec, &audited, &|_| {}).unwrap_err()]
}

#[test]
fn confidential_data_are_not_drawn_again_and_again() {
    let folder = scene();
    for problem in problems(&spec(folder.path(), "a.toml", ""), None) {
        assert_eq!(problem.kind, Kind::Refused, "{problem}");
    }
}

#[test]
fn the_confidential_table_does_not_stand_in_for_itself() {
    let folder = scene();
    let spec = spec(folder.path(), "a.toml", "");
    fs::copy(folder.path().join("data.csv"), folder.path().join("copy.csv")).unwrap();
    for file in ["data.csv", "copy.csv"] {
        for problem in problems(&spec, Some(folder.path().join(file))) {
            assert!(problem.message.contains("the confidential table, or nearly so"), "{problem}");
        }
    }
}

#[test]
fn data_that_were_paid_for_are_not_public_by_declaration() {
    let folder = scene();
    let paying = Paying { by: Some("ann".into()), ..Paying::default() };
    let options = Options { paying, ..Format::CSV.into() };
    let own = spec(folder.path(), "a.toml", "");
    release(&own, &folder.path().join("out"), options, &Quiet).unwrap();
    for problem in problems(&spec(folder.path(), "public.toml", "public = true\n"), None) {
        assert_eq!(problem.kind, Kind::Refused);
        assert!(problem.message.contains("confidential dataset `children`"), "{problem}");
    }
}
