//! One number over every bit tape.

use super::laws::laws;
use testkit::tape_law;

#[test]
fn the_law_over_every_tape() {
    for law in laws() {
        let tapes = tape_law(18, |tape| law.draw(tape));
        tapes.agrees_with(|value| law.probability(*value)).unwrap_or_else(|fault| panic!("{law:?}: {fault}"));
        assert!(tapes.unresolved_share() < 0.2, "{law:?}: {}", tapes.unresolved_share());
    }
}
