//! The draw of a release, whole or streamed: a table that is never in memory is read, drawn and written portion by portion.

use crate::files::TableWriter;
use crate::open::Prepared;
use certify::{Certificate, CertifiedTable, Derived, Program, certify, certify_streamed};
use declare::{Declaration, Fold, Problem};
use draw::{Drawn, Streamed, TableStream};
use exact::{Source, SystemEntropy};
use report::Figures;
use tabulate::{FirstReading, read_again};

/// How many cells are in memory at a time, besides the noise that is drawn ahead.
const PORTION_CELLS: usize = 1 << 16;

/// A table that was drawn and written.
#[derive(Debug)]
pub(crate) enum Draw<S> {
    /// In memory.
    Whole(Drawn<S>),
    /// Portion by portion.
    Streamed(Streamed<S>),
}

impl Draw<SystemEntropy> {
    /// Certifies the draw.
    pub(crate) fn certify(
        self,
        declaration: &Declaration,
        derived: &Derived,
        table: CertifiedTable,
        program: Program,
        time: String,
    ) -> Result<Certificate, Problem> {
        match self {
            Draw::Whole(drawn) => certify(declaration, derived, &drawn, table, program, time),
            Draw::Streamed(drawn) => certify_streamed(declaration, derived, drawn, table, program, time),
        }
    }
}

/// Draws the table and writes it; what the report says about it is gathered on the way.
///
/// # Errors
/// What was written must then be thrown away.
pub(crate) fn draw<S: Source>(
    prepared: &Prepared,
    source: &S,
    drawing: &(dyn Fn(u64) + Sync),
    table: &mut TableWriter<'_>,
    figures: &mut Figures<'_>,
) -> Result<Draw<S>, Problem> {
    if let (Some(fold), Some(first)) = (&prepared.opened().fold, &prepared.analysed.first_reading) {
        return stream(prepared, (fold, first), source, drawing, table, figures).map(Draw::Streamed);
    }
    let drawn = prepared.sampler(&prepared.noisy_sums()?)?.draw(source, drawing)?;
    figures.add(drawn.values());
    table.write(drawn.values())?;
    Ok(Draw::Whole(drawn))
}

/// Reads the data a second time and writes the table with its noise; what the report says about it is gathered on the way.
///
/// # Errors
/// Also when the data are not those of the first reading. What was written must then be thrown away.
fn stream<S: Source>(
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
