//! `FileWriter`: a file of typed columns in any format; of a workbook several sheets, one after another.

use super::Format;
use super::csv_file::CsvWriter;
use super::parquet_file::ParquetWriter;
use super::rows::{Cells, Field};
use super::xlsx_file::XlsxWriter;
use declare::Problem;
use std::path::Path;

/// A file that is being written. It holds nothing until it is finished.
pub struct FileWriter {
    format: Form,
}

enum Form {
    Csv(Box<CsvWriter>),
    Parquet(Box<ParquetWriter>),
    Xlsx(Box<XlsxWriter>),
}

impl std::fmt::Debug for FileWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("FileWriter")
    }
}

/// Rows that are handed on at once: of Parquet a row group.
pub(super) const PARQUET_ROWS: usize = 1 << 20;
const OTHER_ROWS: usize = 1 << 14;
/// Wide files have fewer rows at once, so that memory stays bounded.
const MOST_CELLS: usize = 1 << 24;

impl FileWriter {
    /// Creates a file, which must not exist. Only Parquet has a place for metadata.
    pub fn create(path: &Path, format: Format, metadata: &[(String, String)]) -> Result<FileWriter, Problem> {
        let format = match format {
            Format::Csv => Form::Csv(Box::new(CsvWriter::create(path)?)),
            Format::Parquet => Form::Parquet(Box::new(ParquetWriter::create(path, metadata)?)),
            Format::Xlsx => Form::Xlsx(Box::new(XlsxWriter::create(path)?)),
        };
        Ok(FileWriter { format })
    }

    /// Begins the rows, in a workbook those of a new sheet with this name.
    pub fn begin(&mut self, sheet: &str, fields: &[Field]) -> Result<(), Problem> {
        match &mut self.format {
            Form::Csv(file) => file.begin(fields),
            Form::Parquet(file) => file.begin(fields),
            Form::Xlsx(file) => file.begin(sheet, fields),
        }
    }

    /// How many rows of so many columns to hand over at once.
    pub fn rows_at_once(&self, fields: usize) -> usize {
        let most = if matches!(self.format, Form::Parquet(_)) { PARQUET_ROWS } else { OTHER_ROWS };
        most.min(MOST_CELLS / fields.max(1)).max(1)
    }

    /// The next rows, column by column.
    pub fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        match &mut self.format {
            Form::Csv(file) => file.put(columns),
            Form::Parquet(file) => file.put(columns),
            Form::Xlsx(file) => file.put(columns),
        }
    }

    /// The workbook, if it is one: it takes more sheets.
    pub fn workbook(&mut self) -> Option<&mut XlsxWriter> {
        match &mut self.format {
            Form::Xlsx(file) => Some(file),
            _ => None,
        }
    }

    /// Completes the file and has it stored durably.
    pub fn finish(self) -> Result<(), Problem> {
        match self.format {
            Form::Csv(file) => file.finish(),
            Form::Parquet(file) => file.finish(),
            Form::Xlsx(file) => file.finish(),
        }
    }
}
