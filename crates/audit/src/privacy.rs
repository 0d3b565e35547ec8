//! What a mechanism gives away about two neighbouring tables: exactly for finite laws, or from
//! repeated runs.
//!
//! ```text
//! privacy/worst.rs  two finite laws: the largest log ratio with the outcome that has it, and δ at ε
//! privacy/event.rs  events of a release that may tell the tables apart
//! privacy/runs.rs   repeated runs: a lower confidence limit of ε
//! ```

mod event;
mod runs;
mod worst;

pub use event::{Event, Statistic};
pub use runs::{Chosen, Finding, NoFinding, Runs, largest_visible, lower_limit};
pub use worst::{
    Loss, Undecided, Worst, delta, delta_of_enclosures, enclosed_law, worst_ratio, worst_ratio_of_enclosures,
};

/// One of two neighbouring tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first table.
    First,
    /// The second table.
    Second,
}
