//! Typed columns: Arrow arrays turned to cells column by column, whatever format they were decoded
//! from.
//!
//! Every value means what its text in a CSV file would mean: whole numbers in digits, other numbers
//! in the shortest decimals that mean the same binary number, flags as `true` and `false`, dates as
//! `2020-03-01`. Nulls, and the not-a-number that some programs write for them, are missing values.
//! Plain rows never become text: whole numbers are looked up as such, a text once per dictionary,
//! and texts without one are remembered.

mod column;
mod encode;
mod texts;

pub(crate) use column::class_of;
pub(crate) use encode::{KnownEntries, Rows};
