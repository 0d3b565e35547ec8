//! The operators of this version: when each can draw a block, at what cost, and how it draws it. One file each.

mod closed_form;
mod divide;
mod enumerate;
mod independent;
mod lattices;
mod messages;
mod walks;

pub use closed_form::ClosedForm;
pub use divide::Divide;
pub use enumerate::{Enumerate, PlannedList, TableList};
pub use independent::{AtLeastZero, Independent};
pub use lattices::{Klein, Mixture, Thin};
pub use messages::Messages;
pub use walks::{HierarchyWalk, IndependenceWalk, LatticeWalk, NOT_ACCEPTED, PlannedWalk};
