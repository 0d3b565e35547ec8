//! `RecordsFile`: what formats share whose files are small enough to be read whole, as rows of
//! text.

use crate::batch::Batch;
use crate::fault::Fault;
use crate::file::{DataFile, Piece, Pieces, RowTaker, Worker};
use crate::judge::Judge;
use crate::names::Names;
use csv::ByteRecord;
use declare::Problem;

/// Rows that are turned to cells at once.
const BATCH: usize = 8192;

/// A file that was read.
pub(crate) struct RecordsFile {
    pub size: u64,
    pub names: Names,
    pub rows: Vec<ByteRecord>,
    /// The number of every row in the file, from 0, as messages count it.
    pub numbers: Vec<u32>,
}

impl RecordsFile {
    fn number(&self, place: u64) -> Option<u64> {
        usize::try_from(place).ok().and_then(|place| self.numbers.get(place)).map(|number| u64::from(*number))
    }
}

impl DataFile for RecordsFile {
    fn names(&self) -> &Names {
        &self.names
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        self.names.used = columns.to_vec();
        Ok(())
    }

    fn pieces(&self) -> Result<Pieces<'_>, Problem> {
        let piece = |(number, rows)| Ok(Box::new(Run { file: self, first: number * BATCH, rows }) as Box<dyn Piece>);
        let rest = Box::new(self.rows.chunks(BATCH).enumerate().map(piece));
        Ok(Pieces { rest, worth: self.rows.len().div_ceil(BATCH) })
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        let row = usize::try_from(place).ok().and_then(|place| self.rows.get(place));
        self.names.problem(self.number(place).unwrap_or_default(), row, fault)
    }

    fn whereabouts(&self, place: u64) -> String {
        self.number(place).map_or(String::new(), |number| format!("in row {}", number + 1))
    }
}

/// Consecutive rows.
struct Run<'a> {
    file: &'a RecordsFile,
    first: usize,
    rows: &'a [ByteRecord],
}

impl Piece for Run<'_> {
    fn work(&self, judge: &Judge<'_>, _: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let end = self.first + self.rows.len();
        let mut batch = Batch::new(self.first as u64);
        batch.end = end as u64;
        batch.reached = (u128::from(self.file.size) * end as u128 / self.file.rows.len().max(1) as u128) as u64;
        // Rows after a wrong one are not counted.
        let mut rest = Batch::default();
        for (offset, record) in self.rows.iter().enumerate() {
            let counted = if batch.stop.is_none() { &mut batch } else { &mut rest };
            // Batches are far shorter than this.
            if let Err(fault) = judge.row(record, offset as u32, counted)
                && !batch.note((self.first + offset) as u64, fault)
            {
                break;
            }
        }
        emit(batch);
    }

    fn rows(&self, row: &mut RowTaker<'_>) -> Result<(), Problem> {
        self.rows.iter().try_for_each(row)
    }
}
