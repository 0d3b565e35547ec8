//! One level for all statistical tests of the tree together: how often a correct tree may fail
//! anywhere.
//!
//! Draws are random and seeds are fixed: a test that fails does so for ever, and one that passes
//! too. What can be stated is the chance, over the choice of all seeds, that a correct tree fails
//! somewhere. It is shared evenly between all calls of [`level`], [`deviations`] and
//! [`kolmogorov`], and within a test between its comparisons (Bonferroni), whether or not they are
//! independent.

use statrs::distribution::{ContinuousCDF, Normal};

/// The chance that some statistical test of a correct tree fails.
pub const FAMILY: f64 = 0.05;

/// How many calls of [`level`], [`deviations`] and [`kolmogorov`] share it; `crates/cli/tests/tidy`
/// counts them.
pub const TESTS: u32 = 100;

/// What the p-value of each of some comparisons must exceed.
pub const fn level(comparisons: usize) -> f64 {
    FAMILY / TESTS as f64 / comparisons as f64
}

/// By how many standard errors each of some comparisons may be off, to either side.
pub fn deviations(comparisons: usize) -> f64 {
    let normal = Normal::new(0.0, 1.0).expect("a positive deviation");
    -normal.inverse_cdf(level(comparisons) / 2.0)
}

/// How far the empirical distribution of some draws may be from its law, in each of some
/// comparisons: by the bound 2·e^{−2nd²} of Dvoretzky, Kiefer, Wolfowitz and Massart.
pub fn kolmogorov(comparisons: usize, draws: usize) -> f64 {
    (-(level(comparisons) / 2.0).ln() / (2.0 * draws as f64)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_shared() {
        assert!((level(1) * f64::from(TESTS) - FAMILY).abs() < 1e-15);
        assert!((level(12) * 12.0 - level(1)).abs() < 1e-18);
        // Φ(−3.4807564) = 0.00025.
        let of_share = |share: f64| -Normal::new(0.0, 1.0).unwrap().inverse_cdf(share / 2.0);
        assert!((of_share(5e-4) - 3.480_756_4).abs() < 1e-6);
        assert!(deviations(1) > 3.0 && deviations(10) > deviations(1) && deviations(1000) < 6.0);
    }
}
