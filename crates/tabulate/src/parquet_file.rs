//! `ParquetFile`: flat columns of a Parquet file, read row by row as if they were text.
//!
//! Every value becomes the text that a CSV file would hold, so that both formats are read by the same rules: whole numbers
//! in digits, other numbers in the shortest decimals that mean the same binary number, flags as `true` and `false`.
//! Nulls, and the not-a-number that some programs write for them, are missing values.

use crate::fault::{Fault, quoted, shortened};
use crate::file::DataFile;
use csv::{ByteRecord, Position};
use declare::{Place, Problem};
use parquet::basic::{Compression, ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows that are decoded at once: bounds the memory.
const BATCH: usize = 4096;

/// An open Parquet file.
pub(crate) struct ParquetFile {
    name: String,
    size: u64,
    reader: SerializedFileReader<File>,
    header: Vec<String>,
    selected: Vec<usize>,
    /// The columns of the current row group, in the order of `selected`.
    columns: Vec<Decoder>,
    next_group: usize,
    /// Rows of the current row group that are not decoded yet.
    group_left: usize,
    /// The next row of the batch, and how many it has.
    next: usize,
    batch: usize,
    rows_read: u64,
}

impl ParquetFile {
    /// Reads the open file, called `name` in messages.
    pub fn new(file: File, name: &str) -> Result<Self, Problem> {
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let reader = guarded(|| SerializedFileReader::new(file)).map_err(|error| {
            Problem::bad(format!("`{name}` is not a Parquet file: {error}"))
                .hint("it may be damaged, or another kind of file with this extension")
        })?;
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let header = columns.iter().map(|column| column.path().string()).collect();
        Ok(ParquetFile {
            name: name.to_owned(),
            size,
            reader,
            header,
            selected: Vec::new(),
            columns: Vec::new(),
            next_group: 0,
            group_left: 0,
            next: 0,
            batch: 0,
            rows_read: 0,
        })
    }

    fn damaged(&self, error: &ParquetError) -> Problem {
        Problem::bad(format!("the data file `{}` could not be read to its end: {error}", self.name))
            .hint("the file is damaged: write it again")
    }

    /// Decodes the next rows; `false` when there are none.
    fn advance(&mut self) -> Result<bool, Problem> {
        while self.group_left == 0 {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let columns = guarded(|| self.open_group()).map_err(|error| self.damaged(&error))?;
            let rows = self.reader.metadata().row_group(self.next_group).num_rows();
            self.group_left = usize::try_from(rows).unwrap_or(0);
            self.columns = columns;
            self.next_group += 1;
        }
        let rows = self.group_left.min(BATCH);
        let columns = &mut self.columns;
        let decoded = guarded(|| columns.iter_mut().try_for_each(|column| column.decode(rows)));
        decoded.map_err(|error| self.damaged(&error))?;
        self.group_left -= rows;
        (self.next, self.batch) = (0, rows);
        Ok(true)
    }

    fn open_group(&self) -> Result<Vec<Decoder>, ParquetError> {
        let group = self.reader.get_row_group(self.next_group)?;
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let decoder = |column: &usize| {
            let descriptor = schema.column(*column);
            Ok(Decoder {
                reader: group.get_column_reader(*column)?,
                optional: descriptor.max_def_level() > 0,
                unsigned: is_unsigned(&descriptor),
                text: Vec::new(),
                ends: Vec::new(),
            })
        };
        self.selected.iter().map(decoder).collect()
    }
}

impl DataFile for ParquetFile {
    fn header(&mut self, _: &mut ByteRecord) -> Result<Vec<String>, Problem> {
        Ok(self.header.clone())
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        let metadata = self.reader.metadata();
        for column in columns {
            let descriptor = metadata.file_metadata().schema_descr().column(*column);
            let name = quoted(&self.header[*column]);
            if let Some(kind) = unreadable(&descriptor) {
                return Err(Problem::bad(format!("the column {name} of `{}` holds {kind}", self.name))
                    .hint("write it as text, whole numbers, decimals or flags"));
            }
            for group in metadata.row_groups() {
                let compression = group.column(*column).compression();
                if !matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)) {
                    let what = format!("reading `{}`, which is compressed by {compression}", self.name);
                    return Err(Problem::not_yet(what).hint("write it with Snappy or Zstandard, or uncompressed"));
                }
            }
        }
        self.selected = columns.to_vec();
        Ok(())
    }

    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Problem> {
        if self.next == self.batch && !self.advance()? {
            return Ok(false);
        }
        record.clear();
        let mut columns = self.selected.iter().zip(&self.columns).peekable();
        for column in 0..self.header.len() {
            match columns.next_if(|(selected, _)| **selected == column) {
                Some((_, decoder)) => record.push_field(decoder.field(self.next)),
                None => record.push_field(b""),
            }
        }
        let mut position = Position::new();
        position.set_byte(self.rows_read);
        record.set_position(Some(position));
        self.next += 1;
        self.rows_read += 1;
        Ok(true)
    }

    fn check_end(&self) -> Result<(), Problem> {
        Ok(())
    }

    fn bytes_read(&self) -> u64 {
        let rows = self.reader.metadata().file_metadata().num_rows().max(1) as u128;
        let part = u128::from(self.size) * u128::from(self.rows_read) / rows;
        let ended = self.next == self.batch && self.group_left == 0 && self.next_group == self.reader.num_row_groups();
        if ended { self.size } else { part.min(u128::from(self.size)) as u64 }
    }

    fn problem(&self, record: &ByteRecord, fault: Fault) -> Problem {
        let mut message = fault.message;
        if let Some(first) = fault.earlier {
            message = format!("{message} (first in row {})", first + 1);
        }
        let mut problem = Problem::bad(message);
        problem.hint = fault.hint;
        let Some(position) = record.position() else {
            let columns: Vec<String> = self.header.iter().take(40).map(|name| quoted(name)).collect();
            let text = columns.join(", ");
            let span = 0..text.len();
            return problem.at(Place { file: self.name.clone(), text, first_line: 1, span, label: fault.label });
        };
        let (text, span) = self.shown(record, fault.field);
        let first_line = usize::try_from(position.byte() + 1).unwrap_or(usize::MAX);
        problem.at(Place {
            file: self.name.clone(),
            text,
            first_line,
            span,
            label: format!("{} (row {first_line})", fault.label),
        })
    }
}

impl ParquetFile {
    /// A row as messages show it, `county = Alpha, age = 3`, and the bytes of one of its values.
    fn shown(&self, record: &ByteRecord, field: Option<usize>) -> (String, std::ops::Range<usize>) {
        let mut text = String::new();
        let mut span = None;
        for column in &self.selected {
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(&shortened(&self.header[*column]));
            text.push_str(" = ");
            let start = text.len();
            let value = String::from_utf8_lossy(record.get(*column).unwrap_or_default());
            text.push_str(&if value.is_empty() { "(missing)".to_owned() } else { shortened(&value) });
            if field == Some(*column) {
                span = Some(start..text.len());
            }
        }
        let whole = 0..text.len();
        (text, span.unwrap_or(whole))
    }
}

/// Runs a part of the Parquet library, which panics on some damaged files. What it worked on is not used after a failure.
fn guarded<T>(run: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(ParquetError::General("its pages contradict each other".to_owned())))
}

/// One column of a row group, decoded batch by batch to text.
struct Decoder {
    reader: ColumnReader,
    optional: bool,
    unsigned: bool,
    /// The fields of the batch, one after another, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Decoder {
    fn field(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    fn decode(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.text.clear();
        self.ends.clear();
        let (text, ends, optional, unsigned) = (&mut self.text, &mut self.ends, self.optional, self.unsigned);
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => texts(reader, rows, optional, text, ends, |flag, text| {
                text.extend_from_slice(if *flag { b"true" } else { b"false" });
            }),
            ColumnReader::Int32ColumnReader(reader) => texts(reader, rows, optional, text, ends, |number, text| {
                if unsigned { put(text, *number as u32) } else { put(text, *number) }
            }),
            ColumnReader::Int64ColumnReader(reader) => texts(reader, rows, optional, text, ends, |number, text| {
                if unsigned { put(text, *number as u64) } else { put(text, *number) }
            }),
            ColumnReader::FloatColumnReader(reader) => texts(reader, rows, optional, text, ends, |number, text| {
                if !number.is_nan() {
                    put(text, *number);
                }
            }),
            ColumnReader::DoubleColumnReader(reader) => texts(reader, rows, optional, text, ends, |number, text| {
                if !number.is_nan() {
                    put(text, *number);
                }
            }),
            ColumnReader::ByteArrayColumnReader(reader) => texts(reader, rows, optional, text, ends, |bytes, text| {
                text.extend_from_slice(bytes.data());
            }),
            _ => Err(ParquetError::General("a column of a kind that is not read".to_owned())),
        }
    }
}

fn put(text: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing to memory cannot fail.
    let _ = write!(text, "{value}");
}

/// Decodes this many rows of a column and writes each as text; a null is empty.
fn texts<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    optional: bool,
    text: &mut Vec<u8>,
    ends: &mut Vec<usize>,
    put: impl Fn(&T::T, &mut Vec<u8>),
) -> Result<(), ParquetError> {
    let mut values: Vec<T::T> = Vec::with_capacity(rows);
    let mut levels: Vec<i16> = Vec::with_capacity(if optional { rows } else { 0 });
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader.read_records(rows - read, optional.then_some(&mut levels), None, &mut values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    let mut present = values.iter();
    for row in 0..read {
        if !optional || levels.get(row).is_some_and(|level| *level > 0) {
            match present.next() {
                Some(value) => put(value, text),
                None => break,
            }
        }
        ends.push(text.len());
    }
    if ends.len() < rows || present.next().is_some() {
        return Err(ParquetError::General("a column has another number of values than the file says".to_owned()));
    }
    Ok(())
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
    match column.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(column.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64),
    }
}

/// What a column holds, if it cannot be read as text.
fn unreadable(column: &ColumnDescriptor) -> Option<&'static str> {
    use ConvertedType as Converted;
    if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
        return Some("nested values");
    }
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Date), _) | (None, Converted::DATE) => return Some("dates"),
        (Some(LogicalType::Timestamp(_) | LogicalType::Time(_)), _)
        | (
            None,
            Converted::TIMESTAMP_MILLIS | Converted::TIMESTAMP_MICROS | Converted::TIME_MILLIS | Converted::TIME_MICROS,
        ) => return Some("times"),
        (Some(LogicalType::Decimal(_)), _) | (None, Converted::DECIMAL) => return Some("scaled decimals"),
        (
            Some(
                LogicalType::String
                | LogicalType::Enum
                | LogicalType::Json
                | LogicalType::Integer(_)
                | LogicalType::Unknown,
            )
            | None,
            _,
        ) => {}
        _ => return Some("values of a special kind"),
    }
    match column.physical_type() {
        Physical::BOOLEAN
        | Physical::INT32
        | Physical::INT64
        | Physical::FLOAT
        | Physical::DOUBLE
        | Physical::BYTE_ARRAY => None,
        Physical::INT96 => Some("times"),
        Physical::FIXED_LEN_BYTE_ARRAY => Some("values of a special kind"),
    }
}
