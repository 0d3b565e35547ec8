//! Weights of sums of cells, and draws from them: what `messages` and `divide` are made of.
//!
//! ```text
//! precision.rs  how precisely weights are known at each level
//! message.rs    the weights of one sum
//! coin.rs       coins whose probability is a quotient of two weights
//! ```

pub mod coin;
mod message;
mod precision;

pub use message::Message;
pub(crate) use message::rounded_up;
pub use precision::{Ladder, Precision};
