//! Uniform numbers, and one of several things by its weight: for posteriors alone, nothing that is
//! certified is drawn like this.

use declare::Problem;
use exact::{Entropy, Seeded, Source, Stream};

/// The bits of one draw with a seed.
pub(crate) fn stream(seed: u64, draw: u64) -> Result<Stream, Problem> {
    Seeded::draw(seed, draw).stream(0).map_err(|error| Problem::system(error.to_string()))
}

/// A uniform number between 0 and 1.
pub(crate) fn uniform(entropy: &mut impl Entropy) -> f64 {
    entropy.bits(53) as f64 / (1u64 << 53) as f64
}

/// One of several things, in proportion to its weight.
pub(crate) fn pick_pair<T>(listed: &[(T, f64)], uniform: f64) -> &T {
    let whole: f64 = listed.iter().map(|(_, weight)| weight).sum();
    let mut left = uniform * whole;
    for (thing, weight) in listed {
        left -= weight;
        if left < 0.0 {
            return thing;
        }
    }
    &listed[listed.len() - 1].0
}
