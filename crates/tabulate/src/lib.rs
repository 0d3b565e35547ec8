//! Files of records or counts become a `Table` over the declared domain.
//!
//! The declared domain gives every row its cell directly, so a file is read once, row by row, and the memory used is
//! that of the table. While a file is being read, an error may show the curator the bad row; what the rows add up to is
//! never shown, and a broken structural zero names the rule alone.

mod codes;
mod columns;
mod fault;
mod file;
mod filter;
mod locate;
mod parquet_file;
mod rows;
mod scan;
mod source;
mod table;

use columns::Columns;
use csv::ByteRecord;
use declare::{Declaration, Domain, Problem};
use rows::Rows;
pub use scan::{public_table, scan};
use std::path::Path;
pub use table::{Table, Tabulated};

/// How many rows are read between two reports of progress.
const ROWS_PER_REPORT: u64 = 8_192;

/// Reads the file at `path` into counts over the live cells of `domain`.
///
/// The format follows from the extension (`.csv`, `.tsv`, `.parquet`). In a text file the first row names the columns and
/// blank lines are skipped; of a Parquet file only the columns that the declaration names are read.
/// `progress` is called now and then with the number of bytes read so far, and once at the end.
pub fn tabulate(
    declaration: &Declaration,
    domain: &Domain,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Tabulated, Problem> {
    let mut source = file::open(path, &declaration.data.path)?;
    let mut record = ByteRecord::new();
    let header = source.header(&mut record)?;
    let columns = Columns::find(&header, declaration, domain).map_err(|fault| source.problem(&record, *fault))?;
    source.select(&columns.used())?;
    let mut rows = Rows::new(declaration, domain, columns, header.len())?;
    while source.read(&mut record)? {
        rows.add(&record).map_err(|fault| source.problem(&record, *fault))?;
        if rows.read() % ROWS_PER_REPORT == 0 {
            progress(source.bytes_read());
        }
    }
    source.check_end()?;
    progress(source.bytes_read());
    rows.finish()
}
