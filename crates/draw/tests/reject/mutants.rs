//! Attempts on cells that a rule alone joins, with nearly all of their mass resolved, against laws
//! with a named fault.

use super::relaxed::{Drawn, geometric, with_rule};
use crate::tables::numbers::RESOLVED;
use exact::Enclosure;
use testkit::resolved_law;

#[test]
fn named_mutants_are_rejected() {
    let counts = [1, 0];
    let drawn = Drawn::new(with_rule(3), &counts, geometric("1"));
    let sampler = drawn.sampler();
    let tapes = resolved_law(RESOLVED, |tape| {
        let mut values = vec![0; 2];
        sampler.attempt(&counts, tape, &mut values).unwrap().then_some(values)
    });
    assert!(tapes.unresolved_share() <= RESOLVED);
    assert_eq!(tapes.finished.keys().flatten().count(), 10, "all pairs of counts with a sum of at most three");
    tapes.proportional_to(|table| drawn.weight(table)).unwrap();
    for epsilon in ["1.05", "0.95"] {
        let wrong = Drawn::new(with_rule(3), &counts, geometric(epsilon));
        assert!(tapes.proportional_to(|table| wrong.weight(table)).is_err(), "{epsilon}");
    }
    // A bound off by one leaves no room for a zero, a rule off by one none for a sum of three;
    // another centre.
    let without = |out: fn(&[i64]) -> bool| {
        tapes.proportional_to(|table| if out(table) { Enclosure::from_integer(0, 128) } else { drawn.weight(table) })
    };
    assert!(without(|table| table[0] == 0).is_err());
    assert!(without(|table| table[0] + table[1] == 3).is_err());
    let moved = Drawn::new(with_rule(3), &[2, 0], geometric("1"));
    assert!(tapes.proportional_to(|table| moved.weight(table)).is_err());
}
