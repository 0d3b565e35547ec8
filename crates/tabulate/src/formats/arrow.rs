//! `Arrow`: the flat columns of Arrow IPC files and streams, one record batch after another.

mod messages;

use super::typed::{BATCH, BatchTaker, TypedFile, TypedParts, classes_of};
use crate::file::{DataFile, InputFormat};
use crate::guard::guarded;
use crate::header::FILE;
use crate::names::Names;
use crate::source::Source;
use arrow_ipc::MetadataVersion;
use arrow_ipc::reader::FileDecoder;
use arrow_schema::SchemaRef;
use declare::Problem;
use messages::{ArrowPart, Messages, part_bytes};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// Arrow IPC, as files or streams: the first bytes tell which.
pub(crate) struct Arrow;

impl InputFormat for Arrow {
    fn endings(&self) -> &'static [&'static str] {
        &["arrow", "feather", "ipc", "arrows"]
    }

    fn open(&self, source: &Source<'_>) -> Result<Box<dyn DataFile>, Problem> {
        let (name, size) = (source.name, source.size);
        let mut file = source.open()?;
        let messages = guarded(|| Messages::read(&mut file, size)).map_err(|error| {
            Problem::bad(format!("`{name}` is not an Arrow file that can be read: {error}"))
                .hint("it may be damaged, or another kind of file with this extension: write it again")
        })?;
        let Messages { schema, version, parts } = messages;
        let columns = schema.fields().iter().map(|field| field.name().clone()).collect();
        let (classes, rows) = (classes_of(&schema), parts.iter().map(|part| part.rows).sum());
        let (dictionaries, runs) = runs(parts);
        let schema = Arc::new(schema);
        let decoder = FileDecoder::new(Arc::clone(&schema), version);
        let parts = ArrowRuns { path: source.path.to_owned(), size, schema, version, runs, decoder, dictionaries };
        Ok(Box::new(TypedFile { names: Names::new(FILE, name, columns), size, rows, classes, parts }))
    }
}

struct ArrowRuns {
    path: PathBuf,
    size: u64,
    schema: SchemaRef,
    version: MetadataVersion,
    /// Runs of parts that must be read in order: one record batch each, or all where dictionaries
    /// change in between.
    runs: Vec<Run>,
    /// Knows the dictionaries that all runs share.
    decoder: FileDecoder,
    dictionaries: Vec<ArrowPart>,
}

struct Run {
    /// The number of the first row.
    start: u64,
    parts: Vec<ArrowPart>,
}

impl ArrowRuns {
    /// A decoder of the used columns that knows the first dictionaries.
    fn new_decoder(&self, used: &[usize]) -> Result<FileDecoder, String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version).with_projection(used.to_vec());
        for part in &self.dictionaries {
            let bytes = part_bytes(&mut file, part, self.size)?;
            decoder.read_dictionary(&part.block, &bytes.into()).map_err(|error| error.to_string())?;
        }
        Ok(decoder)
    }
}

impl TypedParts for ArrowRuns {
    fn select(&mut self, names: &Names) -> Result<(), Problem> {
        self.decoder = guarded(|| self.new_decoder(&names.used)).map_err(|error| names.damaged(&error))?;
        Ok(())
    }

    fn starts(&self) -> Vec<u64> {
        self.runs.iter().map(|run| run.start).collect()
    }

    fn decode(&self, part: usize, used: &[usize], take: &mut BatchTaker<'_>) -> Result<(), String> {
        let mut file = File::open(&self.path).map_err(|error| error.to_string())?;
        let Run { start, parts } = &self.runs[part];
        let mut row = *start;
        let mut own = None;
        for part in parts {
            let bytes = guarded(|| part_bytes(&mut file, part, self.size))?;
            if part.is_dictionary {
                let decoder = match &mut own {
                    Some(decoder) => decoder,
                    None => own.insert(self.new_decoder(used)?),
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
}

/// The dictionaries before all record batches, and the runs that follow.
fn runs(parts: Vec<ArrowPart>) -> (Vec<ArrowPart>, Vec<Run>) {
    let first_batch = parts.iter().position(|part| !part.is_dictionary).unwrap_or(parts.len());
    let (dictionaries, rest) = parts.split_at(first_batch);
    let runs = if rest.iter().any(|part| part.is_dictionary) {
        vec![Run { start: 0, parts: rest.to_vec() }]
    } else {
        let mut start = 0;
        let run = |part: &ArrowPart| {
            let run = Run { start, parts: vec![*part] };
            start += part.rows;
            run
        };
        rest.iter().map(run).collect()
    };
    (dictionaries.to_vec(), runs)
}
