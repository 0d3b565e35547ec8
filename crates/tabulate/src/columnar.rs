//! Files of typed columns: Parquet and Arrow IPC, decoded to Arrow arrays and turned to cells column by column.
//!
//! Every value means what its text in a CSV file would mean: whole numbers in digits, other numbers in the shortest decimals
//! that mean the same binary number, flags as `true` and `false`, dates as `2020-03-01`. Nulls, and the not-a-number that
//! some programs write for them, are missing values. Plain rows never become text: whole numbers are looked up as such, and
//! a text is looked up once per dictionary.

mod arrow_file;
mod column;
mod encode;
mod lookups;
mod messages;
mod pages;
mod parquet_file;
mod place;
mod row_group;

pub(crate) use arrow_file::ArrowFile;
pub(crate) use encode::DictionaryCodes;
pub(crate) use lookups::WholeCodes;
pub(crate) use parquet_file::ParquetFile;

/// Rows that are turned to cells at once: bounds the memory.
const BATCH: usize = 1 << 16;
