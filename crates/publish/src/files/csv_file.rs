//! Rows as CSV.

use super::examples::{Example, quoted};
use super::format::{RowWriter, TableFormat};
use super::rows::{Cell, Cells, ColumnKind, Field};
use super::table_reader::{Damage, Portions};
use super::{cannot, column_names};
use declare::{Domain, Problem};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Comma-separated values.
#[derive(Debug)]
pub struct Csv;

/// The most columns whose types an example spells out.
const MOST_TYPES: usize = 12;

impl TableFormat for Csv {
    fn extension(&self) -> &'static str {
        "csv"
    }

    fn create(&self, path: &Path, _: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
        let writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 16, file));
        Ok(Box::new(CsvWriter { path: path.to_path_buf(), writer }))
    }

    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
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
        let mut again = Again::new(path, reader.headers().map_err(|error| cannot("read", path, error))?)?;
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
            let value = number(0)?;
            let labels = record.iter().take(columns.len());
            if !again.row(labels, [value].into_iter().chain(interval.into_iter().flatten())) {
                return Err(damage.written());
            }
            portions.push(value, interval)?;
        }
        match () {
            () if walk.advance().is_some() => Err(damage.fewer()),
            () if !again.ends() => Err(damage.written()),
            () => Ok(()),
        }
    }

    fn remark(&self) -> &'static str {
        "CSV files are UTF-8 with commas, quotes where needed, and one header line. Spreadsheet programs guess: they may turn codes \
         such as 007 into numbers and run texts that begin with = or + as formulas. Import such columns as text, or ask for the \
         release as a workbook."
    }

    fn r(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| {
            let types = match table.columns.len() > MOST_TYPES {
                true => {
                    let texts: String = table.texts().iter().map(|name| format!(", {name} = \"c\"")).collect();
                    format!("cols(.default = \"d\"{texts})")
                }
                false => {
                    let letter = |kind: ColumnKind| if kind == ColumnKind::Text { 'c' } else { 'd' };
                    quoted(&table.columns.iter().map(|(_, kind)| letter(*kind)).collect::<String>())
                }
            };
            format!("{} <- read_csv({}, col_types = {types}, na = \"\")", table.name, table.file)
        };
        [String::from("library(readr)")].into_iter().chain(tables.iter().map(one)).collect()
    }

    fn python(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| {
            let Example { name, file, .. } = table;
            format!("{name} = pd.read_csv({file}, {}keep_default_na=False, na_values=[\"\"])", table.pandas_texts())
        };
        [String::from("import pandas as pd")].into_iter().chain(tables.iter().map(one)).collect()
    }
}

/// A CSV file that is written again while it is read, and compared: one table has one file, without
/// marks of byte order, other line ends, quotes that are not needed or zeros before a number.
struct Again {
    writer: csv::Writer<Compared>,
}

/// What is written here is read from a file and must be the same.
struct Compared {
    file: BufReader<File>,
    found: Vec<u8>,
}

impl Write for Compared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.found.resize(bytes.len(), 0);
        self.file.read_exact(&mut self.found)?;
        if self.found == bytes { Ok(bytes.len()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Again {
    fn new(path: &Path, header: &csv::StringRecord) -> Result<Again, Problem> {
        let file = File::open(path).map_err(|error| cannot("open", path, error))?;
        let compared = Compared { file: BufReader::with_capacity(1 << 16, file), found: Vec::new() };
        let mut writer = csv::Writer::from_writer(compared);
        // What differs is noticed at the latest where the file ends.
        let _ = writer.write_record(header);
        Ok(Again { writer })
    }

    /// Whether the file is the same, as far as it was compared, with this row.
    fn row<'a>(&mut self, labels: impl Iterator<Item = &'a str>, numbers: impl Iterator<Item = i64>) -> bool {
        let writer = &mut self.writer;
        let write = || -> csv::Result<()> {
            for label in labels {
                writer.write_field(label)?;
            }
            for number in numbers {
                writer.write_field(number.to_string())?;
            }
            writer.write_record(None::<&[u8]>)
        };
        write().is_ok()
    }

    /// Whether all of the file is the same.
    fn ends(self) -> bool {
        let compared = self.writer.into_inner();
        compared.is_ok_and(|mut compared| compared.file.fill_buf().is_ok_and(<[u8]>::is_empty))
    }
}

/// A CSV file that is being written.
struct CsvWriter {
    path: PathBuf,
    writer: csv::Writer<BufWriter<File>>,
}

impl RowWriter for CsvWriter {
    fn begin(&mut self, _: &str, fields: &[Field]) -> Result<(), Problem> {
        let names = fields.iter().map(|field| &field.name);
        self.writer.write_record(names).map_err(|error| cannot("write", &self.path, error))
    }

    fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        let writer = &mut self.writer;
        let mut write = || -> csv::Result<()> {
            for row in 0..columns.first().map_or(0, Cells::rows) {
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

    fn finish(self: Box<Self>) -> Result<(), Problem> {
        let path = &self.path;
        let buffer = self.writer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
        let file = buffer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
        file.sync_all().map_err(|error| cannot("write", path, error))
    }
}
