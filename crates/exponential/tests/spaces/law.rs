//! A uniform point of a ball is uniform over all tapes.

use exact::{Enclosure, Rational};
use exponential::Space;
use testkit::tape_law;

#[test]
fn a_uniform_point_of_a_ball_is_uniform_over_all_tapes() {
    let space = Space::ball(2, 2);
    let law = tape_law(18, |tape| {
        let mut point = Vec::new();
        space.uniform(tape, &mut point);
        point
    });
    assert_eq!(law.finished.len(), 13);
    assert!(law.unresolved_share() < 0.01, "{}", law.unresolved_share());
    law.agrees_with(|_| Enclosure::from_rational(&Rational::new(1, 13u8), 80)).unwrap();
    assert!(law.agrees_with(|_| Enclosure::from_rational(&Rational::new(1, 12u8), 80)).is_err(), "the check can fail");
}
