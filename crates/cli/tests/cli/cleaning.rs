//! Messy confidential data, as a curator meets them: what is told to whom, and what a bad key
//! costs.

use crate::run::Folder;
use std::process::Command;

const ROWS: &str = "county,age,seen,person\n alpha,3,2024-04-01,p1\nAlpha,999,2024-05-01,p1\nBETA,40,4/1/2024,p2\n\
                    Secretville,7,2024-04-30,p3\nBeta,,2024-06-30,p1\nBeta,50,2024-06-30,p4\nAlpha,12,2024-04-09,p5\n";

/// A spec with these lines under `[data]` and this dimension of counties.
fn spec(data: &str, county: &str) -> String {
    format!(
        "title = \"Messy\"\n[data]\npath = \"data.csv\"\n{data}\n[dimensions]\ncounty = {county}\n\
         age = {{ bins = [0, 18], open = true, below = 120, unknown = \"not known\" }}\n[[invariant]]\nby = []\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n[budget]\ndataset = \"d\"\nledger = \"sqlite:ledger.db\"\n"
    )
}

const DATA: &str = "trim = true\ncase = \"ignore\"\ndate_format = [\"MM/DD/YYYY\", \"YYYY-MM-DD\"]\nwhere = \"seen >= '2024-04-01'\"\n\
                    unit = \"person\"\nrows_per_unit = 2\nbeyond = \"drop\"";
const COUNTY: &str = "{ values = [\"Alpha\", \"Beta\", \"Other\"], unknown = \"Other\" }";

fn scene() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", ROWS);
    folder.write("spec.toml", &spec(DATA, COUNTY));
    folder.run("ledger open d --epsilon 9 --per owner=person --ledger spec.toml --by ann").exits(0);
    folder
}

#[test]
fn what_was_changed_is_told_by_check_data_and_nowhere_else() {
    let folder = scene();
    let told = folder.run("check spec.toml --data --by ann").exits(0);
    insta::assert_snapshot!(format!("{}\n{}", told.out, told.err));
    for command in ["check spec.toml", "explain spec.toml", "release spec.toml --out out --format csv --by ann"] {
        let ran = folder.run(command).exits(0);
        assert!(!ran.out.contains("Secretville") && !ran.err.contains("Secretville"), "{command}");
        assert!(!ran.out.contains("`999`") && !ran.err.contains("left out"), "{command}\n{}", ran.err);
    }
    for entry in std::fs::read_dir(folder.path("out")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("Secretville"));
    }
    let certificate: serde_json::Value = serde_json::from_str(&folder.read("out/certificate.json")).unwrap();
    insta::assert_snapshot!(certificate["counted"].as_str().unwrap());
    // Six of the seven rows are counted: the person p1 has three.
    let table = folder.read("out/table.csv");
    let total: i64 = table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<i64>().unwrap()).sum();
    assert_eq!(total, 6, "{table}");
    folder.run("verify out").exits(0);
    let verifier = Command::new(env!("CARGO_BIN_EXE_congenial-verify")).arg(folder.path("out")).output().unwrap();
    assert!(verifier.status.success(), "{}", String::from_utf8_lossy(&verifier.stderr));
    assert!(String::from_utf8_lossy(&verifier.stdout).contains("Verified"));
    folder.replace("out/table.csv", "Alpha", "Alpine");
    let broken = Command::new(env!("CARGO_BIN_EXE_congenial-verify")).arg(folder.path("out")).output().unwrap();
    assert_eq!(broken.status.code(), Some(2));
}

#[test]
fn a_bad_key_writes_and_spends_nothing() {
    let folder = scene();
    let before = folder.listing();
    let bad = [
        ("trim = 1", COUNTY),
        ("case = \"lower\"", COUNTY),
        ("encoding = \"latin-1\"", COUNTY),
        ("date_format = \"DD/MM/YY\"", COUNTY),
        ("where = \"seen >= '2024-02-30'\"", COUNTY),
        ("unit = \"person\"\nbeyond = \"first\"", COUNTY),
        ("beyond = \"drop\"", COUNTY),
        ("", "{ values = [\"Alpha\"], recode = { B = \"Beta\" } }"),
        ("", "{ values = [\"Alpha\"], recode = \"missing.csv\" }"),
        ("", "{ values = [\"Alpha\"], recode = \"data.csv\" }"),
        ("", "{ values = [\"Alpha\"], unknown = \"?\" }"),
        ("", "{ values = [\"Alpha\"], below = 3 }"),
        ("", "{ dates = \"week\", first = \"2024-01\", last = \"2024-02\" }"),
        ("", "{ dates = \"month\", first = \"2024-1\", last = \"2024-02\" }"),
        ("encoding = \"windows-1252\"", "{ column = \"nowhere\", values = [\"Alpha\"] }"),
    ];
    for (data, county) in bad {
        folder.write("bad.toml", &spec(data, county));
        for command in ["release bad.toml --out out --by ann", "check bad.toml", "explain bad.toml"] {
            let ran = folder.run(command).exits(2);
            assert!(ran.err.starts_with("error: ") && ran.out.is_empty(), "{data} {county}\n{}", ran.err);
            assert!(ran.err.contains("bad.toml") || ran.err.contains(".csv"), "{}", ran.err);
        }
        std::fs::remove_file(folder.path("bad.toml")).unwrap();
        assert!(folder.listing() == before, "{data} {county}");
    }
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = Folder::new();
    folder.run("man --out pages").exits(0);
    let page = folder.read("pages/congenial-release.1");
    assert!(page.contains(".TH") && page.contains("Draw a release"), "{page}");
    assert!(folder.path("pages/congenial.1").exists() && folder.path("pages/congenial-ledger-open.1").exists());
}

#[test]
fn a_spec_names_the_ledger_from_its_own_folder_in_every_command() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("inside")).unwrap();
    folder.write("inside/data.csv", ROWS);
    folder.write("inside/spec.toml", &spec(DATA, COUNTY));
    folder.run("ledger open d --epsilon 9 --per owner=person --ledger inside/spec.toml --by ann").exits(0);
    assert!(folder.path("inside/ledger.db").exists() && !folder.path("ledger.db").exists());
    folder.run("release inside/spec.toml --out out --by ann").exits(0);
    folder.run("verify out --ledger inside/spec.toml").exits(0);
    let status = folder.run("ledger status --json --ledger inside/spec.toml").exits(0);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(status["datasets"][0]["spent"]["epsilon"], 2.0);
    assert_eq!(status["datasets"][0]["spent"]["unit"], "privacy unit `person`");
    let none = folder.run("ledger status --ledger nowhere.toml").exits(2);
    assert!(none.err.contains("nowhere.toml"), "{}", none.err);
}
