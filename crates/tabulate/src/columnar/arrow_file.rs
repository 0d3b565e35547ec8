//! `ArrowFile`: the flat columns of an Arrow IPC file or stream, one record batch after another.

use super::column::class_of;
use super::encode::Rows;
use super::messages::{Messages, Part, part_bytes};
use super::place::Names;
use super::{BATCH, Parts};
use crate::batch::Batch;
use crate::fault::Fault;
use crate::file::{Class, DataFile, Piece, Pieces, Worker};
use crate::files::cannot_open;
use crate::guard::guarded;
use crate::judge::Judge;
use arrow_array::RecordBatch;
use arrow_ipc::MetadataVersion;
use arrow_ipc::reader::FileDecoder;
use arrow_schema::SchemaRef;
use csv::ByteRecord;
use declare::Problem;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An Arrow file.
pub(crate) struct ArrowFile {
    path: PathBuf,
    size: u64,
    names: Names,
    schema: SchemaRef,
    version: MetadataVersion,
    /// The class of every column, or what it holds that is not read.
    classes: Vec<Result<Class, &'static str>>,
    /// Runs of parts that must be read in order: one record batch each, or all where dictionaries change in between.
    runs: Vec<Run>,
    /// Knows the dictionaries that all runs share.
    decoder: FileDecoder,
    dictionaries: Vec<Part>,
    rows: u64,
}

struct Run {
    /// The number of the first row.
    start: u64,
    parts: Vec<Part>,
}

impl ArrowFile {
    /// Opens the file at `path`, called `name` in messages, and reads what it says about itself.
    pub fn open(path: &Path, name: &str, size: u64) -> Result<Self, Problem> {
        let mut file = File::open(path).map_err(|error| cannot_open(path, name, &error))?;
        let messages = guarded(|| Messages::read(&mut file, size)).map_err(|error| {
            Problem::bad(format!("`{name}` is not an Arrow file that can be read: {error}"))
                .hint("it may be damaged, or another kind of file with this extension: write it again")
        })?;
        let Messages { schema, version, parts } = messages;
        let header = schema.fields().iter().map(|field| field.name().clone()).collect();
        let classes = schema.fields().iter().map(|field| class_of(field.data_type())).collect();
        let rows = parts.iter().map(|part| part.rows).sum();
        let (dictionaries, runs) = runs(parts);
        let schema = Arc::new(schema);
        let names = Names { kind: "data file", file: name.to_owned(), header, used: Vec::new() };
        let decoder = FileDecoder::new(Arc::clone(&schema), version);
        Ok(ArrowFile {
            path: path.to_owned(),
            size,
            names,
            schema,
            version,
            classes,
            runs,
            decoder,
            dictionaries,
            rows,
        })
    }

    /// A decoder of the used columns that knows the first dictionaries.
    fn new_decoder(&self) -> Result<FileDecoder, String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let mut decoder =
            FileDecoder::new(Arc::clone(&self.schema), self.version).with_projection(self.names.used.clone());
        for part in &self.dictionaries {
            let bytes = part_bytes(&mut file, part, self.size)?;
            decoder.read_dictionary(&part.block, &bytes.into()).map_err(|error| error.to_string())?;
        }
        Ok(decoder)
    }

    /// The bytes of the file that are done when so many rows are.
    fn reached(&self, rows: u64) -> u64 {
        (u128::from(self.size) * u128::from(rows) / u128::from(self.rows.max(1))) as u64
    }

    /// Hands the rows of a run on, with the number of the first of each batch, while `take` wants more.
    fn batches(&self, run: usize, take: &mut dyn FnMut(&RecordBatch, u64) -> bool) -> Result<(), String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let Some(Run { start, parts }) = self.runs.get(run) else {
            return Ok(());
        };
        let mut row = *start;
        let mut own = None;
        for part in parts {
            let bytes = guarded(|| part_bytes(&mut file, part, self.size))?;
            if part.is_dictionary {
                let decoder = match &mut own {
                    Some(decoder) => decoder,
                    None => own.insert(self.new_decoder()?),
                };
                guarded(|| decoder.read_dictionary(&part.block, &bytes.into()))?;
                continue;
            }
            let decoder = own.as_ref().unwrap_or(&self.decoder);
            let batch = guarded(|| decoder.read_record_batch(&part.block, &bytes.into()))?;
            let batch = batch.filter(|batch| batch.num_rows() as u64 == part.rows);
            let batch = batch.ok_or("a record batch has another number of rows than it says")?;
            for start in (0..batch.num_rows()).step_by(BATCH) {
                let rows = batch.slice(start, BATCH.min(batch.num_rows() - start));
                if !take(&rows, row + start as u64) {
                    return Ok(());
                }
            }
            row += part.rows;
        }
        Ok(())
    }

    /// The row with this number as text.
    fn find(&self, row: u64) -> Option<ByteRecord> {
        let run = self.runs.partition_point(|run| run.start <= row).checked_sub(1)?;
        let mut record = ByteRecord::new();
        let mut found = None;
        let ended = self.batches(run, &mut |batch, start| {
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

/// The dictionaries before all record batches, and the runs that follow.
fn runs(parts: Vec<Part>) -> (Vec<Part>, Vec<Run>) {
    let first_batch = parts.iter().position(|part| !part.is_dictionary).unwrap_or(parts.len());
    let (dictionaries, rest) = parts.split_at(first_batch);
    let runs = if rest.iter().any(|part| part.is_dictionary) {
        vec![Run { start: 0, parts: rest.to_vec() }]
    } else {
        let mut start = 0;
        let run = |part: &Part| {
            let run = Run { start, parts: vec![*part] };
            start += part.rows;
            run
        };
        rest.iter().map(run).collect()
    };
    (dictionaries.to_vec(), runs)
}

impl DataFile for ArrowFile {
    fn name(&self) -> &str {
        &self.names.file
    }

    fn size(&self) -> u64 {
        self.size
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
        self.decoder = guarded(|| self.new_decoder()).map_err(|error| self.names.damaged(&error))?;
        Ok(())
    }

    fn pieces(&self) -> Result<Box<dyn Pieces + '_>, Problem> {
        Ok(Box::new(Parts { next: 0, number: self.runs.len(), rows: self.rows }))
    }

    fn work(&self, piece: Piece, judge: &Judge<'_>, worker: &mut Worker, emit: &mut dyn FnMut(Batch) -> bool) {
        let Piece::Part(run) = piece else {
            return;
        };
        let mut failed = None;
        let ended = self.batches(run, &mut |rows, first| {
            let mut batch = Batch::new(first);
            batch.end = first + rows.num_rows() as u64;
            batch.reached = self.reached(batch.end);
            match Rows::of(&self.names, rows).map(|rows| rows.enter(judge, &mut worker.known, &mut batch)) {
                Ok(()) => {
                    let stops = batch.stop.is_some();
                    emit(batch) && !stops
                }
                Err(problem) => {
                    failed = Some(problem);
                    false
                }
            }
        });
        let ended = ended.map_err(|error| self.names.damaged(&error));
        if let Some(problem) = failed.or(ended.err()) {
            emit(Batch::stopped(problem));
        }
    }

    fn rows(&self, piece: Piece, row: &mut dyn FnMut(&ByteRecord) -> Result<(), Problem>) -> Result<(), Problem> {
        let Piece::Part(run) = piece else {
            return Ok(());
        };
        let (mut record, mut scratch) = (ByteRecord::new(), Vec::new());
        let mut result = Ok(());
        let ended = self.batches(run, &mut |batch, _| {
            let each = Rows::of(&self.names, batch).map(|rows| {
                (0..rows.length).try_for_each(|number| {
                    rows.text(number, &mut record, &mut scratch);
                    row(&record)
                })
            });
            result = each.and_then(|each| each);
            result.is_ok()
        });
        result.and(ended.map_err(|error| self.names.damaged(&error)))
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
