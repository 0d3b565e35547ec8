//! Reads any file row by row as text: for public files of a spec, and for drafts.

use crate::file::{self, DataFile};
use crate::judge::field;
use declare::{Encoding, LARGEST_FILE, Problem, PublicTable};
use std::path::Path;

/// Takes a row, with the names of the columns and the fields as text.
pub type RowVisitor<'a> = dyn FnMut(&[String], &[&str]) -> Result<(), Problem> + 'a;

/// Hands every row, as text, to the visitor, with the names of the columns; returns these names.
///
/// A row of a text file may have more or fewer fields than the header: the visitor decides what that means.
pub fn scan(path: &Path, name: &str, row: &mut RowVisitor<'_>) -> Result<Vec<String>, Problem> {
    let mut file = file::open(path, name, Encoding::Utf8)?;
    let all: Vec<usize> = (0..file.header().len()).collect();
    file.select(&all)?;
    rows_of(file.as_ref(), row)?;
    Ok(file.header().to_vec())
}

/// What is known of a file that was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// The names of the columns.
    pub header: Vec<String>,
    /// What columns hold that are not read, by their place; their fields were empty.
    pub unreadable: Vec<(usize, &'static str)>,
}

/// The same for a file of which some columns may be unreadable, in an encoding.
pub fn scan_readable(
    path: &Path,
    name: &str,
    encoding: Encoding,
    row: &mut RowVisitor<'_>,
) -> Result<Scanned, Problem> {
    let mut file = file::open(path, name, encoding)?;
    let header = file.header().to_vec();
    let unreadable: Vec<(usize, &'static str)> =
        (0..header.len()).filter_map(|column| Some((column, file.unreadable(column)?))).collect();
    let readable: Vec<usize> =
        (0..header.len()).filter(|column| !unreadable.iter().any(|(other, _)| other == column)).collect();
    file.select(&readable)?;
    rows_of(file.as_ref(), row)?;
    Ok(Scanned { header, unreadable })
}

fn rows_of(file: &dyn DataFile, row: &mut RowVisitor<'_>) -> Result<(), Problem> {
    let header = file.header();
    let mut pieces = file.pieces()?;
    while let Some(piece) = pieces.next()? {
        file.rows(piece, &mut |record| {
            let fields: Vec<&str> = (0..record.len()).map(|column| field(record, column)).collect();
            row(header, &fields)
        })?;
    }
    Ok(())
}

/// The whole of a public file, which must not hold more text than a spec may.
pub fn public_table(path: &Path, name: &str) -> Result<PublicTable, Problem> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    let columns = scan(path, name, &mut |header, fields| {
        bytes += fields.iter().map(|field| field.len() as u64 + 1).sum::<u64>();
        if bytes > LARGEST_FILE {
            return Err(Problem::bad(format!("`{name}` holds more than {} MB of text", LARGEST_FILE >> 20)));
        }
        if fields.len() != header.len() {
            let (row, found, wanted) = (rows.len() + 1, fields.len(), header.len());
            return Err(Problem::bad(format!("row {row} of `{name}` has {found} fields, the header has {wanted}")));
        }
        rows.push(fields.iter().map(|field| (*field).to_owned()).collect());
        Ok(())
    })?;
    Ok(PublicTable { columns, rows })
}
