//! Exact integers, rationals, outward-rounded reals, random bits and coins; knows no privacy.
//!
//! Everything here draws from exactly the law it names: a draw is a function of uniform bits, and what decides is an
//! integer, a fraction or an enclosure that is narrowed until it decides. No floating-point number takes part.

mod enclosure;
mod rational;
mod shares;
pub mod subset;
mod survival;
pub mod unimodal;

pub use enclosure::Enclosure;
pub use rational::{NotANumber, Rational};
