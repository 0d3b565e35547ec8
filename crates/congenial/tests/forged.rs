//! Releases forged with care: hashes and report made again, so that only the re-derivation can
//! tell.

use certify::{Certificate, Spending, restore, sha256};
use congenial::{Format, Quiet, Verified, VerifyOptions, release, verify};
use declare::{Declaration, Kind, Problem};
use std::fs;
use std::path::{Path, PathBuf};

/// A spec of four cells whose totals by row are exact; `method` is a line of `[mechanism]`, `by`
/// the invariant.
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
    let text = fs::read_to_string(folder.join("table.csv")).unwrap_or_default();
    if let Ok(restored) = restore(certificate, usize::MAX) {
        let values: Vec<i64> = text.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse().ok()).collect();
        if values.len() == restored.domain.len() {
            // Where the certificate does not hold, that is found before the report is.
            fs::write(folder.join("report.html"), congenial::report_of(certificate, &values).unwrap_or_default())
                .unwrap();
        }
    }
    seal(folder, certificate);
    verify(folder, &VerifyOptions::default())
}

/// Writes the certificate with the hash of the report as it is.
fn seal(folder: &Path, certificate: &mut Certificate) {
    certificate.report_sha256 = sha256(&fs::read(folder.join("report.html")).unwrap());
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
}

/// A release whose table and certificate were changed, and whose hashes and report were made again.
fn forged(table: impl Fn(String) -> String, change: impl Fn(&mut Certificate)) -> Result<Verified, Problem> {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), "[\"row\"]", "");
    let mut certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
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
        ("no files", "does not list the table", &|certificate| certificate.files.clear()),
        ("a file twice", "twice", &|certificate| certificate.files.push(certificate.files[0].clone())),
        ("a wide table", "lists other files", &|certificate| certificate.table.wide = Some("row".to_string())),
        ("nearest pair", "the guarantee", &|certificate| certificate.guarantee.nearest.distance = 4),
    ];
    for (name, expected, change) in changes {
        let message = forged(|table| table, change).unwrap_err().message;
        assert!(message.contains(expected), "{name}: {message}");
    }
}

/// A certificate says which version made it, and may lie: whatever it claims, what does not follow
/// never passes.
#[test]
fn no_version_that_a_release_claims_makes_verification_weaker() {
    type Change<'a> = &'a dyn Fn(&Path, &mut Certificate);
    let listed = |certificate: &mut Certificate, folder: &Path, file: &str| {
        let hash = sha256(&fs::read(folder.join(file)).unwrap());
        certificate.files.iter_mut().find(|listed| listed.file == file).unwrap().sha256 = hash;
    };
    let edit = |folder: &Path, file: &str| {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        fs::write(folder.join(file), text + "\nAll of this is certain.\n").unwrap();
    };
    let changes: [(&str, Change); 10] = [
        ("the report", &|folder, _| edit(folder, "report.html")),
        ("the page for readers", &|folder, certificate| {
            edit(folder, "DATA-README.txt");
            listed(certificate, folder, "DATA-README.txt");
        }),
        ("a file said to be something else", &|_, certificate| certificate.files[0].what = "true counts".to_string()),
        ("a list without the page", &|folder, certificate| {
            certificate.files.retain(|listed| listed.file != "DATA-README.txt");
            fs::remove_file(folder.join("DATA-README.txt")).unwrap();
        }),
        ("no files", &|folder, certificate| {
            for listed in std::mem::take(&mut certificate.files).iter().filter(|listed| listed.file != "table.csv") {
                fs::remove_file(folder.join(&listed.file)).unwrap();
            }
        }),
        ("no intervals of cells", &|_, certificate| certificate.disclosure = None),
        ("no meaning", &|_, certificate| certificate.guarantee.meaning = None),
        ("no word about run times", &|_, certificate| certificate.operators[0].run_time.clear()),
        ("a smaller loss", &|_, certificate| certificate.guarantee.epsilon = Some("1/1000".to_string())),
        ("no intervals", &|folder, certificate| {
            let text = fs::read_to_string(folder.join("table.csv")).unwrap();
            let cut = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",") + "\n";
            let text: String = text.lines().map(cut).collect();
            fs::write(folder.join("table.csv"), &text).unwrap();
            certificate.table.sha256 = sha256(text.as_bytes());
            certificate.table.columns.truncate(3);
            listed(certificate, folder, "table.csv");
        }),
    ];
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), "[\"row\"]", "");
    for (number, (name, change)) in changes.into_iter().enumerate() {
        let folder = work.path().join(number.to_string());
        let made = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
        for version in [made.program.version.as_str(), "0.0.1", "99.0.0", ""] {
            let mut certificate = made.clone();
            change(&folder, &mut certificate);
            certificate.program.version = version.to_string();
            seal(&folder, &mut certificate);
            let problem = verify(&folder, &VerifyOptions::default()).map(|_| ()).expect_err(name);
            assert!(matches!(problem.kind, Kind::Bad | Kind::Refused), "{name}, version `{version}`: {problem:?}");
            fs::remove_dir_all(&folder).unwrap();
            release(&spec, &folder, Format::CSV, &Quiet).unwrap();
        }
    }
}

/// The report is part of what is certified and signed, and no word of it can be changed.
#[test]
fn the_certificate_has_the_hash_of_its_report() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), "[\"row\"]", "");
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    let page = folder.join("report.html");
    assert_eq!(certificate.report_sha256, sha256(&fs::read(&page).unwrap()));
    let verified = verify(&folder, &VerifyOptions::default()).unwrap();
    assert!(verified.stated.iter().any(|stated| stated.found.contains("totals are those of the data")));
    assert!(verified.checks.iter().any(|check| check.found.starts_with("nobody signed")));
    fs::write(&page, fs::read_to_string(&page).unwrap().replacen("Small", "Smile", 1)).unwrap();
    assert!(verify(&folder, &VerifyOptions::default()).unwrap_err().message.contains("its hash differs"));
}

/// Files of a stranger's folder that never end, or say that they are larger than any disk, are not
/// waited for.
#[cfg(unix)]
#[test]
fn hostile_files_do_not_stall_a_reader() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), "[\"row\"]", "");
    let key = work.path().join("agency.key");
    congenial::new_keys(&key, false).unwrap();
    let folder = work.path().join("release");
    let mut options = congenial::Options::from(Format::CSV);
    options.sign = Some(key);
    release(&spec, &folder, options, &Quiet).unwrap();
    for file in ["certificate.json", "certificate.sig", "report.html", "table.csv", "DATA-README.txt"] {
        let path = folder.join(file);
        let bytes = fs::read(&path).unwrap();
        // Nothing of it takes room on a disk.
        fs::File::create(&path).unwrap().set_len(20 << 30).unwrap();
        let message = verify(&folder, &VerifyOptions::default()).unwrap_err().message;
        assert!(message.contains("such a file has at most"), "{file}: {message}");
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let message = verify(&folder, &VerifyOptions::default()).unwrap_err().message;
        assert!(message.contains("is not a file of bytes") || message.contains("is missing"), "{file}: {message}");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let message = verify(&folder, &VerifyOptions::default()).unwrap_err().message;
        assert!(message.contains("is a link") || message.contains("is missing"), "{file}: {message}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        verify(&folder, &VerifyOptions::default()).unwrap_err();
        fs::remove_dir(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        verify(&folder, &VerifyOptions::default()).unwrap();
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
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    assert!(certificate.invariants.is_empty() && certificate.disclosed_cells == 0);
    assert_eq!(certificate.guarantee.nearest.distance, 1);
    assert_eq!(verify(&folder, &VerifyOptions::default()).unwrap().certificate, certificate);
}

#[cfg(unix)]
#[test]
fn a_release_has_the_permissions_of_its_owners_files() {
    use std::os::unix::fs::PermissionsExt;
    let work = tempfile::tempdir().unwrap();
    let (folder, plain) = (work.path().join("release"), work.path().join("plain"));
    fs::create_dir(&plain).unwrap();
    release(&spec(work.path(), "[]", ""), &folder, Format::CSV, &Quiet).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&folder), mode(&plain));
    assert_eq!(mode(&folder.join("table.csv")), mode(&work.path().join("x.csv")));
}

/// One table has one file: what spreadsheets and readers take for the same numbers is another file.
#[test]
fn a_table_that_is_written_otherwise_is_found() {
    let first = |change: fn(&str) -> String| {
        move |table: String| {
            let (header, rows) = table.split_once('\n').unwrap();
            let (row, rest) = rows.split_once('\n').unwrap();
            let fields: Vec<&str> = row.split(',').collect();
            let changed = change(fields[2]);
            format!("{header}\n{},{},{changed},{}\n{rest}", fields[0], fields[1], fields[3..].join(","))
        }
    };
    type Table = Box<dyn Fn(String) -> String>;
    let forms: [(&str, Table); 9] = [
        ("line ends", Box::new(|table| table.replace('\n', "\r\n"))),
        ("one line end", Box::new(|table| table.replacen('\n', "\r\n", 1))),
        ("a mark of byte order", Box::new(|table| format!("\u{feff}{table}"))),
        ("no last line end", Box::new(|table| table.trim_end().to_string())),
        ("an empty line", Box::new(|table| format!("{table}\n"))),
        ("quotes", Box::new(|table| table.replacen("\na,", "\n\"a\",", 1))),
        (
            "a sign",
            Box::new(first(|value| match value.strip_prefix('-') {
                Some(_) => format!("-0{}", &value[1..]),
                None => format!("+{value}"),
            })),
        ),
        (
            "a zero before",
            Box::new(first(|value| match value.strip_prefix('-') {
                Some(size) => format!("-0{size}"),
                None => format!("0{value}"),
            })),
        ),
        ("a quoted number", Box::new(first(|value| format!("\"{value}\"")))),
    ];
    for (name, form) in forms {
        let found = forged(form, |_| {}).map(|_| ()).expect_err(name);
        assert!(found.message.contains("is not the file that a release writes"), "{name}: {found}");
    }
}

#[test]
fn hidden_files_and_links_are_no_part_of_a_release() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    release(&spec(work.path(), "[\"row\"]", ""), &folder, Format::CSV, &Quiet).unwrap();
    let found = || verify(&folder, &VerifyOptions::default()).map(|_| ());
    found().unwrap();
    fs::write(folder.join(".hidden"), "x").unwrap();
    assert!(found().unwrap_err().message.contains("`.hidden` is not part of the release"));
    fs::remove_file(folder.join(".hidden")).unwrap();
    found().unwrap();
    #[cfg(unix)]
    for file in ["table.csv", "codebook.csv", "report.html", "certificate.json"] {
        let (here, there) = (folder.join(file), work.path().join(file));
        fs::rename(&here, &there).unwrap();
        std::os::unix::fs::symlink(&there, &here).unwrap();
        let problem = found().expect_err(file);
        assert!(problem.message.contains("is a link"), "{file}: {problem}");
        fs::remove_file(&here).unwrap();
        fs::rename(&there, &here).unwrap();
    }
    found().unwrap();
}

#[test]
fn a_certificate_that_does_not_see_what_its_filter_discloses_is_named() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), "[]", "");
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replacen("public = true", "public = true\nwhere = \"row != 'b'\"", 1)).unwrap();
    let mut certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    assert_eq!(certificate.disclosed_cells, 2);
    (certificate.disclosed_cells, certificate.disclosed) = (0, Vec::new());
    let problem = reseal(&folder, &mut certificate).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
    assert!(problem.message.contains("did not see what a filter leaves empty"), "{problem}");
}
