//! What ρ at integer orders implies: theorem G13 proves such a ρ where discrete Gaussian noise is
//! conditioned on bounds and rules.
//!
//! Conditioned on inequalities the Rényi divergences of real orders may exceed `αρ`, but not those
//! of whole orders α ≥ 2, as long as everything bounded or noisy is a difference of potentials
//! (`analyse::potentials`). What follows from ρ is therefore computed from whole orders alone:
//! machine numbers propose some, enclosures evaluate. Proof: `crates/certify/proofs/G13.md`.

use crate::concentrated::{above_one, bound, rounded, value};
use exact::{Enclosure, Rational};

/// Fraction bits of enclosures.
const BITS: usize = 160;

/// Larger orders are not tried: the ε of so small a ρ hardly changes with them.
const LARGEST_ORDER: f64 = 1e15;

/// An ε, rounded up to six decimals, such that ρ at integer orders implies (ε, δ)-differential
/// privacy. At least zero.
///
/// # Panics
/// When ρ is not positive or δ is not between 0 and 1.
pub fn epsilon_at_integer_orders(rho: &Rational, delta: &Rational) -> Rational {
    assert!(rho.is_positive() && delta.is_positive() && *delta < Rational::integer(1), "ρ > 0 and 0 < δ < 1");
    let near = 1.0 + above_one(rho.to_f64(), delta.to_f64());
    let best = orders(near).filter_map(|order| bound(rho, delta, &Rational::integer(order))).min();
    // Order 2 always gives a bound: all its logarithms are of positive numbers.
    rounded(best.or_else(|| bound(rho, delta, &Rational::integer(2))).expect("a logarithm of a positive number"))
}

/// About the ε at a δ: for choosing a δ, never for stating one.
pub(crate) fn about_at_integer_orders(rho: f64, delta: f64) -> f64 {
    let near = 1.0 + above_one(rho, delta);
    orders(near).map(|order| value(rho, delta, order as f64)).fold(f64::INFINITY, f64::min).max(0.0)
}

/// The whole numbers from 2 on nearest to a number.
fn orders(near: f64) -> impl Iterator<Item = u64> {
    let floor = near.clamp(2.0, LARGEST_ORDER) as u64;
    [floor.saturating_sub(1).max(2), floor, floor + 1].into_iter()
}

/// An upper bound of the least `αρ + ln(n)/(α − 1)` over whole orders: the log-odds of two tables
/// move no further, but for releases of chance 1/n.
pub(crate) fn odds_at_integer_orders(rho: &Rational, n: u32) -> Option<Rational> {
    let logarithm = Enclosure::ln_rational(&Rational::integer(n), BITS)?.upper_rational();
    let near = 1.0 + (f64::from(n).ln() / rho.to_f64()).sqrt();
    let at = |order: u64| &(rho * &Rational::integer(order)) + &(&logarithm / &Rational::integer(order - 1));
    orders(near).map(at).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concentrated::epsilon_at;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn never_below_the_least_whole_order_and_equal_to_it() {
        for (rho, delta) in [("1/8", "1e-6"), ("1/2", "1e-9"), ("1e-4", "1e-6"), ("3", "1e-10"), ("40", "1e-6")] {
            let (rho, delta) = (rational(rho), rational(delta));
            let certified = epsilon_at_integer_orders(&rho, &delta).to_f64();
            let (r, d) = (rho.to_f64(), delta.to_f64());
            let least = (2..200_000)
                .map(f64::from)
                .map(|a| r * a + (1.0 - 1.0 / a).ln() - (d.ln() + a.ln()) / (a - 1.0))
                .fold(f64::INFINITY, f64::min);
            assert!(certified >= least - 1e-9 && certified <= least + 2e-6, "ρ = {rho}: {certified}, {least}");
        }
    }

    /// What the stronger promise, at all orders, would save.
    #[test]
    fn whole_orders_cost_little() {
        let delta = rational("1e-6");
        let mut most: f64 = 0.0;
        for step in 1..=80 {
            let rho = &Rational::integer(step) * &rational("1/40");
            let (whole, all) = (epsilon_at_integer_orders(&rho, &delta), epsilon_at(&rho, &delta));
            assert!(whole >= all, "ρ = {rho}");
            most = most.max((&whole / &all).to_f64() - 1.0);
        }
        assert!((0.010..0.016).contains(&most), "{most}");
    }

    /// Odds by Markov's inequality at the best whole order, against all of them.
    #[test]
    fn odds_are_those_of_the_best_order() {
        for rho in ["1/1000", "1/8", "1", "20"] {
            let rho = rational(rho);
            let found = odds_at_integer_orders(&rho, 1_000_000).unwrap().to_f64();
            let at = |a: u32| f64::from(a) * rho.to_f64() + 1e6f64.ln() / f64::from(a - 1);
            let least = (2..10_000).map(at).fold(f64::INFINITY, f64::min);
            assert!((found - least).abs() < 1e-9, "{found} {least}");
        }
    }
}
