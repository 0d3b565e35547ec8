//! Tables as CSV.

use super::{Tables, Values, cannot, column_names};
use declare::{Domain, Problem};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

pub(super) fn write(path: &Path, domain: &Domain, numbered: bool, tables: &mut Tables<'_>) -> Result<(), Problem> {
    let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 16, file));
    writer.write_record(column_names(domain, numbered)).map_err(|error| cannot("write", path, error))?;
    let columns = domain.columns();
    let mut draw = 0u64;
    tables(&mut |values| {
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            let mut row = || -> csv::Result<()> {
                for column in &columns {
                    writer.write_field(column.text(codes[column.dimension]).as_bytes())?;
                }
                if numbered {
                    writer.write_field(draw.to_string())?;
                }
                match values {
                    Values::Counts(counts) => writer.write_field(counts[cell].to_string())?,
                    Values::Reals(reals) => writer.write_field(reals[cell].to_string())?,
                }
                writer.write_record(None::<&[u8]>)
            };
            row().map_err(|error| cannot("write", path, error))?;
        }
        draw += 1;
        Ok(())
    })?;
    let buffer = writer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
    let mut file = buffer.into_inner().map_err(|error| cannot("write", path, error.error()))?;
    file.flush().and_then(|()| file.sync_all()).map_err(|error| cannot("write", path, error))
}

pub(super) fn read(path: &Path, domain: &Domain) -> Result<Vec<i64>, Problem> {
    let file = File::open(path).map_err(|error| cannot("open", path, error))?;
    let mut reader = csv::Reader::from_reader(BufReader::with_capacity(1 << 16, file));
    let damaged = |what: &str| Problem::bad(format!("`{}` {what}", path.display()));
    let header = reader.headers().map_err(|error| cannot("read", path, error))?;
    if header.iter().ne(column_names(domain, false)) {
        return Err(damaged("does not have the columns that its certificate declares"));
    }
    let columns = domain.columns();
    let mut counts = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| cannot("read", path, error))? {
        let Some((_, codes)) = walk.advance() else {
            return Err(damaged("has more rows than its certificate declares cells"));
        };
        let labels = columns.iter().map(|column| column.text(codes[column.dimension]));
        if !record.iter().zip(labels).all(|(found, label)| found == label) {
            return Err(damaged(&format!(
                "has another cell in row {} than its certificate declares",
                counts.len() + 1
            )));
        }
        let count = record.get(columns.len()).and_then(|field| field.parse::<i64>().ok());
        counts.push(count.ok_or_else(|| damaged(&format!("has no whole number in row {}", counts.len() + 1)))?);
    }
    if walk.advance().is_some() {
        return Err(damaged("has fewer rows than its certificate declares cells"));
    }
    Ok(counts)
}
