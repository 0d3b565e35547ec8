//! The nearest tables of a fibre to noisy measurements: projections in three norms, rounding, and
//! TopDown.
//!
//! **Contract of every function here (G7).** The result is a function of the noisy measurements and
//! of public values alone: the cells, bounds, totals and rules of the fibre, and the weights.
//! Nothing is drawn, no solver starts from anything but these, ties are broken by a fixed mixing of
//! the measurements, limits count steps and never seconds, and the number of threads changes
//! nothing. So a projection is post-processing for tables that share their public values; for
//! others nothing is promised. What cannot be found is an error: integers are checked exactly, real
//! numbers are an optimum to the solver's tolerance. Proofs: `proofs/projections.md`.
//!
//! **What is measured**, in this order: every cell if the fibre has noise on its cells, then every
//! noisy row in the order of the fibre's rows. The number of a noisy row is the noisy sum over its
//! whole group as the query measured it; what fixed cells outside the block add to it (`fixed`) is
//! taken off here.

mod absolute;
mod bundle;
mod component;
mod convex;
mod factor;
mod faults;
mod flow;
mod integer_form;
mod least;
mod network;
mod norm;
mod program;
mod projector;
mod quadratic;
mod redundant;
mod round;
mod single;
mod ties;
mod topdown;
mod two_bins;

pub use norm::Norm;
pub use program::MOST_CASES;
pub use projector::Projector;
pub use round::round;
pub use topdown::TopDown;
pub use two_bins::two_bins;
