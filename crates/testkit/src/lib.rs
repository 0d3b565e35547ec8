//! Fibre enumeration, bit tapes, chi-square, mutants and small declarations, for tests only.

mod chi_square;
mod fibre;
mod random;
mod structures;
mod tape;

pub use chi_square::{Fit, goodness_of_fit};
pub use fibre::{Fibre, LawOnFibre};
pub use random::Random;
pub use structures::{RandomStructure, random_structure};
pub use tape::{TapeLaw, tape_law};
