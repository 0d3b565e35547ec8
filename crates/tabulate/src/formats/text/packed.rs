//! `Unpacked`: the bytes of a text file as UTF-8, packed or not, and how many bytes of the file
//! they took.

use super::decoded::Decoded;
use crate::source::Packing;
use declare::{Encoding, Problem};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A text file, unpacked as it is read.
pub(crate) struct Unpacked {
    bytes: Box<dyn Read + Send>,
    /// How many bytes of the file have been read.
    pub taken: Arc<AtomicU64>,
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
        let bytes: Box<dyn Read + Send> = match packing {
            Packing::Plain => Box::new(counted),
            Packing::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 17, counted))),
            Packing::Zstandard => Box::new(zstd::Decoder::new(counted)?),
        };
        let bytes = match encoding {
            Encoding::Utf8 => bytes,
            Encoding::Windows1252 => Box::new(Decoded::new(bytes)),
        };
        Ok(Unpacked { bytes, taken })
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
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
