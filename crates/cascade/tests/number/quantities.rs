//! Logarithms in machine numbers agree with enclosures.

use super::laws::laws;
use cascade::NO_LOW;

#[test]
fn machine_logarithms_agree_with_enclosures() {
    for law in laws() {
        let from = if law.low == NO_LOW { -10 } else { law.low };
        for value in from..from + 12 {
            let exactly = law.probability(value).to_f64();
            let machine = law.step(value).log_probability().exp();
            assert!((exactly - machine).abs() < 1e-11, "{law:?} {value}: {exactly} {machine}");
        }
    }
}
