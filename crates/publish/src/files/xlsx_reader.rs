//! Workbooks read back: the sheet `Table` cell by cell, or all sheets compared.

use super::table_reader::{Damage, Portions};
use super::xlsx_format::LARGEST_NUMBER;
use super::{cannot, column_names};
use calamine::{Data, DataRef, Range, Reader, Xlsx, XlsxError, open_workbook};
use declare::{Column, Domain, Problem};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads the rows of a table and hands them on.
pub(super) fn read(path: &Path, domain: &Domain, portions: &mut Portions<'_>) -> Result<(), Problem> {
    let damage = Damage { path };
    let failed = |error: XlsxError| cannot("read", path, error);
    let mut workbook: Xlsx<BufReader<File>> =
        open_workbook(path).map_err(|error: XlsxError| damage.of(format_args!("is not a workbook: {error}")))?;
    let mut cells = workbook.worksheet_cells_reader("Table").map_err(failed)?;
    let names = column_names(domain, portions.intervals);
    let columns = domain.columns();
    let mut walk = domain.walk();
    let mut next = cells.next_cell().map_err(failed)?;
    let mut row: Vec<Option<SheetCell>> = vec![None; names.len()];
    for number in 0.. {
        row.fill(None);
        let mut empty = true;
        while let Some(cell) = &next {
            let (at, place) = cell.get_position();
            if at != number {
                break;
            }
            *row.get_mut(place as usize).ok_or_else(|| damage.columns())? = SheetCell::of(cell.get_value());
            empty = false;
            next = cells.next_cell().map_err(failed)?;
        }
        if number == 0 {
            let same = |(found, name): (&Option<SheetCell>, &String)| matches!(found, Some(SheetCell::Text(text)) if text == name);
            if !row.iter().zip(&names).all(same) {
                return Err(damage.columns());
            }
            continue;
        }
        if empty && next.is_none() {
            break;
        }
        let (cell, codes) = walk.advance().ok_or_else(|| damage.more())?;
        let same =
            |(found, column): (&Option<SheetCell>, &Column<'_>)| is_label(found, column, codes[column.dimension]);
        if !row.iter().zip(&columns).all(same) {
            return Err(damage.row(cell + 1));
        }
        let integer = |place: usize| match row[columns.len() + place] {
            Some(SheetCell::Number(number)) => Ok(number),
            _ => Err(damage.number(cell + 1)),
        };
        let interval = if portions.intervals { Some([integer(1)?, integer(2)?]) } else { None };
        portions.push(integer(0)?, interval)?;
    }
    if walk.advance().is_some() { Err(damage.fewer()) } else { Ok(()) }
}

/// What a cell of a sheet holds, as far as a table is concerned.
#[derive(Clone, PartialEq)]
enum SheetCell {
    Text(String),
    Number(i64),
    Other,
}

impl SheetCell {
    fn of(value: &DataRef<'_>) -> Option<SheetCell> {
        Some(match value {
            DataRef::String(text) => SheetCell::Text(text.clone()),
            DataRef::SharedString(text) => SheetCell::Text((*text).to_string()),
            DataRef::Int(number) if number.unsigned_abs() <= LARGEST_NUMBER => SheetCell::Number(*number),
            DataRef::Float(number) if number.fract() == 0.0 && number.abs() <= LARGEST_NUMBER as f64 => {
                SheetCell::Number(*number as i64)
            }
            DataRef::Empty => return None,
            _ => SheetCell::Other,
        })
    }
}

fn is_label(found: &Option<SheetCell>, column: &Column<'_>, code: usize) -> bool {
    match (found, column.integer(code)) {
        (Some(SheetCell::Number(number)), Some(label)) => *number == label,
        (Some(SheetCell::Text(text)), None) => *text == column.text(code),
        (None, None) => column.text(code).is_empty(),
        _ => false,
    }
}

/// Whether two workbooks have the same sheets with the same values, and the first no formula.
pub(super) fn same_sheets(found: &Path, made: &Path) -> Result<bool, XlsxError> {
    let mut found: Xlsx<BufReader<File>> = open_workbook(found)?;
    let mut made: Xlsx<BufReader<File>> = open_workbook(made)?;
    let names = made.sheet_names();
    if found.sheet_names() != names {
        return Ok(false);
    }
    for name in names {
        let (one, other): (Range<Data>, Range<Data>) = (found.worksheet_range(&name)?, made.worksheet_range(&name)?);
        if one != other || !found.worksheet_formula(&name)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
