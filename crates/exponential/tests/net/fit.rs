//! Draws with a net have the mixed law.

use super::relaxed::losses;
use crate::tables::targets::law;
use exact::{Rational, Seeded, Source};
use exponential::{Net, Target, draw};
use testkit::{goodness_of_fit, level};

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
    assert!(goodness_of_fit(&counts, &expected, rounds).p_value > level(1));
    assert!(target.space().contains(&points[0]));
}
