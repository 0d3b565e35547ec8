//! `ParquetFile`: the flat columns of a Parquet file, one row group after another.

use super::column::class_of;
use super::encode::Rows;
use super::pages::check_pages;
use super::place::Names;
use super::row_group::RowGroup;
use super::{BATCH, Parts};
use crate::batch::Batch;
use crate::fault::Fault;
use crate::file::{Class, DataFile, Piece, Pieces, Worker};
use crate::files::cannot_open;
use crate::guard::guarded;
use crate::judge::Judge;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use csv::ByteRecord;
use declare::Problem;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, Type as Physical};
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Values that are decoded at once take about so many bytes at most.
const BATCH_BYTES: u64 = 1 << 26;

/// A Parquet file.
pub(crate) struct ParquetFile {
    path: PathBuf,
    size: u64,
    names: Names,
    metadata: ArrowReaderMetadata,
    /// The class of every column, or what it holds that is not read.
    classes: Vec<Result<Class, &'static str>>,
    /// The number of the first row of every row group, and of all rows.
    starts: Vec<u64>,
}

impl ParquetFile {
    /// Opens the file at `path`, called `name` in messages, and reads what it says about itself.
    pub fn open(path: &Path, name: &str, size: u64) -> Result<Self, Problem> {
        let file = File::open(path).map_err(|error| cannot_open(path, name, &error))?;
        check_magic(&file, name, size)?;
        // What a program has noted about its own types is not needed, and may contradict the file.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let damaged = |error: String| {
            Problem::bad(format!("`{name}` is not a Parquet file that can be read: {error}"))
                .hint("it may be damaged: write it again")
        };
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, options)).map_err(damaged)?;
        let (starts, classes) = guarded(|| {
            let starts = row_starts(&metadata)?;
            Ok::<_, String>((starts, classes(metadata.parquet_schema(), metadata.schema())))
        })
        .map_err(damaged)?;
        let columns = metadata.parquet_schema().columns();
        let header = columns.iter().map(|column| column.path().string()).collect();
        let names = Names { kind: "data file", file: name.to_owned(), header, used: Vec::new() };
        Ok(ParquetFile { path: path.to_owned(), size, names, metadata, classes, starts })
    }

    /// The bytes of the file that are done when so many rows are.
    fn reached(&self, rows: u64) -> u64 {
        let all = u128::from(self.starts.last().copied().unwrap_or(0).max(1));
        (u128::from(self.size) * u128::from(rows) / all).min(u128::from(self.size)) as u64
    }

    /// Hands the record batches of a row group on, with the number of the first row of each, while `take` wants more.
    fn batches(&self, group: usize, take: &mut dyn FnMut(&RecordBatch, u64) -> bool) -> Result<(), Problem> {
        let damaged = |error: String| self.names.damaged(&error);
        let mut reader = guarded(|| self.open_group(group, None)).map_err(damaged)?;
        let (mut row, end) = (self.starts[group], self.starts[group + 1]);
        while let Some(batch) = guarded(|| reader.next().transpose()).map_err(damaged)? {
            let start = row;
            row += batch.num_rows() as u64;
            if row > end {
                break;
            }
            if !take(&batch, start) {
                return Ok(());
            }
        }
        if row != end {
            return Err(damaged("a row group has another number of rows than the file says".to_owned()));
        }
        Ok(())
    }

    /// A reader of a row group, or of one of its rows.
    fn open_group(&self, group: usize, only: Option<usize>) -> Result<ParquetRecordBatchReader, String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let chunks = self.metadata.metadata().row_group(group);
        let mut bytes = 0;
        for column in &self.names.used {
            check_pages(&mut file, chunks.column(*column), self.size)?;
            bytes += u64::try_from(chunks.column(*column).uncompressed_size()).unwrap_or(0);
        }
        // Long texts are decoded in shorter batches.
        let rows = u64::try_from(chunks.num_rows()).unwrap_or(0).max(1);
        let batch = (BATCH_BYTES / (bytes / rows).max(1)).clamp(1, BATCH as u64).min(rows) as usize;
        let schema = self.metadata.parquet_schema();
        let mask = ProjectionMask::leaves(schema, self.names.used.iter().copied());
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(self.metadata.schema().fields()));
        let levels = levels.map_err(|error| error.to_string())?;
        let group = RowGroup { file: Arc::new(file), metadata: Arc::clone(self.metadata.metadata()), number: group };
        let only = only.map(|row| RowSelection::from(vec![RowSelector::skip(row), RowSelector::select(1)]));
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, batch, only);
        reader.map_err(|error| error.to_string())
    }

    /// The row with this number as text.
    fn find(&self, row: u64) -> Option<ByteRecord> {
        let mut record = ByteRecord::new();
        let group = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        let number = usize::try_from(row - self.starts[group]).ok()?;
        let batch = guarded(|| {
            let mut reader = self.open_group(group, Some(number))?;
            reader.next().transpose().map_err(|error| error.to_string())
        });
        let batch = batch.ok()??;
        Rows::of(&self.names, &batch).map(|rows| rows.text(0, &mut record, &mut Vec::new())).ok()?;
        Some(record)
    }
}

impl DataFile for ParquetFile {
    fn name(&self) -> &str {
        &self.names.file
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn header(&self) -> &[String] {
        &self.names.header
    }

    fn class(&self, column: usize) -> Option<Class> {
        self.classes[column].ok()
    }

    fn unreadable(&self, column: usize) -> Option<&'static str> {
        self.classes[column].err()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        self.names.select(columns, &self.classes)?;
        for column in columns {
            for group in self.metadata.metadata().row_groups() {
                check_compression(group, *column, &self.names)?;
            }
        }
        // Asked for as dictionaries, texts are looked up once per dictionary and not once per row.
        let schema = self.metadata.schema();
        let fields = schema.fields().iter().map(|field| match field.data_type() {
            kind @ (DataType::Utf8 | DataType::Binary) => {
                let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(kind.clone()));
                Arc::new(Field::new(field.name(), kind, field.is_nullable()))
            }
            _ => Arc::clone(field),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(schema);
        let metadata = Arc::clone(self.metadata.metadata());
        let metadata = guarded(|| ArrowReaderMetadata::try_new(metadata, options));
        self.metadata = metadata.map_err(|error| self.names.damaged(&error))?;
        Ok(())
    }

    fn pieces(&self) -> Result<Box<dyn Pieces + '_>, Problem> {
        let rows = self.starts.last().copied().unwrap_or(0);
        Ok(Box::new(Parts { next: 0, number: self.starts.len() - 1, rows }))
    }

    fn work(&self, piece: Piece, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let Piece::Part(group) = piece else {
            return;
        };
        let mut failed = None;
        let ended = self.batches(group, &mut |rows, first| {
            let mut batch = Batch::new(first);
            batch.end = first + rows.num_rows() as u64;
            batch.reached = self.reached(batch.end);
            let entered = Rows::of(&self.names, rows).map(|rows| rows.enter(judge, &mut worker.known, &mut batch));
            match entered {
                Ok(()) => {
                    let stops = batch.stop.is_some();
                    emit(batch) && !stops
                }
                Err(problem) => {
                    failed = Some(problem);
                    false
                }
            }
        });
        if let Some(problem) = failed.or(ended.err()) {
            emit(Batch::stopped(problem));
        }
    }

    fn rows(&self, piece: Piece, row: &mut dyn FnMut(&ByteRecord) -> Result<(), Problem>) -> Result<(), Problem> {
        let Piece::Part(group) = piece else {
            return Ok(());
        };
        let (mut record, mut scratch) = (ByteRecord::new(), Vec::new());
        let mut result = Ok(());
        self.batches(group, &mut |batch, _| {
            let each = Rows::of(&self.names, batch).map(|rows| {
                (0..rows.length).try_for_each(|number| {
                    rows.text(number, &mut record, &mut scratch);
                    row(&record)
                })
            });
            result = each.and_then(|each| each);
            result.is_ok()
        })?;
        result
    }

    fn header_problem(&self, fault: Fault) -> Problem {
        self.names.header_problem(fault)
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        self.names.problem(place, self.find(place).as_ref(), fault)
    }

    fn whereabouts(&self, place: u64) -> String {
        format!("in row {}", place + 1)
    }
}

/// Looks at the first and the last bytes, which tell most damage from other kinds of file.
fn check_magic(mut file: &File, name: &str, size: u64) -> Result<(), Problem> {
    let mut ends = [[0; 4]; 2];
    let mut read = |from, end: &mut [u8; 4]| file.seek(from).and_then(|_| file.read_exact(end)).is_ok();
    let read = size >= 12 && read(SeekFrom::Start(0), &mut ends[0]) && read(SeekFrom::End(-4), &mut ends[1]);
    if !read {
        return Err(Problem::bad(format!("`{name}` is not a Parquet file: it has only {size} bytes"))
            .hint("it may have been copied in part, or is another kind of file with this extension"));
    }
    match (&ends[0], &ends[1]) {
        (b"PAR1", b"PAR1") => Ok(()),
        (b"PARE", _) | (_, b"PARE") => Err(Problem::bad(format!("the Parquet file `{name}` is encrypted"))
            .hint("write it without encryption, to a place that only the curator can read")),
        (b"PAR1", _) => Err(Problem::bad(format!("the Parquet file `{name}` ends early: its end is missing"))
            .hint("it may have been copied in part, or the program that wrote it was stopped: write it again")),
        _ => Err(Problem::bad(format!("`{name}` is not a Parquet file: it does not begin like one"))
            .hint("it may be damaged, or another kind of file with this extension")),
    }
}

fn check_compression(group: &RowGroupMetaData, column: usize, names: &Names) -> Result<(), Problem> {
    let compression = group.column(column).compression();
    match compression {
        Compression::LZO | Compression::BROTLI(_) => {
            Err(Problem::not_yet(format!("reading `{}`, which is compressed by {compression}", names.file))
                .hint("write it with Snappy, Zstandard, gzip or LZ4, or uncompressed"))
        }
        _ => Ok(()),
    }
}

/// The number of the first row of every row group, and of all rows.
fn row_starts(metadata: &ArrowReaderMetadata) -> Result<Vec<u64>, String> {
    let metadata = metadata.metadata();
    let mut starts = vec![0u64];
    let mut rows = 0u64;
    for group in metadata.row_groups() {
        let more = u64::try_from(group.num_rows()).map_err(|_| "a row group has fewer than no rows")?;
        rows = rows.checked_add(more).ok_or("it has more rows than can be counted")?;
        starts.push(rows);
    }
    if u64::try_from(metadata.file_metadata().num_rows()) != Ok(rows) {
        return Err("its row groups have another number of rows than the file says".to_owned());
    }
    Ok(starts)
}

/// The class of every leaf column, or what it holds that is not read.
fn classes(leaves: &SchemaDescriptor, schema: &Schema) -> Vec<Result<Class, &'static str>> {
    let class = |number: usize| {
        let leaf = leaves.column(number);
        if leaf.path().parts().len() > 1 || leaf.max_rep_level() > 0 {
            return Err("nested values");
        }
        if leaf.physical_type() == Physical::INT96 {
            return Err("times");
        }
        class_of(schema.field(leaves.get_column_root_idx(number)).data_type())
    };
    (0..leaves.num_columns()).map(class).collect()
}
