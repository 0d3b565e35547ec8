//! The whole tour in an empty folder, and what happens to a release that was tampered with.

use crate::run::Folder;

#[test]
fn from_nothing_to_a_verified_release() {
    for format in ["parquet", "csv", "xlsx"] {
        let folder = Folder::new();
        folder.run("new").exits(0);
        folder.run("check congenial.toml").exits(0);
        folder.run("explain congenial.toml").exits(0);
        folder.run(&format!("release congenial.toml --out out/release --format {format}")).exits(0);
        folder.run("verify out/release").exits(0);
        let mut files: Vec<String> = std::fs::read_dir(folder.path("out/release"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let table = format!("table.{format}");
        assert_eq!(files, ["DATA-README.txt", "certificate.json", "codebook.csv", "report.html", &table]);
        assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 1);
    }
}

#[test]
fn a_released_csv_keeps_its_totals_and_order() {
    let folder = Folder::started();
    folder.run("release congenial.toml --out release --format csv").exits(0);
    let table = folder.read("release/table.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("county,education,value,lower90,upper90"));
    let mut totals = Vec::<(String, i64)>::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let value: i64 = fields[2].parse().unwrap();
        match totals.last_mut().filter(|(county, _)| county == fields[0]) {
            Some((_, total)) => *total += value,
            None => totals.push((fields[0].to_string(), value)),
        }
    }
    let expected = [("Alpha", 20), ("Beta", 55), ("Gamma", 25), ("Delta", 35)];
    assert_eq!(totals, expected.map(|(county, total)| (county.to_string(), total)));
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::started();
    folder.run("release congenial.toml --out release").exits(0);
    let before = folder.listing();
    let again = folder.run("release congenial.toml --out release").exits(2);
    insta::assert_snapshot!(again.err, @"
    error: `release` exists and is not empty; a release never overwrites anything
    hint: choose another --out folder, or move the old release away
    ");
    folder.run("demo --out release").exits(2);
    assert!(folder.run("release congenial.toml --out .").exits(2).err.contains("cannot become a release"));
    assert!(folder.listing() == before);
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.run("release congenial.toml --out empty").exits(0);
    folder.run("verify empty").exits(0);
}

#[test]
fn a_title_cannot_steer_the_terminal() {
    let folder = Folder::started();
    folder.run("release congenial.toml --out release").exits(0);
    let steers = |text: &str| text.contains(['\u{1b}', '\u{7}']);
    // No spec with such a title is read …
    folder.replace("congenial.toml", "title = \"Delinquent", "title = \"\\u001b[31m\\u0007Delinquent");
    for arguments in ["check congenial.toml", "explain congenial.toml", "release congenial.toml --out other"] {
        let ran = folder.run(arguments).exits(2);
        assert!(ran.err.contains("found the character U+001B") && !steers(&(ran.out + &ran.err)), "{arguments}");
    }
    // … and a certificate that was given one does not show it.
    folder.replace("release/certificate.json", "\"title\": \"Delinquent", "\"title\": \"\\u001b[31m\\u0007Delinquent");
    for arguments in ["verify release", "verify release --json"] {
        let ran = folder.run(arguments).exits(2);
        assert!(!ran.err.is_empty() && !steers(&(ran.out + &ran.err)), "{arguments}");
    }
}

#[test]
fn simulations_are_not_workbooks() {
    let folder = Folder::started();
    let before = folder.listing();
    let ran = folder.run("simulate congenial.toml --draws 1 --out draws.xlsx").exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: simulations are not written as workbooks
    hint: name a file that ends in .parquet or .csv
    ");
    assert!(folder.listing() == before);
}

#[test]
fn wide_tables_of_any_dimension() {
    let folder = Folder::started();
    folder.run("release congenial.toml --out last --format csv --wide").exits(0);
    assert!(folder.read("last/table-wide.csv").starts_with("county,Low,Medium,High,Very High\nAlpha,"));
    folder.run("release congenial.toml --wide=county --out first --format csv").exits(0);
    assert!(folder.read("first/table-wide.csv").starts_with("education,Alpha,Beta,Gamma,Delta\nLow,"));
    let before = folder.listing();
    let ran = folder.run("release congenial.toml --wide=contry --out other").exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: --wide names `contry`, which is no dimension
    hint: did you mean `county`? Declared: county, education
    ");
    assert!(folder.listing() == before);
}

/// A fresh release, changed by `tamper`: what verify says.
fn tampered(format: &str, tamper: impl Fn(&Folder)) -> String {
    let folder = Folder::started();
    folder.run(&format!("release congenial.toml --out release --format {format}")).exits(0);
    folder.run("verify release").exits(0);
    tamper(&folder);
    let ran = folder.run("verify release").exits(2);
    assert!(ran.out.is_empty(), "{}", ran.out);
    ran.err
}

#[test]
fn one_byte_of_the_table() {
    for format in ["parquet", "csv", "xlsx"] {
        let err = tampered(format, |folder| {
            let path = folder.path(&format!("release/table.{format}"));
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        });
        assert!(
            err.contains(&format!("`table.{format}` is not the table that was certified: its hash differs")),
            "{err}"
        );
        assert!(err.contains("hint: the release was changed after it was certified"), "{err}");
    }
}

#[test]
fn the_certificate() {
    let changes = [
        ("total", "\"value\": 55", "\"value\": 54"),
        ("epsilon", "\"epsilon\": \"1/4\"", "\"epsilon\": \"1/5\""),
        ("statement", "at most a factor exp(1/4 D)", "at most a factor exp(1/5 D)"),
        ("spec", "\"spec\": \"title = ", "\"spec\": \"title =  "),
        ("exactness", "\"exactness\": \"exact\"", "\"exactness\": \"perfect\""),
        ("entropy", "ChaCha20", "a die"),
        ("place of the table", "table.csv", "../table.csv"),
        ("misspelt key", "\"title\": ", "\"titel\": "),
        ("format", "\"format\": 2", "\"format\": true"),
    ];
    let messages = changes.map(|(name, from, to)| {
        let err = tampered("csv", |folder| folder.replace("release/certificate.json", from, to));
        format!("# {name}\n{err}\n")
    });
    insta::assert_snapshot!("certificate", messages.concat());
}

#[test]
fn files_that_are_gone() {
    let gone = |name: &str| tampered("csv", |folder| std::fs::remove_file(folder.path(name)).unwrap());
    assert!(gone("release/table.csv").contains("cannot read `release/table.csv`"));
    assert!(gone("release/certificate.json").contains("it has no certificate.json"));
}
