//! Rows as CSV.

use super::rows::{Cell, Cells, Field};
use super::table_reader::{Damage, Portions};
use super::{cannot, column_names};
use declare::{Domain, Problem};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// A CSV file that is being written.
pub(super) struct CsvWriter {
    path: PathBuf,
    writer: csv::Writer<BufWriter<File>>,
}

impl CsvWriter {
    pub(super) fn create(path: &Path) -> Result<CsvWriter, Problem> {
        let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
        let writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 16, file));
        Ok(CsvWriter { path: path.to_path_buf(), writer })
    }

    pub(super) fn begin(&mut self, fields: &[Field]) -> Result<(), Problem> {
        let names = fields.iter().map(|field| &field.name);
        self.writer.write_record(names).map_err(|error| cannot("write", &self.path, error))
    }

    pub(super) fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        let writer = &mut self.writer;
        let mut write = || -> csv::Result<()> {
            for row in 0..columns.first().map_or(0, Cells::len) {
                for column in columns {
                    match column.cell(row) {
                        Cell::Empty => writer.write_field("")?,
                        Cell::Text(text) => writer.write_field(text.as_bytes())?,
                        Cell::Label(number) | Cell::Integer(number) => writer.write_field(number.to_string())?,
                        Cell::Real(number) => writer.write_field(number.to_string())?,
                    }
                }
                writer.write_record(None::<&[u8]>)?;
            }
            Ok(())
        };
        write().map_err(|error| cannot("write", &self.path, error))
    }

    pub(super) fn finish(self) -> Result<(), Problem> {
        let path = &self.path;
        let buffer = self.writer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
        let file = buffer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
        file.sync_all().map_err(|error| cannot("write", path, error))
    }
}

/// Reads the rows of a table and hands them on.
pub(super) fn read(path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
    let file = File::open(path).map_err(|error| cannot("open", path, error))?;
    let mut reader = csv::Reader::from_reader(BufReader::with_capacity(1 << 16, file));
    let damage = Damage { path };
    let header = reader.headers().map_err(|error| cannot("read", path, error))?;
    if header.iter().ne(column_names(domain, portions.intervals)) {
        return Err(damage.columns());
    }
    let columns = domain.columns();
    let mut walk = domain.walk();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| cannot("read", path, error))? {
        let (cell, codes) = walk.advance().ok_or_else(|| damage.more())?;
        let labels = columns.iter().map(|column| column.text(codes[column.dimension]));
        if !record.iter().zip(labels).all(|(found, label)| found == label) {
            return Err(damage.row(cell + 1));
        }
        let number = |place: usize| {
            let field = record.get(columns.len() + place);
            field.and_then(|field| field.parse::<i64>().ok()).ok_or_else(|| damage.number(cell + 1))
        };
        let interval = if portions.intervals { Some([number(1)?, number(2)?]) } else { None };
        portions.push(number(0)?, interval)?;
    }
    if walk.advance().is_some() { Err(damage.fewer()) } else { Ok(()) }
}
