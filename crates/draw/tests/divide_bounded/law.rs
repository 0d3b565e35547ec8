//! Counts with both margins over every bit tape are proportional to the law.

use super::counts::Counts;
use draw::Ladder;
use testkit::tape_law;

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    let tables = [
        (Counts::new(3, &[1, 0, 2, 0, 1, 1]), "1", 0.1),
        (Counts::new(3, &[1, 0, 0, 0, 2, 0, 1, 0, 1]), "1", 0.75),
        (Counts::new(2, &[1, 0, 0, 1, 1, 1]), "1/2", 0.3),
    ];
    for (counts, epsilon, unresolved) in tables {
        for ladder in [Ladder::Standard, Ladder::Coarse] {
            for divide in counts.samplers(epsilon, ladder) {
                let tapes = tape_law(16, |tape| {
                    let mut values = vec![0; counts.values.len()];
                    divide.attempt(tape, &mut values).then_some(values)
                });
                assert!(tapes.finished.keys().flatten().all(|table| table.iter().all(|value| *value >= 0)));
                tapes.proportional_to(|table| counts.weight(table, epsilon)).unwrap();
                assert!(tapes.unresolved_share() < unresolved, "{:?}: {}", counts.values, tapes.unresolved_share());
            }
        }
    }
}
