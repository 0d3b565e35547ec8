//! `Frame`: rows in memory, in columns.

use crate::guard::guarded;
use crate::source::cannot_open;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{Schema, SchemaRef};
use declare::Problem;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Rows in memory, in columns. They may be confidential: nothing of them is shown when it is
/// printed.
#[derive(Clone)]
pub struct Frame {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

impl Frame {
    /// The rows of these batches, which have one schema.
    ///
    /// # Errors
    /// When a batch has another schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Frame, Problem> {
        let kinds = |schema: &SchemaRef| -> Vec<_> {
            schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
        };
        let wanted = kinds(&schema);
        match batches.iter().all(|batch| kinds(&batch.schema()) == wanted) {
            true => Ok(Frame { schema, batches }),
            false => Err(Problem::bad("the batches of the frame have different columns")
                .hint("hand over batches with the same columns of the same types")),
        }
    }

    /// Reads a stream of batches to its end; the frame owns what it holds.
    ///
    /// # Errors
    /// When the stream fails: nothing of it is used then.
    pub fn read(batches: Box<dyn RecordBatchReader + '_>) -> Result<Frame, Problem> {
        let schema = batches.schema();
        let batches: Result<Vec<RecordBatch>, _> = batches.collect();
        let batches = batches.map_err(|error| {
            Problem::system(format!("the stream of the frame failed before its end: {error}"))
                .hint("nothing was used of it; make the frame again")
        })?;
        Frame::new(schema, batches)
    }

    /// The rows of these frames, one after the other.
    ///
    /// # Errors
    /// When there is none, or their columns differ.
    pub fn joined(frames: Vec<Frame>) -> Result<Frame, Problem> {
        let schema = frames.first().map(|frame| SchemaRef::clone(&frame.schema));
        let schema = schema.ok_or_else(|| Problem::bad("the frame has no chunks"))?;
        Frame::new(schema, frames.into_iter().flat_map(|frame| frame.batches).collect())
    }

    /// The rows of a Parquet file that this program wrote, called `name` in messages.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn of_parquet(path: &Path, name: &str) -> Result<Frame, Problem> {
        let file = File::open(path).map_err(|error| cannot_open(path, name, &error))?;
        let read = || {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| error.to_string())?;
            let schema = SchemaRef::clone(reader.schema());
            let reader = reader.build().map_err(|error| error.to_string())?;
            let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            Ok::<_, String>((schema, batches))
        };
        let (schema, batches) = guarded(read)
            .map_err(|error| Problem::bad(format!("`{name}` is not a Parquet file that can be read: {error}")))?;
        // Batches that were read have no metadata of the file.
        let plain = Schema::new(schema.fields().clone());
        Frame::new(SchemaRef::new(plain), batches)
    }

    /// Columns of the same length as a frame.
    ///
    /// # Errors
    /// When their lengths differ.
    pub fn of_columns(columns: Vec<(String, FrameColumn)>) -> Result<Frame, Problem> {
        let named = columns.into_iter().map(|(name, column)| {
            let array: ArrayRef = match column {
                FrameColumn::Texts(texts) => Arc::new(StringArray::from(texts)),
                FrameColumn::MaybeTexts(texts) => Arc::new(StringArray::from(texts)),
                FrameColumn::Flags(flags) => Arc::new(BooleanArray::from(flags)),
                FrameColumn::Integers(numbers) => Arc::new(Int64Array::from(numbers)),
                FrameColumn::Reals(numbers) => Arc::new(Float64Array::from(numbers)),
            };
            (name, array)
        });
        let batch = RecordBatch::try_from_iter(named)
            .map_err(|error| Problem::bad(format!("the columns are no table: {error}")))?;
        Frame::new(batch.schema(), vec![batch])
    }

    /// Writes the rows to a Parquet file that does not exist yet.
    ///
    /// # Errors
    /// When it exists, or cannot be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), Problem> {
        let failed = |error: String| Problem::system(format!("cannot write `{}`: {error}", path.display()));
        let file = File::create_new(path).map_err(|error| failed(error.to_string()))?;
        let write = || {
            let mut writer = ArrowWriter::try_new(file, SchemaRef::clone(&self.schema), None)?;
            self.batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.close()
        };
        guarded(write).map(|_| ()).map_err(failed)
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// A column of a frame that is made here.
#[derive(Debug, Clone)]
pub enum FrameColumn {
    /// Texts.
    Texts(Vec<String>),
    /// Texts, or nothing.
    MaybeTexts(Vec<Option<String>>),
    /// Flags, or nothing.
    Flags(Vec<Option<bool>>),
    /// Whole numbers, or nothing.
    Integers(Vec<Option<i64>>),
    /// Real numbers, or nothing.
    Reals(Vec<Option<f64>>),
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} columns, redacted)", self.schema.fields().len())
    }
}
