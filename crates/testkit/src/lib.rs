//! Fibre enumeration, bit tapes, chi-square, mutants and small declarations, a PostgreSQL server,
//! for tests only.

mod chi_square;
mod family;
mod fibre;
mod random;
mod server;
mod structures;
mod tape;

pub use chi_square::{Fit, goodness_of_fit};
pub use family::{FAMILY, TESTS, deviations, kolmogorov, level};
pub use fibre::{Fibre, LawOnFibre};
pub use random::Random;
pub use server::{new_database, server, server_client, server_is_required};
pub use structures::{RandomStructure, random_structure};
pub use tape::{TapeLaw, resolved_law, tape_law};
