//! Release folders: what writes them, reads them back and verifies them.
//!
//! [`Contents`] says which tables a release has, [`Making`] writes, certifies and reads back,
//! [`verify`] checks a folder with no access to the data. Table files are written and read by a
//! [`Format`]; the folder gets its name from a [`Workshop`].

mod contents;
mod describe;
mod files;
mod folder;
mod gathered;
mod intervals;
mod known;
mod making;
mod page;
mod signature;
#[doc(hidden)]
pub mod steps;
pub mod suppressed;
mod trial;
mod verify;

pub use contents::{Contents, Facts};
pub use files::{
    Cell, Cells, ColumnKind, Example, Field, FileWriter, Format, INTERVAL, Layout, MOST_COLUMNS, Portion, Portions,
    RowWriter, TableFormat, TableWriter, Tables, Values, cannot, hash, parent_of, read_counts, read_table, read_within,
    write_table,
};
pub use folder::{
    CERTIFICATE_FILE, PREFIX, RELEASE, REPORT_FILE, Workshop, check_folder, new_folder, occupied, plain_name,
    private_folder, synchronise,
};
pub use gathered::Gathered;
pub use intervals::Intervals;
pub use known::report_of;
pub use making::{Made, Making, Visit, table_of, totals_of};
pub use page::{check_new, give_name, write_page};
pub use signature::{SIGNATURE_FILE, Signing, check as check_signature, new_keys, public_key};
pub use suppressed::no_draw;
pub use trial::try_writing;
pub use verify::{
    STREAM_ABOVE, Verified, VerifiedParts, VerifyOptions, certified_files, certified_table, check_time, earlier,
    find_order, verify, verify_folder, verify_parts,
};
