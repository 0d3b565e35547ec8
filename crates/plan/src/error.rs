//! How large the noise will be: exact quantiles and standard deviations per cell and per margin.
//!
//! Let `W_m(j)` be the weight of the sum `j` of the noise of `m` cells before conditioning. In a
//! block of `n` cells whose total is kept, the noise of `t` of them sums to `j` with probability
//! proportional to `W_t(j) · W_{n−t}(j)`; cells in no total have `W_t(j)` itself. Blocks are
//! independent, so a margin that collects parts of several blocks is a convolution. No draw is
//! made: these are the laws themselves, computed to about machine precision.

mod folded;
mod part;
mod profile;
mod reach;
mod render;
mod symmetric;
mod weights;

pub use folded::error_profile;
pub use part::law_of_part;
pub use profile::{CellKind, ErrorProfile, Margin, MarginValues, Spread};
pub use reach::{NoReach, cell_reach, group_reach};
