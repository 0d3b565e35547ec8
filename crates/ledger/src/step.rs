//! Named points at which tests stop a process, to see what a crash leaves behind.
//!
//! The hook is a function that a test gives to an open ledger. No environment variable and no
//! option reaches it, so a release cannot be stopped by it; where none is given, reaching a step
//! does nothing.

/// What is called with the name of each step that is reached.
pub type Hook = Box<dyn FnMut(&'static str) + Send>;

/// Every step that `reserve` and `complete` reach, in this order. Announced is what the head beside
/// the ledger says before the commit; it is kept when the head says so everywhere.
pub const STEPS: [&str; 12] = [
    "reserve: begun",
    "reserve: checked",
    "reserve: written",
    "reserve: announced",
    "reserve: committed",
    "reserve: head kept",
    "complete: begun",
    "complete: checked",
    "complete: written",
    "complete: announced",
    "complete: committed",
    "complete: head kept",
];

/// Who is told of the steps of a transaction, and what it does; of one without a name nobody is.
#[derive(Default)]
pub(crate) struct Steps<'a> {
    pub(crate) hook: Option<&'a mut Hook>,
    pub(crate) of: &'static str,
}

impl Steps<'_> {
    /// Calls the hook, where there is one, with the name of a step that is reached.
    pub(crate) fn reached(&mut self, step: &str) {
        let name = STEPS.into_iter().find(|name| name.split_once(": ") == Some((self.of, step)));
        if let (Some(hook), Some(name)) = (&mut self.hook, name) {
            hook(name);
        }
    }
}
