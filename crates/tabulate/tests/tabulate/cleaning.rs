//! Messy files: what is declared of them means the same in every format, row by row, and says what
//! it changed.

use crate::declared::shown;
use crate::formats::{Outcome, same_in_every_format, with_threads};
use crate::writing::{Columns, Values};
use arrow_array::{
    ArrayRef, Date32Array, Date64Array, RecordBatch, TimestampMicrosecondArray, TimestampNanosecondArray,
};
use declare::{Declaration, Encoding, Field, Policy};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tabulate::{Became, Reading, survey, tabulate_as};

/// A spec with these lines under `[data]` and these dimensions.
fn spec(data: &str, dimensions: &str) -> Declaration {
    let text = format!(
        "[data]\npath = \"table.csv\"\npublic = true\n{data}\n[dimensions]\n{dimensions}\n[constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = 1\n"
    );
    Declaration::parse(&text, "spec.toml", Path::new("")).unwrap_or_else(|problem| panic!("{}", shown(&problem)))
}

const DIMENSIONS: &str = r#"
county = { values = ["Alpha", "Beta", "Gamma", "Unknown"], recode = { "n/a" = "Unknown", "B" = "Beta" }, unknown = "Unknown" }
age = { bins = [0, 2, 4], open = true, below = 100, recode = { "999" = "?" }, unknown = "?" }
size = { integers = [0, 5], unknown = "other" }
seen = { dates = "month", first = "2024-03", last = "2024-04" }
"#;

type Row = (Option<String>, Option<i64>, Option<f64>, Option<String>, String);

fn row() -> impl Strategy<Value = Row> {
    let labels =
        ["Alpha", "Beta", "alpha", " Gamma", "GAMMA ", "\u{a0}Beta", "b", "N/A", "Zulu", " ", "Ménière", "Unknown"];
    let label = prop::sample::select(labels.to_vec()).prop_map(String::from);
    let age = prop::sample::select(vec![0i64, 1, 2, 3, 5, 99, 100, 999, -1]);
    let size = prop::sample::select(vec![0.0, 5.0, 2.5, 6.0, -1.0, 1e20]);
    let days = ["2024-03-01", "2024-04-30", "2024-03-31", "2024-05-01", "3/31/2024", "2024-04-01 10:30", "soon"];
    let day = prop::sample::select(days.to_vec()).prop_map(String::from);
    (
        prop::option::weighted(0.9, label),
        prop::option::weighted(0.9, age),
        prop::option::weighted(0.9, size),
        prop::option::weighted(0.95, day),
        (0u8..6).prop_map(|number| format!("p{number}")),
    )
}

fn columns(rows: &[Row]) -> Columns {
    vec![
        ("county", Values::Text(rows.iter().map(|row| row.0.clone()).collect())),
        ("age", Values::Whole(rows.iter().map(|row| row.1).collect())),
        ("size", Values::Real(rows.iter().map(|row| row.2).collect())),
        ("seen", Values::Text(rows.iter().map(|row| row.3.clone()).collect())),
        ("person", Values::Text(rows.iter().map(|row| Some(row.4.clone())).collect())),
    ]
}

/// What is written as a field of text.
fn text<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or(String::new(), ToString::to_string)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_messy_table_is_the_same_in_every_format(
        rows in prop::collection::vec(row(), 1..40),
        drop in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        group in 1usize..20,
    ) {
        let policy = |drop| if drop { "drop" } else { "error" };
        let mut data = format!(
            "trim = true\ncase = \"ignore\"\noutside = \"{}\"\nmissing = \"{}\"\ndate_format = [\"MM/DD/YYYY\", \"YYYY-MM-DD\"]\n",
            policy(drop.0), policy(drop.1)
        );
        if drop.2 {
            data.push_str("unit = \"person\"\nrows_per_unit = 2\nbeyond = \"drop\"\n");
        }
        if drop.3 {
            data.push_str("where = \"seen != 'soon' and seen >= '2024-03-31'\"\n");
        }
        let declaration = spec(&data, DIMENSIONS);
        let found = same_in_every_format(&declaration, &columns(&rows), group, &[1, 3]);
        // The table is what every field is by itself.
        if let (Outcome::Read { counts, rows: [read, ..] }, false, false) = (found, drop.2, drop.3) {
            prop_assert_eq!(read, rows.len() as u64);
            let mut expected: HashMap<Vec<usize>, i64> = HashMap::new();
            let readers: Vec<_> = declaration.schema.dimensions.iter().map(|dimension| dimension.reader()).collect();
            for row in &rows {
                let fields = [text(&row.0), text(&row.1), text(&row.2), text(&row.3)];
                let codes = readers.iter().zip(&fields).map(|(reader, field)| match reader.read(field) {
                    Field::Code(code) => Some(code),
                    _ => None,
                });
                if let Some(codes) = codes.collect::<Option<Vec<_>>>() {
                    *expected.entry(codes).or_default() += 1;
                }
            }
            let domain = declaration.domain().expect("small");
            let expected: Vec<i64> =
                (0..domain.len()).map(|cell| expected.get(&domain.codes(cell)).copied().unwrap_or(0)).collect();
            prop_assert_eq!(counts, expected);
        }
    }

    /// Both readings choose the same rows of a unit, and the table is the sum of what each unit
    /// gives by itself.
    #[test]
    fn the_rows_of_a_unit_are_chosen_by_themselves(
        rows in prop::collection::vec((0u8..3, 0u8..3), 0..12),
        most in 1u64..4,
    ) {
        let data = format!("unit = \"person\"\nrows_per_unit = {most}\nbeyond = \"drop\"");
        let declaration = spec(&data, "a = [\"0\", \"1\", \"2\"]");
        let domain = declaration.domain().expect("small");
        let counts = |rows: &[(u8, u8)], reading| {
            let folder = tempfile::tempdir().expect("a folder");
            let lines: String = rows.iter().map(|(unit, value)| format!("{value},{unit}\n")).collect();
            std::fs::write(folder.path().join("table.csv"), format!("a,person\n{lines}")).expect("a file");
            let read = tabulate_as(reading, &declaration, &domain, folder.path(), &mut |_| {}).expect("a table");
            let kept: i64 = read.table.counts().iter().sum();
            assert_eq!(kept as u64 + read.rows.dropped_beyond, rows.len() as u64);
            read.table.counts().to_vec()
        };
        let all = counts(&rows, Reading::Strict);
        prop_assert_eq!(&all, &counts(&rows, Reading::Trusting));
        let mut sum = vec![0; 3];
        for unit in 0..3 {
            let own: Vec<(u8, u8)> = rows.iter().copied().filter(|(owner, _)| *owner == unit).collect();
            let own_counts = counts(&own, Reading::Strict);
            prop_assert_eq!(own_counts.iter().sum::<i64>(), (own.len() as i64).min(most as i64));
            sum.iter_mut().zip(own_counts).for_each(|(sum, count)| *sum += count);
        }
        prop_assert_eq!(all, sum);
    }
}

#[test]
fn a_table_in_latin_letters_is_read_when_its_encoding_is_declared() {
    let folder = tempfile::tempdir().expect("a folder");
    let latin = b"diagn\xf3stico,n\nM\xe9ni\xe8re,3\nAsthma,4\n";
    std::fs::write(folder.path().join("table.csv"), latin).expect("a file");
    let dimensions = "\"diagnóstico\" = [\"Ménière\", \"Asthma\"]";
    let mut declaration = spec("count = \"n\"\nencoding = \"windows-1252\"", dimensions);
    let read = with_threads(&declaration, folder.path(), 1).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    assert_eq!(read.table.counts(), [3, 4]);
    std::fs::write(folder.path().join("table.csv.gz"), crate::writing::gzip(latin)).expect("a file");
    declaration.data.path = "table.csv.gz".into();
    assert_eq!(with_threads(&declaration, folder.path(), 1).expect("packed").table.counts(), [3, 4]);
    declaration.data.path = "table.csv".into();
    declaration.data.encoding = Encoding::Utf8;
    insta::assert_snapshot!(shown(&with_threads(&declaration, folder.path(), 1).expect_err("not UTF-8")));
    // A bad row is shown in the letters of the file.
    std::fs::write(folder.path().join("table.csv"), b"diagn\xf3stico,n\nM\xe9ni\xe8re!,3\n").expect("a file");
    declaration.data.encoding = Encoding::Windows1252;
    insta::assert_snapshot!(shown(&with_threads(&declaration, folder.path(), 1).expect_err("not declared")));
}

#[test]
fn moments_of_parquet_files_are_dates() {
    let folder = tempfile::tempdir().expect("a folder");
    const DAY: i64 = 86_400_000_000;
    let april = 19_814;
    let moments: Vec<Option<i64>> = vec![Some(april * DAY - 1), Some(april * DAY), None, Some((april + 30) * DAY)];
    let nanoseconds: Vec<Option<i64>> = moments.iter().map(|moment| moment.map(|moment| moment * 1000)).collect();
    let milliseconds: Vec<Option<i64>> = moments.iter().map(|moment| moment.map(|moment| moment / 1000)).collect();
    let days: Vec<Option<i32>> =
        moments.iter().map(|moment| moment.map(|moment| moment.div_euclid(DAY) as i32)).collect();
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(TimestampMicrosecondArray::from(moments.clone())),
        Arc::new(TimestampMicrosecondArray::from(moments).with_timezone("UTC")),
        Arc::new(TimestampNanosecondArray::from(nanoseconds)),
        Arc::new(Date64Array::from(milliseconds)),
        Arc::new(Date32Array::from(days)),
    ];
    for (position, array) in arrays.into_iter().enumerate() {
        let batch = RecordBatch::try_from_iter([("seen", array)]).expect("one column");
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("written");
        std::fs::write(folder.path().join("table.parquet"), writer.into_inner().expect("a file")).expect("a file");
        std::fs::write(folder.path().join("table.arrow"), crate::writing::arrow_file(&batch, 10, None))
            .expect("a file");
        // Parquet has no such kind: what is written for it is a whole number.
        let is_of_arrow_alone = *batch.schema().field(0).data_type() == arrow_schema::DataType::Date64;
        for name in ["table.parquet", "table.arrow"].into_iter().skip(usize::from(is_of_arrow_alone)) {
            let dimension = "seen = { dates = \"month\", first = \"2024-03\", last = \"2024-04\", unknown = \"?\" }";
            let mut declaration = spec("", dimension);
            declaration.data.path = name.into();
            let read = with_threads(&declaration, folder.path(), 1);
            let read = read.unwrap_or_else(|problem| panic!("{position}: {}", shown(&problem)));
            assert_eq!(read.table.counts(), [1, 1, 2], "{position} {name}");
            let mut filtered = spec(
                "where = \"seen >= '2024-04-01'\"\nmissing = \"drop\"",
                "all = { column = \"seen\", dates = \"year\", first = \"2024\", last = \"2024\" }",
            );
            filtered.data.path = name.into();
            let read = with_threads(&filtered, folder.path(), 1);
            let read = read.unwrap_or_else(|problem| panic!("{position}: {}", shown(&problem)));
            assert_eq!((read.table.counts(), read.rows.dropped_missing), (&[2][..], 1), "{position} {name}");
        }
    }
    let zone = TimestampMicrosecondArray::from(vec![0]).with_timezone("America/Los_Angeles");
    let batch = RecordBatch::try_from_iter([("seen", Arc::new(zone) as ArrayRef)]).expect("one column");
    std::fs::write(folder.path().join("table.arrow"), crate::writing::arrow_file(&batch, 10, None)).expect("a file");
    let mut declaration = spec("", "seen = { dates = \"year\", first = \"1969\", last = \"1970\" }");
    declaration.data.path = "table.arrow".into();
    insta::assert_snapshot!(shown(&with_threads(&declaration, folder.path(), 1).expect_err("a place")));
}

#[test]
fn a_curator_is_told_what_is_not_counted_as_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "county,age,size,seen\n ALPHA,1,1,2024-03-01\nAlpha,1,1,2024-03-01\nn/a,999,9,2024-03-01\nZulu,,1,2024-03-01\n\
                Zulu,1,1,2025-01-01\nBeta,1,1,\nGamma,1,1,later\n";
    std::fs::write(folder.path().join("one.csv"), rows).expect("a file");
    std::fs::write(folder.path().join("two.csv"), "county,age,size,seen\nZulu,1,1,2024-04-01\n").expect("a file");
    let mut declaration = spec("trim = true\ncase = \"ignore\"\nwhere = \"seen != 'later'\"", DIMENSIONS);
    declaration.data.path = "*.csv".into();
    let survey = survey(&declaration, &declaration.domain().expect("small"), folder.path(), &mut |_| {});
    let survey = survey.unwrap_or_else(|problem| panic!("{}", shown(&problem)));
    assert_eq!(survey.rows, 7);
    assert_eq!(format!("{survey:?}"), "Survey(4 columns, redacted)");
    let told: Vec<(String, String, Became, u64)> = survey
        .columns
        .into_iter()
        .flat_map(|column| {
            let name = column.dimension;
            column.changed.into_iter().map(move |changed| (name.clone(), changed.found, changed.became, changed.rows))
        })
        .collect();
    let told: Vec<(&str, &str, Became, u64)> =
        told.iter().map(|(name, found, became, rows)| (name.as_str(), found.as_str(), became.clone(), *rows)).collect();
    let text = |text: &str| text.to_string();
    assert_eq!(
        told,
        [
            ("county", "Zulu", Became::Unknown(text("Unknown")), 3),
            ("county", " ALPHA", Became::Written(text("Alpha")), 1),
            ("county", "n/a", Became::Recoded(text("Unknown")), 1),
            ("age", "", Became::Unknown(text("?")), 1),
            ("age", "999", Became::Recoded(text("?")), 1),
            ("size", "9", Became::Unknown(text("other")), 1),
            ("seen", "", Became::Missing, 1),
            ("seen", "2025-01-01", Became::Outside, 1),
        ]
    );
}

#[test]
fn what_is_wrong_with_a_field_names_what_would_read_it() {
    let problem = |data: &str, dimensions: &str, rows: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("table.csv"), rows).expect("a file");
        shown(&with_threads(&spec(data, dimensions), folder.path(), 1).expect_err("it is bad"))
    };
    let county = "county = [\"Alpha\", \"Beta\"]";
    let mut all = String::new();
    for (data, dimensions, rows) in [
        ("", county, "county\nALPHA\n"),
        ("", county, "county\n Alpha\n"),
        ("", county, "county\n\"\"\n"),
        ("", "age = { bins = [0, 85], open = true, below = 120 }", "age\n999\n"),
        ("", "seen = { dates = \"month\", first = \"2024-01\", last = \"2024-12\" }", "seen\n3/4/2024\n"),
        ("where = \"seen >= '2024-04-01'\"", county, "county,seen\nAlpha,4/1/2024\n"),
        ("unit = \"person\"", county, "county,person\nAlpha,1\nBeta,1\n"),
    ] {
        all.push_str(&problem(data, dimensions, rows));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_damaged_workbook_is_told_and_an_empty_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut declaration = spec("", "a = [\"x\"]");
    declaration.data.path = "table.xlsx".into();
    declaration.data.missing = Policy::Drop;
    let whole = crate::writing::workbook(&vec![("a", Values::Text(vec![Some("x".into()), None, Some("x".into())]))]);
    let mut all = String::new();
    for bytes in [b"a,b\n".to_vec(), whole[..whole.len() / 2].to_vec(), crate::writing::workbook(&Columns::new())] {
        std::fs::write(folder.path().join("table.xlsx"), bytes).expect("a file");
        let problem = with_threads(&declaration, folder.path(), 1).expect_err("no table");
        all.push_str(&format!("{}\n{}\n", problem.message, problem.hint.unwrap_or_default()));
    }
    insta::assert_snapshot!(all);
    std::fs::write(folder.path().join("table.xlsx"), whole).expect("a file");
    assert_eq!(with_threads(&declaration, folder.path(), 1).expect("a table").table.counts(), [2]);
}
