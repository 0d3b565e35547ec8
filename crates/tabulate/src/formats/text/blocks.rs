//! `BlockReader`: cuts a text file into blocks of whole rows, by the rules of the CSV reader.

use super::packed::Unpacked;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

/// A longer row is refused: nearly always a quotation mark that is never closed, and memory must
/// stay bounded.
pub(crate) const LONGEST_ROW: u64 = 1 << 20;

/// So many bytes are read before a block is cut.
pub(crate) const BLOCK: usize = 1 << 20;

/// The header is looked for in so many bytes first.
pub(crate) const SMALL_BLOCK: usize = 1 << 16;

/// Whole rows of a text file.
pub(crate) struct Block {
    /// The byte of the unpacked file at which the block starts.
    pub start: u64,
    /// A line feed, and the rows. The CSV reader drops a byte order mark at the beginning of what
    /// it reads, which is right at the beginning of a file only; blank lines it skips everywhere.
    bytes: Vec<u8>,
    /// What follows the rows.
    pub ending: Ending,
    /// How many bytes of the stored file had been read before the block, and after it.
    taken: (u64, u64),
}

/// What follows the rows of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The next block, or the end of the file.
    Whole,
    /// A row that is too long, from this byte on.
    TooLong(u64),
    /// A row with a quotation mark that is never closed, from this byte on.
    Open(u64),
}

impl Block {
    /// The rows, as the CSV reader must see them.
    pub fn text(&self) -> &[u8] {
        if self.start == 0 { &self.bytes[1..] } else { &self.bytes }
    }

    /// The byte of the file at this position of the text.
    pub fn place(&self, position: u64) -> u64 {
        self.start + if self.start == 0 { position } else { position.saturating_sub(1) }
    }

    /// The byte of the file at which the block ends.
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64 - 1
    }

    /// How many bytes of the stored file are done when the rows before this byte are.
    pub fn reached(&self, place: u64) -> u64 {
        let (before, after) = (u128::from(self.taken.0), u128::from(self.taken.1));
        let length = u128::from(self.end() - self.start).max(1);
        (before + (after - before) * u128::from(place - self.start) / length) as u64
    }
}

/// A source of bytes that knows how much of a file it has taken.
pub(crate) trait Source: Read {
    /// How many bytes of the stored file have been read.
    fn taken(&self) -> u64;
}

impl Source for Unpacked {
    fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// Cuts what a source holds into blocks.
pub(crate) struct BlockReader<S> {
    source: S,
    delimiter: u8,
    /// The byte at which `rest` starts.
    start: u64,
    /// What has been read and is in no block yet.
    rest: Vec<u8>,
    /// The bytes of a block.
    size: usize,
    taken: u64,
    ended: bool,
}

impl<S: Source> BlockReader<S> {
    /// The blocks of about this size of a source that stands at the beginning of a row, which is
    /// this byte of the file.
    pub fn new(source: S, start: u64, delimiter: u8, size: usize) -> Self {
        let taken = source.taken();
        BlockReader { source, delimiter, start, rest: Vec::new(), size, taken, ended: false }
    }

    /// The next block; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Block>> {
        let mut wanted = self.size.max(self.rest.len());
        while !self.ended {
            self.fill(wanted)?;
            let (end, _) = whole_rows(&self.rest, self.delimiter);
            if end > 0 && !self.ended {
                return Ok(Some(self.cut(end, Ending::Whole)));
            }
            if !self.ended && self.rest.len() as u64 > LONGEST_ROW {
                self.ended = true;
                return Ok(Some(self.cut(0, Ending::TooLong(self.start))));
            }
            wanted = self.rest.len() + self.size;
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (end, open) = whole_rows(&self.rest, self.delimiter);
        let block = match open {
            true => self.cut(end, Ending::Open(self.start + end as u64)),
            false => self.cut(self.rest.len(), Ending::Whole),
        };
        self.rest.clear();
        Ok(Some(block))
    }

    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        let missing = wanted - self.rest.len();
        self.rest.reserve(missing);
        let read = self.source.by_ref().take(missing as u64).read_to_end(&mut self.rest)?;
        self.ended = read < missing;
        Ok(())
    }

    fn cut(&mut self, end: usize, ending: Ending) -> Block {
        let mut bytes = Vec::with_capacity(end + 1);
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.rest[..end]);
        self.rest.drain(..end);
        let after = self.source.taken();
        let block = Block { start: self.start, bytes, ending, taken: (self.taken, after) };
        self.start += end as u64;
        self.taken = after;
        block
    }
}

/// How many bytes hold whole rows with their ends, and whether what follows them ends inside
/// quotation marks.
///
/// A quotation mark opens a value at the beginning of a field only, and inside it only another one
/// that is not doubled closes it; what follows up to the end of the field is plain again.
/// Everywhere else it is a letter.
fn whole_rows(bytes: &[u8], delimiter: u8) -> (usize, bool) {
    let mut plain_from = 0;
    let mut end = 0;
    loop {
        let quote = next_quote(bytes, plain_from);
        let plain = &bytes[plain_from..quote.unwrap_or(bytes.len())];
        if let Some(last) = plain.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            end = plain_from + last + 1;
        }
        let Some(quote) = quote else {
            return (end, false);
        };
        let opens = quote == 0 || matches!(bytes[quote - 1], b'\n' | b'\r') || bytes[quote - 1] == delimiter;
        if !opens {
            plain_from = quote + 1;
            continue;
        }
        match closing(bytes, quote + 1) {
            Some(after) => plain_from = after,
            None => return (end, true),
        }
    }
}

/// Where the text inside quotation marks ends: the byte after the mark that closes it.
fn closing(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = next_quote(bytes, from)?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote + 1);
        }
        from = quote + 2;
    }
}

fn next_quote(bytes: &[u8], from: usize) -> Option<usize> {
    const STRIDE: usize = 1 << 10;
    let mut start = from;
    while start < bytes.len() {
        let stride = &bytes[start..bytes.len().min(start + STRIDE)];
        // Looking for the presence alone is several times as fast as looking for the place.
        if stride.contains(&b'"') {
            return stride.iter().position(|byte| *byte == b'"').map(|position| start + position);
        }
        start += STRIDE;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use csv::ReaderBuilder;
    use proptest::prelude::*;

    impl Source for &[u8] {
        fn taken(&self) -> u64 {
            0
        }
    }

    fn rows(text: &[u8]) -> Vec<csv::ByteRecord> {
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.into_byte_records().map(|row| row.expect("bytes in memory")).collect()
    }

    fn same(text: &[u8], size: usize) {
        let mut reader = BlockReader::new(text, 7, b',', size);
        let (mut found, mut start) = (Vec::new(), 7);
        while let Some(block) = reader.next().expect("bytes in memory") {
            assert_eq!(block.start, start);
            start = block.end();
            found.extend(rows(block.text()));
            if let Ending::Open(place) = block.ending {
                assert_eq!(place, start);
                found.extend(rows(&[b"\n", &text[place as usize - 7..]].concat()));
                let last = rows(&[&text[place as usize - 7..], b"\"\n"].concat());
                assert_eq!(last.len(), 1, "it is one row, once the mark is closed");
            }
        }
        assert_eq!(found, rows(&[b"\n", text].concat()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn blocks_hold_the_rows_of_the_whole(text in "[a,\"\r\n]{0,24}", size in 1usize..9) {
            same(text.as_bytes(), size);
        }

        #[test]
        fn blocks_of_any_bytes_hold_the_rows_of_the_whole(
            text in prop::collection::vec(prop::sample::select(b"ab,\"\"\n\r\xef\xbb\xbf\0".to_vec()), 0..200),
            size in 1usize..40,
        ) {
            same(&text, size);
        }
    }
}
