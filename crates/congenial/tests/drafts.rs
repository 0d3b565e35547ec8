//! Drafts of specs from files: they are read by the parser, mark what they learnt, and say what
//! they left out.

use congenial::{Drafted, Kind, Opened, Quiet, draft};
use std::path::{Path, PathBuf};

/// What marks a line that was learnt from the data.
const MARK: &str = "# REVIEW";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// The draft of a file that stands beside the spec.
fn drafted(name: &str, bytes: &[u8]) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    let drafted = draft(folder.path(), &file).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    (std::fs::read_to_string(&drafted.spec).unwrap(), drafted)
}

fn of_data(name: &str) -> String {
    drafted(name, &std::fs::read(data().join(name)).unwrap()).0
}

/// What every mark of a draft says; with any one of them left the draft is refused and the line is
/// named, and with none it is opened.
fn check_marks(spec: &Path, text: &str) -> Vec<String> {
    let all = Opened::open(spec).unwrap_err();
    assert_eq!(all.kind, Kind::Refused, "{all}");
    let lines: Vec<&str> = text.lines().collect();
    let marked: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].contains(MARK)).collect();
    let with = |left: Option<usize>| {
        let line = |(number, line): (usize, &&str)| match left == Some(number) {
            true => line.to_string(),
            false => line.replace(MARK, "#"),
        };
        lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    };
    for number in &marked {
        std::fs::write(spec, with(Some(*number))).unwrap();
        let refused = Opened::open(spec).unwrap_err();
        let named = format!("line {} is marked REVIEW", number + 1);
        assert!(refused.kind == Kind::Refused && refused.message.starts_with(&named), "{named}: {refused}");
        assert!(all.message.contains(&format!(" {}", number + 1)) || marked.len() > 40, "{}: {all}", number + 1);
    }
    std::fs::write(spec, with(None)).unwrap();
    marked.into_iter().map(|line| lines[line].split_once(MARK).unwrap().1.to_owned()).collect()
}

/// Files of random columns: every kind of mark that a draft writes is an error for confidential
/// data while it stands.
#[test]
fn no_mark_of_a_draft_is_overlooked() {
    let kinds = [
        "write true only",
        "looks like counts",
        "below zero",
        "not UTF-8",
        "as dates are written",
        "spaces around",
        "capital letters alone",
        "the loss is per one of them",
        "the most that one has",
        "those of the data",
        "the smallest and the largest",
        "edges around",
        "dates, by",
        "no column could become",
        "is your decision",
        "needed for confidential data",
        "the codes that the data have",
    ];
    let mut seen = vec![false; kinds.len()];
    for seed in 0..48 {
        let random = &mut testkit::Random(seed * 31 + 5);
        let rows = 30 + random.below(200) as usize;
        let (mut header, mut columns): (Vec<String>, Vec<Vec<String>>) = Default::default();
        for column in 0..1 + random.below(5) {
            let kind = random.below(9);
            let names = ["sex", "deaths", "seen", "patient_id", "wage", "age", "note", "code", "town"];
            header.push(format!("{}{}", names[kind as usize], if kind == 1 { "".into() } else { column.to_string() }));
            if kind == 3 {
                *header.last_mut().unwrap() = format!("p{column}_id");
            }
            let value = |row: usize, random: &mut testkit::Random| match kind {
                0 => ["f", "m", "F ", "n/a"][random.below(4) as usize].to_string(),
                1 => (random.below(40) as i64 - 3).to_string(),
                2 => format!("{:02}/{:02}/2024", 1 + random.below(12), 1 + random.below(28)),
                3 => format!("{}", 1000 + random.below(rows as u64 / 2)),
                4 => random.below(900_000).to_string(),
                5 => random.below(90).to_string(),
                6 => format!("free text {}", random.below(7)),
                7 => format!("{:05}", row * 7),
                _ => ["Zürich", "Genève"][random.below(2) as usize].to_string(),
            };
            columns.push((0..rows).map(|row| value(row, random)).collect());
        }
        let lines =
            (0..rows).map(|row| columns.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join(","));
        let text = format!("{}\n{}\n", header.join(","), lines.collect::<Vec<_>>().join("\n"));
        let bytes = match seed % 3 {
            0 => text.chars().map(|letter| letter as u32 as u8).collect(),
            _ => text.into_bytes(),
        };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rows.csv"), bytes).unwrap();
        let drafted = draft(folder.path(), &folder.path().join("rows.csv")).unwrap();
        let text = std::fs::read_to_string(&drafted.spec).unwrap();
        // The column that looks like a privacy unit is declared as one.
        let found = drafted.columns.iter().find(|(_, what)| what.starts_with("taken for the privacy unit"));
        assert_eq!(text.contains("\nunit = "), found.is_some(), "{text}");
        let marks = check_marks(&drafted.spec, &text);
        for mark in &marks {
            let kind = kinds.iter().position(|kind| mark.contains(kind));
            seen[kind.unwrap_or_else(|| panic!("a kind of mark that no test knows: {mark}"))] = true;
        }
        let unit = Opened::open(&drafted.spec).unwrap().declaration.data.unit.clone();
        assert_eq!(unit.as_deref(), found.map(|(name, _)| name.as_str()));
    }
    let missing: Vec<&str> = kinds.into_iter().zip(&seen).filter_map(|(kind, seen)| (!seen).then_some(kind)).collect();
    assert!(missing.is_empty(), "never drafted: {missing:?}");
}

/// A draft without its header and its end, which are the same for every file.
fn body(text: &str) -> &str {
    let from = text.find("[data]").unwrap();
    &text[from..text.find("\n# Totals that must be").unwrap()]
}

#[test]
fn every_data_file_has_a_draft_that_the_parser_reads() {
    let mut files = 0;
    for entry in std::fs::read_dir(data()).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|end| end == "csv" || end == "parquet") {
            let folder = tempfile::tempdir().unwrap();
            let drafted = draft(&folder.path().join("new"), &file).unwrap_or_else(|problem| panic!("{problem}"));
            let text = std::fs::read_to_string(&drafted.spec).unwrap();
            let marks = check_marks(&drafted.spec, &text);
            assert_eq!(marks.len(), drafted.marks, "{}", file.display());
            let opened = Opened::open(&drafted.spec).unwrap_or_else(|problem| panic!("{problem}"));
            assert!(!opened.declaration.data.public);
            let dimensions = opened.declaration.schema.dimensions.len();
            assert_eq!(dimensions, drafted.dimensions.max(1), "{}", file.display());
            assert!(drafted.marks > drafted.dimensions);
            files += 1;
        }
    }
    assert!(files >= 10);
}

#[test]
fn drafts_of_microdata_counts_and_codes() {
    insta::assert_snapshot!("draft_adult", body(&of_data("adult_train.parquet")));
    insta::assert_snapshot!("draft_pennsylvania", body(&of_data("pa_county_monthly.csv")));
    insta::assert_snapshot!("draft_block_groups", body(&of_data("blockgroup_pop_2010.parquet")));
    insta::assert_snapshot!("draft_sex_by_age", of_data("gong_meng_table1.csv"));
}

#[test]
fn every_kind_of_column_is_judged() {
    let mut text = String::from("id,sex,county,state,twin,wage,share,flag,note,value,empty,a.b,\"line\nbreak\"\n");
    for row in 0..40 {
        let county = row % 4;
        text.push_str(&format!(
            "p{row},{},c{county},s{},C{county},{},0.{row},{},{},{},,{},x\n",
            ["f", "m"][row % 3 % 2],
            county / 2,
            row * 997,
            row % 2,
            if row == 7 { String::new() } else { format!("n{}", row % 3) },
            row % 5,
            row % 2,
        ));
    }
    let (draft, found) = drafted("people.csv", text.as_bytes());
    insta::assert_snapshot!("draft_every_kind", body(&draft));
    assert_eq!(found.rows, 40);
}

#[test]
fn awkward_names_and_values_cannot_leave_their_line() {
    let text = "\"a\nb = 1\",\"#c\"\n\"x\ny\",\"\"\"q\"\"\"\n\"[z]\",\"\\\"\n";
    let (draft, found) = drafted("odd.csv", text.as_bytes());
    assert_eq!(found.dimensions, 2, "{draft}");
    assert!(draft.contains("\"a\\u000Ab = 1\" = [\"[z]\", \"x\\u000Ay\"]"), "{draft}");
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let header: Vec<String> = (0..120).map(|column| format!("c{column}")).collect();
    let row = |row: usize| (0..120).map(|column| (row % (2 + column % 5)).to_string()).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..60).map(row).collect();
    let (draft, found) = drafted("wide.csv", format!("{}\n{}\n", header.join(","), rows.join("\n")).as_bytes());
    assert!(found.dimensions < 20, "{}", found.dimensions);
    assert!(draft.contains("# 20 columns beyond the first 100 were not looked at, from \"c100\" on"), "{draft}");
    assert!(draft.contains("the table would have more than 1000000 cells"), "{draft}");
    let many: String = (0..12_000).map(|row| format!("name {},{}\n", row % 6_000, row % 2)).collect();
    let (draft, _) = drafted("many.csv", format!("name,sex\n{many}").as_bytes());
    assert!(draft.contains("# \"name\" is left out: it has more than 5000 different values"), "{draft}");
}

#[test]
fn a_code_that_comes_again_late_is_no_key() {
    let rows =
        |months: usize| (0..months * 6_000).map(|row| format!("{:06},{}\n", row % 6_000, row)).collect::<String>();
    let (once, _) = drafted("once.csv", format!("code,pop\n{}", rows(1)).as_bytes());
    assert!(once.contains("code = { path = \"codes.csv\", key = \"code\", column = \"code\" }"), "{once}");
    let (twice, found) = drafted("twice.csv", format!("code,pop\n{}", rows(2)).as_bytes());
    assert!(twice.contains("# \"code\" is left out: it has more than 5000 different values"), "{twice}");
    assert_eq!(found.dimensions, 0);
}

#[test]
fn a_file_without_rows_or_usable_columns_still_gives_a_spec() {
    let (draft, found) = drafted("empty.csv", b"a,b\n");
    assert_eq!((found.rows, found.dimensions), (0, 0));
    assert!(draft.contains("# \"a\" is left out: it has no value in any row"), "{draft}");
}

#[test]
fn nothing_is_overwritten_and_bad_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, "a,b\n1,2\n1\n").unwrap();
    let ragged = draft(folder.path(), &file).unwrap_err();
    assert!(ragged.message.ends_with("has 1 fields, the header has 2"), "{ragged}");
    assert!(!folder.path().join("congenial.toml").exists());
    std::fs::write(folder.path().join("congenial.toml"), "mine").unwrap();
    let exists = draft(folder.path(), &file).unwrap_err();
    assert!(exists.message.ends_with("exists; nothing is overwritten"), "{exists}");
    assert_eq!(std::fs::read_to_string(folder.path().join("congenial.toml")).unwrap(), "mine");
    let missing = draft(&folder.path().join("new"), &folder.path().join("none.csv")).unwrap_err();
    assert!(missing.message.contains("none.csv"), "{missing}");
    assert!(!folder.path().join("new").exists());
}

/// A draft of a file that other programs wrote, in a folder of its own.
fn of_file(name: &str) -> (String, Drafted) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messy").join(name);
    drafted(name, &std::fs::read(file).unwrap())
}

fn said(drafted: &Drafted) -> String {
    drafted.columns.iter().map(|(name, what)| format!("{name}: {what}\n")).collect()
}

#[test]
fn a_file_of_pandas_with_timestamps_has_a_usable_draft() {
    let (draft, found) = of_file("visits.parquet");
    insta::assert_snapshot!("draft_pandas", body(&draft));
    insta::assert_snapshot!("columns_pandas", said(&found));
}

#[test]
fn letters_of_latin_1_are_no_missing_values() {
    let rows: String = (0..40)
        .map(|row| {
            let diagnosis = ["M\u{e9}ni\u{e8}re", "Asthma", "ASTHMA", " Migraine", "n/a"][row % 5];
            format!("{diagnosis},{:02}/{:02}/2024,{}\n", 1 + row % 12, 1 + row % 28, row % 3)
        })
        .collect();
    let latin: Vec<u8> = format!("diagnosis,seen,ward\n{rows}").chars().map(|letter| letter as u32 as u8).collect();
    let (draft, found) = drafted("diagnoses.csv", &latin);
    insta::assert_snapshot!("draft_latin", body(&draft));
    insta::assert_snapshot!("columns_latin", said(&found));
    // What the draft declares is what the file holds.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("diagnoses.csv"), &latin).unwrap();
    let spec = draft.replace("public = false", "public = true");
    std::fs::write(folder.path().join("congenial.toml"), spec).unwrap();
    let read = Opened::open(&folder.path().join("congenial.toml")).unwrap().analyse(&Quiet);
    assert_eq!(read.unwrap().left_out(), []);
}

#[test]
fn a_workbook_has_a_draft() {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    let date = rust_xlsxwriter::Format::new().set_num_format("yyyy-mm-dd");
    for (column, name) in ["ward", "seen", "age"].into_iter().enumerate() {
        sheet.write_string(0, column as u16, name).unwrap();
    }
    for row in 1..40u32 {
        sheet.write_string(row, 0, ["A", "B"][row as usize % 2]).unwrap();
        sheet.write_number_with_format(row, 1, 45_383.0 + f64::from(row), &date).unwrap();
        sheet.write_number(row, 2, f64::from(20 + row % 13)).unwrap();
    }
    let (draft, found) = drafted("wards.xlsx", &workbook.save_to_buffer().unwrap());
    insta::assert_snapshot!("draft_workbook", body(&draft));
    assert_eq!((found.rows, found.dimensions), (39, 3));
}
