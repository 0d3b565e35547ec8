//! What totals, bounds and rules leave for cells and sums, whatever the noise, and how near two
//! tables can be.
//!
//! A function of public values alone. [`Known::ranges`] says what is disclosed; proof:
//! `proofs/disclosure.md`.

mod affine;
mod flow;
mod grid;
mod holes;
mod known;
mod nearest;
mod part;
mod range;
mod ranges;
mod search;
mod sides;
mod solve;
mod steps;
mod summary;
mod web;

pub use known::{Known, SEARCH_WORK};
pub use nearest::with_nearest;
pub use range::{End, Range};
pub use ranges::{MarginRanges, Ranges};
pub use summary::{DEFAULT_WIDTHS, MarginSummary, Summary, Widths};
