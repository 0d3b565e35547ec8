//! `Text` and `TextFile`: files of rows of text, whose complaints name file, line and field.

mod blocks;
mod decoded;
mod locate;
mod packed;

use crate::batch::{Batch, Stop};
use crate::fault::Fault;
use crate::file::{DataFile, InputFormat, Piece, Pieces, RowTaker, Worker};
use crate::header::FILE;
use crate::judge::Judge;
use crate::names::Names;
use crate::source::{Packing, Source};
use blocks::{BLOCK, Block, BlockReader, Ending, LONGEST_ROW, SMALL_BLOCK};
use csv::{ByteRecord, Reader, ReaderBuilder};
use declare::{Encoding, Place, Problem};
use locate::{Located, locate};
pub(crate) use packed::Unpacked;
use std::io::Read;
use std::path::PathBuf;

/// Rows of a batch.
const BATCH: u64 = 8192;

/// Rows of text, with this byte between fields.
pub(crate) struct Text {
    endings: &'static [&'static str],
    delimiter: u8,
}

/// Fields between commas.
pub(crate) const COMMAS: Text = Text { endings: &["csv"], delimiter: b',' };
/// Fields between tabs.
pub(crate) const TABS: Text = Text { endings: &["tsv"], delimiter: b'\t' };

impl InputFormat for Text {
    fn endings(&self) -> &'static [&'static str] {
        self.endings
    }

    fn is_text(&self) -> bool {
        true
    }

    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem> {
        Ok(Box::new(TextFile::open(source, self.delimiter)?))
    }
}

/// A file of text.
struct TextFile {
    names: Names,
    path: PathBuf,
    size: u64,
    delimiter: u8,
    packing: Packing,
    encoding: Encoding,
    /// The byte at which the rows below the header start.
    start: u64,
}

impl TextFile {
    /// Opens a file, and reads its header.
    fn open(source: &Source<'_>, delimiter: u8) -> Result<Self, Problem> {
        let Source { path, name, size, packing, encoding } = *source;
        let (names, path) = (Names::new(FILE, name, Vec::new()), path.to_owned());
        let mut file = TextFile { names, path, size, delimiter, packing, encoding, start: 0 };
        let mut blocks = BlockReader::new(file.unpacked()?, 0, delimiter, SMALL_BLOCK);
        let mut record = ByteRecord::new();
        while let Some(block) = blocks.next().map_err(|error| file.unreadable(&error))? {
            let mut rows = file.reader(block.text());
            if rows.read_byte_record(&mut record).is_ok_and(|found| found) {
                file.start = block.place(rows.position().byte());
                let names = record.iter().enumerate().map(|(field, name)| match std::str::from_utf8(name) {
                    Ok(name) => Ok(name.to_owned()),
                    Err(_) => Err(file.header_problem(*Fault::not_text(name, field))),
                });
                file.names = Names::new(FILE, name, names.collect::<Result<_, _>>()?);
                return Ok(file);
            }
            if let Some(problem) = file.ending(&block) {
                return Err(problem);
            }
        }
        Err(Problem::bad(format!("the data file `{}` is empty", file.name()))
            .hint("the first row names the columns; a table without rows still needs it"))
    }

    fn unpacked(&self) -> Result<Unpacked, Problem> {
        Unpacked::open(&self.path, self.packing, self.encoding).map_err(|error| self.unreadable(&error))
    }

    fn reader<'a>(&self, text: &'a [u8]) -> Reader<&'a [u8]> {
        ReaderBuilder::new().delimiter(self.delimiter).has_headers(false).flexible(true).from_reader(text)
    }

    fn locate(&self, place: u64) -> Option<Located> {
        locate(&mut self.unpacked().ok()?, place, self.delimiter)
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
        problem.at(Place { file: self.names.file.clone(), text, first_line, span, label: fault.label })
    }

    fn unclosed(&self, located: Located) -> Problem {
        let field = located.fields.len() - 1;
        let hint = "everything from it to the end of the file is one value now; close it, or double \
                    it to mean a quotation mark";
        let fault = Fault::new("a quotation mark is never closed", "opened here").at(field).hint(hint);
        self.placed(*fault, Some(located))
    }

    fn too_long(&self, place: u64) -> Problem {
        let fault = Fault::new("a row is longer than a mebibyte", "it starts here")
            .hint("a quotation mark that is never closed makes the rest of the file one value");
        self.placed(*fault, self.locate(place))
    }

    /// What is wrong with the rest of a block after its last whole row.
    fn ending(&self, block: &Block) -> Option<Problem> {
        match block.ending {
            Ending::Whole => None,
            Ending::TooLong(place) => Some(self.too_long(place)),
            Ending::Open(place) => Some(match self.locate(place) {
                Some(located) => self.unclosed(located),
                None => Problem::system(format!("the data file `{}` changed while it was read", self.names.file)),
            }),
        }
    }

    fn unreadable(&self, error: &std::io::Error) -> Problem {
        self.packing.problem(self.name(), error)
    }

    /// Hands the rows of a block on, with the byte at which each starts, as long as `row` returns
    /// `true`.
    fn each(
        &self,
        block: &Block,
        record: &mut ByteRecord,
        row: &mut dyn FnMut(&ByteRecord, u64) -> bool,
    ) -> Option<Problem> {
        let mut rows = self.reader(block.text());
        loop {
            let start = rows.position().byte();
            // Bytes in memory cannot fail to be read, and rows of any length are accepted.
            if !rows.read_byte_record(record).is_ok_and(|found| found) {
                return self.ending(block);
            }
            let place = block.place(start);
            if rows.position().byte() - start > LONGEST_ROW {
                return Some(self.too_long(place));
            }
            if !row(record, place) {
                return None;
            }
        }
    }
}

impl DataFile for TextFile {
    fn names(&self) -> &Names {
        &self.names
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn select(&mut self, _: &[usize]) -> Result<(), Problem> {
        Ok(())
    }

    fn pieces(&self) -> Result<Pieces<'_>, Problem> {
        let mut unpacked = self.unpacked()?;
        let header = &mut unpacked.by_ref().take(self.start);
        std::io::copy(header, &mut std::io::sink()).map_err(|error| self.unreadable(&error))?;
        let mut blocks = BlockReader::new(unpacked, self.start, self.delimiter, BLOCK);
        let next = move || {
            let block = blocks.next().map_err(|error| self.unreadable(&error)).transpose()?;
            Some(block.map(|block| Box::new(TextPiece { file: self, block }) as Box<dyn Piece>))
        };
        // Packed text is many times as long.
        let size = if self.packing == Packing::Plain { self.size } else { 8 * self.size };
        let worth = usize::try_from(size / BLOCK as u64).unwrap_or(usize::MAX);
        Ok(Pieces { rest: Box::new(std::iter::from_fn(next)), worth })
    }

    fn header_problem(&self, fault: Fault) -> Problem {
        self.problem(0, fault)
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        match self.locate(place) {
            // Whatever else is wrong with such a row follows from this.
            Some(located) if located.unclosed => self.unclosed(located),
            located => self.placed(fault, located),
        }
    }

    fn whereabouts(&self, place: u64) -> String {
        self.locate(place).map_or(String::new(), |located| format!("on line {}", located.first_line))
    }
}

/// A block of a file.
struct TextPiece<'a> {
    file: &'a TextFile,
    block: Block,
}

impl Piece for TextPiece<'_> {
    fn work(&self, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let block = &self.block;
        let mut batch = Batch::new(block.start);
        let mut goes_on = true;
        // Rows after a wrong one are not counted.
        let mut rest = Batch::default();
        let mut record = std::mem::take(&mut worker.record);
        let problem = self.file.each(block, &mut record, &mut |record, place| {
            if batch.tally.read == BATCH {
                (batch.end, batch.reached) = (place, block.reached(place));
                goes_on = emit(std::mem::replace(&mut batch, Batch::new(place)));
            }
            // A block is never longer than a few rows.
            let offset = (place - batch.first) as u32;
            let counted = if batch.stop.is_none() { &mut batch } else { &mut rest };
            match judge.row(record, offset, counted) {
                Ok(()) => goes_on,
                Err(fault) => batch.note(place, fault),
            }
        });
        worker.record = record;
        if goes_on {
            batch.stop = batch.stop.or(problem.map(Stop::Problem));
            (batch.end, batch.reached) = (block.end(), block.reached(block.end()));
            emit(batch);
        }
    }

    fn rows(&self, row: &mut RowTaker<'_>) -> Result<(), Problem> {
        let mut result = Ok(());
        let problem = self.file.each(&self.block, &mut ByteRecord::new(), &mut |record, _| {
            result = row(record);
            result.is_ok()
        });
        result.and(problem.map_or(Ok(()), Err))
    }
}

/// The last place at or before `index` where the text can be cut.
fn boundary(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (0..=index).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}
