//! Exact integers, rationals, outward-rounded reals, random bits and coins; knows no privacy.

mod enclosure;
mod rational;

pub use enclosure::Enclosure;
pub use rational::{NotANumber, Rational};
