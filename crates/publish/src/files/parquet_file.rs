//! Rows as Parquet: one row group for every portion, texts with a dictionary.

use super::examples::Example;
use super::format::{RowWriter, TableFormat};
use super::rows::{Cells, ColumnKind, Field};
use super::table_reader::{Damage, Portions};
use super::{cannot, column_names};
use declare::{Column, Domain, Problem};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Apache Parquet.
#[derive(Debug)]
pub struct Parquet;

/// The rows of a row group.
const PARQUET_ROWS: usize = 1 << 20;

impl TableFormat for Parquet {
    fn extension(&self) -> &'static str {
        "parquet"
    }

    fn create(&self, path: &Path, metadata: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
        let metadata = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
        Ok(Box::new(ParquetWriter { path: path.to_path_buf(), metadata, file: Some(file), writer: None }))
    }

    // One row group at a time.
    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
        let damage = Damage { path };
        let file = File::open(path).map_err(|error| cannot("open", path, error))?;
        let reader = SerializedFileReader::new(file)
            .map_err(|error| damage.of(format_args!("is not a Parquet file: {error}")))?;

        // A scale or a sign in the schema would make other numbers of the same bytes.
        let plain = |column: &ColumnDescPtr| {
            let logical = match column.logical_type_ref() {
                None | Some(LogicalType::String) => true,
                Some(LogicalType::Integer(integer)) => integer.is_signed && integer.bit_width == 64,
                Some(_) => false,
            };
            logical
                && matches!(column.converted_type(), ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::INT_64)
        };
        let found = reader.metadata().file_metadata().schema_descr().columns();
        let same = found.iter().map(|column| column.name()).eq(column_names(domain, portions.intervals));
        if !same || !found.iter().all(plain) {
            return Err(damage.columns());
        }
        let failed = |error: ParquetError| cannot("read", path, error);
        let columns = domain.columns();
        let mut read = 0;
        let mut walk = domain.walk();
        for index in 0..reader.num_row_groups() {
            let group = reader.get_row_group(index).map_err(failed)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            if rows > PARQUET_ROWS {
                return Err(damage.of("has a larger row group than this program writes"));
            }
            if rows > domain.len() - read {
                return Err(damage.more());
            }
            read += rows;
            let mut codes = vec![Vec::with_capacity(rows); domain.schema.dimensions.len()];
            for _ in 0..rows {
                let Some((_, cell)) = walk.advance() else { break };
                codes.iter_mut().zip(cell).for_each(|(column, code)| column.push(*code as u32));
            }
            for (position, column) in columns.iter().enumerate() {
                if !same_labels(group.as_ref(), position, column, &codes[column.dimension]).map_err(failed)? {
                    let name = column.name;
                    return Err(
                        damage.of(format_args!("has other cells in column `{name}` than its certificate declares"))
                    );
                }
            }
            let Portions { values, lower, upper, intervals, .. } = portions;
            for (number, numbers) in [values, lower, upper].into_iter().enumerate().take(if *intervals { 3 } else { 1 })
            {
                match group.get_column_reader(columns.len() + number).map_err(failed)? {
                    ColumnReader::Int64ColumnReader(mut column) => {
                        column.read_records(rows, None, None, numbers).map_err(failed)?;
                    }
                    _ => return Err(damage.of("has values that are not whole numbers")),
                }
                if numbers.len() != rows {
                    return Err(damage.of("has rows without a value"));
                }
            }
            portions.hand_on()?;
        }
        if read == domain.len() { Ok(()) } else { Err(damage.fewer()) }
    }

    fn rows_at_once(&self) -> usize {
        PARQUET_ROWS
    }

    fn metadata(&self, path: &Path) -> Result<Option<Vec<(String, String)>>, Problem> {
        let file = File::open(path).map_err(|error| cannot("open", path, error))?;
        let reader = SerializedFileReader::new(file).map_err(|error| cannot("read", path, error))?;
        let pairs = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
        Ok(Some(pairs.into_iter().map(|pair| (pair.key, pair.value.unwrap_or_default())).collect()))
    }

    fn same(&self, found: &Path, made: &Path) -> Result<bool, Problem> {
        same_rows(found, made).map_err(|error| cannot("read", found, error))
    }

    fn remark(&self) -> &'static str {
        "The Parquet files carry title, guarantee, exact totals in words and the hash of the spec in their metadata, under keys that \
         begin with `congenial.`."
    }

    fn r(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| format!("{} <- read_parquet({})", table.name, table.file);
        [String::from("library(arrow)")].into_iter().chain(tables.iter().map(one)).collect()
    }

    fn python(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| format!("{} = pd.read_parquet({})", table.name, table.file);
        let about = |table: &Example<'_>| {
            let file = &table.file;
            format!("about = pq.read_schema({file}).metadata    # title, guarantee, exact totals, hash of the spec")
        };
        let imports = ["import pandas as pd", "import pyarrow.parquet as pq"].map(String::from);
        imports.into_iter().chain(tables.iter().map(one)).chain(tables.first().map(about)).collect()
    }
}

fn column_type(field: &Field) -> Result<TypePtr, ParquetError> {
    let physical = match field.kind {
        ColumnKind::Text => Physical::BYTE_ARRAY,
        ColumnKind::Integer => Physical::INT64,
        ColumnKind::Real => Physical::DOUBLE,
    };
    let repetition = if field.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let builder = Type::primitive_type_builder(&field.name, physical).with_repetition(repetition);
    let (logical, converted) = match field.kind {
        ColumnKind::Text => (Some(LogicalType::String), ConvertedType::UTF8),
        _ => (None, ConvertedType::NONE),
    };
    builder.with_logical_type(logical).with_converted_type(converted).build().map(Arc::new)
}

/// A Parquet file that is being written; it begins with its columns.
struct ParquetWriter {
    path: PathBuf,
    metadata: Vec<KeyValue>,
    file: Option<File>,
    writer: Option<SerializedFileWriter<File>>,
}

impl RowWriter for ParquetWriter {
    fn begin(&mut self, _: &str, fields: &[Field]) -> Result<(), Problem> {
        let Some(file) = self.file.take() else {
            return Err(cannot("write", &self.path, "a Parquet file holds one table"));
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("congenial {}", certify::VERSION))
            .set_key_value_metadata(Some(std::mem::take(&mut self.metadata)))
            .build();
        let begin = || {
            let columns = fields.iter().map(column_type).collect::<Result<_, _>>()?;
            let schema = Type::group_type_builder("table").with_fields(columns).build().map(Arc::new)?;
            SerializedFileWriter::new(file, schema, Arc::new(properties))
        };
        self.writer = Some(begin().map_err(|error| cannot("write", &self.path, error))?);
        Ok(())
    }

    fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut write = || -> Result<(), ParquetError> {
            let mut group = writer.next_row_group()?;
            for column in columns {
                write_column(&mut group, column)?;
            }
            group.close().map(drop)
        };
        write().map_err(|error| cannot("write", &self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<(), Problem> {
        let Some(writer) = self.writer else { return Err(Problem::bad("there is no table to write")) };
        let file = writer.into_inner().map_err(|error| cannot("write", &self.path, error))?;
        file.sync_all().map_err(|error| cannot("write", &self.path, error))
    }
}

fn write_column(group: &mut SerializedRowGroupWriter<'_, File>, cells: &Cells<'_>) -> Result<(), ParquetError> {
    match cells {
        Cells::Labels(column, codes) => write_labels(group, column, codes),
        Cells::Texts(texts) => {
            let texts: Vec<ByteArray> = texts.iter().map(|text| ByteArray::from(text.as_bytes().to_vec())).collect();
            write_values::<ByteArrayType>(group, &texts, None)
        }
        Cells::Integers(numbers) => write_values::<Int64Type>(group, numbers, None),
        Cells::Reals(numbers) => write_values::<DoubleType>(group, numbers, None),
        Cells::MaybeIntegers(numbers) => write_present::<Int64Type>(group, numbers),
        Cells::MaybeReals(numbers) => write_present::<DoubleType>(group, numbers),
    }
}

/// The values of the next column, where a row has one.
fn write_present<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[Option<T::T>],
) -> Result<(), ParquetError> {
    let present: Vec<T::T> = values.iter().flatten().cloned().collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    write_values::<T>(group, &present, Some(&levels))
}

fn write_labels(
    group: &mut SerializedRowGroupWriter<'_, File>,
    column: &Column<'_>,
    codes: &[u32],
) -> Result<(), ParquetError> {
    if column.is_integer() {
        let numbers: Vec<i64> = codes.iter().map(|code| column.integer(*code as usize).unwrap_or(0)).collect();
        return write_values::<Int64Type>(group, &numbers, None);
    }
    let most = codes.iter().copied().max().map_or(0, |code| code as usize + 1);
    let mut labels: Vec<Option<ByteArray>> = vec![None; most];
    let texts: Vec<ByteArray> = codes
        .iter()
        .map(|code| {
            let label = &mut labels[*code as usize];
            label.get_or_insert_with(|| ByteArray::from(column.text(*code as usize).as_bytes().to_vec())).clone()
        })
        .collect();
    write_values::<ByteArrayType>(group, &texts, None)
}

/// The values of the next column that are present, and which rows have one (`None`: all).
fn write_values<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("a column too many".to_string()));
    };
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

/// Whether a column of a row group has the labels of these codes.
fn same_labels(
    group: &dyn RowGroupReader,
    position: usize,
    column: &Column<'_>,
    codes: &[u32],
) -> Result<bool, ParquetError> {
    let rows = codes.len();
    Ok(match group.get_column_reader(position)? {
        ColumnReader::Int64ColumnReader(mut values) => {
            let mut numbers = Vec::with_capacity(rows);
            values.read_records(rows, None, None, &mut numbers)?;
            numbers.len() == rows
                && numbers.iter().zip(codes).all(|(number, code)| Some(*number) == column.integer(*code as usize))
        }
        ColumnReader::ByteArrayColumnReader(mut values) => {
            let mut texts = Vec::with_capacity(rows);
            values.read_records(rows, None, None, &mut texts)?;
            texts.len() == rows
                && texts.iter().zip(codes).all(|(text, code)| text.data() == column.text(*code as usize).as_bytes())
        }
        _ => false,
    })
}

fn same_rows(found: &Path, made: &Path) -> Result<bool, ParquetError> {
    let (found, made) = (SerializedFileReader::new(File::open(found)?)?, SerializedFileReader::new(File::open(made)?)?);
    let data = [&found, &made].map(|file| file.metadata().file_metadata());
    if data[0].schema() != data[1].schema() || data[0].key_value_metadata() != data[1].key_value_metadata() {
        return Ok(false);
    }
    let (mut one, mut other) = (found.get_row_iter(None)?, made.get_row_iter(None)?);
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (Some(one), Some(other)) if one == other => {}
            _ => return Ok(false),
        }
    }
}
