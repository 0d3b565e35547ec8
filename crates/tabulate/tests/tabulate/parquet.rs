//! Parquet files: they are read like text files of the same values, and their faults are told as
//! well.

use crate::declared::{counted, counts, declaration, integer, problem, read, shown, text, with_dimensions};
use crate::formats::without_others;
use declare::{Comparison, Declaration, Duplicates, Policy, Values};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use proptest::prelude::*;
use std::sync::Arc;

/// The values of a column; `None` is a null.
enum Column {
    Text(Vec<Option<&'static str>>),
    Bytes(Vec<Option<Vec<u8>>>),
    Whole(Vec<Option<i64>>),
    Small(Vec<Option<i32>>),
    Unsigned(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Single(Vec<Option<f32>>),
    Flag(Vec<Option<bool>>),
    Date(Vec<Option<i32>>),
    Nested(Vec<Option<i32>>),
}

impl Column {
    fn kind(&self, name: &str) -> TypePtr {
        let primitive = |physical, logical: Option<LogicalType>, converted| {
            let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
            Arc::new(builder.with_logical_type(logical).with_converted_type(converted).build().expect("a type"))
        };
        match self {
            Column::Text(_) => primitive(Physical::BYTE_ARRAY, Some(LogicalType::String), ConvertedType::UTF8),
            Column::Bytes(_) => primitive(Physical::BYTE_ARRAY, None, ConvertedType::NONE),
            Column::Whole(_) => primitive(Physical::INT64, None, ConvertedType::NONE),
            Column::Small(_) => primitive(Physical::INT32, None, ConvertedType::INT_8),
            Column::Unsigned(_) => {
                primitive(Physical::INT64, Some(LogicalType::integer(64, false)), ConvertedType::UINT_64)
            }
            Column::Real(_) => primitive(Physical::DOUBLE, None, ConvertedType::NONE),
            Column::Single(_) => primitive(Physical::FLOAT, None, ConvertedType::NONE),
            Column::Flag(_) => primitive(Physical::BOOLEAN, None, ConvertedType::NONE),
            Column::Date(_) => primitive(Physical::INT32, Some(LogicalType::Date), ConvertedType::DATE),
            Column::Nested(_) => {
                let inner = Type::primitive_type_builder("inner", Physical::INT32).build().expect("a type");
                let builder = Type::group_type_builder(name).with_repetition(Repetition::OPTIONAL);
                Arc::new(builder.with_fields(vec![Arc::new(inner)]).build().expect("a type"))
            }
        }
    }

    fn write(&self, rows: std::ops::Range<usize>, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) {
        match self {
            Column::Text(values) => {
                put::<ByteArrayType, _>(&values[rows], group, |text| ByteArray::from(*text));
            }
            Column::Bytes(values) => {
                put::<ByteArrayType, _>(&values[rows], group, |bytes| ByteArray::from(bytes.clone()));
            }
            Column::Whole(values) | Column::Unsigned(values) => put::<Int64Type, _>(&values[rows], group, |n| *n),
            Column::Small(values) | Column::Date(values) | Column::Nested(values) => {
                put::<Int32Type, _>(&values[rows], group, |n| *n);
            }
            Column::Real(values) => put::<DoubleType, _>(&values[rows], group, |n| *n),
            Column::Single(values) => put::<FloatType, _>(&values[rows], group, |n| *n),
            Column::Flag(values) => put::<BoolType, _>(&values[rows], group, |n| *n),
        }
    }

    fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Bytes(values) => values.len(),
            Column::Whole(values) | Column::Unsigned(values) => values.len(),
            Column::Small(values) | Column::Date(values) | Column::Nested(values) => values.len(),
            Column::Real(values) => values.len(),
            Column::Single(values) => values.len(),
            Column::Flag(values) => values.len(),
        }
    }
}

fn put<T: DataType, V>(
    values: &[Option<V>],
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    convert: impl Fn(&V) -> T::T,
) {
    let present: Vec<T::T> = values.iter().flatten().map(convert).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let mut column = group.next_column().expect("a column").expect("one more");
    column.typed::<T>().write_batch(&present, Some(&levels), None).expect("written");
    column.close().expect("closed");
}

/// A file with these columns, in row groups of this many rows.
fn file(columns: &[(&str, Column)], group_rows: usize, compression: Compression) -> Vec<u8> {
    let fields = columns.iter().map(|(name, column)| column.kind(name)).collect();
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build().expect("a schema"));
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut start = 0;
    while start < rows {
        let end = (start + group_rows).min(rows);
        let mut group = writer.next_row_group().expect("a group");
        columns.iter().for_each(|(_, column)| column.write(start..end, &mut group));
        group.close().expect("closed");
        start = end;
    }
    writer.into_inner().expect("a file")
}

fn plain(columns: &[(&str, Column)]) -> Vec<u8> {
    file(columns, 1 << 20, Compression::SNAPPY)
}

fn parquet(mut declaration: Declaration) -> Declaration {
    declaration.data.path = "data.parquet".into();
    declaration
}

#[test]
fn every_kind_of_column_is_read_as_its_text() {
    let ages = || vec![Some(0), Some(3), Some(0)];
    let counties = || Column::Text(vec![Some("Alpha"), Some("Gamma"), Some("Alpha")]);
    let expected = counts(&declaration(), "county,age\nAlpha,0\nGamma,3\nAlpha,0\n");
    let real = |values: Vec<Option<i64>>| values.into_iter().map(|value| value.map(|value| value as f64)).collect();
    for age in [
        Column::Whole(ages()),
        Column::Unsigned(ages()),
        Column::Small(vec![Some(0), Some(3), Some(0)]),
        Column::Real(real(ages())),
        Column::Single(vec![Some(0.0), Some(3.0), Some(-0.0)]),
        Column::Text(vec![Some("0"), Some("3"), Some("0.0")]),
        Column::Bytes(vec![Some(b"0".to_vec()), Some(b"3".to_vec()), Some(b"0".to_vec())]),
    ] {
        let content = plain(&[("note", Column::Nested(vec![Some(1); 3])), ("age", age), ("county", counties())]);
        assert_eq!(counts(&parquet(declaration()), content), expected);
    }
    let flags = with_dimensions(vec![("smokes", "smokes", Values::List(vec!["true".into(), "false".into()]))]);
    let content = plain(&[("smokes", Column::Flag(vec![Some(true), Some(true), Some(false)]))]);
    assert_eq!(counts(&parquet(flags), content), [2, 1]);
}

#[test]
fn large_numbers_and_decimals_keep_their_value() {
    let bins = || with_dimensions(vec![("income", "income", Values::Bins { edges: vec![-5, 0, 18], open: true })]);
    let content = plain(&[("income", Column::Real(vec![Some(17.9), Some(1e300), Some(-0.5), Some(18.0)]))]);
    assert_eq!(counts(&parquet(bins()), content), [1, 1, 2]);
    let content = plain(&[("income", Column::Unsigned(vec![Some(-1), Some(3)]))]);
    assert_eq!(counts(&parquet(bins()), content), [0, 1, 1]);
    let content = plain(&[("income", Column::Single(vec![Some(0.1), Some(-0.1)]))]);
    assert_eq!(counts(&parquet(bins()), content), [1, 1, 0]);
}

#[test]
fn groups_batches_and_compression_do_not_matter() {
    let rows = 10_000;
    let columns = || {
        let county = |row: usize| ["Alpha", "Beta", "Gamma"][row % 3];
        let ages = (0..rows).map(|row| if row % 7 == 5 { None } else { Some((row % 4) as i64) }).collect();
        [("county", Column::Text((0..rows).map(|row| Some(county(row))).collect())), ("age", Column::Whole(ages))]
    };
    let mut declaration = parquet(declaration());
    declaration.data.missing = Policy::Drop;
    let mut expected = vec![0; 12];
    for row in (0..rows).filter(|row| row % 7 != 5) {
        expected[row % 3 * 4 + row % 4] += 1;
    }
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for (group_rows, compression) in [(rows, Compression::UNCOMPRESSED), (1000, zstd), (4097, Compression::SNAPPY)] {
        let tabulated = read(&declaration, file(&columns(), group_rows, compression)).expect("a table");
        assert_eq!(tabulated.table.counts(), expected);
        assert_eq!((tabulated.rows.read, tabulated.rows.dropped_missing), (10_000, 1_428));
    }
}

#[test]
fn progress_ends_with_the_size_of_the_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("data.parquet");
    let rows = 20_000;
    let content = file(
        &[("county", Column::Text(vec![Some("Alpha"); rows])), ("age", Column::Whole(vec![Some(1); rows]))],
        7_000,
        Compression::SNAPPY,
    );
    std::fs::write(&path, &content).expect("a file");
    let declaration = parquet(declaration());
    let domain = crate::declared::domain(&declaration, &[]);
    let mut seen = Vec::new();
    tabulate::tabulate(&declaration, &domain, directory.path(), &mut |bytes| seen.push(bytes)).expect("a table");
    assert_eq!(seen.last(), Some(&(content.len() as u64)));
    assert!(seen.len() > 2 && seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
}

#[test]
fn faults_are_told_with_their_row() {
    let mut found = String::new();
    let mut case = |title: &str, declaration: Declaration, content: Vec<u8>| {
        found += &format!("# {title}\n{}\n", problem(&parquet(declaration), content));
    };
    let ages = || Column::Whole(vec![Some(1), Some(2)]);
    let counties = |second| Column::Text(vec![Some("Alpha"), second]);
    let table = |second| plain(&[("county", counties(second)), ("age", ages())]);
    case("misspelt label", declaration(), table(Some("Alhpa")));
    case("spaces around a label", declaration(), table(Some(" Beta ")));
    case("missing", declaration(), table(None));
    case("empty text is missing", declaration(), table(Some("")));
    case("control characters", declaration(), table(Some("\u{1b}[31mBeta\n")));
    let age = |column: Column| plain(&[("county", Column::Text(vec![Some("Alpha"); column.len()])), ("age", column)]);
    case("integer outside", declaration(), age(Column::Whole(vec![Some(3), Some(4)])));
    case("not a whole number", declaration(), age(Column::Real(vec![Some(1.5)])));
    case("not a number is missing", declaration(), age(Column::Real(vec![Some(f64::NAN)])));
    case("infinite", declaration(), age(Column::Real(vec![Some(f64::INFINITY)])));
    case("flags", declaration(), age(Column::Flag(vec![Some(true)])));
    case("dates", declaration(), age(Column::Date(vec![Some(1)])));
    case(
        "nested",
        with_dimensions(vec![("age", "age.inner", Values::Integers { first: 0, last: 3 })]),
        plain(&[("age", Column::Nested(vec![Some(1)]))]),
    );
    case("no such column", declaration(), plain(&[("county", counties(None)), ("ages", ages())]));
    case(
        "invalid UTF-8",
        declaration(),
        plain(&[("county", Column::Bytes(vec![Some(vec![0xe9, 0x61])])), ("age", Column::Whole(vec![Some(1)]))]),
    );
    let children = |column: Column| {
        let ages = Column::Whole((0..column.len() as i64).map(Some).collect());
        plain(&[("county", Column::Text(vec![Some("Alpha"); column.len()])), ("age", ages), ("children", column)])
    };
    case("negative count", counted(), children(Column::Whole(vec![Some(2), Some(-1)])));
    case("fractional count", counted(), children(Column::Real(vec![Some(2.0), Some(2.5)])));
    case("missing count", counted(), children(Column::Whole(vec![None])));
    let same = [
        ("county", Column::Text(vec![Some("Alpha"); 3])),
        ("age", Column::Whole(vec![Some(1), Some(2), Some(1)])),
        ("children", Column::Whole(vec![Some(5); 3])),
    ];
    case("the same cell twice", counted(), plain(&same));
    let mut filtered = declaration();
    filtered.data.filter = Some(integer("year", Comparison::GreaterOrEqual, 2000));
    case("a filter without its column", filtered.clone(), table(Some("Beta")));
    let years = Column::Text(vec![Some("2001"), Some("n/a")]);
    case("a filter on text", filtered, plain(&[("county", counties(Some("Beta"))), ("age", ages()), ("year", years)]));
    case("not Parquet", declaration(), b"county,age\nAlpha,1\n".to_vec());
    case("empty file", declaration(), Vec::new());
    let whole = table(Some("Beta"));
    case("cut off", declaration(), whole[..whole.len() - 9].to_vec());
    insta::assert_snapshot!(found);
}

#[test]
fn filters_and_structural_zeros_are_kept() {
    let mut declaration = parquet(declaration());
    declaration.data.filter = Some(text("state", Comparison::Equal, "Ohio"));
    let columns = [
        ("county", Column::Text(vec![Some("Alpha"), Some("Beta"), Some("Beta")])),
        ("age", Column::Whole(vec![Some(0), Some(1), Some(1)])),
        ("state", Column::Text(vec![Some("Ohio"), Some("Iowa"), None])),
    ];
    let content = plain(&columns);
    assert_eq!(counts(&declaration, &content)[..6], [1, 0, 0, 0, 0, 0]);
    declaration.constraints.zero = vec![integer("age", Comparison::Less, 1)];
    let found = crate::declared::read_with_zeros(&declaration, &content, &[0, 4, 8]).expect_err("a broken rule");
    assert_eq!(found.message, "the data break the structural zero `age < 1`");
    assert_eq!(found.place, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_same_rows_as_text(
        rows in prop::collection::vec((0usize..4, prop::option::of(0i64..5), prop::option::of(0i64..9)), 1..30),
        drop in any::<bool>(),
        group_rows in 1usize..8,
    ) {
        let mut text = counted();
        text.data.duplicates = Duplicates::Sum;
        if drop {
            text.data.missing = Policy::Drop;
            text.data.outside = Policy::Drop;
        }
        let county = |code: usize| ["Alpha", "Beta", "Gamma", "Zulu"][code];
        let number = |value: Option<i64>| value.map_or(String::new(), |value| value.to_string());
        let mut lines = "county,age,children\n".to_string();
        for row in &rows {
            lines += &format!("{},{},{}\n", county(row.0), number(row.1), number(row.2));
        }
        let columns = [
            ("county", Column::Text(rows.iter().map(|row| Some(county(row.0))).collect())),
            ("age", Column::Whole(rows.iter().map(|row| row.1).collect())),
            ("children", Column::Real(rows.iter().map(|row| row.2.map(|count| count as f64)).collect())),
        ];
        let content = file(&columns, group_rows, Compression::SNAPPY);
        match (read(&text, lines), read(&parquet(text.clone()), content)) {
            (Ok(one), Ok(other)) => prop_assert_eq!(one.table.counts(), other.table.counts()),
            (Err(one), Err(other)) => {
                // The header of a text file is its first line.
                let line = |problem: &declare::Problem| problem.place.as_ref().map(|place| place.line());
                prop_assert_eq!(line(&one), line(&other).map(|row| row + 1));
                prop_assert_eq!(one.message, other.message);
                prop_assert_eq!(without_others(one.hint), without_others(other.hint));
            }
            (one, other) => prop_assert!(false, "{one:?} {other:?}"),
        }
    }

    #[test]
    fn damaged_files_never_panic(edits in prop::collection::vec((any::<u32>(), any::<u8>()), 1..6), cut in 0usize..40) {
        let columns = [
            ("county", Column::Text((0..50).map(|row| ["Alpha", "Beta"].get(row % 3).copied()).collect())),
            ("age", Column::Whole((0..50).map(|row| Some(row % 4)).collect())),
        ];
        let mut content = file(&columns, 20, Compression::SNAPPY);
        for (place, byte) in edits {
            let at = place as usize % content.len();
            content[at] = byte;
        }
        content.truncate(content.len() - cut.saturating_sub(30));
        let _ = read(&parquet(declaration()), &content).map_err(|problem| shown(&problem));
    }
}
