//! Writes the same table in every format.

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::io::Write;
use std::sync::Arc;

/// The values of a column; `None` is missing.
#[derive(Debug, Clone)]
pub enum Values {
    Text(Vec<Option<String>>),
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
}

/// The columns of a table.
pub type Columns = Vec<(&'static str, Values)>;

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
        }
    }

    fn field(&self, row: usize) -> String {
        match self {
            Values::Text(values) => values[row].clone().unwrap_or_default(),
            Values::Whole(values) => values[row].map_or(String::new(), |value| value.to_string()),
            Values::Real(values) => values[row].map_or(String::new(), |value| value.to_string()),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Values::Text(values) => Arc::new(StringArray::from(values.clone())),
            Values::Whole(values) => Arc::new(Int64Array::from(values.clone())),
            Values::Real(values) => Arc::new(Float64Array::from(values.clone())),
        }
    }
}

pub fn batch(columns: &Columns) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().map(|(name, values)| (*name, values.array()))).expect("equal lengths")
}

pub fn text(columns: &Columns, delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record(columns.iter().map(|(name, _)| name)).expect("written");
    for row in 0..columns.first().map_or(0, |(_, values)| values.len()) {
        writer.write_record(columns.iter().map(|(_, values)| values.field(row))).expect("written");
    }
    writer.into_inner().expect("a file")
}

/// In two members where it is long enough, as several packed files one after another are.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let halves = bytes.split_at(bytes.len() / 2);
    let mut packed = Vec::new();
    for half in [halves.0, halves.1] {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(half).expect("written");
        packed.extend(encoder.finish().expect("packed"));
    }
    packed
}

/// In two frames.
pub fn zstandard(bytes: &[u8]) -> Vec<u8> {
    let halves = bytes.split_at(bytes.len() / 2);
    [halves.0, halves.1].map(|half| zstd::encode_all(half, 1).expect("packed")).concat()
}

pub fn parquet(columns: &Columns, properties: WriterProperties) -> Vec<u8> {
    let batch = batch(columns);
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("a file")
}

pub fn arrow_file(batch: &RecordBatch, rows: usize, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("an option");
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).expect("a writer");
    for part in parts(batch, rows) {
        writer.write(&part).expect("written");
    }
    writer.into_inner().expect("a file")
}

pub fn arrow_stream(batch: &RecordBatch, rows: usize) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    for part in parts(batch, rows) {
        writer.write(&part).expect("written");
    }
    writer.into_inner().expect("a stream")
}

fn parts(batch: &RecordBatch, rows: usize) -> impl Iterator<Item = RecordBatch> {
    let all = batch.num_rows();
    (0..all).step_by(rows).map(move |start| batch.slice(start, rows.min(all - start)))
}

/// The table in every format: the name of the file, and its bytes. Row groups and record batches
/// have this many rows.
pub fn every_format(columns: &Columns, rows: usize) -> Vec<(&'static str, Vec<u8>)> {
    let properties = || WriterProperties::builder().set_max_row_group_row_count(Some(rows));
    let plain = text(columns, b',');
    let batch = batch(columns);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let second = properties().set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false);
    vec![
        ("table.tsv", text(columns, b'\t')),
        ("table.csv.gz", gzip(&plain)),
        ("table.csv.zst", zstandard(&plain)),
        ("snappy.parquet", parquet(columns, properties().set_compression(Compression::SNAPPY).build())),
        ("no-dictionary.parquet", parquet(columns, properties().set_dictionary_enabled(false).build())),
        ("second-version.parquet", parquet(columns, second.set_compression(zstd).build())),
        (
            "gzip.parquet",
            parquet(columns, properties().set_compression(Compression::GZIP(GzipLevel::default())).build()),
        ),
        ("lz4.PARQUET", parquet(columns, properties().set_compression(Compression::LZ4_RAW).build())),
        ("one-group.parquet", parquet(columns, WriterProperties::default())),
        ("table.arrow", arrow_file(&batch, rows, None)),
        ("table.feather", arrow_file(&batch, rows, Some(CompressionType::LZ4_FRAME))),
        ("table.ipc", arrow_file(&batch, rows, Some(CompressionType::ZSTD))),
        ("table.arrows", arrow_stream(&batch, rows)),
        ("table.xlsx", workbook(columns)),
        ("table.csv", plain),
    ]
}

/// A workbook with the table in its first sheet, and another sheet that is not read.
pub fn workbook(columns: &Columns) -> Vec<u8> {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    for (place, (name, values)) in (0..).zip(columns) {
        sheet.write_string(0, place, *name).expect("a header");
        for row in 0..values.len() {
            let line = row as u32 + 1;
            match values {
                Values::Text(texts) => texts[row].as_ref().map(|text| sheet.write_string(line, place, text)),
                Values::Whole(numbers) => numbers[row].map(|number| sheet.write_number(line, place, number as f64)),
                Values::Real(numbers) => numbers[row].map(|number| sheet.write_number(line, place, number)),
            }
            .transpose()
            .expect("a cell");
        }
    }
    workbook.add_worksheet().write_string(0, 0, "other").expect("a cell");
    workbook.save_to_buffer().expect("a workbook")
}
