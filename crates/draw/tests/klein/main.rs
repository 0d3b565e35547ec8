//! The ladder of `klein`.

mod large;
mod lattices;
mod law;
mod margins;
