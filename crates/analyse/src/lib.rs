//! From groupings and public totals to rank, blocks, classes and distances: an `Analysis`.
//!
//! Sees invariants and their values, never the interior of the table.

mod analysis;

pub use analysis::{Analysis, Block, Nearest, Redundant, Structure};
