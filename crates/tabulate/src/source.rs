//! `Source`: an open text file, read row by row, whose complaints name file, line and field.

use crate::fault::{Fault, quoted};
use crate::file::DataFile;
use crate::locate::{Located, ends_open, locate};
use csv::{ByteRecord, Reader, ReaderBuilder};
use declare::{Place, Problem};
use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A longer row is refused: nearly always a quotation mark that is never closed, and memory must stay bounded.
pub(crate) const LONGEST_ROW: u64 = 1 << 20;

const BUFFER: usize = 1 << 17;

/// An open file of text.
pub(crate) struct Source {
    /// The name as the spec gives it.
    name: String,
    path: PathBuf,
    delimiter: u8,
    reader: Reader<Bounded>,
    /// The byte at which the row that is being read starts.
    row_start: Rc<Cell<u64>>,
    /// The byte at which the last row that was read starts.
    last_row: u64,
}

impl Source {
    /// Reads the open file at `path`, called `name` in messages.
    pub fn new(file: File, path: &Path, name: &str, delimiter: u8) -> Self {
        let row_start = Rc::new(Cell::new(0));
        let bounded = Bounded { file, read: 0, row_start: Rc::clone(&row_start) };
        let reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(BUFFER)
            .from_reader(bounded);
        Source { name: name.to_owned(), path: path.to_owned(), delimiter, reader, row_start, last_row: 0 }
    }

    fn unclosed(&self, located: Located) -> Problem {
        let field = located.fields.len() - 1;
        let hint = "everything from it to the end of the file is one value now; close it, or double \
                    it to mean a quotation mark";
        let fault = Fault::new("a quotation mark is never closed", "opened here").at(field).hint(hint);
        self.placed(*fault, Some(located))
    }

    fn placed(&self, fault: Fault, located: Option<Located>) -> Problem {
        const SHOWN: usize = 400;
        let mut problem = Problem::bad(fault.message);
        problem.hint = fault.hint;
        let Some(Located { first_line, mut text, fields, .. }) = located else {
            return problem;
        };
        let whole = 0..text.len();
        let mut span = fault.field.and_then(|field| fields.get(field).cloned()).unwrap_or(whole);
        // A value of many lines or thousands of letters is pointed at by its beginning.
        span.end = text[span.clone()].find('\n').map_or(span.end, |length| span.start + length);
        span.end = boundary(&text, span.end.min(span.start + SHOWN));
        text.truncate(boundary(&text, span.end + SHOWN));
        problem.at(Place { file: self.name.clone(), text, first_line, span, label: fault.label })
    }

    fn failed(&self, error: &csv::Error) -> Problem {
        let too_long = match error.kind() {
            csv::ErrorKind::Io(error) => error.get_ref().is_some_and(|inner| inner.is::<RowTooLong>()),
            _ => false,
        };
        if too_long {
            let fault = Fault::new("a row is longer than a mebibyte", "it starts here")
                .hint("a quotation mark that is never closed makes the rest of the file one value");
            return self.placed(*fault, locate(&self.path, self.row_start.get(), self.delimiter));
        }
        Problem::system(format!("the data file `{}` could not be read to its end: {error}", self.name))
    }
}

impl DataFile for Source {
    fn header(&mut self, record: &mut ByteRecord) -> Result<Vec<String>, Problem> {
        if !self.read(record)? {
            return Err(Problem::bad(format!("the data file `{}` is empty", self.name))
                .hint("the first row names the columns; a table without rows still needs it"));
        }
        let names = record.iter().enumerate().map(|(field, name)| {
            let name = std::str::from_utf8(name).map_err(|_| self.problem(record, *not_text(name, field)))?;
            Ok(name.to_owned())
        });
        names.collect()
    }

    fn select(&mut self, _: &[usize]) -> Result<(), Problem> {
        Ok(())
    }

    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Problem> {
        let start = self.reader.position().byte();
        self.row_start.set(start);
        let found = self.reader.read_byte_record(record).map_err(|error| self.failed(&error))?;
        if found {
            self.last_row = start;
        }
        Ok(found)
    }

    /// At the end of a file the reader accepts a quotation mark that is still open, and everything after it would silently
    /// be one field.
    fn check_end(&self) -> Result<(), Problem> {
        if !ends_open(&self.path, self.last_row, self.delimiter) {
            return Ok(());
        }
        match locate(&self.path, self.last_row, self.delimiter) {
            Some(located) => Err(self.unclosed(located)),
            None => Err(Problem::system(format!("the data file `{}` changed while it was read", self.name))),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.reader.position().byte()
    }

    fn problem(&self, record: &ByteRecord, mut fault: Fault) -> Problem {
        let at = |byte| locate(&self.path, byte, self.delimiter);
        if let Some(first) = fault.earlier.and_then(at) {
            fault.message = format!("{} (first on line {})", fault.message, first.first_line);
        }
        match record.position().and_then(|position| at(position.byte())) {
            // Whatever else is wrong with such a row follows from this.
            Some(located) if located.unclosed => self.unclosed(located),
            located => self.placed(fault, located),
        }
    }
}

/// The last place at or before `index` where the text can be cut.
fn boundary(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (0..=index).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

/// A field that is not UTF-8.
pub(crate) fn not_text(bytes: &[u8], field: usize) -> Box<Fault> {
    let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else {
        "save the file as UTF-8; it may be in Latin-1 or Windows-1252"
    };
    let found = quoted(&String::from_utf8_lossy(bytes));
    Fault::new(format!("{found} is not valid UTF-8"), "not UTF-8").at(field).hint(hint)
}

/// The file, cut off when one row grows beyond all bounds.
struct Bounded {
    file: File,
    read: u64,
    row_start: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.saturating_sub(self.row_start.get()) > LONGEST_ROW + BUFFER as u64 {
            return Err(io::Error::other(RowTooLong));
        }
        let length = self.file.read(buffer)?;
        self.read += length as u64;
        Ok(length)
    }
}

#[derive(Debug)]
struct RowTooLong;

impl fmt::Display for RowTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a row is too long")
    }
}

impl Error for RowTooLong {}
