//! Losses that only round up: amounts of three definitions, what they are per, and what they mean.
//!
//! An [`Amount`] is ε, ρ or (ε, δ), exact; a [`Charge`] is an amount per [`Unit`]. What a plan loses is [`Charge::of`] it, a
//! budget is a charge too, and `composition` says how charges of several releases add up. What is not exact is rounded up, so
//! that no loss is ever under-counted; what has no sound conversion is refused. Proofs: `crates/certify/proofs/G6.md` and
//! `crates/certify/proofs/units.md`.

mod amount;
mod charge;
mod number;

pub use amount::Amount;
pub use charge::{Charge, Reach, Unit};
