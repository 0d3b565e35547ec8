//! Exact integers, rationals, outward-rounded reals, random bits and coins; knows no privacy.

mod rational;

pub use rational::Rational;
