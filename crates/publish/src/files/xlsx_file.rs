//! Rows as a workbook: sheets with a bold, frozen header, filters, and numbers that are numbers.
//!
//! Rows go to a temporary file as they come, so memory is bounded by the different texts. Texts are
//! written as texts whatever they begin with, and nothing in a workbook depends on when it was
//! made.

use super::format::RowWriter;
use super::rows::{Cell, Cells, Field};
use super::xlsx_format::{LARGEST_NUMBER, MOST_COLUMNS, MOST_ROWS, refused};
use super::{cannot, parent_of};
use declare::Problem;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A workbook that is being written, sheet by sheet.
pub(super) struct XlsxWriter {
    path: PathBuf,
    file: File,
    workbook: Workbook,
    sheets: usize,
    row: u32,
    widths: Vec<usize>,
    formats: Formats,
}

struct Formats {
    header: Format,
    label: Format,
    integer: Format,
    text: Format,
}

impl XlsxWriter {
    pub(super) fn create(path: &Path) -> Result<XlsxWriter, Problem> {
        let file = File::create_new(path).map_err(|error| cannot("create", path, error))?;
        let mut workbook = Workbook::new();
        let prepare = || -> Result<Workbook, XlsxError> {
            workbook.set_tempdir(parent_of(path))?;
            let fixed = DocProperties::new().set_creation_datetime(&ExcelDateTime::from_ymd(2000, 1, 1)?);
            workbook.set_properties(&fixed);
            Ok(workbook)
        };
        let workbook = prepare().map_err(|error| cannot("create", path, error))?;
        let formats = Formats {
            header: Format::new().set_bold(),
            label: Format::new().set_num_format("0"),
            integer: Format::new().set_num_format("#,##0"),
            text: Format::new().set_text_wrap().set_align(FormatAlign::Top),
        };
        Ok(XlsxWriter { path: path.to_path_buf(), file, workbook, sheets: 0, row: 0, widths: Vec::new(), formats })
    }

    /// What is known of a sheet only when all its rows are there.
    fn end(&mut self) -> Result<(), Problem> {
        if self.widths.is_empty() {
            return Ok(());
        }
        let (widths, last) = (std::mem::take(&mut self.widths), self.row - 1);
        let end = |sheet: &mut Worksheet| -> Result<(), XlsxError> {
            for (column, width) in widths.iter().enumerate() {
                sheet.set_column_width(column as u16, (*width).clamp(8, 60) as f64 + 1.0)?;
            }
            sheet.autofilter(0, 0, last, widths.len() as u16 - 1).map(drop)
        };
        let sheet = self.workbook.worksheet_from_index(self.sheets - 1);
        sheet.and_then(end).map_err(|error| cannot("write", &self.path, error))
    }

    fn failed(&self, what: String) -> Problem {
        refused(format!("cannot write `{}`: {what}", self.path.display()))
    }
}

impl RowWriter for XlsxWriter {
    fn begin(&mut self, name: &str, fields: &[Field]) -> Result<(), Problem> {
        if fields.len() > MOST_COLUMNS {
            return Err(self.failed(format!("sheet `{name}` would have more than {MOST_COLUMNS} columns")));
        }
        self.end()?;
        self.widths = fields.iter().map(|field| field.name.chars().count() + 4).collect();
        self.row = 1;
        self.sheets += 1;
        let header = &self.formats.header;
        let mut begin = || -> Result<(), XlsxError> {
            let sheet = self.workbook.add_worksheet_with_low_memory()?.set_name(name)?.set_freeze_panes(1, 0)?;
            for (column, field) in fields.iter().enumerate() {
                sheet.write_string_with_format(0, column as u16, &field.name, header)?;
            }
            Ok(())
        };
        begin().map_err(|error| cannot("write", &self.path, error))
    }

    fn put(&mut self, columns: &[Cells<'_>]) -> Result<(), Problem> {
        let rows = columns.first().map_or(0, Cells::rows);
        if self.row as usize + rows > MOST_ROWS {
            return Err(self.failed(format!("a sheet holds at most {} rows", MOST_ROWS - 1)));
        }
        if let Some(large) = largest(columns) {
            return Err(self.failed(format!(
                "{large} cannot be told exactly: spreadsheets round whole numbers beyond {LARGEST_NUMBER}"
            )));
        }
        let (first, formats, widths) = (self.row, &self.formats, &mut self.widths);
        let sheet = self.workbook.worksheet_from_index(self.sheets - 1);
        let write = |sheet: &mut Worksheet| -> Result<(), XlsxError> {
            for row in 0..rows {
                for (place, column) in columns.iter().enumerate() {
                    let width = write_cell(sheet, formats, (first + row as u32, place as u16), column.cell(row))?;
                    widths[place] = widths[place].max(width);
                }
            }
            Ok(())
        };
        sheet.and_then(write).map_err(|error| cannot("write", &self.path, error))?;
        self.row += rows as u32;
        Ok(())
    }

    fn page(&mut self, name: &str, widths: &[f64], rows: &[Vec<Cell<'_>>]) -> Result<(), Problem> {
        self.end()?;
        self.sheets += 1;
        let formats = &self.formats;
        let mut write = || -> Result<(), XlsxError> {
            let sheet = self.workbook.add_worksheet_with_low_memory()?.set_name(name)?.set_freeze_panes(1, 0)?;
            for (column, width) in widths.iter().enumerate() {
                sheet.set_column_width(column as u16, *width)?;
            }
            for (row, cells) in rows.iter().enumerate() {
                // Programs that do not fit the height to wrapped text would show its first line
                // alone.
                let lines = cells.iter().zip(widths).map(|(cell, width)| match cell {
                    Cell::Text(text) => (text.chars().count() as f64 / width).ceil(),
                    _ => 1.0,
                });
                let lines = lines.fold(1.0, f64::max);
                if lines > 1.0 {
                    sheet.set_row_height(row as u32, (LINE_HEIGHT * lines).min(TALLEST_ROW))?;
                }
                for (column, cell) in cells.iter().enumerate() {
                    let place = (row as u32, column as u16);
                    match cell {
                        Cell::Text(text) => {
                            let format = if row == 0 { &formats.header } else { &formats.text };
                            sheet.write_string_with_format(place.0, place.1, text.as_ref(), format)?;
                        }
                        other => drop(write_cell(sheet, formats, place, other.clone())?),
                    }
                }
            }
            Ok(())
        };
        write().map_err(|error| cannot("write", &self.path, error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), Problem> {
        self.end()?;
        self.workbook.save_to_writer(&self.file).map_err(|error| cannot("write", &self.path, error))?;
        self.file.sync_all().map_err(|error| cannot("write", &self.path, error))
    }
}

/// The first whole number that a spreadsheet would round.
fn largest(columns: &[Cells<'_>]) -> Option<i64> {
    let large = |number: &i64| number.unsigned_abs() > LARGEST_NUMBER;
    columns.iter().find_map(|column| match column {
        Cells::Integers(numbers) => numbers.iter().copied().find(large),
        Cells::MaybeIntegers(numbers) => numbers.iter().copied().flatten().find(large),
        Cells::Labels(column, codes) if column.is_integer() => {
            codes.iter().filter_map(|code| column.integer(*code as usize)).find(large)
        }
        _ => None,
    })
}

/// The height of a line of text, and the most that a row may have, in points.
const LINE_HEIGHT: f64 = 15.0;
const TALLEST_ROW: f64 = 405.0;

/// Writes a cell and tells how wide it is, in characters.
fn write_cell(
    sheet: &mut Worksheet,
    formats: &Formats,
    (row, column): (u32, u16),
    cell: Cell<'_>,
) -> Result<usize, XlsxError> {
    let digits = |number: i64| number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 2;
    Ok(match cell {
        Cell::Empty => 0,
        Cell::Text(text) => {
            sheet.write_string(row, column, text.as_ref())?;
            text.chars().count()
        }
        Cell::Label(number) => {
            sheet.write_number_with_format(row, column, number as f64, &formats.label)?;
            digits(number)
        }
        Cell::Integer(number) => {
            sheet.write_number_with_format(row, column, number as f64, &formats.integer)?;
            digits(number) * 4 / 3
        }
        Cell::Real(number) => {
            sheet.write_number(row, column, number)?;
            12
        }
    })
}
