//! `Names`: how messages show a row or the columns of a file that has no lines.

use crate::fault::{Fault, NOT_UTF8, quoted, shortened};
use crate::header::{Class, FILE, Header};
use csv::ByteRecord;
use declare::{Place, Problem};

/// The names of a file or a frame and of its columns.
pub(crate) struct Names {
    /// What messages call a thing of its kind.
    kind: &'static str,
    /// How messages call the file.
    pub file: String,
    columns: Vec<String>,
    /// The columns that are read, in increasing order.
    pub used: Vec<usize>,
}

impl Names {
    /// The names of a thing of this kind, a file or a frame, and of its columns.
    pub fn new(kind: &'static str, name: &str, columns: Vec<String>) -> Names {
        Names { kind, file: name.to_owned(), columns, used: Vec::new() }
    }

    /// The names of the columns.
    pub fn header(&self) -> Header<'_> {
        Header { names: &self.columns, kind: self.kind }
    }

    /// Says which columns are used, if all of them hold what can be read.
    pub fn select(&mut self, columns: &[usize], classes: &[Result<Class, &'static str>]) -> Result<(), Problem> {
        self.used = columns.to_vec();
        let unreadable = columns.iter().find_map(|column| Some((*column, classes[*column].err()?)));
        let Some((column, kind)) = unreadable else { return Ok(()) };
        Err(Problem::bad(format!("the column {} of `{}` holds {kind}", quoted(&self.columns[column]), self.file))
            .hint("write it as text, whole numbers, real numbers, flags or dates"))
    }

    /// The problem of a file that cannot be read on.
    pub fn damaged(&self, error: &str) -> Problem {
        let data = if self.kind == FILE { "data " } else { "" };
        Problem::bad(format!("the {data}{} `{}` could not be read to its end: {error}", self.kind, self.file))
            .hint("it is damaged: write it again")
    }

    /// A fault of the columns as a problem.
    pub fn header_problem(&self, fault: Fault) -> Problem {
        let columns: Vec<String> = self.columns.iter().take(40).map(|name| quoted(name)).collect();
        let text = columns.join(", ");
        let span = 0..text.len();
        let mut problem = Problem::bad(fault.message);
        problem.hint = fault.hint;
        problem.at(Place { file: self.file.clone(), text, first_line: 1, span, label: fault.label })
    }

    /// A fault of the row with this number, counted from 0, as a problem; `record` is the row as
    /// text, if it was found.
    pub fn problem(&self, row: u64, record: Option<&ByteRecord>, fault: Fault) -> Problem {
        let mut problem = Problem::bad(fault.message);
        // Encodings are declared of text files alone.
        problem.hint = if fault.label == NOT_UTF8 { Some("write its text as UTF-8".to_owned()) } else { fault.hint };
        let Some(record) = record else {
            return problem;
        };
        let (text, span) = self.shown(record, fault.field);
        let first_line = usize::try_from(row + 1).unwrap_or(usize::MAX);
        let (file, label) = (self.file.clone(), format!("{} (row {first_line})", fault.label));
        problem.at(Place { file, text, first_line, span, label })
    }

    /// A row as messages show it, `county = Alpha, age = 3`, and the bytes of one of its values.
    fn shown(&self, record: &ByteRecord, field: Option<usize>) -> (String, std::ops::Range<usize>) {
        let mut text = String::new();
        let mut span = None;
        for column in &self.used {
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(&shortened(&self.columns[*column]));
            text.push_str(" = ");
            let start = text.len();
            let value = String::from_utf8_lossy(record.get(*column).unwrap_or_default());
            text.push_str(&if value.is_empty() { "(missing)".to_owned() } else { shortened(&value) });
            if field == Some(*column) {
                span = Some(start..text.len());
            }
        }
        let whole = 0..text.len();
        (text, span.unwrap_or(whole))
    }
}
