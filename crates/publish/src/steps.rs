//! Named points of a release at which tests stop a process, to see what a crash leaves behind.
//!
//! The hook is a function that a test hands over. No environment variable and no option reaches it,
//! so a release cannot be stopped by it; where none is given, reaching a step does nothing.

use std::sync::Arc;

/// What is called with the name of each step that is reached.
pub type Hook = Arc<dyn Fn(&'static str) + Send + Sync>;

/// Who is told of the steps that are reached.
pub type Reached<'a> = &'a dyn Fn(&'static str);

/// Another process makes the same release: this one waits for it. Not a step of every release.
pub const WAITING: &str = "release: waiting";

/// What was released of the data was looked at; again, where another release was paid for
/// meanwhile. Not a step of every release.
pub const LOOKED: &str = "release: looked";

pub const OPENED: &str = "release: opened";
pub const ANALYSED: &str = "release: analysed";
pub const PREPARED: &str = "release: prepared";
pub const BEGUN: &str = "release: begun";
pub const DRAWN: &str = "release: drawn";
pub const KEPT: &str = "release: kept";
pub const TABLE_WRITTEN: &str = "release: table written";
pub const CERTIFICATE_WRITTEN: &str = "release: certificate written";
pub const REPORT_WRITTEN: &str = "release: report written";
pub const VERIFIED: &str = "release: verified";
pub const PUBLISHED: &str = "release: published";
pub const COMPLETED: &str = "release: completed";

/// The steps of a release before it is paid for, in order; then come those of the ledger up to its
/// commit.
pub const BEFORE_PAYING: [&str; 3] = [OPENED, ANALYSED, PREPARED];

/// The steps between paying and completing, in order; then come those of the ledger.
pub const AFTER_PAYING: [&str; 9] =
    [BEGUN, DRAWN, KEPT, TABLE_WRITTEN, CERTIFICATE_WRITTEN, REPORT_WRITTEN, VERIFIED, PUBLISHED, COMPLETED];
