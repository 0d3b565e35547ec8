//! The operators of this version: when each can draw a block, at what cost, and how it draws it.
//! One file each.

mod closed_form;
mod divide;
mod enumerate;
mod independent;
mod lattices;
mod messages;
mod reject;
mod whole;

pub use crate::table_list::TableList;
pub use closed_form::ClosedForm;
pub use divide::Divide;
pub use enumerate::{Enumerate, PlannedList};
pub use independent::{AtLeastZero, Independent};
pub use lattices::{KLEIN, MIXTURE, OnLattice, THIN};
pub use messages::Messages;
pub use reject::Reject;
pub(crate) use whole::WholeBlock;
