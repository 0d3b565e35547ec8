//! Files of records or counts become a `Table` over the declared domain.
//!
//! The declared domain gives every row its cell directly, so files are read once, in parts, and the
//! memory used is that of the table and of a few parts. While a file is being read, an error may
//! show the curator the bad row; what the rows add up to is never shown, and a broken structural
//! zero names the rule alone.

mod accumulate;
mod batch;
mod chosen;
mod codes;
mod columnar;
mod columns;
mod counts;
mod entries;
mod fault;
mod file;
mod files;
mod filter;
mod formats;
mod frame;
mod guard;
mod header;
mod judge;
mod names;
mod order;
mod origin;
mod reading;
mod scan;
mod schemas;
mod sorted;
mod source;
mod survey;
mod table;
mod units;
mod visit;

use accumulate::Accumulated;
use declare::{Declaration, Domain, Problem};
pub use files::data_files;
pub use frame::{Frame, FrameColumn};
pub use guard::{panic_is_expected, survived};
pub use origin::Origin;
pub use reading::Reading;
pub use scan::{RowVisitor, Scanned, encoding_of, public_table, scan, scan_as, scan_frame, scan_readable};
pub use sorted::{FirstReading, read_again, tabulate_sorted};
pub use survey::{Became, Changed, Survey, Surveyed, survey};
pub use table::{RowTally, Table, Tabulated};
pub use visit::{Portion, visit};

/// Reads the data that a declaration names, files relative to a folder or a frame in memory, into
/// counts over the live cells of `domain`.
///
/// The formats follow from the extensions: `.csv` and `.tsv`, also packed as `.gz` or `.zst`,
/// `.parquet`, and Arrow IPC as `.arrow`, `.feather`, `.ipc` or `.arrows`. In a text file the first
/// row names the columns and blank lines are skipped; of the others only the columns that the
/// declaration names are read. Rayon's number of threads decides how many read. `progress` is
/// called now and then with the number of bytes read so far, over all files, and at the end.
pub fn tabulate<'a>(
    declaration: &Declaration,
    domain: &Domain,
    origin: impl Into<Origin<'a>>,
    progress: &mut dyn FnMut(u64),
) -> Result<Tabulated, Problem> {
    tabulate_as(Reading::Strict, declaration, domain, origin, progress)
}

/// Reads the data that a declaration names; what breaks the declaration is told, or left out.
pub fn tabulate_as<'a>(
    reading: Reading,
    declaration: &Declaration,
    domain: &Domain,
    origin: impl Into<Origin<'a>>,
    progress: &mut dyn FnMut(u64),
) -> Result<Tabulated, Problem> {
    let origin = origin.into();
    if let Origin::Counts(counts) = origin {
        return Tabulated::of_counts(domain, counts);
    }
    let declaration = &*reading.of(declaration);
    let mut accumulated = Accumulated::new(declaration, domain)?;
    let rows = visit(reading, declaration, domain, origin, progress, &mut |portion| accumulated.add(portion))?;
    Ok(Tabulated { table: accumulated.counts, rows })
}
