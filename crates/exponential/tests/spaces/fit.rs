//! A uniform point of a larger ball is uniform.

use exact::{Seeded, Source};
use exponential::Space;
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

#[test]
fn a_uniform_point_of_a_larger_ball_is_uniform() {
    let space = Space::ball(3, 4);
    let count = u64::try_from(space.count().clone()).unwrap() as usize;
    let mut counts: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    space.for_each(|point| {
        counts.insert(point.to_vec(), 0);
    });
    let mut stream = Seeded::new(3).stream(0).unwrap();
    let mut point = Vec::new();
    for _ in 0..count * 200 {
        space.uniform(&mut stream, &mut point);
        *counts.get_mut(&point).unwrap() += 1;
    }
    let observed: Vec<u64> = counts.values().copied().collect();
    let total = observed.iter().sum();
    let fit = goodness_of_fit(&observed, &vec![1.0 / count as f64; count], total);
    assert!(fit.p_value > level(1), "{}", fit.p_value);
}
