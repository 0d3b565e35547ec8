//! Settings that cannot be are refused with reasons.

use super::settings::tiny;
use crate::tables::targets::number;
use exponential::RidgeSettings;

#[test]
fn settings_that_cannot_be_are_refused_with_reasons() {
    let message = |settings: RidgeSettings| settings.check().unwrap_err().to_string();
    assert!(message(RidgeSettings { radius: number("0"), ..tiny(2, 4, "1") }).contains("radius"));
    assert!(message(RidgeSettings { penalty: number("-1"), ..tiny(2, 4, "1") }).contains("penalty"));
    assert!(message(RidgeSettings { epsilon: number("0"), ..tiny(2, 4, "1") }).contains("epsilon"));
    assert!(message(RidgeSettings { grid: 1 << 62, ..tiny(100, 4, "1") }).contains("2^63"));
    assert!(message(RidgeSettings { radius: number("1/10"), ..tiny(2, 4, "1") }).contains("no point"));
    let many = RidgeSettings { predictors: 13, grid: 10, ..tiny(10_000, 4, "1") };
    assert!(message(many.clone()).contains("curse of dimensionality"));
    assert!(message(RidgeSettings { predictors: 11, ..many.clone() }).contains("10 predictors or fewer"));
    assert!(RidgeSettings { predictors: 10, ..many.clone() }.check().is_ok());
    assert!(RidgeSettings { records: 2, ..many }.check().is_ok(), "few records: a try succeeds often");
    let padded = RidgeSettings { is_padded: true, grid: 10_000, ..tiny(2, 4, "1") };
    assert!(message(padded).contains("padded"));
    assert_eq!(tiny(2, 4, "1").sensitivity(), number("8"), "2(1 + B)p");
    assert_eq!(tiny(2, 4, "1").gradient_rate(), number("1/16"));
}
