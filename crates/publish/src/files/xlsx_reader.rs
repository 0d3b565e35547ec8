//! The sheet `Table` of a workbook, read back cell by cell.

use super::table_reader::{Damage, Portions};
use super::xlsx_file::LARGEST_NUMBER;
use super::{cannot, column_names};
use calamine::{DataRef, Xlsx, XlsxError, open_workbook};
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
    let mut row: Vec<Option<Found>> = vec![None; names.len()];
    for number in 0.. {
        row.fill(None);
        let mut empty = true;
        while let Some(cell) = &next {
            let (at, place) = cell.get_position();
            if at != number {
                break;
            }
            match row.get_mut(place as usize) {
                Some(found) => *found = Found::of(cell.get_value()),
                None => return Err(damage.columns()),
            }
            empty = false;
            next = cells.next_cell().map_err(failed)?;
        }
        if number == 0 {
            let same =
                |(found, name): (&Option<Found>, &String)| matches!(found, Some(Found::Text(text)) if text == name);
            if !row.iter().zip(&names).all(same) {
                return Err(damage.columns());
            }
            continue;
        }
        if empty && next.is_none() {
            break;
        }
        let (cell, codes) = walk.advance().ok_or_else(|| damage.more())?;
        let same = |(found, column): (&Option<Found>, &Column<'_>)| is_label(found, column, codes[column.dimension]);
        if !row.iter().zip(&columns).all(same) {
            return Err(damage.row(cell + 1));
        }
        let integer = |place: usize| match row[columns.len() + place] {
            Some(Found::Number(number)) => Ok(number),
            _ => Err(damage.number(cell + 1)),
        };
        let interval = if portions.intervals { Some([integer(1)?, integer(2)?]) } else { None };
        portions.push(integer(0)?, interval)?;
    }
    if walk.advance().is_some() { Err(damage.fewer()) } else { Ok(()) }
}

/// What a cell of a sheet holds, as far as a table is concerned.
#[derive(Clone, PartialEq)]
enum Found {
    Text(String),
    Number(i64),
    Other,
}

impl Found {
    fn of(value: &DataRef<'_>) -> Option<Found> {
        Some(match value {
            DataRef::String(text) => Found::Text(text.clone()),
            DataRef::SharedString(text) => Found::Text((*text).to_string()),
            DataRef::Int(number) if number.unsigned_abs() <= LARGEST_NUMBER => Found::Number(*number),
            DataRef::Float(number) if number.fract() == 0.0 && number.abs() <= LARGEST_NUMBER as f64 => {
                Found::Number(*number as i64)
            }
            DataRef::Empty => return None,
            _ => Found::Other,
        })
    }
}

fn is_label(found: &Option<Found>, column: &Column<'_>, code: usize) -> bool {
    match (found, column.integer(code)) {
        (Some(Found::Number(number)), Some(label)) => *number == label,
        (Some(Found::Text(text)), None) => *text == column.text(code),
        (None, None) => column.text(code).is_empty(),
        _ => false,
    }
}
