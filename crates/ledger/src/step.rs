//! Named points at which tests stop a process, to see what a crash leaves behind.
//!
//! The hook is a function that a test gives to an open ledger. No environment variable and no option reaches it, so a
//! release cannot be stopped by it; where none is given, reaching a step does nothing.

/// What is called with the name of each step that is reached.
pub type Hook = Box<dyn FnMut(&'static str) + Send>;

/// Every step that `reserve` and `complete` reach, in this order.
pub const STEPS: [&str; 8] = [
    RESERVE_BEGUN,
    RESERVE_CHECKED,
    RESERVE_WRITTEN,
    RESERVE_COMMITTED,
    COMPLETE_BEGUN,
    COMPLETE_CHECKED,
    COMPLETE_WRITTEN,
    COMPLETE_COMMITTED,
];

pub(crate) const RESERVE_BEGUN: &str = "reserve: begun";
pub(crate) const RESERVE_CHECKED: &str = "reserve: checked";
pub(crate) const RESERVE_WRITTEN: &str = "reserve: written";
pub(crate) const RESERVE_COMMITTED: &str = "reserve: committed";
pub(crate) const COMPLETE_BEGUN: &str = "complete: begun";
pub(crate) const COMPLETE_CHECKED: &str = "complete: checked";
pub(crate) const COMPLETE_WRITTEN: &str = "complete: written";
pub(crate) const COMPLETE_COMMITTED: &str = "complete: committed";
