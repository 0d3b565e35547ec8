//! Where a row stands in its file: its first line, its text as written, and the bytes of each
//! field.
//!
//! Only errors need this, so the reader keeps nothing but the byte at which a row starts, and the
//! file is read again.

use super::blocks::LONGEST_ROW;
use crate::fault::is_unseen;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

/// A row as it is written in its file.
pub(crate) struct Located {
    /// The line on which it starts, counted from 1.
    pub first_line: usize,
    /// Its text; bytes that are not UTF-8 and control characters are replaced.
    pub text: String,
    /// The bytes of `text` that hold each field, quotation marks included.
    pub fields: Vec<Range<usize>>,
    /// Whether a quotation mark is still open at the end of the file.
    pub unclosed: bool,
}

/// More than any row the reader accepts.
const LONGEST: u64 = 4 * LONGEST_ROW;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The row that starts at this byte of a text, or after the line ends that stand there; `None` when
/// the file has changed.
pub(crate) fn locate(text: &mut dyn Read, byte: u64, delimiter: u8) -> Option<Located> {
    let mut reader = BufReader::with_capacity(1 << 16, text);
    let mut lines = Lines { count: 1, after_return: false };
    let mut left = byte;
    while left > 0 {
        let buffer = reader.fill_buf().ok()?;
        let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if length == 0 {
            return None;
        }
        buffer[..length].iter().for_each(|byte| lines.see(*byte));
        reader.consume(length);
        left -= length as u64;
    }
    while let Some(end) = reader.fill_buf().ok()?.first().copied().filter(|byte| matches!(byte, b'\r' | b'\n')) {
        lines.see(end);
        reader.consume(1);
    }
    lines.see(b' ');
    let mut raw = Vec::new();
    reader.take(LONGEST).read_to_end(&mut raw).ok()?;
    let raw = if byte == 0 { raw.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&raw) } else { &raw };
    let (text, fields, unclosed) = split(raw, delimiter);
    Some(Located { first_line: lines.count, text, fields, unclosed })
}

/// Counts lines: a line feed, a carriage return, or both together end one.
struct Lines {
    count: usize,
    after_return: bool,
}

impl Lines {
    fn see(&mut self, byte: u8) {
        if byte == b'\n' || self.after_return {
            self.count += 1;
        }
        self.after_return = byte == b'\r';
    }
}

/// The text of the first row, the place of its fields, and whether a quotation mark stays open.
fn split(raw: &[u8], delimiter: u8) -> (String, Vec<Range<usize>>, bool) {
    let mut text = String::new();
    let mut fields = Vec::new();
    let mut start = 0;
    loop {
        let (end, unclosed) = field_end(raw, start, delimiter);
        let from = text.len();
        text.extend(String::from_utf8_lossy(&raw[start..end]).chars().map(printable));
        fields.push(from..text.len());
        if raw.get(end) != Some(&delimiter) {
            return (text, fields, unclosed);
        }
        text.push(char::from(delimiter));
        start = end + 1;
    }
}

/// Where the field that starts here ends, by the rules of the CSV reader.
fn field_end(raw: &[u8], start: usize, delimiter: u8) -> (usize, bool) {
    let mut position = start;
    if raw.get(start) == Some(&b'"') {
        position += 1;
        loop {
            match (raw.get(position), raw.get(position + 1)) {
                (None, _) => return (raw.len(), true),
                (Some(b'"'), Some(b'"')) => position += 2,
                (Some(b'"'), _) => break,
                _ => position += 1,
            }
        }
    }
    let plain = raw[position..].iter().position(|byte| *byte == delimiter || matches!(byte, b'\r' | b'\n'));
    (plain.map_or(raw.len(), |length| position + length), false)
}

fn printable(character: char) -> char {
    if is_unseen(character) && !matches!(character, '\n' | '\t') { '\u{fffd}' } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rows_are_split_as_the_reader_splits_them(raw in "[ab,\"\r\n]{0,20}") {
            let raw = raw.trim_start_matches(['\r', '\n']);
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(raw.as_bytes());
            let mut record = csv::ByteRecord::new();
            if reader.read_byte_record(&mut record).expect("bytes in memory") {
                let (text, fields, _) = split(raw.as_bytes(), b',');
                prop_assert_eq!(fields.len(), record.len(), "{}", text);
            }
        }
    }

    #[test]
    fn fields_are_found_as_the_reader_splits_them() {
        let (text, fields, unclosed) = split(b"a,\"b,\"\"\nc\",d\r\nnext", b',');
        assert_eq!(text, "a,\"b,\"\"\nc\",d");
        let parts: Vec<&str> = fields.into_iter().map(|field| &text[field]).collect();
        assert_eq!(parts, ["a", "\"b,\"\"\nc\"", "d"]);
        assert!(!unclosed);
        assert!(split(b"a,\"b", b',').2);
    }

    #[test]
    fn line_ends_of_every_kind_count_once() {
        for (text, lines) in [("a\nb\n", 3), ("a\r\nb\r\n", 3), ("a\rb\r", 3), ("\r\r\n\n\r", 5)] {
            let mut seen = Lines { count: 1, after_return: false };
            text.bytes().chain([b' ']).for_each(|byte| seen.see(byte));
            assert_eq!(seen.count, lines, "{text:?}");
        }
    }
}
