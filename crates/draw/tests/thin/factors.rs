//! What an attempt of `thin` adds to one of `mixture`, over every bit tape: the coin that accepts
//! what the thinner law has proposed.

use super::thinned::thin;
use crate::tables::numbers::{RESOLVED, close};
use testkit::resolved_law;

#[test]
fn what_the_thinner_law_proposes_is_accepted_by_what_is_left() {
    for (rate, table) in [(1.0, [2, -1, -1]), (1.0, [3, -1, -2]), (0.5, [4, -2, -2]), (0.5, [1, -1, 0])] {
        let thin = thin(&[3], if rate == 1.0 { "1" } else { "1/2" });
        assert_eq!(thin.ratio_square().to_f64(), 2.0);
        let [sum, square] = table.iter().fold([0.0, 0.0], |[sum, square], z: &i64| {
            let z = *z as f64;
            [sum + z.abs(), square + z * z]
        });
        let share = (-rate * (sum - (2.0f64 * square).sqrt())).exp().min(1.0);
        let law = resolved_law(RESOLVED, |tape| thin.accepts(tape, &table));
        let agrees = |share: f64| law.agrees_with(|accepts| close(if *accepts { share } else { 1.0 - share }));
        agrees(share).unwrap();
        if share < 1.0 {
            for off in [1.05, 0.95] {
                assert!(agrees(share * off).is_err(), "{table:?} at {rate}: {off} times as often");
            }
        } else {
            assert!(agrees(0.95).is_err(), "a circuit is always accepted");
        }
    }
}
