//! The acceptance is the mean weight.

use crate::tables::targets::{number, truncated};
use exponential::Padding;

#[test]
fn the_acceptance_is_the_mean_weight() {
    let target = truncated(21, 10, "1/2");
    let padding = Padding::new(&target, number("1/21")).unwrap();
    assert!((1.0 / padding.acceptance(80).to_f64() - 5.17).abs() < 0.005);
    assert!(Padding::new(&target, number("0")).is_none());
}
