//! Exact integers, rationals, outward-rounded reals, integer matrices, random bits and coins; knows
//! no privacy.
//!
//! Everything here draws from exactly the law it names: a draw is a function of uniform bits, and
//! what decides is an integer, a fraction or an enclosure that is narrowed until it decides. No
//! floating-point number takes part.

pub mod attention;
mod bracket;
mod choose;
pub mod composition;
mod decay;
mod enclosure;
mod entropy;
mod gaussian;
mod geometric;
mod geometric_sum;
mod hermite;
pub mod integer;
pub mod lazy;
mod lll;
mod matrix;
mod positive;
mod power;
mod rational;
mod shares;
pub mod shifted;
mod smith;
pub mod subset;
mod survival;
mod theta;
pub mod unimodal;
pub mod urn;
mod ways;

pub use choose::{Decision, Weighted, choose};
pub use dashu_int::{IBig as Integer, UBig as Natural};
pub use decay::{DECAY_BITS, decay, decay_bounds};
pub use enclosure::Enclosure;
pub use entropy::{Entropy, FreshEntropy, NoEntropy, Seeded, Source, Stream, SystemEntropy, SystemSeed, Tape};
pub use gaussian::DiscreteGaussian;
pub use geometric::Geometric;
pub use geometric_sum::GeometricSum;
pub use hermite::{Hermite, hermite};
pub use lll::{lll, nearest_plane};
pub use matrix::Matrix;
pub use positive::{LEAST_MAGNITUDE, Positive, Wide};
pub use power::{Powers, bernoulli_exp};
pub use rational::{NotANumber, Rational};
pub use shares::Shares;
pub use smith::{Smith, smith};
pub use survival::{Survival, SurvivalTable, search};
pub use theta::{theta, theta_excess, theta_share};
