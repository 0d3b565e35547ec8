//! `divide` climbs the ladder: bit tapes, enumeration, goodness of fit, mutants, identities, golden seeds.

mod bounded;
mod fit;
mod grids;
mod identities;
mod tapes;
