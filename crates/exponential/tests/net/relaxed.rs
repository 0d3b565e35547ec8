//! A net of points in the place of the atom.

use exact::Rational;
use exponential::Listed;

/// Exponents L/2 of losses 0 or 1, one for a point and another for all others: ε = 1, Δ = 1.
pub fn losses(size: usize, first: i64, rest: i64) -> Listed {
    Listed::new((0..size).map(|k| Rational::new(if k == 0 { first } else { rest }, 2u8)).collect())
}

/// Seeman's relaxation: with the atom's share κ/(κ + Z) a draw on the net, otherwise one on the
/// space.
pub fn relaxed(target: &Listed, net: usize, kappa: f64) -> Vec<f64> {
    let weights: Vec<f64> = target.exponents().iter().map(|exponent| (-exponent.to_f64()).exp()).collect();
    let z: f64 = weights.iter().sum();
    let on_net: f64 = weights[..net].iter().sum();
    let extra = |k: usize| if k < net { kappa / ((kappa + z) * on_net) } else { 0.0 };
    weights.iter().enumerate().map(|(k, weight)| weight * (1.0 / (kappa + z) + extra(k))).collect()
}
