//! The operators of this version: when each can draw a block, at what cost, and how it draws it. One file each.

mod closed_form;
mod divide;
mod enumerate;
mod independent;
mod lattices;
mod messages;
mod reject;
mod whole;

pub use closed_form::ClosedForm;
pub use divide::Divide;
pub(crate) use divide::draw_seconds;
pub use enumerate::{Enumerate, PlannedList, TableList};
pub use independent::{AtLeastZero, Independent};
pub(crate) use lattices::MOST_CELLS;
pub use lattices::{KLEIN, MIXTURE, OnLattice, THIN};
pub use messages::Messages;
pub use reject::Reject;
pub(crate) use whole::{DrawsBlock, WholeBlock};
