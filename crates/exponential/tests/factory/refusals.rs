//! Without slack there is no factory.

use crate::tables::targets::number;
use exponential::Factory;

#[test]
fn without_slack_there_is_no_factory() {
    // The mutant β = inf Π: at the worst point Cp = 1 and nothing is left.
    assert!(Factory::new(number("1.25"), number("0")).is_none());
    assert!(Factory::new(number("1"), number("0.1")).is_none());
    assert!(Factory::new(number("2"), number("1")).is_none());
}
