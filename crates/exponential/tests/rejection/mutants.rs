//! Five per cent of scale are seen.

use crate::tables::targets::{number, truncated};
use exponential::{Attempt, Listed, Target, Uniform};
use testkit::tape_law;

#[test]
fn five_per_cent_of_scale_are_seen() {
    let target = truncated(4, 0, "1");
    let tapes = tape_law(20, |tape| {
        let mut point = Vec::new();
        Uniform(&target).attempt(tape, &mut point).then_some(point)
    });
    tapes.proportional_to(|point| target.relative(point, 80)).unwrap();
    for scale in ["0.95", "1.05"] {
        let mutant = Listed::new(target.exponents().iter().map(|exponent| exponent * &number(scale)).collect());
        assert!(tapes.proportional_to(|point| mutant.relative(point, 80)).is_err(), "{scale}");
    }
}
