//! `TypedFile`: what all formats of typed columns share once they decode Arrow record batches.

use crate::batch::Batch;
use crate::columnar::{Rows, class_of};
use crate::fault::Fault;
use crate::file::{DataFile, Piece, Pieces, RowTaker, Worker};
use crate::header::Class;
use crate::judge::Judge;
use crate::names::Names;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use csv::ByteRecord;
use declare::Problem;

/// Rows that are turned to cells at once: bounds the memory.
pub(crate) const BATCH: usize = 1 << 16;

/// Takes a record batch, with the number of its first row, and says whether it wants more.
pub(crate) type BatchTaker<'a> = dyn FnMut(&RecordBatch, u64) -> bool + 'a;

/// What a format of typed columns does on its own. Its parts are decoded each by one thread.
pub(crate) trait TypedParts: Sync {
    /// Prepares to decode the used columns alone.
    fn select(&mut self, names: &Names) -> Result<(), Problem>;

    /// The number of the first row of every part.
    fn starts(&self) -> Vec<u64>;

    /// Hands the used columns of a part on, at most [`BATCH`] rows at once, while `take` wants
    /// more.
    fn decode(&self, part: usize, used: &[usize], take: &mut BatchTaker<'_>) -> Result<(), String>;
}

/// The class of every column, or what it holds that is not read.
pub(crate) type Classes = Vec<Result<Class, &'static str>>;

/// The classes of the columns of a schema.
pub(crate) fn classes_of(schema: &Schema) -> Classes {
    schema.fields().iter().map(|field| class_of(field.data_type())).collect()
}

/// A file or frame of typed columns.
pub(crate) struct TypedFile<T> {
    pub names: Names,
    pub size: u64,
    pub rows: u64,
    pub classes: Classes,
    pub parts: T,
}

impl<T: TypedParts> TypedFile<T> {
    /// The row with this number as text.
    fn find(&self, row: u64) -> Option<ByteRecord> {
        let part = self.parts.starts().partition_point(|start| *start <= row).checked_sub(1)?;
        let mut record = ByteRecord::new();
        let mut found = None;
        let ended = self.parts.decode(part, &self.names.used, &mut |batch, start| {
            let Some(number) = row.checked_sub(start).filter(|number| *number < batch.num_rows() as u64) else {
                return true;
            };
            let text = |rows: Rows<'_>| rows.text(number as usize, &mut record, &mut Vec::new());
            found = Rows::of(&self.names, batch).map(text).ok();
            false
        });
        ended.ok().and(found).map(|()| record)
    }
}

impl<T: TypedParts> DataFile for TypedFile<T> {
    fn names(&self) -> &Names {
        &self.names
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn class(&self, column: usize) -> Option<Class> {
        self.classes[column].ok()
    }

    fn unreadable(&self, column: usize) -> Option<&'static str> {
        self.classes[column].err()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), Problem> {
        self.names.select(columns, &self.classes)?;
        self.parts.select(&self.names)
    }

    fn pieces(&self) -> Result<Pieces<'_>, Problem> {
        let number = self.parts.starts().len();
        let piece = |part| Ok(Box::new(TypedPiece { file: self, part }) as Box<dyn Piece>);
        let worth = if self.rows < BATCH as u64 { 1 } else { number };
        Ok(Pieces { rest: Box::new((0..number).map(piece)), worth })
    }

    fn problem(&self, place: u64, fault: Fault) -> Problem {
        self.names.problem(place, self.find(place).as_ref(), fault)
    }

    fn whereabouts(&self, place: u64) -> String {
        format!("in row {}", place + 1)
    }
}

struct TypedPiece<'a, T> {
    file: &'a TypedFile<T>,
    part: usize,
}

impl<T: TypedParts> TypedPiece<'_, T> {
    /// Hands the rows of the part on, with the number of the first of each batch, while `take`
    /// wants more.
    fn each(&self, take: &mut dyn FnMut(&Rows<'_>, u64) -> Result<bool, Problem>) -> Result<(), Problem> {
        let file = self.file;
        let mut result = Ok(());
        let ended = file.parts.decode(self.part, &file.names.used, &mut |batch, first| {
            let more = Rows::of(&file.names, batch).and_then(|rows| take(&rows, first));
            more.unwrap_or_else(|problem| {
                result = Err(problem);
                false
            })
        });
        result.and(ended.map_err(|error| file.names.damaged(&error)))
    }
}

impl<T: TypedParts> Piece for TypedPiece<'_, T> {
    fn work(&self, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let (size, all) = (u128::from(self.file.size), u128::from(self.file.rows.max(1)));
        let ended = self.each(&mut |rows, first| {
            let mut batch = Batch::new(first);
            batch.end = first + rows.length as u64;
            batch.reached = (size * u128::from(batch.end) / all).min(size) as u64;
            rows.enter(judge, &mut worker.known, &mut batch);
            let stops = batch.stop.is_some();
            Ok(emit(batch) && !stops)
        });
        if let Err(problem) = ended {
            emit(Batch::stopped(problem));
        }
    }

    fn rows(&self, row: &mut RowTaker<'_>) -> Result<(), Problem> {
        let (mut record, mut scratch) = (ByteRecord::new(), Vec::new());
        self.each(&mut |rows, _| {
            for number in 0..rows.length {
                rows.text(number, &mut record, &mut scratch);
                row(&record)?;
            }
            Ok(true)
        })
    }
}
