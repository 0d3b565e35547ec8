//! `FrameFile`: rows in memory, read as those of a file with the same columns.

use super::column::class_of;
use super::encode::Rows;
use super::place::Names;
use super::{BATCH, Parts};
use crate::batch::Batch;
use crate::fault::Fault;
use crate::file::{Class, DataFile, Piece, Pieces, Worker};
use crate::guard::guarded;
use crate::judge::Judge;
use crate::origin::Frame;
use arrow_array::{Array, ArrayRef, RecordBatch};
use csv::ByteRecord;
use declare::Problem;

/// What messages call it.
const KIND: &str = "frame";

/// A frame.
pub(crate) struct FrameFile {
    names: Names,
    batches: Vec<RecordBatch>,
    /// The used columns of every piece, and the number of its first row.
    pieces: Vec<(u64, RecordBatch)>,
    /// The class of every column, or what it holds that is not read.
    classes: Vec<Result<Class, &'static str>>,
    rows: u64,
    size: u64,
}

impl FrameFile {
    /// The rows of a frame, called `name` in messages.
    pub fn new(name: &str, frame: &Frame) -> Self {
        let fields = frame.schema.fields();
        let header = fields.iter().map(|field| field.name().clone()).collect();
        // For signs of life alone: of kinds that the library does not measure nothing is counted.
        let measured = |column: &ArrayRef| guarded(|| column.to_data().get_slice_memory_size()).unwrap_or(0);
        let bytes = |batch: &RecordBatch| -> usize { batch.columns().iter().map(measured).sum() };
        FrameFile {
            names: Names { kind: KIND, file: name.to_owned(), header, used: Vec::new() },
            pieces: Vec::new(),
            classes: fields.iter().map(|field| class_of(field.data_type())).collect(),
            rows: frame.rows() as u64,
            size: frame.batches.iter().map(bytes).sum::<usize>() as u64,
            batches: frame.batches.clone(),
        }
    }

    fn piece(&self, piece: &Piece) -> Option<&(u64, RecordBatch)> {
        match piece {
            Piece::Part(part) => self.pieces.get(*part),
            Piece::Text(_) => None,
        }
    }

    /// The row with this number as text.
    fn find(&self, row: u64) -> Option<ByteRecord> {
        let piece = self.pieces.partition_point(|(start, _)| *start <= row).checked_sub(1)?;
        let (start, batch) = self.pieces.get(piece)?;
        let number = usize::try_from(row - start).ok().filter(|number| *number < batch.num_rows())?;
        let mut record = ByteRecord::new();
        Rows::of(&self.names, batch).map(|rows| rows.text(number, &mut record, &mut Vec::new())).ok()?;
        Some(record)
    }
}

impl DataFile for FrameFile {
    fn name(&self) -> &str {
        &self.names.file
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn kind(&self) -> &'static str {
        KIND
    }

    fn header(&self) -> &[String] {
        &self.names.header
    }

    fn class(&self, column: usize) -> Option<Class> {
        self.classes[column].ok()
    }

    fn unreadable(&self, column: usize) -> Option<&'static str> {
        self.classes[column].err()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        self.names.select(columns, &self.classes)?;
        self.pieces.clear();
        let mut first = 0;
        for batch in &self.batches {
            let used = guarded(|| batch.project(columns)).map_err(|error| self.names.damaged(&error))?;
            for start in (0..used.num_rows()).step_by(BATCH) {
                let length = BATCH.min(used.num_rows() - start);
                self.pieces.push((first, used.slice(start, length)));
                first += length as u64;
            }
        }
        Ok(())
    }

    fn pieces(&self) -> Result<Box<dyn Pieces + '_>, Problem> {
        Ok(Box::new(Parts { next: 0, number: self.pieces.len(), rows: self.rows }))
    }

    fn work(&self, piece: Piece, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let Some((first, rows)) = self.piece(&piece) else { return };
        let mut batch = Batch::new(*first);
        batch.end = first + rows.num_rows() as u64;
        batch.reached = (u128::from(self.size) * u128::from(batch.end) / u128::from(self.rows.max(1))) as u64;
        let entered = Rows::of(&self.names, rows).map(|rows| rows.enter(judge, &mut worker.known, &mut batch));
        emit(match entered {
            Ok(()) => batch,
            Err(problem) => Batch::stopped(problem),
        });
    }

    fn rows(&self, piece: Piece, row: &mut dyn FnMut(&ByteRecord) -> Result<(), Problem>) -> Result<(), Problem> {
        let Some((_, batch)) = self.piece(&piece) else { return Ok(()) };
        let (mut record, mut scratch) = (ByteRecord::new(), Vec::new());
        Rows::of(&self.names, batch).map(|rows| {
            (0..rows.length).try_for_each(|number| {
                rows.text(number, &mut record, &mut scratch);
                row(&record)
            })
        })?
    }

    fn header_problem(&self, fault: Fault) -> Problem {
        self.names.header_problem(fault)
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        self.names.problem(place, self.find(place).as_ref(), fault)
    }

    fn whereabouts(&self, place: u64) -> String {
        format!("in row {}", place + 1)
    }
}
