//! The cascade: a law on the tables that keep totals, bounds and rules, drawn number by number.
//!
//! Totals are split from above. Every number is a one-dimensional discrete Gaussian around a centre
//! that is a public affine function of the confidential table and of the numbers drawn so far, on
//! the integers that everything declared leaves for it. So it is exact, takes time proportional to
//! the cells, has a likelihood that can be computed, and its loss is that of the Gaussian noise it
//! is made from, times 1 + κ, bounds and rules included: theorem G11, `proofs/G11.md`.
//!
//! ```text
//! bell.rs      one number, exactly; envelope.rs proposes it, law.rs is its formula
//! kappa.rs     what integers cost
//! shape.rs     how an ordered row of leaves is halved, with which variances
//! split.rs     a total split over leaves: what every cascade does
//! forest.rs    disjoint and nested totals: blocks of leaves; laminar.rs finds them
//! grid.rs      two-way tables: the same for every split of the columns; tables.rs is all tables of a stage
//! flow.rs      two-way tables whose cells have upper bounds: intervals by flows
//! peel.rs      totals that cross, as stages of two-way tables; labels.rs is about partitions
//! rules.rs     lesser counts below greater ones, where totals are nested; pairs.rs: where they cross
//! outline.rs   what is declared
//! tower.rs     all stages, one above the other
//! cascade.rs   all of it made ready: draws, loss, likelihood
//! places.rs    the same for a table that is never in memory whole
//! ```

mod bell;
mod cascade;
mod envelope;
mod flow;
mod forest;
mod grid;
mod kappa;
mod labels;
mod laminar;
mod law;
mod outline;
mod pairs;
mod peel;
mod places;
mod rules;
mod shape;
mod split;
mod tables;
mod tower;

pub use bell::{Bell, Centre, NO_HIGH, NO_LOW};
pub use cascade::Cascade;
pub use forest::Half;
pub use kappa::{kappa, largest_kappa};
pub use law::Step;
pub use outline::{CellBounds, Noise, Outline};
pub use places::{Begun, Places};
pub use shape::{Class, Group, Split, SplitTree};
