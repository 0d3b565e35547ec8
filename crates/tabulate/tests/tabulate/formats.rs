//! A table means the same in every format, whatever the number of threads.

use crate::declared::{counted, declaration, domain, integer, shown, text, with_dimensions};
use crate::writing::{Columns, Values, arrow_file, arrow_stream, batch, every_format};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{ArrayRef, BooleanArray, Date32Array, DictionaryArray, Int64Array, LargeStringArray, RecordBatch};
use arrow_array::{StringArray, StringViewArray, UInt64Array};
use declare::{Comparison, Declaration, Duplicates, Negative, Policy, Problem};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use tabulate::{Reading, Tabulated, scan, tabulate};

/// Tabulates a file of the folder with this many threads.
pub fn with_threads(declaration: &Declaration, folder: &Path, threads: usize) -> Result<Tabulated, Problem> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| tabulate(declaration, &domain(declaration, &[]), folder, &mut |_| {}))
}

/// What was read, or the first error with its row, in words that do not depend on the format.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Read { counts: Vec<i64>, rows: [u64; 5] },
    Failed { message: String, hint: Option<String>, row: Option<usize> },
}

/// A hint without the other wrong rows, of which every format looks at as many as it reads at once.
pub fn without_others(hint: Option<String>) -> Option<String> {
    let hint = hint?.split("rows that cannot be counted either").next()?.trim_end_matches("; ").to_owned();
    (!hint.is_empty()).then_some(hint)
}

fn outcome(result: Result<Tabulated, Problem>, name: &str) -> Outcome {
    match result {
        Ok(read) => Outcome::Read {
            counts: read.table.counts().to_vec(),
            rows: [
                read.rows.read,
                read.rows.filtered,
                read.rows.dropped_missing,
                read.rows.dropped_outside,
                read.rows.negative,
            ],
        },
        Err(problem) => {
            // A sheet has its header in its first row, as a text has.
            let has_lines = [".csv", ".tsv", ".xlsx"].iter().any(|end| name.contains(end));
            let row = problem.place.as_ref().map(|place| place.first_line - usize::from(has_lines));
            let message = problem.message.split(" (first").next().unwrap_or_default().to_owned();
            Outcome::Failed { message, hint: without_others(problem.hint), row }
        }
    }
}

pub fn same_in_every_format(declaration: &Declaration, columns: &Columns, rows: usize, threads: &[usize]) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first: Option<Outcome> = None;
    for (name, bytes) in every_format(columns, rows) {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
        let mut declaration = declaration.clone();
        declaration.data.path = name.into();
        for threads in threads {
            let found = outcome(with_threads(&declaration, folder.path(), *threads), name);
            match &first {
                Some(first) => assert_eq!(&found, first, "{name} with {threads} threads"),
                None => first = Some(found),
            }
        }
    }
    first.expect("there are formats")
}

/// County, age, size, children and person.
type Row = (Option<String>, Option<i64>, Option<f64>, Option<i64>, Option<String>);

fn row() -> impl Strategy<Value = Row> {
    let labels = ["Alpha", "Beta", "Gamma", "Alpha", "Beta", "Gamma", "Zulu", " ", "Be,\"ta\""];
    let label = prop::sample::select(labels.to_vec()).prop_map(String::from);
    let size = prop::sample::select(vec![0.0, 1.0, 0.5, 4.999, 17.9, 18.0, -0.25, 1e20, 5.0, 2.0]);
    let person = (0u8..40).prop_map(|number| format!("p{number}"));
    (
        prop::option::weighted(0.97, label),
        prop::option::weighted(0.97, -1i64..5),
        prop::option::weighted(0.97, size),
        prop::option::weighted(0.97, -1i64..9),
        prop::option::weighted(0.97, person),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_table_is_the_same_in_every_format(
        rows in prop::collection::vec(row(), 1..40),
        drop in (any::<bool>(), any::<bool>(), any::<bool>()),
        kind in 0..4,
        group in 1usize..20,
    ) {
        let bins = declare::Values::Bins { edges: vec![0, 5, 18], open: true };
        let counties = ["Alpha", "Beta", "Gamma"].map(String::from).to_vec();
        let mut declaration = with_dimensions(vec![
            ("county", "county", declare::Values::List(counties)),
            ("age", "age", declare::Values::Integers { first: 0, last: 3 }),
            ("size", "size", bins),
        ]);
        let data = &mut declaration.data;
        let policy = |drop| if drop { Policy::Drop } else { Policy::Error };
        (data.missing, data.outside) = (policy(drop.0), policy(drop.1));
        data.negative = if drop.2 { Negative::Zero } else { Negative::Error };
        match kind {
            0 => {}
            1 => data.count = Some("children".into()),
            2 => {
                data.count = Some("children".into());
                data.duplicates = Duplicates::Sum;
                data.filter = Some(integer("age", Comparison::Less, 3));
            }
            _ => {
                data.unit = Some("person".into());
                data.rows_per_unit = 2;
                data.filter = Some(text("county", Comparison::NotEqual, "Zulu"));
            }
        }
        let columns: Columns = vec![
            ("county", Values::Text(rows.iter().map(|row| row.0.clone()).collect())),
            ("age", Values::Whole(rows.iter().map(|row| row.1).collect())),
            ("size", Values::Real(rows.iter().map(|row| row.2).collect())),
            ("children", Values::Whole(rows.iter().map(|row| row.3).collect())),
            ("person", Values::Text(rows.iter().map(|row| row.4.clone()).collect())),
        ];
        same_in_every_format(&declaration, &columns, group, &[1, 2, 5]);
    }
}

/// Long enough that several threads read it in every format.
fn long(rows: usize, mut change: impl FnMut(usize) -> (Option<&'static str>, i64)) -> Columns {
    let changed: Vec<_> = (0..rows).map(&mut change).collect();
    vec![
        ("county", Values::Text(changed.iter().map(|(county, _)| county.map(String::from)).collect())),
        ("note", Values::Text((0..rows).map(|row| Some(format!("unused, but \"long\": {row:>60}"))).collect())),
        ("age", Values::Whole(changed.iter().map(|(_, age)| Some(*age)).collect())),
    ]
}

#[test]
fn long_tables_are_the_same_in_every_format_with_any_number_of_threads() {
    let rows = 70_000;
    let plain = |row: usize| (Some(["Alpha", "Beta", "Gamma"][row % 3]), (row % 4) as i64);
    let found = same_in_every_format(&declaration(), &long(rows, plain), 9_000, &[1, 2, 5]);
    let mut expected = vec![0; 12];
    (0..rows).for_each(|row| expected[row % 3 * 4 + row % 4] += 1);
    assert_eq!(found, Outcome::Read { counts: expected, rows: [rows as u64, 0, 0, 0, 0] });
}

#[test]
fn the_first_error_is_the_same_with_any_number_of_threads() {
    let faults = long(70_000, |row| match row {
        41_234 => (None, 1),
        41_235 => (Some("Beta"), 9),
        60_000 => (Some("Zulu"), 2),
        _ => (Some("Beta"), (row % 4) as i64),
    });
    let found = same_in_every_format(&declaration(), &faults, 9_000, &[1, 2, 5]);
    let Outcome::Failed { message, row, .. } = found else { panic!("a value is missing") };
    assert_eq!((message.as_str(), row), ("the value of `county` is missing", Some(41_235)));
}

#[test]
fn units_are_counted_over_all_parts_of_a_file() {
    let mut owned = declaration();
    owned.data.unit = Some("person".into());
    owned.data.rows_per_unit = 3;
    owned.data.filter = Some(integer("age", Comparison::Less, 3));
    let rows = 70_000;
    let mut columns = long(rows, |row| (Some("Beta"), (row % 4) as i64));
    // The fourth row of a person is one that the filter leaves out, until somebody owns a fifth.
    let person = |row: usize| Some(format!("p{}", if row == 66_000 { 7 } else { row / 4 }));
    columns.push(("person", Values::Text((0..rows).map(person).collect())));
    let found = same_in_every_format(&owned, &columns, 9_000, &[1, 2, 5]);
    let Outcome::Failed { message, row, .. } = found else { panic!("a unit owns too much") };
    assert_eq!(row, Some(66_001));
    assert!(message.contains("owns more than 3 rows"), "{message}");
}

#[test]
fn arrow_columns_of_every_kind_are_read_as_their_text() {
    let expected = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
    let counties = ["Alpha", "Gamma", "Gamma"];
    let key = |county: &str| i8::from(county == "Gamma");
    let keys = arrow_array::Int8Array::from_iter_values(counties.iter().map(|county| key(county)));
    let small: DictionaryArray<Int8Type> =
        DictionaryArray::new(keys, Arc::new(StringArray::from(vec!["Alpha", "Gamma"])));
    let places: DictionaryArray<Int32Type> = counties.into_iter().collect();
    let numbers = DictionaryArray::<Int32Type>::new(vec![1, 0, 0].into(), Arc::new(Int64Array::from(vec![3, 0])));
    let county: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(counties)),
        Arc::new(LargeStringArray::from_iter_values(counties)),
        Arc::new(StringViewArray::from_iter_values(counties)),
        Arc::new(arrow_array::BinaryArray::from_iter_values(counties)),
        Arc::new(small),
        Arc::new(places),
    ];
    let ages: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from(vec![0, 3, 3])),
        Arc::new(arrow_array::Float32Array::from(vec![0.0, 3.0, 3.0])),
        Arc::new(arrow_array::Int16Array::from(vec![0, 3, 3])),
        Arc::new(arrow_array::UInt8Array::from(vec![0, 3, 3])),
        Arc::new(numbers),
        Arc::new(StringArray::from(vec!["0", "3.0", " 3"])),
    ];
    let mut arrow = declaration();
    for (county, age) in county.into_iter().zip(ages) {
        let batch = RecordBatch::try_from_iter([("county", county), ("age", age)]).expect("three rows");
        arrow.data.path = "data.arrow".into();
        assert_eq!(crate::declared::counts(&arrow, arrow_file(&batch, 2, None)), expected);
        arrow.data.path = "data.arrows".into();
        assert_eq!(crate::declared::counts(&arrow, arrow_stream(&batch, 2)), expected);
    }
}

#[test]
fn flags_and_dates_are_labels() {
    let labels = |labels: [&str; 2]| declare::Values::List(labels.map(String::from).to_vec());
    let mut arrow = with_dimensions(vec![
        ("smokes", "smokes", labels(["true", "false"])),
        ("day", "day", labels(["2020-02-29", "1969-12-31"])),
    ]);
    arrow.data.path = "data.arrow".into();
    let smokes: ArrayRef = Arc::new(BooleanArray::from(vec![true, true, false]));
    let day: ArrayRef = Arc::new(Date32Array::from(vec![18_321, -1, -1]));
    let batch = RecordBatch::try_from_iter([("smokes", smokes), ("day", day)]).expect("three rows");
    assert_eq!(crate::declared::counts(&arrow, arrow_file(&batch, 9, None)), [1, 1, 0, 1]);
    arrow.data.path = "data.parquet".into();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    assert_eq!(crate::declared::counts(&arrow, writer.into_inner().expect("a file")), [1, 1, 0, 1]);
}

#[test]
fn dictionaries_that_change_inside_a_stream_are_followed() {
    let part = |county: &str| {
        let county: DictionaryArray<Int32Type> = [county, county].into_iter().collect();
        let county: ArrayRef = Arc::new(county);
        let age: ArrayRef = Arc::new(Int64Array::from(vec![0, 0]));
        RecordBatch::try_from_iter([("county", county), ("age", age)]).expect("two rows")
    };
    let first = part("Beta");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &first.schema()).expect("a writer");
    for county in ["Beta", "Gamma", "Beta"] {
        writer.write(&part(county)).expect("written");
    }
    let mut arrow = declaration();
    arrow.data.path = "data.arrows".into();
    let bytes = writer.into_inner().expect("a stream");
    assert_eq!(crate::declared::counts(&arrow, &bytes), [0, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0]);
    let bad = part("Zulu");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &first.schema()).expect("a writer");
    [&first, &bad].into_iter().for_each(|part| writer.write(part).expect("written"));
    let found = crate::declared::problem(&arrow, writer.into_inner().expect("a stream"));
    assert!(found.contains("county = Zulu") && found.contains("(row 3)"), "{found}");
}

#[test]
fn public_files_are_read_as_text_in_every_format() {
    let columns: Columns = vec![
        ("place", Values::Text(vec![Some("Alpha".into()), Some("a, \"b\"".into()), None])),
        ("people", Values::Whole(vec![Some(12), None, Some(-3)])),
        ("share", Values::Real(vec![Some(0.25), Some(3.0), None])),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in every_format(&columns, 2) {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let table = tabulate::public_table(&path, name).unwrap_or_else(|problem| panic!("{}", shown(&problem)));
        assert_eq!(table.columns, ["place", "people", "share"], "{name}");
        assert_eq!(table.rows, [["Alpha", "12", "0.25"], ["a, \"b\"", "", "3"], ["", "-3", ""]], "{name}");
        let mut rows = 0;
        scan(&path, name, &mut |_, _| {
            rows += 1;
            if rows == 2 { Err(Problem::bad("enough")) } else { Ok(()) }
        })
        .expect_err("the visitor has had enough");
        assert_eq!(rows, 2, "{name}");
    }
}

#[test]
fn a_visitor_can_complain_about_a_row() {
    let declaration = counted();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("data.csv"), "county,age,children\nAlpha,1,2\nBeta,1,7\n").expect("a file");
    let mut seen = Vec::new();
    let found = tabulate::visit(
        Reading::Strict,
        &declaration,
        &domain(&declaration, &[]),
        folder.path(),
        &mut |_| {},
        &mut |portion| {
            seen.extend(portion.cells.iter().zip(portion.counts).map(|(cell, count)| (*cell, *count)));
            match portion.counts.iter().position(|count| *count == 7) {
                Some(entry) => Err(portion.problem(entry, "seven is refused", "it stands here")),
                None => Ok(()),
            }
        },
    );
    assert_eq!(seen, [(1, 2), (5, 7)]);
    let found = found.expect_err("a refusal");
    assert_eq!((found.message.as_str(), found.place.map(|place| place.line())), ("seven is refused", Some(3)));
}

#[test]
fn progress_is_counted_in_stored_bytes_over_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let columns = long(20_000, |_| (Some("Beta"), 1));
    let mut size = 0;
    for (name, bytes) in every_format(&columns, 7_000) {
        size += bytes.len() as u64;
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let mut declaration = declaration();
    declaration.data.path = "*".into();
    let mut seen = Vec::new();
    let read = tabulate(&declaration, &domain(&declaration, &[]), folder.path(), &mut |bytes| seen.push(bytes));
    assert_eq!(read.expect("a table").rows.read, 15 * 20_000);
    assert_eq!(seen.last(), Some(&size));
    assert!(seen.len() > 28 && seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    assert_eq!(batch(&columns).num_rows(), 20_000);
}
