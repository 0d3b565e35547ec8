//! Weights of sums of cells, and draws from them: what `messages` and `divide` are made of.
//!
//! ```text
//! precision.rs  how precisely weights are known at each level
//! message.rs    the weights of one sum
//! factor.rs     public weights of counts, by which noise is multiplied
//! class.rs      cells that differ only in their centres
//! coin.rs       coins whose probability is a quotient of two weights
//! ```

mod class;
pub mod coin;
mod factor;
mod message;
mod precision;

pub use class::{CellNoise, ClassLaw};
pub(crate) use class::{NoLaws, ShapeSize, most_chained, seconds_of_laws};
pub use factor::Factor;
pub use message::Message;
pub use message::rounded_up;
pub(crate) use message::{shifted_bound, total};
pub use precision::{Ladder, Precision};
