//! Workbooks as a format: all tables are sheets of one file, and what a sheet does not hold is
//! refused.

use super::examples::Example;
use super::format::{RowWriter, TableFormat};
use super::table_reader::Portions;
use super::xlsx_file::{LARGEST_NUMBER, LONGEST_TEXT, MOST_COLUMNS, MOST_ROWS, XlsxWriter, refused};
use super::{INTERVAL, cannot, xlsx_reader};
use declare::{Column, Domain, OutputRows, Problem, Values};
use std::path::Path;

/// A workbook of Excel, LibreOffice and others.
#[derive(Debug)]
pub struct Xlsx;

impl TableFormat for Xlsx {
    fn extension(&self) -> &'static str {
        "xlsx"
    }

    fn create(&self, path: &Path, _: &[(String, String)]) -> Result<Box<dyn RowWriter>, Problem> {
        Ok(Box::new(XlsxWriter::create(path)?))
    }

    fn read(&self, path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
        xlsx_reader::read(path, domain, portions)
    }

    fn is_workbook(&self) -> bool {
        true
    }

    fn check_tables(&self, domain: &Domain, outputs: &[OutputRows]) -> Result<(), Problem> {
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

    fn same(&self, found: &Path, made: &Path) -> Result<bool, Problem> {
        xlsx_reader::same_sheets(found, made).map_err(|error| cannot("read", found, error))
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
