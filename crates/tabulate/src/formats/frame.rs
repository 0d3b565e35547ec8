//! A frame as a `TypedFile`: rows in memory, read as those of a file with the same columns.

use super::typed::{BATCH, BatchTaker, TypedFile, TypedParts, classes_of};
use crate::file::DataFile;
use crate::frame::Frame;
use crate::guard::guarded;
use crate::header::FRAME;
use crate::names::Names;
use arrow_array::{Array, ArrayRef, RecordBatch};
use declare::Problem;

/// The rows of a frame, called `name` in messages.
pub(crate) fn of_frame(name: &str, frame: &Frame) -> Box<dyn DataFile> {
    let columns = frame.schema().fields().iter().map(|field| field.name().clone()).collect();
    // For signs of life alone: of kinds that the library does not measure nothing is counted.
    let measured = |column: &ArrayRef| guarded(|| column.to_data().get_slice_memory_size()).unwrap_or(0);
    let bytes = |batch: &RecordBatch| -> usize { batch.columns().iter().map(measured).sum() };
    Box::new(TypedFile {
        names: Names::new(FRAME, name, columns),
        size: frame.batches().iter().map(bytes).sum::<usize>() as u64,
        rows: frame.rows() as u64,
        classes: classes_of(frame.schema()),
        parts: Slices { batches: frame.batches().to_vec(), slices: Vec::new() },
    })
}

struct Slices {
    batches: Vec<RecordBatch>,
    /// The used columns of every part, and the number of its first row.
    slices: Vec<(u64, RecordBatch)>,
}

impl TypedParts for Slices {
    fn select(&mut self, names: &Names) -> Result<(), Problem> {
        self.slices.clear();
        let mut first = 0;
        for batch in &self.batches {
            let used = guarded(|| batch.project(&names.used)).map_err(|error| names.damaged(&error))?;
            for start in (0..used.num_rows()).step_by(BATCH) {
                let length = BATCH.min(used.num_rows() - start);
                self.slices.push((first, used.slice(start, length)));
                first += length as u64;
            }
        }
        Ok(())
    }

    fn starts(&self) -> Vec<u64> {
        self.slices.iter().map(|(start, _)| *start).collect()
    }

    fn decode(&self, part: usize, _: &[usize], take: &mut BatchTaker<'_>) -> Result<(), String> {
        let (first, rows) = &self.slices[part];
        take(rows, *first);
        Ok(())
    }
}
