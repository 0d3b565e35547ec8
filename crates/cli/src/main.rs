//! The congenial program.
fn main() {}
