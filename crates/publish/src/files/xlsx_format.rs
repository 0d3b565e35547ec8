//! Workbooks as a format: all tables are sheets of one file, and what a sheet does not hold is
//! refused.

use super::INTERVAL;
use super::examples::Example;
use super::format::{RowWriter, TableFormat};
use super::table_reader::Portions;
#[cfg(feature = "xlsx")]
use super::xlsx_file::XlsxWriter;
#[cfg(feature = "xlsx")]
use super::{cannot, xlsx_reader};
use declare::{Column, Domain, OutputRows, Problem, Values};
use std::path::Path;

/// The most rows of a sheet, its header included.
pub const MOST_ROWS: usize = 1 << 20;
/// The most columns of a sheet.
pub const MOST_COLUMNS: usize = 1 << 14;
/// The longest text of a cell, in the 16-bit units that spreadsheets count.
pub const LONGEST_TEXT: usize = 32_767;
/// The largest whole number that a spreadsheet holds exactly.
pub const LARGEST_NUMBER: u64 = 1 << 53;

/// The problem of what only another format holds.
pub(super) fn refused(what: String) -> Problem {
    Problem::refused(what).hint("use --format parquet or --format csv")
}

/// A program that was built without workbooks says so.
#[cfg(not(feature = "xlsx"))]
fn missing<T>() -> Result<T, Problem> {
    Err(Problem::built_without("xlsx", "workbooks"))
}

/// A workbook of Excel, LibreOffice and others.
#[derive(Debug)]
pub struct Xlsx;

impl TableFormat for Xlsx {
    fn extension(&self) -> &'static str {
        "xlsx"
    }

    #[cfg(feature = "xlsx")]
    fn create(&self, path: &Path, _: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        Ok(Box::new(XlsxWriter::create(path)?))
    }

    #[cfg(not(feature = "xlsx"))]
    fn create(&self, _: &Path, _: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        missing()
    }

    #[cfg(feature = "xlsx")]
    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
        xlsx_reader::read(path, domain, portions)
    }

    #[cfg(not(feature = "xlsx"))]
    fn read(&self, _: &Path, _: &Domain, _: &mut Portions<'_>) -> Result<(), Problem> {
        missing()
    }

    fn is_workbook(&self) -> bool {
        true
    }

    fn check_tables(&self, domain: &Domain, outputs: &[OutputRows]) -> Result<(), Problem> {
        #[cfg(not(feature = "xlsx"))]
        missing::<()>()?;
        let largest = outputs.iter().map(|output| output.labels.len()).fold(domain.len(), usize::max);
        if largest >= MOST_ROWS {
            let most = MOST_ROWS - 1;
            return Err(refused(format!(
                "a sheet of a workbook holds at most {most} rows, and the table has {largest}"
            )));
        }
        let columns = domain.columns();
        if columns.len() + 1 + INTERVAL.len() > MOST_COLUMNS {
            return Err(refused(format!("a sheet of a workbook holds at most {MOST_COLUMNS} columns")));
        }
        columns.iter().try_for_each(|column| check_labels(column, &domain.schema.dimensions[column.dimension].values))
    }

    fn check_totals(&self) -> Result<(), Problem> {
        Err(Problem::refused("a suppressed release is not written as a workbook")
            .hint("use --format csv or --format parquet"))
    }

    fn check_draws(&self) -> Result<(), Problem> {
        Err(Problem::bad("simulations are not written as workbooks").hint("name a file that ends in .parquet or .csv"))
    }

    #[cfg(feature = "xlsx")]
    fn same(&self, found: &Path, made: &Path) -> Result<bool, Problem> {
        xlsx_reader::same_sheets(found, made).map_err(|error| cannot("read", found, error))
    }

    #[cfg(not(feature = "xlsx"))]
    fn same(&self, _: &Path, _: &Path) -> Result<bool, Problem> {
        missing()
    }

    fn remark(&self) -> &'static str {
        "In the workbook texts are texts, whatever they begin with: nothing in it is computed when it is opened."
    }

    fn r(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| {
            let Example { name, file, sheet, .. } = table;
            format!("{name} <- read_excel({file}, sheet = {sheet})")
        };
        [String::from("library(readxl)")].into_iter().chain(tables.iter().map(one)).collect()
    }

    fn python(&self, tables: &[Example<'_>]) -> Vec<String> {
        let one = |table: &Example<'_>| {
            let (Example { name, file, sheet, .. }, texts) = (table, table.pandas_texts());
            format!(
                "{name} = pd.read_excel({file}, sheet_name={sheet}, {texts}keep_default_na=False, na_values=[\"\"])"
            )
        };
        [String::from("import pandas as pd")].into_iter().chain(tables.iter().map(one)).collect()
    }
}

/// What a workbook would not give back as it was.
fn check_labels(column: &Column<'_>, values: &Values) -> Result<(), Problem> {
    let refused = |what: String| refused(format!("`{}` {what}", column.name));
    if let Values::Integers { first, last } = values {
        let large = [first, last].into_iter().find(|value| value.unsigned_abs() > LARGEST_NUMBER);
        let rounded = |large| Err(refused(format!("has the value {large}, which a spreadsheet would round")));
        return large.map_or(Ok(()), rounded);
    }
    for code in 0..values.len() {
        let text = column.text(code);
        if text.encode_utf16().count() > LONGEST_TEXT {
            let start: String = text.chars().take(40).collect();
            return Err(refused(format!(
                "has a value of more than {LONGEST_TEXT} characters, too long for a spreadsheet: `{start}…`"
            )));
        }
        let strange =
            |letter: char| (letter.is_control() && !"\n\t".contains(letter)) || "\u{fffe}\u{ffff}".contains(letter);
        if text.contains(strange) || has_escape(&text) {
            return Err(refused(format!(
                "has the value `{}`, with characters that a spreadsheet cannot hold",
                text.escape_debug()
            )));
        }
    }
    Ok(())
}

/// Whether a text contains what workbooks read as the number of a character: `_x000D_`.
fn has_escape(text: &str) -> bool {
    text.match_indices("_x").any(|(place, _)| {
        let rest = text.as_bytes().get(place + 2..place + 7);
        rest.is_some_and(|rest| rest[..4].iter().all(u8::is_ascii_hexdigit) && rest[4] == b'_')
    })
}
