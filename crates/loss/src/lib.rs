//! What a release costs: amounts that only round up, what they are per, what several add up to, and
//! what they mean.
//!
//! ```text
//! amount.rs         ε, ρ or (ε, δ), exact, and what is known to follow from it
//! unit.rs           what a loss is per, and how far records and their owners move a table
//! charge.rs         an amount per unit: what a ledger counts
//! loss.rs           the loss of a release: amount, unit, theorem, nearest pair of tables
//! attained.rs       how near the truth is known to come to it
//! composition.rs    what several releases lose together (theorem G6)
//! meaning.rs        what a loss means for somebody who tests or bets (theorem G9)
//! tradeoff.rs       the same from the law of discrete Gaussian noise (theorem G2a)
//! concentrated.rs   from ρ to (ε, δ)
//! integer_order.rs  from ρ at integer orders to (ε, δ)
//! rounding.rs       numbers with few digits, never below what is true
//! number.rs         numbers as texts of files
//! ```
//!
//! Knows numbers and words, no table and no noise but its law. What is not exact is rounded up, so
//! that no loss is ever under-counted; what has no sound conversion is refused. Proofs:
//! `crates/certify/proofs/G6.md`, `crates/certify/proofs/G9.md` and
//! `crates/certify/proofs/units.md`.

mod amount;
mod attained;
mod charge;
mod composition;
mod concentrated;
mod integer_order;
mod loss;
mod meaning;
mod number;
mod rounding;
mod tradeoff;
mod unit;

pub use amount::{Amount, Definition};
pub use attained::Attained;
pub use charge::Charge;
pub use composition::{Composed, composes_by_maximum, parallel, sequential};
pub use concentrated::epsilon_at;
pub use integer_order::epsilon_at_integer_orders;
pub use loss::{Estimated, Implied, Loss, NearestLoss, Owner, STATED_DELTA, Theorem, Walked};
pub use meaning::{Meaning, Posterior, percent};
pub use rounding::{decimals_up, digits_down, digits_up, over_root_down, rounded_up, times_root_up};
pub use tradeoff::{GaussianNoise, TradeOff};
pub use unit::{Norm, Reach, Unit};
