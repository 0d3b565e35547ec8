//! Releases of exact totals alone: what they hold, what finds a forgery, and what is refused.

use certify::{Certificate, sha256};
use congenial::{Format, Kind, Options, Problem, Quiet, Verified, VerifyOptions, release, verify};
use std::fs;
use std::path::{Path, PathBuf};

const TABLE: &str = "row,column,n\na,1,5\na,2,7\nb,1,11\nb,2,3\n";

/// A suppressed spec of four cells; `more` stands before `[mechanism]`.
fn spec(folder: &Path, by: &[&str], more: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), TABLE).unwrap();
    let invariants: String = by.iter().map(|by| format!("[[invariant]]\nby = {by}\n")).collect();
    let text = format!(
        "title = \"Small\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n\
         [dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n{invariants}{more}\n[mechanism]\nmethod = \"suppress\"\n"
    );
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

fn released(spec: &Path, folder: &Path, format: Format) -> Result<Certificate, Problem> {
    release(spec, folder, format, &Quiet).map(|released| released.certificate)
}

#[test]
fn the_totals_are_published_and_no_cell_is() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), &["[\"row\"]", "[\"column\"]"], "");
    for (format, file) in [(Format::CSV, "totals.csv"), (Format::PARQUET, "totals.parquet")] {
        let folder = work.path().join(format.extension());
        let certificate = released(&spec, &folder, format).unwrap();
        let guarantee = &certificate.guarantee;
        assert_eq!((guarantee.epsilon.as_deref(), guarantee.theorem.as_str()), (Some("0"), "suppression"));
        assert!(
            guarantee.statement.contains("does not protect what the totals themselves tell"),
            "{}",
            guarantee.statement
        );
        assert_eq!((certificate.table.file.as_str(), certificate.table.cells), (file, 4));
        assert_eq!(certificate.entropy, "none: nothing was drawn");
        assert!(certificate.operators.is_empty() && certificate.disclosure.is_some());
        let mut names: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["DATA-README.txt", "certificate.json", "report.html", file]);
        verify(&folder, &VerifyOptions::default()).unwrap();
    }
    let totals = fs::read_to_string(work.path().join("csv/totals.csv")).unwrap();
    let rows = "by row,row = a,12\nby row,row = b,14\nby column,column = 1,16\nby column,column = 2,10\n";
    assert_eq!(totals, format!("invariant,total,value\n{rows}"));
    let page = fs::read_to_string(work.path().join("csv/DATA-README.txt")).unwrap();
    insta::assert_snapshot!("suppressed_readme", page.split("Citing and checking").next().unwrap());
}

#[test]
fn two_tables_with_the_same_totals_give_the_same_totals_file_and_guarantee() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), &["[\"row\"]", "[\"column\"]"], "");
    let one = released(&spec, &work.path().join("one"), Format::CSV).unwrap();
    fs::write(work.path().join("x.csv"), "row,column,n\na,1,6\na,2,6\nb,1,10\nb,2,4\n").unwrap();
    let other = released(&spec, &work.path().join("other"), Format::CSV).unwrap();
    // The report states the time.
    let (time, report_sha256) = (other.time.clone(), other.report_sha256.clone());
    assert_eq!(Certificate { time, report_sha256, files: other.files.clone(), ..one }, other);
}

#[test]
fn a_large_table_is_folded_and_only_its_totals_are_kept() {
    let work = tempfile::tempdir().unwrap();
    let spec = spec(work.path(), &["[\"row\"]"], "[constraints]\nnonnegative = false");
    let folder = work.path().join("out");
    release(&spec, &folder, Options { stream_above: 1, ..Format::CSV.into() }, &Quiet).unwrap();
    verify(&folder, &VerifyOptions::default()).unwrap();
    verify(&folder, &VerifyOptions { stream_above: 1, ..VerifyOptions::default() }).unwrap();
}

/// A release whose totals and certificate were changed, and whose hashes and report were made
/// again.
fn forged(from: &str, to: &str, change: impl Fn(&mut Certificate)) -> Result<Verified, Problem> {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("out");
    let spec = spec(work.path(), &["[\"row\"]", "[\"column\"]"], "");
    let mut certificate = released(&spec, &folder, Format::CSV).unwrap();
    let path = folder.join("totals.csv");
    let totals = fs::read_to_string(&path).unwrap().replace(from, to);
    fs::write(&path, &totals).unwrap();
    certificate.table.sha256 = sha256(totals.as_bytes());
    certificate.files[0].sha256 = sha256(totals.as_bytes());
    change(&mut certificate);
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    fs::write(folder.join("report.html"), congenial::report_of(&certificate, &[]).unwrap_or_default()).unwrap();
    verify(&folder, &VerifyOptions::default())
}

#[test]
fn a_forged_release_is_found() {
    forged("", "", |_| {}).unwrap();
    type Change = fn(&mut Certificate);
    let cases: [(&str, &str, Change, &str); 8] = [
        ("row = a,12", "row = a,13", |_| {}, "`totals.csv` is not what the certificate gives"),
        ("row = a,12", "row = a,13", |it| it.invariants[0].totals[0].value = 13, "no table has the totals"),
        ("row = a", "row = c", |it| it.invariants[0].totals[0].name = "row = c".into(), "other totals than its spec"),
        ("", "", |it| it.guarantee.statement = "Everything is protected.".into(), "does not follow"),
        ("", "", |it| it.entropy = "the operating system".into(), "the source of random bits"),
        ("", "", |it| it.disclosed_cells = 1, "the number of disclosed cells"),
        ("", "", |it| it.guarantee.theorem = "G1".into(), "does not follow"),
        ("", "", |it| it.table.cells = 5, "states 5 rows of totals"),
    ];
    for (from, to, change, message) in cases {
        let problem = forged(from, to, change).unwrap_err();
        assert!(problem.message.contains(message), "{message}: {problem}");
    }
    // A spec of another method makes the file of totals no table of counts.
    let other = |it: &mut Certificate| {
        it.spec = it
            .spec
            .replace("method = \"suppress\"\nepsilon = \"0\"\n", "noise = \"double-geometric\"\nepsilon = \"1\"\n");
        it.spec = declare::Declaration::parse_alone(&it.spec, "spec").unwrap().to_toml();
        it.spec_sha256 = sha256(it.spec.as_bytes());
    };
    assert!(forged("", "", other).unwrap_err().message.contains("other columns"));
    // A file of totals that was changed alone has another hash.
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("out");
    released(&spec(work.path(), &["[\"row\"]"], ""), &folder, Format::CSV).unwrap();
    let path = folder.join("totals.csv");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("12", "13")).unwrap();
    assert!(verify(&folder, &VerifyOptions::default()).unwrap_err().message.contains("its hash differs"));
}

#[test]
fn what_cannot_be_suppressed_is_refused_and_nothing_is_written() {
    let work = tempfile::tempdir().unwrap();
    let row = "[\"row\"]";
    for (by, more, message) in [
        (&[][..], "", "none is declared"),
        (&["[\"row\", \"column\"]"], "", "only one table has"),
        (&[row], "[[invariant]]\nby = []\nvalues = \"t.csv\"", "pinned"),
        (&[row], "[[output]]\nname = \"sums\"\nby = []", "releases none"),
        (&[row], "[disclosure]\nsensitive = [\"row = 'a'\"]\nwithin = 12", "sensitive"),
    ] {
        fs::write(work.path().join("t.csv"), "value\n26\n").unwrap();
        let problem = released(&spec(work.path(), by, more), &work.path().join("out"), Format::CSV).unwrap_err();
        assert!(problem.kind == Kind::Refused && problem.message.contains(message), "{message}: {problem}");
        assert!(!work.path().join("out").exists());
    }
    // Row and column totals of which one is zero leave one table, which only all of them together
    // show.
    let both = spec(work.path(), &[row, "[\"column\"]"], "");
    fs::write(work.path().join("x.csv"), "row,column,n\na,1,0\na,2,0\nb,1,4\nb,2,3\n").unwrap();
    let problem = released(&both, &work.path().join("out"), Format::CSV).unwrap_err();
    assert!(problem.message.contains("only one table has"), "{problem}");
}

#[test]
fn a_release_without_counts_is_no_source_of_pinned_totals() {
    let work = tempfile::tempdir().unwrap();
    released(&spec(work.path(), &["[\"row\"]"], ""), &work.path().join("out"), Format::CSV).unwrap();
    let text = fs::read_to_string(work.path().join("spec.toml")).unwrap();
    let pinned = text
        .replace("[[invariant]]\nby = [\"row\"]", "[[invariant]]\nby = [\"row\"]\nfrom = \"out\"")
        .replace("method = \"suppress\"", "noise = \"double-geometric\"\nepsilon = \"1\"");
    fs::write(work.path().join("pinned.toml"), pinned).unwrap();
    let problem = released(&work.path().join("pinned.toml"), &work.path().join("later"), Format::CSV).unwrap_err();
    assert!(problem.message.contains("has no counts"), "{problem}");
}
