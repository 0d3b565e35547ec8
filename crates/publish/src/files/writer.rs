//! `FileWriter`: a file of typed columns in any format; of a workbook several sheets, one after
//! another.

use super::format::{Format, RowWriter};
use super::rows::{Cell, Cells, Field};
use declare::Problem;
use std::path::Path;

/// A file that is being written. It holds nothing until it is finished.
pub struct FileWriter {
    rows_at_once: usize,
    rows: Box<dyn RowWriter>,
}

impl std::fmt::Debug for FileWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("FileWriter")
    }
}

/// Wide files have fewer rows at once, so that memory stays bounded.
const MOST_CELLS: usize = 1 << 24;

impl FileWriter {
    /// Creates a file, which must not exist, with metadata where the format has a place for them.
    pub fn create(path: &Path, format: Format, metadata: &[(String, String)]) -> Result<FileWriter, Problem> {
        Ok(FileWriter { rows_at_once: format.rows_at_once(), rows: format.create(path, metadata)? })
    }

    /// Begins the rows, in a workbook those of a new sheet with this name.
    pub fn begin(&mut self, sheet: &str, fields: &[Field]) -> Result<(), Problem> {
        self.rows.begin(sheet, fields)
    }

    /// How many rows of so many columns to hand over at once.
    pub fn rows_at_once(&self, fields: usize) -> usize {
        self.rows_at_once.min(MOST_CELLS / fields.max(1)).max(1)
    }

    /// The next rows, column by column.
    pub fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        self.rows.put(columns)
    }

    /// A sheet for reading, whose columns have these widths; of a workbook alone.
    pub fn page(&mut self, name: &str, widths: &[f64], rows: &[Vec<Cell<'_>>]) -> Result<(), Problem> {
        self.rows.page(name, widths, rows)
    }

    /// Completes the file and has it stored durably.
    pub fn finish(self) -> Result<(), Problem> {
        self.rows.finish()
    }
}
