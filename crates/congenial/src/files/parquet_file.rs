//! Tables as Parquet: one row group per million rows, texts with a dictionary.

use super::{Tables, Values, cannot, column_names};
use declare::{Column, Domain, Problem};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group: bounds the memory of writing and reading.
const GROUP_ROWS: usize = 1 << 20;

fn field(name: &str, physical: Physical, text: bool) -> Result<TypePtr, parquet::errors::ParquetError> {
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    let builder = if text {
        builder.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8)
    } else {
        builder
    };
    builder.build().map(Arc::new)
}

fn schema(domain: &Domain, numbered: bool, real: bool) -> Result<TypePtr, parquet::errors::ParquetError> {
    let mut fields = Vec::new();
    for column in domain.columns() {
        let integer = column.is_integer();
        fields.push(field(column.name, if integer { Physical::INT64 } else { Physical::BYTE_ARRAY }, !integer)?);
    }
    if numbered {
        fields.push(field("draw", Physical::INT64, false)?);
    }
    fields.push(field("value", if real { Physical::DOUBLE } else { Physical::INT64 }, false)?);
    Type::group_type_builder("table").with_fields(fields).build().map(Arc::new)
}

pub(super) fn write(
    path: &Path,
    domain: &Domain,
    numbered: bool,
    metadata: &[(&str, String)],
    tables: &mut Tables<'_>,
) -> Result<(), Problem> {
    let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
    let pairs = metadata.iter().map(|(key, value)| KeyValue::new((*key).to_string(), value.clone())).collect();
    let properties = Arc::new(
        WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("congenial {}", crate::VERSION))
            .set_key_value_metadata(Some(pairs))
            .build(),
    );
    // Whether the values are real is known with the first table.
    let mut file = Some(file);
    let mut writer: Option<SerializedFileWriter<File>> = None;
    let mut draw = 0i64;
    let failed = |error: parquet::errors::ParquetError| cannot("write", path, error);
    let columns = domain.columns();
    let mut group = Group::new(domain.schema.dimensions.len());
    tables(&mut |values| {
        if let Some(file) = file.take() {
            let real = matches!(values, Values::Reals(_));
            let schema = schema(domain, numbered, real).map_err(failed)?;
            writer = Some(SerializedFileWriter::new(file, schema, properties.clone()).map_err(failed)?);
        }
        let Some(writer) = writer.as_mut() else { return Ok(()) };
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            group.add(codes, draw, values, cell);
            if group.draws.len() == GROUP_ROWS {
                group.write(writer, &columns, numbered).map_err(failed)?;
            }
        }
        draw += 1;
        Ok(())
    })?;
    let Some(mut writer) = writer else { return Err(Problem::bad("there is no table to write")) };
    group.write(&mut writer, &columns, numbered).map_err(failed)?;
    let file = writer.into_inner().map_err(failed)?;
    file.sync_all().map_err(|error| cannot("write", path, error))
}

/// Rows that wait to be written: of one large table, or of many small ones.
struct Group {
    codes: Vec<Vec<u32>>,
    draws: Vec<i64>,
    counts: Vec<i64>,
    reals: Vec<f64>,
}

impl Group {
    fn new(dimensions: usize) -> Self {
        Group { codes: vec![Vec::new(); dimensions], draws: Vec::new(), counts: Vec::new(), reals: Vec::new() }
    }

    fn add(&mut self, codes: &[usize], draw: i64, values: Values<'_>, cell: usize) {
        self.codes.iter_mut().zip(codes).for_each(|(column, code)| column.push(*code as u32));
        self.draws.push(draw);
        match values {
            Values::Counts(counts) => self.counts.push(counts[cell]),
            Values::Reals(reals) => self.reals.push(reals[cell]),
        }
    }

    /// Writes the rows as one group, if there are any, and forgets them.
    fn write(
        &mut self,
        writer: &mut SerializedFileWriter<File>,
        columns: &[Column<'_>],
        numbered: bool,
    ) -> Result<(), parquet::errors::ParquetError> {
        if self.draws.is_empty() {
            return Ok(());
        }
        let mut group = writer.next_row_group()?;
        for column in columns {
            write_labels(&mut group, column, &self.codes[column.dimension])?;
        }
        if numbered {
            write_numbers::<Int64Type>(&mut group, &self.draws)?;
        }
        if self.reals.is_empty() {
            write_numbers::<Int64Type>(&mut group, &self.counts)?;
        } else {
            write_numbers::<DoubleType>(&mut group, &self.reals)?;
        }
        group.close()?;
        self.codes.iter_mut().for_each(Vec::clear);
        self.draws.clear();
        self.counts.clear();
        self.reals.clear();
        Ok(())
    }
}

fn write_labels(
    group: &mut SerializedRowGroupWriter<'_, File>,
    column: &Column<'_>,
    codes: &[u32],
) -> Result<(), parquet::errors::ParquetError> {
    if column.is_integer() {
        let numbers: Vec<i64> = codes.iter().map(|code| column.integer(*code as usize).unwrap_or(0)).collect();
        return write_numbers::<Int64Type>(group, &numbers);
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
    write_numbers::<ByteArrayType>(group, &texts)
}

fn write_numbers<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
) -> Result<(), parquet::errors::ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(parquet::errors::ParquetError::General("a column too many".to_string()));
    };
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

pub(super) fn read(path: &Path, domain: &Domain) -> Result<Vec<i64>, Problem> {
    let damaged = |what: String| Problem::bad(format!("`{}` {what}", path.display()));
    let file = File::open(path).map_err(|error| cannot("open", path, error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(format!("is not a Parquet file: {error}")))?;
    let found: Vec<String> =
        reader.metadata().file_metadata().schema_descr().columns().iter().map(|c| c.name().to_string()).collect();
    if found != column_names(domain, false) {
        return Err(damaged("does not have the columns that its certificate declares".to_string()));
    }
    let failed = |error: parquet::errors::ParquetError| cannot("read", path, error);
    let columns = domain.columns();
    let mut counts: Vec<i64> = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index).map_err(failed)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        if rows > domain.len() - counts.len() {
            return Err(damaged("has more rows than its certificate declares cells".to_string()));
        }
        let mut codes = vec![Vec::with_capacity(rows); domain.schema.dimensions.len()];
        for _ in 0..rows {
            let Some((_, cell)) = walk.advance() else { break };
            codes.iter_mut().zip(cell).for_each(|(column, code)| column.push(*code as u32));
        }
        for (position, column) in columns.iter().enumerate() {
            let codes = &codes[column.dimension];
            let same = match group.get_column_reader(position).map_err(failed)? {
                ColumnReader::Int64ColumnReader(mut values) => {
                    let mut numbers = Vec::with_capacity(rows);
                    values.read_records(rows, None, None, &mut numbers).map_err(failed)?;
                    numbers.len() == codes.len()
                        && numbers.iter().zip(codes).all(|(n, code)| Some(*n) == column.integer(*code as usize))
                }
                ColumnReader::ByteArrayColumnReader(mut values) => {
                    let mut texts = Vec::with_capacity(rows);
                    values.read_records(rows, None, None, &mut texts).map_err(failed)?;
                    texts.len() == codes.len()
                        && texts.iter().zip(codes).all(|(t, code)| t.data() == column.text(*code as usize).as_bytes())
                }
                _ => false,
            };
            if !same {
                return Err(damaged(format!(
                    "has other cells in column `{}` than its certificate declares",
                    column.name
                )));
            }
        }
        match group.get_column_reader(columns.len()).map_err(failed)? {
            ColumnReader::Int64ColumnReader(mut values) => {
                values.read_records(rows, None, None, &mut counts).map_err(failed)?;
            }
            _ => return Err(damaged("has values that are not whole numbers".to_string())),
        }
    }
    if counts.len() != domain.len() {
        return Err(damaged("has fewer rows than its certificate declares cells".to_string()));
    }
    Ok(counts)
}
