//! Noise laws and samplers: one file per sampler, behind one trait.

mod exactness;
mod law;

pub use exactness::Exactness;
pub use law::{NoiseLaw, Operator};
