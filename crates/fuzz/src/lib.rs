//! What every parser and file reader must survive, for the fuzzer and for the tests that replay
//! what it found.
//!
//! A target is a function of bytes. It must return, whatever the bytes are; where something was
//! accepted, it checks that what was accepted means the same when it is written and read again.

mod certificate;
mod data;
mod predicate;
mod spec;
mod table;

/// One target.
pub type Target = fn(&[u8]);

/// The targets by name; `seeds/<name>` holds what each starts from and what it once failed on.
pub const TARGETS: [(&str, Target); 7] = [
    ("spec", spec::spec),
    ("predicate", predicate::predicate),
    ("text", data::text),
    ("parquet", data::parquet),
    ("arrow", data::arrow),
    ("certificate", certificate::certificate),
    ("table", table::table),
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}
