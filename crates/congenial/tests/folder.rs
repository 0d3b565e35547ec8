//! The files of a release folder: what they hold, that changes are found, and what is refused
//! before anything is drawn.

use certify::{Certificate, sha256};
use congenial::{
    FileWriter, Format, Intervals, Kind, Layout, Options, Quiet, TableWriter, VerifyOptions, Wide, read_table, release,
    verify,
};
use std::fs;
use std::path::{Path, PathBuf};

const SPEC: &str = r#"
title = "Cases and deaths"
[data]
path = "x.csv"
public = true
[dimensions]
county = ["=Alpha", "Beta, \"b\"", "007"]
year = { integers = [2001, 2002] }
measure = { columns = ["cases", "deaths"], record = "one" }
[[invariant]]
by = ["year", "measure"]
[constraints]
nonnegative = false
zero = ["county = '007' and year = 2002 and measure = 'deaths'"]
[mechanism]
noise = "double-geometric"
epsilon = "1/2"
[[output]]
name = "by-county"
by = ["county"]
[[output]]
name = "by-year"
by = ["year"]
[[output]]
name = "lethality"
by = ["county", "year"]
rate = { numerator = "measure = 'deaths'", denominator = "measure = 'cases'", times = 1000 }
"#;

const DATA: &str = "county,year,cases,deaths\n=Alpha,2001,120,3\n=Alpha,2002,80,2\n\"Beta, \"\"b\"\"\",2001,1000,20\n\
                    \"Beta, \"\"b\"\"\",2002,900,18\n007,2001,1,0\n007,2002,2,0\n";

fn spec(folder: &Path, text: &str) -> PathBuf {
    fs::write(folder.join("x.csv"), DATA).unwrap();
    let path = folder.join("spec.toml");
    fs::write(&path, text).unwrap();
    path
}

fn wide(format: Format) -> Options {
    Options { wide: Some(Wide::Automatic), ..format.into() }
}

/// A release of the spec above in a new folder.
fn released(format: Format) -> (tempfile::TempDir, PathBuf, Certificate) {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let spec = spec(work.path(), SPEC);
    let certificate = release(&spec, &folder, wide(format), &Quiet).unwrap().certificate;
    (work, folder, certificate)
}

fn csv(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().map(|record| record.unwrap().iter().map(str::to_string).collect()).collect()
}

#[test]
fn derived_and_wide_tables_follow_from_the_table() {
    let (_work, folder, certificate) = released(Format::CSV);
    let names: Vec<&str> = certificate.files.iter().map(|listed| listed.file.as_str()).collect();
    let tables = ["table.csv", "table-wide.csv", "by-county.csv", "by-year.csv", "lethality.csv"];
    assert_eq!(names[..5], tables);
    assert_eq!(names[5..], ["codebook.csv", "DATA-README.txt"]);
    let table = csv(&folder.join("table.csv"));
    assert_eq!(table[0], ["county", "year", "measure", "value", "lower90", "upper90"]);
    let number = |text: &String| text.parse::<i64>().unwrap();
    let sum = |keep: &dyn Fn(&[String]) -> bool| -> i64 {
        table[1..].iter().filter(|row| keep(row)).map(|row| number(&row[3])).sum()
    };
    for row in &csv(&folder.join("by-county.csv"))[1..] {
        assert_eq!(number(&row[1]), sum(&|cell| cell[0] == row[0]));
        assert!(number(&row[2]) < number(&row[1]) && number(&row[1]) < number(&row[3]));
    }
    let by_year = csv(&folder.join("by-year.csv"));
    assert_eq!(by_year[0], ["year", "value", "lower90", "upper90"]);
    assert_eq!(by_year[1], ["2001", "1144", "1144", "1144"], "sums of exact totals are exact");
    let rates = csv(&folder.join("lethality.csv"));
    assert_eq!(rates[0], ["county", "year", "numerator", "denominator", "rate"]);
    assert_eq!(rates.len(), 7);
    for row in &rates[1..] {
        let [deaths, cases] = ["deaths", "cases"]
            .map(|measure| sum(&|cell| cell[0] == row[0] && cell[1] == row[1] && cell[2] == measure));
        assert_eq!([number(&row[2]), number(&row[3])], [deaths, cases]);
        let rate = if cases > 0 { (1000.0 * deaths as f64 / cases as f64).to_string() } else { String::new() };
        assert_eq!(row[4], rate);
    }
    let spread = csv(&folder.join("table-wide.csv"));
    assert_eq!(spread[0], ["county", "year", "cases", "deaths"]);
    for row in &spread[1..] {
        for (value, measure) in row[2..].iter().zip(["cases", "deaths"]) {
            let cell = table.iter().find(|cell| cell[0] == row[0] && cell[1] == row[1] && cell[2] == measure);
            assert_eq!(*value, cell.map_or(String::new(), |cell| cell[3].clone()));
        }
    }
    assert_eq!(spread[6][3], "", "a structural zero leaves a hole");
}

/// Dates and hashes apart, these are the texts that readers get.
#[test]
fn the_texts_for_readers() {
    for format in [Format::CSV, Format::PARQUET, Format::XLSX] {
        let (_work, folder, certificate) = released(format);
        let page = fs::read_to_string(folder.join("DATA-README.txt")).unwrap();
        for listed in &certificate.files {
            assert!(page.contains(&listed.file), "{}", listed.file);
        }
        assert!(page.contains("congenial verify") && page.contains("In R:") && page.contains("In Python:"));
        assert!(page.lines().all(|line| line.starts_with("    ") || line.chars().count() <= 100), "{page}");
        let codebook = csv(&folder.join("codebook.csv"));
        let width = if format == Format::XLSX { 8 } else { 7 };
        assert!(codebook.iter().all(|row| row.len() == width));
        assert_eq!(codebook.len(), 1 + 6 + 4 + 4 + 4 + 5);
    }
}

fn reseal(folder: &Path, certificate: &mut Certificate) -> String {
    for listed in &mut certificate.files {
        listed.sha256 = sha256(&fs::read(folder.join(&listed.file)).unwrap());
    }
    certificate.table.sha256 = certificate.files[0].sha256.clone();
    fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
    verify(folder, &VerifyOptions::default()).unwrap_err().message
}

#[test]
fn files_that_were_changed_are_found_with_or_without_their_hashes() {
    let (_work, folder, certificate) = released(Format::CSV);
    verify(&folder, &VerifyOptions::default()).unwrap();
    for name in ["table-wide.csv", "by-county.csv", "by-year.csv", "lethality.csv", "codebook.csv", "DATA-README.txt"] {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('1', "2", 1)).unwrap();
        assert!(
            verify(&folder, &VerifyOptions::default())
                .unwrap_err()
                .message
                .contains(&format!("`{name}` is not the file that was certified"))
        );
        let message = reseal(&folder, &mut certificate.clone());
        assert!(message.contains(&format!("`{name}` is not what the certificate and the table give")), "{message}");
        fs::remove_file(&path).unwrap();
        let message = verify(&folder, &VerifyOptions::default()).unwrap_err().message;
        assert!(message.contains(&format!("`{name}` is listed in the certificate and is missing")), "{message}");
        fs::write(&path, text).unwrap();
        fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
        verify(&folder, &VerifyOptions::default()).unwrap();
    }
    // What file browsers leave behind may hold anything, and nothing vouches for it either.
    fs::write(folder.join(".DS_Store"), "").unwrap();
    let message = verify(&folder, &VerifyOptions::default()).unwrap_err().message;
    assert!(message.contains("`.DS_Store` is not part of the release"), "{message}");
    fs::remove_file(folder.join(".DS_Store")).unwrap();
    verify(&folder, &VerifyOptions::default()).unwrap();
    fs::write(folder.join("more.csv"), "").unwrap();
    assert!(
        verify(&folder, &VerifyOptions::default())
            .unwrap_err()
            .message
            .contains("`more.csv` is not part of the release")
    );
}

/// Writes the table of a release again, with other metadata or without the other sheets.
fn rewrite(folder: &Path, certificate: &Certificate, format: Format) {
    let restored = certify::restore(certificate, usize::MAX).unwrap();
    let path = folder.join(&certificate.table.file);
    let (mut values, mut reach) = (Vec::new(), Vec::new());
    read_table(&path, format, &restored.domain, true, &mut |portion| {
        values.extend_from_slice(portion.values);
        let [lower, _] = portion.interval.unwrap();
        reach.extend(portion.values.iter().zip(lower).map(|(value, lower)| (value - lower) as u32));
        Ok(())
    })
    .unwrap();
    fs::remove_file(&path).unwrap();
    let mut file = FileWriter::create(&path, format, &[("congenial.epsilon".into(), "1/1000".into())]).unwrap();
    let intervals = Intervals::ByCell(reach);
    let layout = Layout { intervals: Some(&intervals), ..Layout::default() };
    let mut table = TableWriter::new(&mut file, &restored.domain, layout).unwrap();
    table.write(&values).unwrap();
    table.finish().unwrap();
    file.finish().unwrap();
}

#[test]
fn metadata_and_sheets_that_were_changed_are_found() {
    let (_work, folder, mut certificate) = released(Format::PARQUET);
    rewrite(&folder, &certificate, Format::PARQUET);
    let message = reseal(&folder, &mut certificate);
    assert!(message.contains("the metadata of `table.parquet`"), "{message}");
    let (_work, folder, mut certificate) = released(Format::XLSX);
    rewrite(&folder, &certificate, Format::XLSX);
    let message = reseal(&folder, &mut certificate);
    assert!(message.contains("`table.xlsx` is not what the certificate and the table give"), "{message}");
}

/// Derived tables in Parquet are compared value by value where their bytes differ.
#[test]
fn derived_parquet_files_that_were_exchanged_are_found() {
    let (_work, folder, mut certificate) = released(Format::PARQUET);
    fs::copy(folder.join("by-year.parquet"), folder.join("by-county.parquet")).unwrap();
    let message = reseal(&folder, &mut certificate);
    assert!(message.contains("`by-county.parquet` is not what"), "{message}");
}

/// What another version made is taken for true where this one makes the same of it, and nowhere
/// else: how strictly a release is read does not depend on the version that it claims.
#[test]
fn a_release_of_another_version_holds_where_it_can_be_made_again() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("release");
    let text: String = SPEC.split("[[output]]").next().unwrap().to_string();
    let spec = spec(work.path(), &text);
    let certificate = release(&spec, &folder, Format::CSV, &Quiet).unwrap().certificate;
    let rows = csv(&folder.join("table.csv"));
    let values: Vec<i64> = rows[1..].iter().map(|row| row[3].parse().unwrap()).collect();
    let verified_as = |mut certificate: Certificate, version: &str| {
        certificate.program.version = version.to_string();
        let page = congenial::report_of(&certificate, &values).unwrap();
        certificate.report_sha256 = sha256(page.as_bytes());
        fs::write(folder.join("report.html"), page).unwrap();
        fs::write(folder.join("certificate.json"), serde_json::to_string(&certificate).unwrap()).unwrap();
        verify(&folder, &VerifyOptions::default())
    };
    let this = certificate.program.version.clone();
    verified_as(certificate.clone(), &this).unwrap();
    // Earlier versions wrote a table without intervals and no other files, and their certificates
    // list none.
    let mut writer = csv::Writer::from_path(folder.join("table.csv")).unwrap();
    rows.iter().for_each(|row| writer.write_record(&row[..4]).unwrap());
    drop(writer);
    ["codebook.csv", "DATA-README.txt"].iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
    let mut plain = certificate;
    plain.files.clear();
    plain.table.columns.truncate(4);
    plain.table.sha256 = sha256(&fs::read(folder.join("table.csv")).unwrap());
    let as_this = verified_as(plain.clone(), &this).unwrap_err();
    assert!(as_this.kind == Kind::Bad && as_this.message.contains("none where it gives one"), "{as_this}");
    let as_other = verified_as(plain.clone(), "0.0.9").unwrap_err();
    assert_eq!(as_other.kind, Kind::Refused, "{as_other}");
    assert!(as_other.message.contains("says that version 0.0.9 made it"), "{as_other}");
    // Another format is not read at all.
    let json = serde_json::to_string(&plain).unwrap().replacen("\"format\":2", "\"format\":1", 1);
    fs::write(folder.join("certificate.json"), json).unwrap();
    let format = verify(&folder, &VerifyOptions::default()).unwrap_err();
    assert_eq!(format.kind, Kind::Refused, "{format}");
    assert!(format.message.contains("the certificate has format 1"), "{format}");
}

/// Workbooks do not tell when they were made: their parts bear the first date that the format
/// knows.
#[test]
fn a_workbook_does_not_depend_on_the_time() {
    let (_work, folder, _) = released(Format::XLSX);
    let bytes = fs::read(folder.join("table.xlsx")).unwrap();
    let parts: Vec<usize> = (0..bytes.len() - 14).filter(|place| bytes[*place..].starts_with(b"PK\x03\x04")).collect();
    assert!(parts.len() >= 10, "{} parts", parts.len());
    for part in parts {
        assert_eq!(bytes[part + 10..part + 14], [0, 0, 0x21, 0], "time and date of a part");
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused_before_anything_is_drawn() {
    let long = "x".repeat(40_000);
    let dimension = |values: String| SPEC.replace("county = [\"=Alpha\", \"Beta, \\\"b\\\"\", \"007\"]", &values);
    let cases = [
        (
            Format::XLSX,
            None,
            dimension(format!("county = [\"=Alpha\", \"{long}\", \"007\"]")),
            "more than 32767 characters",
        ),
        (Format::XLSX, None, dimension("county = [\"_x000D_\", \"007\"]".into()), "cannot hold"),
        (Format::XLSX, None, dimension("county = [\"\\u0007\", \"007\"]".into()), "cannot hold"),
        (
            Format::XLSX,
            None,
            dimension("id = { integers = [0, 600000] }\ncounty = [\"007\"]".into()),
            "at most 1048575 rows",
        ),
        (
            Format::CSV,
            Some("id"),
            dimension("id = { integers = [0, 20000] }\ncounty = [\"007\"]".into()),
            "20004 columns",
        ),
        (Format::CSV, Some("yaer"), SPEC.to_string(), "which is no dimension"),
        (Format::CSV, Some("year"), SPEC.replace("\"by-year\"", "\"table-wide\""), "the name `table-wide` is reserved"),
        (Format::CSV, None, SPEC.replace("year", "upper90"), "the name `upper90` is reserved"),
    ];
    for (format, dimension, text, expected) in cases {
        let work = tempfile::tempdir().unwrap();
        let path = spec(work.path(), &text);
        // The data are not even there: what cannot be written is found before they are read.
        fs::remove_file(work.path().join("x.csv")).unwrap();
        let wide = dimension.map(|name| Wide::Dimension(name.to_string()));
        let problem = release(&path, &work.path().join("out"), Options { wide, ..format.into() }, &Quiet).unwrap_err();
        assert!(problem.message.contains(expected), "{expected}: {}", problem.message);
        assert!(problem.hint.is_some(), "{expected}");
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 1, "nothing is left behind");
    }
}
