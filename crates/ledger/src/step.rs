//! Named points at which tests stop a process, to see what a crash leaves behind.
//!
//! The hook is a function that a test gives to an open ledger. No environment variable and no
//! option reaches it, so a release cannot be stopped by it; where none is given, reaching a step
//! does nothing.

/// What is called with the name of each step that is reached.
pub type Hook = Box<dyn FnMut(&'static str) + Send>;

/// Calls the hook, where there is one, with the name of a step that is reached.
pub(crate) fn reached(hook: &mut Option<Hook>, step: &'static str) {
    if let Some(hook) = hook {
        hook(step);
    }
}

/// Every step that `reserve` and `complete` reach, in this order.
pub const STEPS: [&str; 12] = [
    RESERVE_BEGUN,
    RESERVE_CHECKED,
    RESERVE_WRITTEN,
    RESERVE_ANNOUNCED,
    RESERVE_COMMITTED,
    RESERVE_KEPT,
    COMPLETE_BEGUN,
    COMPLETE_CHECKED,
    COMPLETE_WRITTEN,
    COMPLETE_ANNOUNCED,
    COMPLETE_COMMITTED,
    COMPLETE_KEPT,
];

pub(crate) const RESERVE_BEGUN: &str = "reserve: begun";
pub(crate) const RESERVE_CHECKED: &str = "reserve: checked";
pub(crate) const RESERVE_WRITTEN: &str = "reserve: written";
/// The head beside the ledger says what is about to be committed.
pub(crate) const RESERVE_ANNOUNCED: &str = "reserve: announced";
pub(crate) const RESERVE_COMMITTED: &str = "reserve: committed";
/// The head says, everywhere, that it was committed.
pub(crate) const RESERVE_KEPT: &str = "reserve: head kept";
pub(crate) const COMPLETE_BEGUN: &str = "complete: begun";
pub(crate) const COMPLETE_CHECKED: &str = "complete: checked";
pub(crate) const COMPLETE_WRITTEN: &str = "complete: written";
/// The head beside the ledger says what is about to be committed.
pub(crate) const COMPLETE_ANNOUNCED: &str = "complete: announced";
pub(crate) const COMPLETE_COMMITTED: &str = "complete: committed";
/// The head says, everywhere, that it was committed.
pub(crate) const COMPLETE_KEPT: &str = "complete: head kept";

/// The steps of a commit: announced, committed, head kept.
pub(crate) type Committing = [&'static str; 3];

pub(crate) const RESERVING: Committing = [RESERVE_ANNOUNCED, RESERVE_COMMITTED, RESERVE_KEPT];
pub(crate) const COMPLETING: Committing = [COMPLETE_ANNOUNCED, COMPLETE_COMMITTED, COMPLETE_KEPT];
