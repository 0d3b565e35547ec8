//! `TableFormat`: all that is particular to a format of table files; `Format` is one of the
//! registered ones.

use super::FORMATS;
use super::csv_file::Csv;
use super::examples::Example;
use super::parquet_file::Parquet;
use super::rows::{Cell, Cells, Field};
use super::table_reader::Portions;
use super::xlsx_format::Xlsx;
use declare::{Domain, OutputRows, Problem};
use std::fmt::Debug;
use std::ops::Deref;
use std::path::Path;

/// A format of table files. What one cannot hold it refuses itself, before anything is drawn.
pub trait TableFormat: Debug + Sync {
    /// The extension of its files, which is also its name.
    fn extension(&self) -> &'static str;

    /// Begins a file, which must not exist, with pairs of keys and values if the format has a place
    /// for them.
    fn create(&self, path: &Path, metadata: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem>;

    /// Reads the rows of a released table and hands them on.
    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem>;

    /// How many rows are handed over at once.
    fn rows_at_once(&self) -> usize {
        1 << 14
    }

    /// Whether all tables of a release are sheets of one file, which is made of whole tables.
    fn is_workbook(&self) -> bool {
        false
    }

    /// Whether a table and those derived from it can be written.
    fn check_tables(&self, _domain: &Domain, _outputs: &[OutputRows]) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether exact totals alone can be written.
    fn check_totals(&self) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether many draws of one table can be written.
    fn check_draws(&self) -> Result<(), Problem> {
        Ok(())
    }

    /// The pairs of keys and values that a file was begun with, if the format has a place for them.
    fn metadata(&self, _path: &Path) -> Result<Option<Vec<(String, String)>>, Problem> {
        Ok(None)
    }

    /// Whether two files of different bytes hold the same: another build may pack them otherwise.
    fn same(&self, _found: &Path, _made: &Path) -> Result<bool, Problem> {
        Ok(false)
    }

    /// What readers of its files should know.
    fn remark(&self) -> &'static str;

    /// Lines of R that read tables as they are meant.
    fn r(&self, tables: &[Example<'_>]) -> Vec<String>;

    /// Lines of Python that read tables as they are meant.
    fn python(&self, tables: &[Example<'_>]) -> Vec<String>;
}

/// A file that takes rows.
pub trait RowWriter {
    /// Begins the rows, in a workbook those of a new sheet with this name.
    fn begin(&mut self, sheet: &str, fields: &[Field]) -> Result<(), Problem>;

    /// The next rows, column by column.
    fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem>;

    /// A sheet of texts and numbers for reading, whose columns have these widths; of a workbook
    /// alone.
    fn page(&mut self, _name: &str, _widths: &[f64], _rows: &[Vec<Cell<'_>>]) -> Result<(), Problem> {
        Ok(())
    }

    /// Completes the file and has it stored durably.
    fn finish(self: Box<Self>) -> Result<(), Problem>;
}

/// One of the registered formats.
#[derive(Debug, Clone, Copy)]
pub struct Format(&'static dyn TableFormat);

impl Format {
    /// Apache Parquet.
    pub const PARQUET: Format = Format(&Parquet);
    /// Comma-separated values.
    pub const CSV: Format = Format(&Csv);
    /// A workbook of Excel, LibreOffice and others.
    pub const XLSX: Format = Format(&Xlsx);

    /// All of them.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().copied().map(Format)
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Format> {
        Format::all().find(|format| format.extension() == name)
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Result<Format, Problem> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
        Format::named(&extension).ok_or_else(|| {
            let mut known: Vec<String> = Format::all().map(|format| format!(".{}", format.extension())).collect();
            let last = known.pop().unwrap_or_default();
            Problem::bad(format!("cannot tell the format of `{}`", path.display()))
                .hint(format!("the name must end in {} or {last}", known.join(", ")))
        })
    }
}

impl Deref for Format {
    type Target = dyn TableFormat;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.extension() == other.extension()
    }
}

impl Eq for Format {}
