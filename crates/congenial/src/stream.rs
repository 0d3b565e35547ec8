//! A release of a table that is never in memory whole: counts are read, get their noise and are written portion by portion.

use crate::files::TableWriter;
use crate::open::Prepared;
use declare::{Fold, Problem};
use draw::{Streamed, TableStream};
use exact::Source;
use report::Figures;
use tabulate::{FirstReading, read_again};

/// How many cells are in memory at a time, besides the noise that is drawn ahead.
const PORTION_CELLS: usize = 1 << 16;

/// Reads the data a second time and writes the table with its noise; what the report says about it is gathered on the way.
///
/// # Errors
/// Also when the data are not those of the first reading. What was written must then be thrown away.
pub(crate) fn write_stream<S: Source>(
    prepared: &Prepared,
    (fold, first): (&Fold, &FirstReading),
    source: &S,
    drawing: &(dyn Fn(u64) + Sync),
    table: &mut TableWriter<'_>,
    figures: &mut Figures<'_>,
) -> Result<Streamed<S>, Problem> {
    let opened = prepared.opened();
    let blocks = prepared.plan.ranges(fold)?;
    let cells = opened.domain.len();
    let mut stream = TableStream::new(&prepared.plan.law, &blocks, cells, source, drawing)?;
    read_again(&opened.declaration, &opened.domain, &opened.folder, first, PORTION_CELLS, &mut |counts| {
        stream.add(counts)?;
        figures.add(counts);
        table.write(counts)
    })?;
    stream.finish()
}
