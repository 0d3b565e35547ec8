//! Several files by one pattern: which are read, in which order, and what must agree between them.

use crate::declared::{counted, declaration, domain, shown};
use crate::writing::{Columns, Values, arrow_file, arrow_stream, batch, gzip, parquet};
use declare::{Declaration, Problem};
use parquet::file::properties::WriterProperties;
use std::path::{Path, PathBuf};
use tabulate::{Tabulated, data_files, tabulate};

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    folder
}

fn read(mut declaration: Declaration, pattern: &str, folder: &Path) -> Result<Tabulated, Problem> {
    declaration.data.path = pattern.into();
    tabulate(&declaration, &domain(&declaration, &[]), folder, &mut |_| {})
}

#[test]
fn files_are_found_in_sorted_order() {
    let folder = folder(&[
        ("b.csv", b""),
        ("a.csv", b""),
        ("c.tsv", b""),
        (".hidden.csv", b""),
        ("deep/d.csv", b""),
        ("deep/deeper/e.csv", b""),
        ("[x].csv", b""),
        ("odd*.csv", b""),
    ]);
    let found = |pattern: &str| -> Vec<String> {
        let files = data_files(folder.path(), pattern).expect("some files");
        let name = |path: PathBuf| path.strip_prefix(folder.path()).expect("inside").to_string_lossy().into_owned();
        files.into_iter().map(name).collect()
    };
    assert_eq!(found("*.csv"), ["[x].csv", "a.csv", "b.csv", "odd*.csv"]);
    assert_eq!(found("?.*"), ["a.csv", "b.csv", "c.tsv"]);
    assert_eq!(found("**/[de].csv"), ["deep/d.csv", "deep/deeper/e.csv"]);
    assert_eq!(found("[x].csv"), ["[x].csv"], "a file of this name is meant");
    assert_eq!(found("odd*.csv"), ["odd*.csv"]);
    assert_eq!(found("missing.csv"), ["missing.csv"], "opening it tells what is wrong");
}

#[test]
fn columns_may_stand_in_another_order_and_formats_may_differ() {
    let columns: Columns = vec![
        ("age", Values::Whole(vec![Some(2)])),
        ("other", Values::Whole(vec![Some(2)])),
        ("county", Values::Text(vec![Some("Gamma".into())])),
    ];
    let folder = folder(&[
        ("part-1.csv", b"county,age\nAlpha,0\n"),
        ("part-2.csv.gz", &gzip(b"note,age,county\nx,1,Alpha\n")),
        ("part-3.parquet", &parquet(&columns, WriterProperties::default())),
        ("part-4.arrow", &arrow_file(&batch(&columns), 1, None)),
        ("part-5.tsv", b"county\tage\n"),
    ]);
    let read = read(declaration(), "part-*", folder.path()).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    assert_eq!(read.table.counts(), [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
    assert_eq!(read.rows.read, 4);
}

#[test]
fn what_is_wrong_names_the_file() {
    let mut found = String::new();
    let mut case = |title: &str, declaration: Declaration, pattern: &str, files: &[(&str, &[u8])]| {
        let folder = folder(files);
        let problem = read(declaration, pattern, folder.path()).expect_err("something is wrong");
        found += &format!("# {title}\n{}\n", shown(&problem));
    };
    let table = |ages: Values| {
        let county = Values::Text(vec![Some("Alpha".into()); ages.len()]);
        parquet(&vec![("county", county), ("age", ages)], WriterProperties::default())
    };
    let whole = table(Values::Whole(vec![Some(1)]));
    let real = table(Values::Real(vec![Some(1.0)]));
    let letters = table(Values::Text(vec![Some("1".into())]));
    case("nothing matches", declaration(), "year-*.csv", &[("years.csv", b"county,age\n")]);
    case("no pattern", declaration(), "year-[.csv", &[]);
    case("a folder", declaration(), "years", &[("years/1.csv", b"county,age\n")]);
    case(
        "a column is missing in the second",
        declaration(),
        "*.csv",
        &[("a.csv", b"county,age\n"), ("b.csv", b"county,aged\n")],
    );
    case(
        "a bad row in the second",
        declaration(),
        "*.csv",
        &[("a.csv", b"county,age\nAlpha,1\n"), ("b.csv", b"county,age\nAlpha,1\nAlpha,4\n")],
    );
    case(
        "a ragged row in the second",
        declaration(),
        "d/*.csv",
        &[("d/a.csv", b"county,age,note\nAlpha,1,x\n"), ("d/b.csv", b"county,age\nAlpha,1,x\n")],
    );
    case("another kind of column", declaration(), "*.parquet", &[("a.parquet", &whole), ("b.parquet", &letters)]);
    case("real numbers", declaration(), "*.parquet", &[("a.parquet", &whole), ("b.parquet", &real)]);
    case("an unknown format among them", declaration(), "*", &[("a.csv", b"county,age\n"), ("b.txt", b"")]);
    let counts: &[u8] = b"county,age,children\nBeta,1,1\nAlpha,1,5\n";
    case("the same cell in two files", counted(), "*.csv", &[("a.csv", counts), ("b.csv", &counts[..29])]);
    let mut owned = declaration();
    owned.data.unit = Some("person".into());
    case(
        "a unit in two files",
        owned,
        "*.csv",
        &[
            ("a.csv", b"county,age,person\nBeta,1,x\nAlpha,1,y\n"),
            ("b.csv", b"person,county,age\nz,Beta,1\nx,Alpha,1\n"),
        ],
    );
    insta::assert_snapshot!(found);
}

#[test]
fn nothing_is_counted_twice_or_left_out_silently() {
    let message = |problem: Problem| problem.message;
    let twice = folder(&[("2024.csv", b"county,age\nAlpha,0\n")]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(twice.path().join("2024.csv"), twice.path().join("latest.csv")).expect("a link");
        let found = message(read(declaration(), "*.csv", twice.path()).expect_err("one file under two names"));
        assert_eq!(found, "`2024.csv` and `latest.csv` are the same file, which would be counted twice");
    }
    let nested = folder(&[("a/a/x.csv", b"county,age\nAlpha,0\n")]);
    let once = read(declaration(), "**/a/**/*.csv", nested.path()).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(once.rows.read, 1);
    let parts = folder(&[("2023.csv", b"county,age\n"), ("2024.csv/part-0.csv", b"county,age\nAlpha,0\n")]);
    let found = message(read(declaration(), "*.csv", parts.path()).expect_err("a folder"));
    assert_eq!(found, "`2024.csv` matches `*.csv` and is a folder");
}

#[test]
fn streams_end_where_the_file_ends() {
    let columns: Columns =
        vec![("county", Values::Text(vec![Some("Beta".into())])), ("age", Values::Whole(vec![Some(1)]))];
    let whole = arrow_stream(&batch(&columns), 1);
    let good = folder(&[("a.arrows", &whole)]);
    assert_eq!(read(declaration(), "a.arrows", good.path()).unwrap_or_else(|problem| panic!("{problem}")).rows.read, 1);
    let two = folder(&[("a.arrows", &[whole.clone(), whole.clone()].concat())]);
    let found = read(declaration(), "a.arrows", two.path()).expect_err("two streams").message;
    assert!(found.ends_with("there is more after its end"), "{found}");
    let cut = folder(&[("a.arrows", &whole[..whole.len() - 8])]);
    let found = read(declaration(), "a.arrows", cut.path()).expect_err("no end").message;
    assert!(found.contains("ends early"), "{found}");
}

#[test]
fn a_unit_written_in_two_ways_is_one_unit() {
    let mut owned = declaration();
    owned.data.unit = Some("person".into());
    let files = folder(&[
        ("1.csv", b"county,age,person\nAlpha,0,17\n"),
        ("2.csv", b"county,age,person\nAlpha,0,17.0\n"),
        ("3.csv", b"county,age,person\nAlpha,0,18\n"),
    ]);
    assert!(read(owned.clone(), "[13].csv", files.path()).is_ok());
    let found = read(owned, "[12].csv", files.path()).expect_err("two rows of one unit").message;
    assert!(found.starts_with("a unit of `person` owns more than 1 row"), "{found}");
}

#[test]
fn rows_after_many_blank_lines_keep_their_first_letter() {
    let mut text = "\n".repeat(200_000).into_bytes();
    text.extend_from_slice(b"age,county\n3,Alpha\n1,Beta\n");
    let files = folder(&[("a.csv", &text)]);
    let found = read(declaration(), "a.csv", files.path()).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    assert_eq!(found.table.counts(), [0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]);
}
