//! `Workbook`: the first sheet of an Excel workbook, whose first row with a value names the
//! columns.
//!
//! A sheet has at most 1,048,576 rows, so it is read whole. Cells mean what they show: whole
//! numbers in digits, dates as `2024-04-01`, flags as `true` and `false`. Rows without any value
//! are skipped.

use super::records::RecordsFile;
use crate::file::{DataFile, InputFormat};
use crate::guard::guarded;
use crate::header::FILE;
use crate::names::Names;
use crate::source::Source;
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use csv::ByteRecord;
use declare::{Day, Problem};
use std::fs::File;
use std::io::BufReader;

/// Workbooks.
pub(crate) struct Workbook;

impl InputFormat for Workbook {
    fn endings(&self) -> &'static [&'static str] {
        &["xlsx"]
    }

    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem> {
        let name = source.name;
        let file = source.open()?;
        let sheet = guarded(|| Sheet::read(BufReader::new(file)).map_err(|error| error.to_string()));
        let sheet = sheet.map_err(|error| {
            Problem::bad(format!("`{name}` is not a workbook that can be read: {error}")).hint(
                "it may be protected, damaged, or another kind of file with this extension: save it again as .xlsx",
            )
        })?;
        let Sheet { mut rows, mut numbers } = sheet;
        if rows.is_empty() {
            return Err(Problem::bad(format!("the first sheet of `{name}` is empty"))
                .hint("its first row names the columns; other sheets are not read"));
        }
        numbers.remove(0);
        let header: Vec<String> =
            rows.remove(0).iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        // A row that ends early has empty cells there.
        for row in &mut rows {
            (row.len()..header.len()).for_each(|_| row.push_field(b""));
        }
        Ok(Box::new(RecordsFile { size: source.size, names: Names::new(FILE, name, header), rows, numbers }))
    }
}

/// The rows of a sheet that have a value.
struct Sheet {
    rows: Vec<ByteRecord>,
    numbers: Vec<u32>,
}

impl Sheet {
    fn read(file: BufReader<File>) -> Result<Sheet, calamine::XlsxError> {
        let mut workbook: Xlsx<_> = Xlsx::new(file)?;
        let mut sheet = Sheet { rows: Vec::new(), numbers: Vec::new() };
        let Some(name) = workbook.sheet_names().first().cloned() else { return Ok(sheet) };
        let mut cells = workbook.worksheet_cells_reader(&name)?;
        while let Some(cell) = cells.next_cell()? {
            let (row, column) = cell.get_position();
            let text = text(cell.get_value());
            if text.is_empty() {
                continue;
            }
            if sheet.numbers.last().is_none_or(|last| *last < row) {
                sheet.numbers.push(row);
                sheet.rows.push(ByteRecord::new());
            }
            // Cells come by rows and columns; what does not would be put at a wrong place.
            let Some(record) = sheet.rows.last_mut().filter(|record| record.len() <= column as usize) else {
                return Err(calamine::XlsxError::Unexpected("cells out of order"));
            };
            (record.len()..column as usize).for_each(|_| record.push_field(b""));
            record.push_field(text.as_bytes());
        }
        Ok(sheet)
    }
}

/// The text of a cell.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(flag) => flag.to_string(),
        DataRef::DateTime(moment) if moment.is_datetime() => moment_text(moment),
        DataRef::DateTime(span) => span.as_f64().to_string(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn moment_text(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let Some(day) = Day::new(year.into(), month.into(), day.into()) else { return moment.as_f64().to_string() };
    match (hour, minute, second) {
        (0, 0, 0) => day.to_string(),
        _ => format!("{day}T{hour:02}:{minute:02}:{second:02}"),
    }
}
