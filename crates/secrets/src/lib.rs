//! What a loss between tables says of a secret (Seeman 2023, ε-TP), when records may depend on each
//! other.
//!
//! A release whose loss is ε per unit of distance between tables loses ε·Δ about a secret, where Δ
//! is the largest distance that must be bridged to turn the tables of one answer into those of the
//! other: the ∞-Wasserstein distance between the laws of the table given the two answers
//! (`crates/certify/proofs/secrets.md`). This room computes Δ for declared families of laws; it
//! draws nothing and reads no data.
//!
//! ```text
//! transport.rs    the distance between two finite laws: bottleneck transport, in whole numbers
//! line.rs         the same for laws of one number: by quantiles
//! binary.rs       yes or no records with bounded dependence
//! normal.rs       the mean of correlated normal values, with or without a noisy mean that is public
//! finite.rs       laws that are listed world by world
//! ```

mod binary;
mod finite;
mod line;
mod normal;
mod transport;

pub use binary::Binary;
pub use finite::{Apart, Finite, Measure, World};
pub use line::distance_on_a_line;
pub use normal::Normal;
pub use transport::bottleneck;

use exact::Rational;

/// The loss about a secret: `ε·Δ`, and twice what the declared family is mistaken by.
pub fn inflated(epsilon: &Rational, distance: &Rational, mistaken: &Rational) -> Rational {
    &(epsilon * distance) + &(mistaken + mistaken)
}
