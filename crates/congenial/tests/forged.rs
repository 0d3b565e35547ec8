//! Releases forged with care: hashes and report made again, so that only the re-derivation can tell.

use certify::{Certificate, Spending, restore, sha256};
use congenial::{Format, Verified, release, verify};
use declare::{Declaration, Problem};
use std::fs;
use std::path::{Path, PathBuf};

/// A spec of four cells whose totals by row are exact; `method` is a line of `[mechanism]`, `by` the invariant.
fn spec(folder: &Path, by: &str, method: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), "row,column,n\na,1,5\na,2,7\nb,1,11\nb,2,0\n").unwrap();
    let text = format!(
        "title = \"Small\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n[[invariant]]\nby = {by}\n\
         [constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/2\"\n{method}\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

/// A payment that no ledger knows.
fn spending() -> Spending {
    let text = || "x".to_string();
    Spending {
        dataset: text(),
        entry: 7,
        seal: text(),
        charged: text(),
        spent: text(),
        budget: text(),
        approval: None,
        together: None,
        overrides: Vec::new(),
    }
}

/// Makes hashes and report again, as a careful forger would, and verifies.
fn reseal(folder: &Path, certificate: &mut Certificate) -> Result<Verified, Problem> {
    let hash = |file: &str| fs::read(folder.join(file)).map(|bytes| sha256(&bytes)).unwrap_or_default();
    for listed in &mut certificate.files {
        listed.sha256 = hash(&listed.file);
    }
    certificate.spec_sha256 = sha256(certificate.spec.as_bytes());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join("table.csv")).unwrap_or_default();
    if let Ok(restored) = restore(certificate, usize::MAX) {
        let values: Vec<i64> = text.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse().ok()).collect();
        if values.len() == restored.domain.len() {
            let figures = report::Figures::of(&restored.domain, &values);
            let release = report::Release { certificate, domain: &restored.domain, figures: &figures };
            fs::write(folder.join("report.html"), report::html(&release)).unwrap();
        }
    }
    verify(folder)
}

/// A release whose table and certificate were changed, and whose hashes and report were made again.
fn forged(table: impl Fn(String) -> String, change: impl Fn(&mut Certificate)) -> Result<Verified, Problem> {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), "[\"row\"]", "");
    let mut certificate = release(&spec, &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap().certificate;
    let path = folder.join("table.csv");
    let text = table(fs::read_to_string(&path).unwrap());
    fs::write(&path, &text).unwrap();
    certificate.table.sha256 = sha256(text.as_bytes());
    let time = certificate.time.clone();
    change(&mut certificate);
    if certificate.time != time {
        // The page for readers tells the day.
        let (path, day) = (folder.join("DATA-README.txt"), |time: &str| time.chars().take(10).collect::<String>());
        let page = fs::read_to_string(&path).unwrap().replace(&day(&time), &day(&certificate.time));
        fs::write(&path, page).unwrap();
    }
    reseal(&folder, &mut certificate)
}

#[test]
fn the_forger_changes_nothing_that_was_not_asked_for() {
    forged(|table| table, |_| {}).unwrap();
    // What a reader cannot derive: who made it and when.
    forged(|table| table, |certificate| certificate.time = "2020-02-29T12:00:00Z".to_string()).unwrap();
}

#[test]
fn a_certificate_that_does_not_follow_is_found() {
    let spec = |from: &'static str, to: &'static str| {
        move |certificate: &mut Certificate| {
            assert!(certificate.spec.contains(from), "{}", certificate.spec);
            certificate.spec = certificate.spec.replacen(from, to, 1);
        }
    };
    let confidential = |certificate: &mut Certificate| {
        spec("public = true", "public = false")(certificate);
        let budget = "\n[budget]\ndataset = \"x\"\nledger = \"sqlite:x.db\"\n";
        let text = certificate.spec.clone() + budget;
        certificate.spec = Declaration::parse_alone(&text, "forged.toml").unwrap().to_toml();
    };
    type Change<'a> = &'a dyn Fn(&mut Certificate);
    let changes: [(&str, &str, Change); 22] = [
        ("columns", "lists other columns", &|certificate| certificate.table.columns[0] = "county".to_string()),
        ("columns reordered", "lists other columns", &|certificate| certificate.table.columns.swap(0, 1)),
        ("cells", "the table has 4 cells", &|certificate| certificate.table.cells = 5),
        ("another file", "its hash differs", &|certificate| certificate.table.file = "report.html".to_string()),
        ("a file elsewhere", "outside its folder", &|certificate| certificate.table.file = "../x.csv".to_string()),
        ("ledger", "public data are not paid for", &|certificate| certificate.ledger = Some(spending())),
        ("program", "the program", &|certificate| certificate.program.name = "another".to_string()),
        ("time", "is not a time", &|certificate| certificate.time = "yesterday".to_string()),
        ("confidential data", "no entry of a ledger pays", &confidential),
        ("strength in the spec", "the guarantee", &spec("1/2", "1/4")),
        ("unit in the spec", "the guarantee", &spec("per = \"record\"", "per = \"unit\"")),
        ("title in the spec", "the title", &spec("Small", "Large")),
        ("totals reordered", "does not hold", &|certificate| certificate.invariants[0].totals.swap(0, 1)),
        ("a total left out", "the list of invariants", &|certificate| drop(certificate.invariants[0].totals.pop())),
        ("no invariants", "the list of invariants", &|certificate| certificate.invariants.clear()),
        ("no epsilon", "the guarantee", &|certificate| certificate.guarantee.epsilon = None),
        ("a file that is said to be something else", "lists other files", &|certificate| {
            certificate.files[1].what = "the true table".to_string();
        }),
        ("a file left out", "is not part of the release", &|certificate| drop(certificate.files.remove(1))),
        ("no files", "is not part of the release", &|certificate| certificate.files.clear()),
        ("a file twice", "twice", &|certificate| certificate.files.push(certificate.files[0].clone())),
        ("a wide table", "lists other files", &|certificate| certificate.table.wide = Some("row".to_string())),
        ("nearest pair", "the guarantee", &|certificate| certificate.guarantee.nearest.distance = 4),
    ];
    for (name, expected, change) in changes {
        let message = forged(|table| table, change).unwrap_err().message;
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn a_table_that_is_not_the_declared_one_is_found() {
    let line = |table: &str, number: usize| table.lines().nth(number).unwrap().to_string() + "\n";
    type Change<'a> = &'a dyn Fn(String) -> String;
    let changes: [(&str, &str, Change); 9] = [
        ("an interval moved", "the interval of the cell `row = a, column = 1`", &|table| changed_first(&table, [1, 1])),
        ("an interval widened", "the interval of the cell `row = a, column = 1`", &|table| {
            changed_first(&table, [-1, 1])
        }),
        ("rows swapped", "another cell in row 1", &|table| [0, 2, 1, 3, 4].map(|number| line(&table, number)).concat()),
        ("a row twice", "another cell in row 2", &|table| [0, 1, 1, 3, 4].map(|number| line(&table, number)).concat()),
        ("a row too many", "more rows", &|table| table.clone() + &line(&table, 4)),
        ("a row left out", "fewer rows", &|table| [0, 1, 2, 3].map(|number| line(&table, number)).concat()),
        ("columns swapped", "does not have the columns", &|table| table.replacen("row,column", "column,row", 1)),
        ("a column too many", "does not have the columns", &|table| {
            table.lines().map(|line| format!("{line},1\n")).collect()
        }),
        ("a total broken", "does not hold", &|table| {
            let first = line(&table, 1);
            table.replacen(&first, "a,1,123456,123450,123462\n", 1)
        }),
    ];
    for (name, expected, change) in changes {
        let message = forged(change, |_| {}).unwrap_err().message;
        assert!(message.contains(expected), "{name}: {message}");
    }
}

/// The table with the interval of its first cell changed.
fn changed_first(table: &str, by: [i64; 2]) -> String {
    let first = table.lines().nth(1).unwrap();
    let mut fields: Vec<String> = first.split(',').map(str::to_string).collect();
    for (field, by) in fields[3..].iter_mut().zip(by) {
        *field = (field.parse::<i64>().unwrap() + by).to_string();
    }
    table.replacen(first, &fields.join(","), 1)
}

/// What the invariants would determine is of no concern where none is kept.
#[test]
fn an_unconstrained_release_keeps_and_states_no_total() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), "[\"row\", \"column\"]", "method = \"unconstrained\"");
    let certificate = release(&spec, &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap().certificate;
    assert!(certificate.invariants.is_empty() && certificate.disclosed_cells == 0);
    assert_eq!(certificate.guarantee.nearest.distance, 1);
    assert_eq!(verify(&folder).unwrap().certificate, certificate);
}

#[cfg(unix)]
#[test]
fn a_release_has_the_permissions_of_its_owners_files() {
    use std::os::unix::fs::PermissionsExt;
    let work = tempfile::tempdir().unwrap();
    let (folder, plain) = (work.path().join("release"), work.path().join("plain"));
    fs::create_dir(&plain).unwrap();
    release(&spec(work.path(), "[]", ""), &folder, Format::Csv, &mut |_| {}, &|_| {}, &|_| {}).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&folder), mode(&plain));
    assert_eq!(mode(&folder.join("table.csv")), mode(&work.path().join("x.csv")));
}
