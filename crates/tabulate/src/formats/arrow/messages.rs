//! `Messages`: where the dictionaries and record batches of an Arrow IPC file or stream stand,
//! checked before use.

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::Schema;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};

/// The most bytes that a part of a record batch may have when unpacked.
const LARGEST_BUFFER: i64 = 1 << 30;
/// The most bytes of a record batch: it is decoded as a whole.
const LARGEST_BATCH: i64 = 1 << 31;

/// A dictionary or a record batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrowPart {
    pub block: Block,
    pub is_dictionary: bool,
    /// The number of rows; of a dictionary, 0.
    pub rows: u64,
}

/// What an Arrow file holds, in the order in which it must be read.
pub(crate) struct Messages {
    pub schema: Schema,
    pub version: MetadataVersion,
    pub parts: Vec<ArrowPart>,
}

impl Messages {
    /// Reads where everything stands in a file of this size; by the first bytes it is a file or a
    /// stream.
    pub fn read(file: &mut File, size: u64) -> Result<Self, String> {
        let mut magic = [0; 6];
        file.read_exact(&mut magic).map_err(|_| format!("it has only {size} bytes"))?;
        match &magic {
            b"ARROW1" => Self::of_file(file, size),
            [0xff, 0xff, 0xff, 0xff, ..] => Self::of_stream(file, size),
            [b'F', b'E', b'A', b'1', ..] => Err("it is in the old Feather format; version 2 is read".to_owned()),
            _ => Err("it does not begin like one".to_owned()),
        }
    }

    fn of_file(file: &mut File, size: u64) -> Result<Self, String> {
        let tail = bytes_at(file, size.saturating_sub(10), 10, size)?;
        if !tail.ends_with(b"ARROW1") {
            return Err("its end is missing; it may have been copied in part".to_owned());
        }
        let length = i32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let length = u64::try_from(length).map_err(|_| "its footer has an impossible size")?;
        let start = size.checked_sub(10 + length).ok_or("its footer has an impossible size")?;
        let footer = bytes_at(file, start, length, size)?;
        let footer = root_as_footer(&footer).map_err(|error| error.to_string())?;
        let schema = schema_of(footer.schema().ok_or("its footer names no columns")?)?;
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer.recordBatches().into_iter().flatten();
        let parts = dictionaries.chain(batches).map(|block| part(file, *block, size)).collect::<Result<_, _>>()?;
        Ok(Messages { schema, version: footer.version(), parts })
    }

    fn of_stream(file: &mut File, size: u64) -> Result<Self, String> {
        let mut found: Option<Messages> = None;
        let mut place = 0;
        while let Some(header) = stream_header(file, place, size)? {
            let bytes = bytes_at(file, place, header, size)?;
            let message = message(&bytes)?;
            let body = u64::try_from(message.bodyLength()).map_err(|_| "a part has an impossible size")?;
            match (&mut found, message.header_as_schema()) {
                (None, Some(schema)) => {
                    let (schema, version) = (schema_of(schema)?, message.version());
                    found = Some(Messages { schema, version, parts: Vec::new() });
                }
                (Some(messages), None) => {
                    let block = Block::new(place as i64, header as i32, message.bodyLength());
                    messages.parts.push(part(file, block, size)?);
                }
                _ => return Err("it does not name its columns once, at its beginning".to_owned()),
            }
            place = place.checked_add(header + body).ok_or("a part has an impossible size")?;
        }
        found.ok_or_else(|| "it names no columns".to_owned())
    }
}

fn schema_of(schema: arrow_ipc::Schema<'_>) -> Result<Schema, String> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err("its numbers are written in another byte order".to_owned());
    }
    try_fb_to_schema(schema).map_err(|error| error.to_string())
}

/// The bytes of a part, checked not to be huge when they are unpacked.
pub(crate) fn part_bytes(file: &mut File, part: &ArrowPart, size: u64) -> Result<Vec<u8>, String> {
    let header = part.block.metaDataLength() as u64;
    let bytes = bytes_at(file, part.block.offset() as u64, header + part.block.bodyLength() as u64, size)?;
    let message = message(&bytes)?;
    let batch = match message.header_type() {
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => message.header_as_record_batch(),
    };
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
        return Ok(bytes);
    };
    let body = bytes.get(header as usize..).unwrap_or_default();
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() >= 8) {
        let prefix = usize::try_from(buffer.offset()).ok().and_then(|start| body.get(start..start.checked_add(8)?));
        let prefix = prefix.and_then(|prefix| prefix.try_into().ok()).ok_or("a part ends after the end of the file")?;
        let unpacked = i64::from_le_bytes(prefix);
        if !(-1..=LARGEST_BUFFER).contains(&unpacked) {
            let unpacked = unpacked as u64 >> 20;
            return Err(format!("a part would take {unpacked} MiB when unpacked, more than the 1024 that are allowed"));
        }
    }
    Ok(bytes)
}

fn part(file: &mut File, block: Block, size: u64) -> Result<ArrowPart, String> {
    let (offset, header, body) = (block.offset(), i64::from(block.metaDataLength()), block.bodyLength());
    let end = offset.checked_add(header).and_then(|end| end.checked_add(body));
    let inside = end.and_then(|end| u64::try_from(end).ok()).is_some_and(|end| end <= size);
    if offset < 0 || header < 8 || body < 0 || !inside {
        return Err("it ends early, or a part has an impossible place".to_owned());
    }
    if body > LARGEST_BATCH {
        return Err(format!("a record batch has {} MiB, more than the 2048 that are read at once", body >> 20));
    }
    let bytes = bytes_at(file, offset as u64, header as u64, size)?;
    let message = message(&bytes)?;
    let rows = match message.header_type() {
        MessageHeader::DictionaryBatch => None,
        MessageHeader::RecordBatch => message.header_as_record_batch().map(|batch| batch.length()),
        _ => return Err("a part is neither a dictionary nor a record batch".to_owned()),
    };
    let is_dictionary = rows.is_none();
    let rows = u64::try_from(rows.unwrap_or(0)).ok().filter(|rows| *rows <= i32::MAX as u64);
    Ok(ArrowPart { block, is_dictionary, rows: rows.ok_or("a record batch has an impossible number of rows")? })
}

/// The length of the header of the next message of a stream, with what stands before it; `None` at
/// the end.
fn stream_header(file: &mut File, place: u64, size: u64) -> Result<Option<u64>, String> {
    let ends_early = |_| "it ends early".to_owned();
    let word = |file: &mut File, place| bytes_at(file, place, 4, size).map_err(ends_early);
    let first = word(file, place)?;
    let (prefix, length) = if first == [0xff; 4] { (8, word(file, place + 4)?) } else { (4, first) };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
    // Streams that were put one after another would lose all but the first.
    if length == 0 && place + prefix != size {
        return Err("there is more after its end".to_owned());
    }
    Ok((length > 0).then_some(prefix + u64::from(length)))
}

fn message(bytes: &[u8]) -> Result<Message<'_>, String> {
    let bytes = match bytes {
        [0xff, 0xff, 0xff, 0xff, _, _, _, _, rest @ ..] => rest,
        [_, _, _, _, rest @ ..] => rest,
        _ => return Err("it ends early".to_owned()),
    };
    root_as_message(bytes).map_err(|error| error.to_string())
}

fn bytes_at(file: &mut File, place: u64, length: u64, size: u64) -> Result<Vec<u8>, String> {
    if place.checked_add(length).is_none_or(|end| end > size) {
        return Err("it ends early".to_owned());
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(|error| error.to_string())?];
    let read = file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut bytes));
    read.map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => "it ends early".to_owned(),
        _ => error.to_string(),
    })?;
    Ok(bytes)
}
