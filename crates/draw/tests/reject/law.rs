//! Attempts of `reject` over every bit tape are proportional to the law.

use super::relaxed::small;
use testkit::tape_law;

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    for (drawn, unresolved) in small() {
        let sampler = drawn.sampler();
        let tapes = tape_law(17, |tape| {
            let mut values = vec![0; drawn.counts.len()];
            sampler.attempt(&drawn.counts, tape, &mut values).unwrap().then_some(values)
        });
        assert!(tapes.finished.keys().flatten().all(|table| drawn.keeps(table)), "{:?}", drawn.counts);
        assert!(tapes.finished.keys().flatten().count() >= 2, "{:?}", drawn.counts);
        tapes.proportional_to(|table| drawn.weight(table)).unwrap();
        assert!(tapes.unresolved_share() < unresolved, "{:?}: {}", drawn.counts, tapes.unresolved_share());
    }
}
