//! What a net in the place of the atom loses.

use super::relaxed::{losses, relaxed};
use exponential::Listed;

fn loss(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max)
}

#[test]
fn replacing_the_atom_by_a_net_loses_more_than_epsilon() {
    let (one, other) = (losses(400, 0, 1), losses(400, 1, 0));
    let worst = (1..200)
        .flat_map(|kappa| [2, 4, 8].map(|net| (net, f64::from(kappa))))
        .map(|(net, kappa)| loss(&relaxed(&one, net, kappa), &relaxed(&other, net, kappa)))
        .fold(0.0, f64::max);
    assert!(worst > 1.177 && worst < 1.5, "{worst}");
}

#[test]
fn in_the_base_measure_it_loses_epsilon() {
    let (net, share) = (4, 0.3);
    let mixed = |target: &Listed| {
        let size = target.exponents().len() as f64;
        let base = |k: usize| (1.0 - share) / size + if k < net { share / net as f64 } else { 0.0 };
        let weights: Vec<f64> =
            target.exponents().iter().enumerate().map(|(k, exponent)| base(k) * (-exponent.to_f64()).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect::<Vec<f64>>()
    };
    let worst = loss(&mixed(&losses(400, 0, 1)), &mixed(&losses(400, 1, 0)));
    assert!(worst <= 1.0 && worst > 0.9, "{worst}");
}
