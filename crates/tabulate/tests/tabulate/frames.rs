//! Rows in memory: a frame and a file with the same rows give the same table and the same faults.

use crate::declared::{counted, declaration, domain, read, with_dimensions};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, RecordBatchIterator, StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use declare::{Declaration, Policy, Problem, Values};
use std::sync::Arc;
use tabulate::{Frame, Origin, Tabulated, survey, tabulate};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn frame(batches: Vec<RecordBatch>) -> Frame {
    Frame::new(batches[0].schema(), batches).unwrap()
}

/// The declaration, with its rows in memory.
fn in_memory(mut declaration: Declaration) -> Declaration {
    declaration.data.frame = Some("rows".into());
    declaration.data.path.clear();
    declaration
}

fn read_frame(declaration: &Declaration, frame: &Frame) -> Result<Tabulated, Problem> {
    tabulate(declaration, &domain(declaration, &[]), Origin::Frame(frame), &mut |_| {})
}

fn people(counties: &[&str], ages: &[i32]) -> RecordBatch {
    let counties: ArrayRef = Arc::new(StringArray::from(counties.to_vec()));
    batch(vec![("county", counties), ("age", Arc::new(Int32Array::from(ages.to_vec())))])
}

#[test]
fn frames_of_every_kind_of_column_are_read_as_files() {
    let text = "county,age\nAlpha,0\nBeta,3\nBeta,3\nGamma,1\n";
    let file = read(&declaration(), text).unwrap();
    let counties = ["Alpha", "Beta", "Beta", "Gamma"];
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![0, 3, 3, 1]));
    let texts: [ArrayRef; 3] = [
        Arc::new(StringArray::from(counties.to_vec())),
        Arc::new(StringViewArray::from(counties.to_vec())),
        Arc::new(counties.into_iter().collect::<DictionaryArray<Int8Type>>()),
    ];
    let memory = in_memory(declaration());
    for county in texts {
        // Columns that nobody declared are left alone, whatever they hold.
        let other: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 4]));
        let whole = batch(vec![("other", other), ("age", ages.clone()), ("county", county)]);
        for batches in [vec![whole.clone()], vec![whole.slice(0, 1), whole.slice(1, 0), whole.slice(1, 3)]] {
            let found = read_frame(&memory, &frame(batches)).unwrap();
            assert_eq!(found.table.counts(), file.table.counts());
        }
    }
}

#[test]
fn long_frames_are_read_in_pieces_whatever_their_batches() {
    let rows = 150_000;
    let counties: Vec<&str> = (0..rows).map(|row| ["Alpha", "Beta", "Gamma"][row % 3]).collect();
    let ages: Vec<i32> = (0..rows as i32).map(|row| row / 7 % 4).collect();
    let whole = people(&counties, &ages);
    let mut wanted = vec![0; 12];
    counties.iter().zip(&ages).for_each(|(county, age)| {
        let place = ["Alpha", "Beta", "Gamma"].iter().position(|name| name == county).unwrap();
        wanted[place * 4 + *age as usize] += 1;
    });
    let memory = in_memory(declaration());
    let uneven = vec![whole.slice(0, 70_000), whole.slice(70_000, 1), whole.slice(70_001, 79_999)];
    for batches in [vec![whole.clone()], uneven] {
        assert_eq!(read_frame(&memory, &frame(batches)).unwrap().table.counts(), wanted);
    }
}

#[test]
fn texts_that_share_a_place_of_what_is_remembered_are_told_apart() {
    // More texts than are remembered at once, short and long, that differ in their first, last or
    // middle letters.
    let label = |number: usize| match number % 4 {
        0 => format!("{number}"),
        1 => format!("twelve{number:06}"),
        2 => format!("{number:05} is the first of a long text"),
        _ => format!("a long text with {number:05} in its middle"),
    };
    let number = 12_000;
    let labels: Vec<String> = (0..number).map(label).collect();
    let mut declaration = with_dimensions(vec![("county", "county", Values::List(labels.clone()))]);
    declaration.data.outside = Policy::Drop;
    declaration.data.missing = Policy::Drop;
    let memory = in_memory(declaration);
    // Every text comes as often as its number says, in an order without runs; some rows have none,
    // or one not declared.
    let rows: Vec<Option<&str>> = (0..90_000)
        .map(|row| match row * 7919 % 90_000 {
            other if other % 11 == 0 => None,
            other if other % 13 == 0 => Some("not declared, and longer than twelve letters"),
            other => Some(labels[other % number].as_str()),
        })
        .collect();
    let mut wanted = vec![0; number];
    for row in rows.iter().flatten() {
        let digits: String = row.chars().filter(char::is_ascii_digit).collect();
        if let Ok(place) = digits.parse::<usize>() {
            wanted[place] += 1;
        }
    }
    let bytes: Vec<Option<&[u8]>> = rows.iter().map(|row| row.map(str::as_bytes)).collect();
    let columns: [ArrayRef; 5] = [
        Arc::new(StringArray::from(rows.clone())),
        Arc::new(LargeStringArray::from(rows.clone())),
        Arc::new(StringViewArray::from(rows.clone())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
    ];
    for column in columns {
        let kind = column.data_type().clone();
        let found = read_frame(&memory, &frame(vec![batch(vec![("county", column)])])).unwrap();
        assert_eq!(found.table.counts(), wanted, "{kind}");
    }
}

#[test]
fn faults_name_the_row_over_all_batches() {
    let memory = in_memory(declaration());
    let good = people(&["Alpha"; 6], &[1; 6]);
    let bad = people(&["Beta", "Betta"], &[2, 2]);
    let problem = read_frame(&memory, &frame(vec![good.clone(), bad])).unwrap_err();
    let place = problem.place.clone().unwrap();
    assert_eq!((place.file.as_str(), place.line()), ("rows", 8), "{problem:?}");
    assert!(place.line_text().contains("county = Betta"), "{problem:?}");
    let mut text = "county,age\n".to_string() + &"Alpha,1\n".repeat(6);
    text += "Beta,2\nBetta,2\n";
    assert_eq!(read(&declaration(), text).unwrap_err().message, problem.message);
    let missing: ArrayRef = Arc::new(StringArray::from(vec![Some("Alpha"), None]));
    let missing = batch(vec![("county", missing), ("age", Arc::new(Int32Array::from(vec![1, 1])))]);
    let problem = read_frame(&memory, &frame(vec![missing])).unwrap_err();
    assert_eq!(problem.message, read(&declaration(), "county,age\nAlpha,1\n,1\n").unwrap_err().message);
}

#[test]
fn counts_of_a_frame_come_twice_as_in_a_file() {
    let memory = in_memory(counted());
    let children: ArrayRef = Arc::new(Int32Array::from(vec![4, 5]));
    let mut columns: Vec<(&str, ArrayRef)> = vec![("children", children)];
    columns.push(("county", Arc::new(StringArray::from(vec!["Alpha", "Alpha"]))));
    columns.push(("age", Arc::new(Int32Array::from(vec![1, 1]))));
    let problem = read_frame(&memory, &frame(vec![batch(columns)])).unwrap_err();
    assert!(problem.message.contains("(first in row 1)"), "{problem:?}");
}

#[test]
fn what_is_no_frame_for_a_spec_is_told() {
    let memory = in_memory(declaration());
    let problem = tabulate(&memory, &domain(&memory, &[]), std::path::Path::new("."), &mut |_| {}).unwrap_err();
    assert!(problem.message.contains("handed over in memory, as the frame `rows`"), "{problem:?}");
    let rows = frame(vec![people(&["Alpha"], &[1])]);
    let problem = read_frame(&declaration(), &rows).unwrap_err();
    assert!(problem.message.contains("a frame was handed over"), "{problem:?}");
    let other: ArrayRef = Arc::new(StringArray::from(vec!["Alpha"]));
    let fields = ["county", "county", "age"].map(|name| Field::new(name, DataType::Utf8, false));
    let twice = RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), vec![other.clone(); 3]).unwrap();
    let problem = read_frame(&memory, &frame(vec![twice])).unwrap_err();
    assert!(problem.message.contains("the frame has two columns named `county`"), "{problem:?}");
    let other = batch(vec![("conty", other), ("age", Arc::new(Int32Array::from(vec![1])))]);
    let problem = read_frame(&memory, &frame(vec![other.clone()])).unwrap_err();
    assert!(problem.message.contains("the frame has no column `county`"), "{problem:?}");
    assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("`conty`")), "{problem:?}");
    let mixed = Frame::new(rows.schema().clone(), vec![rows.batches()[0].clone(), other]).unwrap_err();
    assert!(mixed.message.contains("different columns"), "{mixed:?}");
}

#[test]
fn a_stream_that_fails_half_way_gives_nothing() {
    let good = people(&["Alpha"], &[1]);
    let schema = good.schema();
    let failing = vec![Ok(good), Err(ArrowError::ComputeError("the server has gone".into()))];
    let problem = Frame::read(Box::new(RecordBatchIterator::new(failing, schema))).unwrap_err();
    assert!(problem.message.contains("failed before its end") && problem.message.contains("has gone"), "{problem:?}");
}

#[test]
fn a_frame_shows_nothing_of_itself_and_is_surveyed_as_a_file() {
    let rows = frame(vec![people(&["Alpha", "Delta"], &[1, 2])]);
    assert_eq!(format!("{rows:?}"), "Frame(2 columns, redacted)");
    let memory = in_memory(declaration());
    let found = survey(&memory, &domain(&memory, &[]), Origin::Frame(&rows), &mut |_| {}).unwrap();
    assert_eq!((found.rows, found.columns.len(), found.columns[0].changed[0].found.as_str()), (2, 1, "Delta"));
}
