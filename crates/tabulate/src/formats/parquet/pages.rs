//! Looks at the headers of all pages of a column chunk before any is unpacked: absurd sizes are
//! refused.
//!
//! A header is a struct of Thrift's compact protocol: fields of a type and a number, until a zero
//! byte.

use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The most bytes that a page may have when unpacked.
const LARGEST_PAGE: i64 = 1 << 30;

/// Headers are read in so many bytes; those that do not fit in the last are refused.
const WINDOWS: [u64; 3] = [1 << 8, 1 << 16, 1 << 24];

/// Checks the place and the pages of a column chunk of a file with this many bytes.
pub(crate) fn check_pages(file: &mut File, chunk: &ColumnChunkMetaData, size: u64) -> Result<(), String> {
    let (mut place, length) = chunk.byte_range();
    let end = place.checked_add(length).filter(|end| *end <= size).ok_or("a column ends after the end of the file")?;
    let wanted = chunk.num_values();
    let mut values = 0;
    while values < wanted {
        let header = header_at(file, place, end)?;
        let (unpacked, packed) = (header.uncompressed, header.compressed);
        if unpacked > LARGEST_PAGE {
            return Err(format!(
                "a page would take {} MiB when unpacked, more than the 1024 that are allowed",
                unpacked >> 20
            ));
        }
        if header.values < 0 || packed < 0 || unpacked < 0 || (header.is_dictionary && header.values > unpacked) {
            return Err("the sizes of a page are impossible".to_owned());
        }
        place += header.length + packed as u64;
        if place > end {
            return Err("a page ends after the end of its column".to_owned());
        }
        if !header.is_dictionary {
            values += header.values;
        }
    }
    if values == wanted { Ok(()) } else { Err("a column has another number of values than the file says".to_owned()) }
}

fn header_at(file: &mut File, place: u64, end: u64) -> Result<Header, String> {
    for window in WINDOWS {
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(place));
        let read = read.and_then(|_| file.take(window.min(end.saturating_sub(place))).read_to_end(&mut bytes));
        read.map_err(|error| error.to_string())?;
        if let Some(header) = Header::read(&bytes) {
            return Ok(header);
        }
    }
    Err("the header of a page cannot be read".to_owned())
}

/// What matters of the header of a page.
#[derive(Debug, Default)]
struct Header {
    /// Its own length.
    length: u64,
    uncompressed: i64,
    compressed: i64,
    values: i64,
    is_dictionary: bool,
}

impl Header {
    /// Reads a header; `None` when the bytes end before it does, or are none.
    fn read(bytes: &[u8]) -> Option<Header> {
        let mut thrift = Thrift { bytes, place: 0 };
        let mut header = Header { compressed: -1, uncompressed: -1, ..Header::default() };
        let mut last = 0;
        while let Some((field, kind)) = thrift.field(&mut last)? {
            match (field, kind) {
                (2, I32) => header.uncompressed = thrift.number()?,
                (3, I32) => header.compressed = thrift.number()?,
                (5 | 7 | 8, STRUCT) => {
                    header.is_dictionary = field == 7;
                    header.values = -1;
                    let mut last = 0;
                    while let Some((field, kind)) = thrift.field(&mut last)? {
                        match (field, kind) {
                            (1, I32) => header.values = thrift.number()?,
                            _ => thrift.skip(kind, 8)?,
                        }
                    }
                }
                _ => thrift.skip(kind, 8)?,
            }
        }
        header.length = thrift.place as u64;
        Some(header)
    }
}

const I32: u8 = 5;
const STRUCT: u8 = 12;

/// Numbers and fields as Thrift's compact protocol writes them.
pub(super) struct Thrift<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) place: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.place)?;
        self.place += 1;
        Some(byte)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// The number and the type of the next field; `Some(None)` at the end of the struct.
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *last = if byte >> 4 == 0 { self.number()? } else { last.checked_add(i64::from(byte >> 4))? };
        Some(Some((*last, byte & 0x0f)))
    }

    fn pass(&mut self, length: u64) -> Option<()> {
        self.place = usize::try_from(length).ok().and_then(|length| self.place.checked_add(length))?;
        (self.place <= self.bytes.len()).then_some(())
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let deeper = depth.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.varint()?;
                self.pass(length)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let length = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                let kind = byte & 0x0f;
                // Flags in a list take a byte each.
                (0..length).try_for_each(|_| if kind <= 2 { self.pass(1) } else { self.skip(kind, deeper) })
            }
            11 => {
                let length = self.varint()?;
                let kinds = if length > 0 { self.byte()? } else { 0 };
                (0..length).try_for_each(|_| {
                    self.skip(kinds >> 4, deeper)?;
                    self.skip(kinds & 0x0f, deeper)
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, deeper)?;
                }
                Some(())
            }
            13 => self.pass(16),
            _ => None,
        }
    }
}
