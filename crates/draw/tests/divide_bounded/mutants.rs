//! Two rows of counts, with nearly all of their mass resolved, against laws with a named fault.

use super::counts::Counts;
use draw::Ladder;
use exact::Enclosure;
use testkit::resolved_law;

/// Two numbers and a coin leave more unresolved than one.
const RESOLVED: f64 = 1.0 / (1 << 16) as f64;

#[test]
fn named_mutants_are_rejected() {
    let counts = Counts::new(3, &[1, 0, 2, 0, 1, 1]);
    for divide in counts.samplers("1", Ladder::Standard) {
        let tapes = resolved_law(RESOLVED, |tape| {
            let mut values = vec![0; counts.values.len()];
            divide.attempt(tape, &mut values).then_some(values)
        });
        assert!(tapes.unresolved_share() <= RESOLVED);
        assert_eq!(tapes.finished.keys().flatten().count(), counts.fibre().len());
        tapes.proportional_to(|table| counts.weight(table, "1")).unwrap();
        for epsilon in ["1.05", "0.95"] {
            assert!(tapes.proportional_to(|table| counts.weight(table, epsilon)).is_err(), "{epsilon}");
        }
        // A bound off by one: no zero in the first cell.
        let off = |table: &Vec<i64>| {
            if table[0] == 0 { Enclosure::from_integer(0, 128) } else { counts.weight(table, "1") }
        };
        assert!(tapes.proportional_to(off).is_err());
    }
}
