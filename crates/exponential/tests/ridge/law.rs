//! One attempt by shells or gradients is proportional to the weights.

use super::settings::example;
use crate::tables::targets::law;
use exact::{Seeded, Source};
use exponential::{Attempt, Gradient, Shells};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

#[test]
fn one_attempt_by_shells_or_gradients_is_proportional_to_the_weights() {
    let target = example("8", 4);
    let law = law(&target);
    let mut stream = Seeded::new(29).stream(0).unwrap();
    let mut shells = Shells::new(&target).unwrap();
    let mut gradient = Gradient::new(&target);
    let mut seen: [BTreeMap<Vec<i64>, u64>; 2] = Default::default();
    let mut point = Vec::new();
    for _ in 0..60_000 {
        if shells.attempt(&mut stream, &mut point) {
            *seen[0].entry(point.clone()).or_default() += 1;
        }
        if gradient.attempt(&mut stream, &mut point) {
            *seen[1].entry(point.clone()).or_default() += 1;
        }
    }
    for counts in &seen {
        let total: u64 = counts.values().sum();
        assert!(total > 3000, "{total}");
        let mut bins: Vec<(f64, u64)> =
            law.iter().map(|(point, share)| (*share, counts.get(point).copied().unwrap_or(0))).collect();
        bins.sort_by(|one, other| other.0.total_cmp(&one.0));
        let (shares, counts): (Vec<f64>, Vec<u64>) = bins.into_iter().unzip();
        assert!(goodness_of_fit(&counts, &shares, total).p_value > level(2));
    }
}
