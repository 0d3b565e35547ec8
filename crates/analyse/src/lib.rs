//! From conditions and public totals to rank, blocks, classes and the steps between tables: an
//! `Analysis`.
//!
//! Sees invariants and their values, never the interior of the table. The proof that the steps
//! below find exactly the rank, the fixed cells and the finest independent blocks is
//! `proofs/structure.md`.

mod analyse;
mod analysis;
mod assemble;
mod block;
mod bound;
mod circulation;
mod classes;
mod confine;
mod disclosed;
mod eliminate;
mod feasible;
mod fibre;
mod grid;
mod ground;
mod join;
mod lattice;
mod lines;
mod link;
mod listing;
mod moves;
mod nearest;
mod network;
mod number;
mod peel;
mod potential;
pub mod program;
mod reason;
mod search;
mod sums;
mod system;
mod union;
mod wording;

pub use analyse::analyse;
pub use analysis::{Analysis, Kept, Redundant};
pub use block::{Block, Structure};
pub use bound::Bound;
pub use circulation::{Circulation, Cycle};
pub use classes::{Classes, by_key};
pub use disclosed::Disclosed;
pub use feasible::{Feasibility, Witness};
pub use fibre::Fibre;
pub use grid::{Grid, grid};
pub use ground::Ground;
pub use join::{Form, Join, MadeOf};
pub use lattice::Lattice;
pub use lines::{Family, Line, families, lines};
pub use listing::{ListLimits, Listed, NotListed};
pub use moves::{Bounds, Element, Moves, Near, StepKind};
pub use nearest::{Apart, Nearest};
pub use network::{Network, TOO_MANY_MEET};
pub use potential::{NoPotentials, potentials};
pub use search::{Searched, search_table, some_table};
pub use sums::{CellNoise, Demand, FibreRow, NetworkClass, NetworkRow};
pub use union::{Union, two_colours};
