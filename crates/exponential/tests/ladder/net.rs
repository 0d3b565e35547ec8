//! The net: in the base measure it costs nothing; as a replacement of the atom it costs up to 1.5 ε.

use crate::law;
use exact::{Rational, Seeded, Source};
use exponential::{Listed, Net, Target, draw};
use testkit::goodness_of_fit;

/// Exponents L/2 of losses 0 or 1, one for a point and another for all others: ε = 1, Δ = 1.
fn losses(size: usize, first: i64, rest: i64) -> Listed {
    Listed::new((0..size).map(|k| Rational::new(if k == 0 { first } else { rest }, 2u8)).collect())
}

/// Seeman's relaxation: with the atom's share κ/(κ + Z) a draw on the net, otherwise one on the space.
fn relaxed(target: &Listed, net: usize, kappa: f64) -> Vec<f64> {
    let weights: Vec<f64> = target.exponents().iter().map(|exponent| (-exponent.to_f64()).exp()).collect();
    let z: f64 = weights.iter().sum();
    let on_net: f64 = weights[..net].iter().sum();
    let extra = |k: usize| if k < net { kappa / ((kappa + z) * on_net) } else { 0.0 };
    weights.iter().enumerate().map(|(k, weight)| weight * (1.0 / (kappa + z) + extra(k))).collect()
}

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

#[test]
fn draws_have_the_mixed_law() {
    let target = losses(6, 0, 1);
    let points = [vec![0], vec![2], vec![2]];
    let mut stream = Seeded::new(2).stream(0).unwrap();
    let mut counts = [0u64; 6];
    let rounds = 12_000;
    for _ in 0..rounds {
        counts[draw(&mut stream, &mut Net::new(&target, &points, Rational::new(1, 4u8))).point[0] as usize] += 1;
    }
    let base = [0.75 / 6.0 + 0.25 / 3.0, 0.125, 0.125 + 0.5 / 3.0, 0.125, 0.125, 0.125];
    let weights: Vec<f64> = law(&target).iter().zip(base).map(|((_, share), base)| share * base).collect();
    let sum: f64 = weights.iter().sum();
    let expected: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    assert!(goodness_of_fit(&counts, &expected, rounds).p_value > 1e-4);
    assert!(target.space().contains(&points[0]));
}
