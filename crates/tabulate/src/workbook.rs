//! `WorkbookFile`: the first sheet of an Excel workbook, whose first row with a value names the columns.
//!
//! A sheet has at most 1,048,576 rows, so it is read whole. Cells mean what they show: whole numbers in digits, dates as
//! `2024-04-01`, flags as `true` and `false`. Rows without any value are skipped.

use crate::batch::{Batch, Stop};
use crate::columnar::Names;
use crate::fault::Fault;
use crate::file::{Class, DataFile, Piece, Pieces, Worker};
use crate::files::cannot_open;
use crate::guard::guarded;
use crate::judge::Judge;
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use csv::ByteRecord;
use declare::{Day, Problem};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Rows that are turned to cells at once.
const BATCH: usize = 8192;

/// A sheet that was read.
pub(crate) struct WorkbookFile {
    size: u64,
    names: Names,
    rows: Vec<ByteRecord>,
    /// The number of every row in the sheet, from 0.
    numbers: Vec<u32>,
}

impl WorkbookFile {
    /// Opens the workbook at `path`, called `name` in messages, and reads its first sheet.
    pub fn open(path: &Path, name: &str, size: u64) -> Result<Self, Problem> {
        let file = File::open(path).map_err(|error| cannot_open(path, name, &error))?;
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
        let width = header.len();
        // A row that ends early has empty cells there.
        for row in &mut rows {
            (row.len()..width).for_each(|_| row.push_field(b""));
        }
        let names = Names { kind: "data file", file: name.to_owned(), header, used: Vec::new() };
        Ok(WorkbookFile { size, names, rows, numbers })
    }

    fn reached(&self, rows: usize) -> u64 {
        (u128::from(self.size) * rows as u128 / self.rows.len().max(1) as u128) as u64
    }

    fn range(&self, part: usize) -> std::ops::Range<usize> {
        let start = (part * BATCH).min(self.rows.len());
        start..(start + BATCH).min(self.rows.len())
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

impl DataFile for WorkbookFile {
    fn name(&self) -> &str {
        &self.names.file
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn header(&self) -> &[String] {
        &self.names.header
    }

    fn class(&self, _: usize) -> Option<Class> {
        None
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        self.names.used = columns.to_vec();
        Ok(())
    }

    fn pieces(&self) -> Result<Box<dyn Pieces + '_>, Problem> {
        Ok(Box::new(Runs { next: 0, number: self.rows.len().div_ceil(BATCH) }))
    }

    fn work(&self, piece: Piece, judge: &Judge<'_>, _: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let Piece::Part(part) = piece else {
            return;
        };
        let range = self.range(part);
        let mut batch = Batch::new(range.start as u64);
        (batch.end, batch.reached) = (range.end as u64, self.reached(range.end));
        for (offset, record) in self.rows[range.clone()].iter().enumerate() {
            // Batches are far shorter than this.
            if let Err(fault) = judge.row(record, offset as u32, &mut batch) {
                batch.stop = Some(Stop::Fault((range.start + offset) as u64, fault));
                break;
            }
        }
        emit(batch);
    }

    fn rows(&self, piece: Piece, row: &mut dyn FnMut(&ByteRecord) -> Result<(), Problem>) -> Result<(), Problem> {
        match piece {
            Piece::Part(part) => self.rows[self.range(part)].iter().try_for_each(row),
            Piece::Text(_) => Ok(()),
        }
    }

    fn header_problem(&self, fault: Fault) -> Problem {
        self.names.header_problem(fault)
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let number = self.numbers.get(place).copied().unwrap_or_default();
        self.names.problem(u64::from(number), self.rows.get(place), fault)
    }

    fn whereabouts(&self, place: u64) -> String {
        let number = usize::try_from(place).ok().and_then(|place| self.numbers.get(place));
        number.map_or(String::new(), |number| format!("in row {}", u64::from(*number) + 1))
    }
}

/// Runs of rows.
struct Runs {
    next: usize,
    number: usize,
}

impl Pieces for Runs {
    fn next(&mut self) -> Result<Option<Piece>, Problem> {
        let piece = (self.next < self.number).then_some(Piece::Part(self.next));
        self.next += 1;
        Ok(piece)
    }

    fn worth(&mut self) -> usize {
        self.number
    }
}
