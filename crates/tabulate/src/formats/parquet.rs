//! `Parquet`: the flat columns of Parquet files, one row group after another.

mod pages;
mod row_group;

use super::typed::{BATCH, BatchTaker, Classes, TypedFile, TypedParts};
use crate::columnar::class_of;
use crate::file::{DataFile, InputFormat};
use crate::guard::guarded;
use crate::header::FILE;
use crate::names::Names;
use crate::source::Source;
use arrow_schema::{DataType, Field, Schema};
use declare::Problem;
use pages::check_pages;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, Type as Physical};
use parquet::schema::types::SchemaDescriptor;
use row_group::RowGroup;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

/// Values that are decoded at once take about so many bytes at most.
const BATCH_BYTES: u64 = 1 << 26;

/// Parquet files.
pub(crate) struct Parquet;

impl InputFormat for Parquet {
    fn endings(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem> {
        let (name, size) = (source.name, source.size);
        let file = source.open()?;
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
        let columns = metadata.parquet_schema().columns().iter().map(|column| column.path().string()).collect();
        let rows = starts.last().copied().unwrap_or(0);
        let parts = ParquetGroups { path: source.path.to_owned(), size, metadata, starts };
        Ok(Box::new(TypedFile { names: Names::new(FILE, name, columns), size, rows, classes, parts }))
    }
}

struct ParquetGroups {
    path: PathBuf,
    size: u64,
    metadata: ArrowReaderMetadata,
    /// The number of the first row of every row group, and of all rows.
    starts: Vec<u64>,
}

impl ParquetGroups {
    /// A reader of the used columns of a row group.
    fn open_group(&self, group: usize, used: &[usize]) -> Result<ParquetRecordBatchReader, String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let chunks = self.metadata.metadata().row_group(group);
        let mut bytes = 0;
        for column in used {
            check_pages(&mut file, chunks.column(*column), self.size)?;
            bytes += u64::try_from(chunks.column(*column).uncompressed_size()).unwrap_or(0);
        }
        // Long texts are decoded in shorter batches.
        let rows = u64::try_from(chunks.num_rows()).unwrap_or(0).max(1);
        let batch = (BATCH_BYTES / (bytes / rows).max(1)).clamp(1, BATCH as u64).min(rows) as usize;
        let schema = self.metadata.parquet_schema();
        let mask = ProjectionMask::leaves(schema, used.iter().copied());
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(self.metadata.schema().fields()));
        let levels = levels.map_err(|error| error.to_string())?;
        let group = RowGroup { file: Arc::new(file), metadata: Arc::clone(self.metadata.metadata()), number: group };
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, batch, None);
        reader.map_err(|error| error.to_string())
    }
}

impl TypedParts for ParquetGroups {
    fn select(&mut self, names: &Names) -> Result<(), Problem> {
        for column in &names.used {
            for group in self.metadata.metadata().row_groups() {
                let compression = group.column(*column).compression();
                if matches!(compression, Compression::LZO | Compression::BROTLI(_)) {
                    let what = format!("reading `{}`, which is compressed by {compression}", names.file);
                    let hint = "write it with Snappy, Zstandard, gzip or LZ4, or uncompressed";
                    return Err(Problem::not_yet(what).hint(hint));
                }
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
        self.metadata = metadata.map_err(|error| names.damaged(&error))?;
        Ok(())
    }

    fn starts(&self) -> Vec<u64> {
        self.starts[..self.starts.len() - 1].to_vec()
    }

    fn decode(&self, part: usize, used: &[usize], take: &mut BatchTaker<'_>) -> Result<(), String> {
        let mut reader = guarded(|| self.open_group(part, used))?;
        let (mut row, end) = (self.starts[part], self.starts[part + 1]);
        while let Some(batch) = guarded(|| reader.next().transpose())? {
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
            return Err("a row group has another number of rows than the file says".to_owned());
        }
        Ok(())
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
fn classes(leaves: &SchemaDescriptor, schema: &Schema) -> Classes {
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
