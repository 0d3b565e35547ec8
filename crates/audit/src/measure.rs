//! Errors of repeated draws: plain numbers in, plain numbers out, every figure with its Monte Carlo
//! error.
//!
//! ```text
//! measure/summary.rs      mean and variance of a stream of numbers, with standard errors, mergeable
//! measure/errors.rs       bias and variance by cell, distances, zeros and broken invariants of whole tables
//! measure/partition.rs    cells by size of group or of count, and their bias and variance
//! measure/levels.rs       errors of sums of cells, level by level
//! measure/wasserstein.rs  the distance of errors from the law of the noise
//! ```

mod errors;
mod levels;
mod partition;
mod summary;
mod wasserstein;

pub use errors::{Errors, broken};
pub use levels::{Level, LevelErrors};
pub use partition::{IN_NO_TOTAL, Part, PartErrors, Partition, group_sizes};
pub use summary::Summary;
pub use wasserstein::{noise_atoms, wasserstein_by_chance, wasserstein_to_noise};
