//! `Unpacked`: the bytes of a text file as UTF-8, packed or not, and how many bytes of the file
//! they took.

use super::decoded::Decoded;
use crate::source::Packing;
use declare::{Encoding, Problem};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A text file, unpacked as it is read.
pub(crate) struct Unpacked {
    bytes: Bytes,
    taken: Arc<AtomicU64>,
}

enum Bytes {
    Plain(Counted),
    Packed(Box<dyn Read + Send>),
}

struct Counted {
    file: File,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.taken.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl Unpacked {
    /// Opens a file, whose text is UTF-8 from here on.
    pub fn open(path: &Path, packing: Packing, encoding: Encoding) -> io::Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { file: File::open(path)?, taken: Arc::clone(&taken) };
        let bytes = match packing {
            Packing::Plain => Bytes::Plain(counted),
            Packing::Gzip => Bytes::Packed(Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 17, counted)))),
            Packing::Zstandard => Bytes::Packed(Box::new(zstd::Decoder::new(counted)?)),
        };
        let bytes = match (encoding, bytes) {
            (Encoding::Utf8, bytes) => bytes,
            (Encoding::Windows1252, Bytes::Plain(plain)) => Bytes::Packed(Box::new(Decoded::new(plain))),
            (Encoding::Windows1252, Bytes::Packed(packed)) => Bytes::Packed(Box::new(Decoded::new(packed))),
        };
        Ok(Unpacked { bytes, taken })
    }

    /// How many bytes of the file have been read.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Goes past this many unpacked bytes.
    pub fn skip(&mut self, length: u64) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Plain(plain) => {
                plain.file.seek(SeekFrom::Start(length))?;
                plain.taken.store(length, Ordering::Relaxed);
            }
            Bytes::Packed(packed) => {
                io::copy(&mut packed.take(length), &mut io::sink())?;
            }
        }
        Ok(())
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Plain(plain) => plain.read(buffer),
            Bytes::Packed(packed) => packed.read(buffer),
        }
    }
}

impl Packing {
    /// The problem of a file that cannot be read or unpacked.
    pub fn problem(self, name: &str, error: &io::Error) -> Problem {
        let format = match self {
            Packing::Plain => {
                return Problem::system(format!("the data file `{name}` could not be read to its end: {error}"));
            }
            Packing::Gzip => "gzip",
            Packing::Zstandard => "Zstandard",
        };
        if error.kind() == ErrorKind::UnexpectedEof {
            return Problem::bad(format!("the data file `{name}` ends early: its {format} data are not complete"))
                .hint("it may have been copied in part: copy or pack it again");
        }
        Problem::bad(format!("the data file `{name}` could not be unpacked: {error}"))
            .hint(format!("it is damaged, or no {format} file: pack it again, or give it the extension it needs"))
    }
}
