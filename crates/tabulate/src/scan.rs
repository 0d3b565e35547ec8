//! Reads any file row by row as text: for public files of a spec, and for drafts.

use crate::fault::quoted;
use crate::file::DataFile;
use crate::formats::{self, Unpacked, format_of};
use crate::frame::Frame;
use crate::judge::field;
use crate::reading::Reading;
use crate::source::cannot_open;
use declare::{Encoding, LARGEST_FILE, Problem, PublicTable};
use exact::attention::look;
use std::io::Read;
use std::path::Path;

/// Takes a row, with the names of the columns and the fields as text.
pub type RowVisitor<'a> = dyn FnMut(&[String], &[&str]) -> Result<(), Problem> + 'a;

/// Hands every row, as text, to the visitor, with the names of the columns; returns these names.
///
/// A row of a text file may have more or fewer fields than the header: the visitor decides what
/// that means.
pub fn scan(path: &Path, name: &str, row: &mut RowVisitor<'_>) -> Result<Vec<String>, Problem> {
    scan_as(Reading::Strict, path, name, row)
}

/// Hands every row to the visitor; of data that must not be told, a field that is no text is handed
/// over as an empty one, and nothing is said.
pub fn scan_as(reading: Reading, path: &Path, name: &str, row: &mut RowVisitor<'_>) -> Result<Vec<String>, Problem> {
    all_of(formats::open(path, name, Encoding::Utf8)?, reading, row)
}

/// What is known of a file that was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// The names of the columns.
    pub header: Vec<String>,
    /// What columns hold that are not read, by their place; their fields were empty.
    pub unreadable: Vec<(usize, &'static str)>,
}

/// Hands every row to the visitor, of a file of which some columns may be unreadable, in an
/// encoding.
pub fn scan_readable(
    path: &Path,
    name: &str,
    encoding: Encoding,
    row: &mut RowVisitor<'_>,
) -> Result<Scanned, Problem> {
    let mut file = formats::open(path, name, encoding)?;
    let header = file.header().names.to_vec();
    let unreadable: Vec<(usize, &'static str)> =
        (0..header.len()).filter_map(|column| Some((column, file.unreadable(column)?))).collect();
    let readable: Vec<usize> = (0..header.len()).filter(|column| file.unreadable(*column).is_none()).collect();
    file.select(&readable)?;
    rows_of(file.as_ref(), Reading::Strict, row)?;
    Ok(Scanned { header, unreadable })
}

/// Hands the rows of a frame on as text; messages call it `name`.
pub fn scan_frame(frame: &Frame, name: &str, row: &mut RowVisitor<'_>) -> Result<Vec<String>, Problem> {
    all_of(formats::of_frame(name, frame), Reading::Strict, row)
}

/// Hands the rows of a file on with all of its columns; returns their names.
fn all_of(mut file: Box<dyn DataFile>, reading: Reading, row: &mut RowVisitor<'_>) -> Result<Vec<String>, Problem> {
    let all: Vec<usize> = (0..file.header().names.len()).collect();
    file.select(&all)?;
    rows_of(file.as_ref(), reading, row)?;
    Ok(file.header().names.to_vec())
}

fn rows_of(file: &dyn DataFile, reading: Reading, row: &mut RowVisitor<'_>) -> Result<(), Problem> {
    let header = file.header().names;
    for piece in file.pieces()?.rest {
        look();
        piece?.rows(&mut |record| {
            let garbled = record.iter().find(|field| std::str::from_utf8(field).is_err());
            if let Some(field) = garbled.filter(|_| reading == Reading::Strict) {
                let (name, found) = (file.name(), String::from_utf8_lossy(field));
                return Err(Problem::bad(format!("{} in `{name}` is not valid UTF-8", quoted(&found)))
                    .hint("save the file as UTF-8; it may be in Latin-1 or Windows-1252"));
            }
            let fields: Vec<&str> = (0..record.len()).map(|column| field(record, column)).collect();
            row(header, &fields)
        })?;
    }
    Ok(())
}

/// The encoding of the file at `path`, called `name` in messages: Windows-1252 when it is a text
/// and not UTF-8.
///
/// # Errors
/// When it cannot be read, or is UTF-16.
pub fn encoding_of(path: &Path, name: &str) -> Result<Encoding, Problem> {
    let (format, packing) = format_of(path, name)?;
    if !format.is_text() {
        return Ok(Encoding::Utf8);
    }
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => cannot_open(path, name, &error),
        _ => packing.problem(name, &error),
    };
    let mut source = Unpacked::open(path, packing, Encoding::Utf8).map_err(unreadable)?;
    let mut buffer = vec![0; 1 << 16];
    let (mut kept, mut begins) = (0, true);
    loop {
        let length = source.read(&mut buffer[kept..]).map_err(unreadable)?;
        let text = &buffer[..kept + length];
        if begins && (text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff])) {
            return Err(Problem::bad(format!("`{name}` looks like UTF-16")).hint("save it as UTF-8"));
        }
        begins = false;
        let rest = match std::str::from_utf8(text) {
            Ok(_) => 0,
            // A letter may go on in the next portion.
            Err(fault) if fault.error_len().is_none() && length > 0 => text.len() - fault.valid_up_to(),
            Err(_) => return Ok(Encoding::Windows1252),
        };
        if length == 0 {
            return Ok(Encoding::Utf8);
        }
        let end = text.len();
        buffer.copy_within(end - rest..end, 0);
        kept = rest;
    }
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
