//! Variances off by five per cent and shifted intervals are rejected.

use super::laws::{Law, fit, laws};
use cascade::{NO_HIGH, NO_LOW};
use testkit::tape_law;

#[test]
fn tapes_reject_a_variance_off_by_five_percent_and_a_shifted_interval() {
    let mut caught = 0;
    for law in laws() {
        let tapes = tape_law(18, |tape| law.draw(tape));
        for factor in ["19/20", "21/20"] {
            let mutant = Law { variance: &law.variance * &factor.parse().unwrap(), ..law.clone() };
            caught += usize::from(tapes.agrees_with(|value| mutant.probability(*value)).is_err());
        }
        if law.low != NO_LOW {
            let mutant = Law { low: law.low + 1, ..law.clone() };
            assert!(tapes.agrees_with(|value| mutant.probability(*value)).is_err(), "{law:?}");
        }
        let mutant = Law { numerator: law.numerator * 12 + law.unit as i128, unit: law.unit * 12, ..law.clone() };
        caught += usize::from(tapes.agrees_with(|value| mutant.probability(*value)).is_err());
    }
    assert!(caught >= 14, "{caught}");
}

#[test]
fn wrong_variances_are_seen_in_draws() {
    for variance in ["1", "30", "5000"] {
        let law = Law::new(1, 3, variance, NO_LOW, NO_HIGH);
        for factor in ["19/20", "21/20"] {
            let mutant = Law { variance: &law.variance * &factor.parse().unwrap(), ..law.clone() };
            assert!(fit(&law, &mutant, 5, 200_000) < 1e-6, "{variance}");
        }
    }
}
