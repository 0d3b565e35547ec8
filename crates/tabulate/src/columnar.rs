//! Files of typed columns: Parquet and Arrow IPC, decoded to Arrow arrays and turned to cells column by column.
//!
//! Every value means what its text in a CSV file would mean: whole numbers in digits, other numbers in the shortest decimals
//! that mean the same binary number, flags as `true` and `false`, dates as `2020-03-01`. Nulls, and the not-a-number that
//! some programs write for them, are missing values. Plain rows never become text: whole numbers are looked up as such, a
//! text once per dictionary, and texts without one are remembered.

mod arrow_file;
mod column;
mod encode;
mod frame_file;
mod lookups;
mod messages;
mod pages;
mod parquet_file;
mod place;
mod row_group;
mod texts;

pub(crate) use arrow_file::ArrowFile;
pub(crate) use encode::KnownEntries;
pub(crate) use frame_file::FrameFile;
pub(crate) use lookups::WholeCodes;
pub(crate) use parquet_file::ParquetFile;
pub(crate) use place::Names;

use crate::file::{Piece, Pieces};
use declare::Problem;

/// Rows that are turned to cells at once: bounds the memory.
const BATCH: usize = 1 << 16;

/// The parts of a file that are decoded each by one thread: row groups, or runs of record batches.
struct Parts {
    next: usize,
    number: usize,
    rows: u64,
}

impl Pieces for Parts {
    fn next(&mut self) -> Result<Option<Piece>, Problem> {
        let piece = (self.next < self.number).then_some(Piece::Part(self.next));
        self.next += 1;
        Ok(piece)
    }

    fn worth(&mut self) -> usize {
        if self.rows < BATCH as u64 { 1 } else { self.number }
    }
}
