//! Attempts of `thin` over every bit tape are proportional to the law.

use super::thinned::{norm, thin};
use crate::tables::numbers::rational;
use exact::{Enclosure, Rational};
use testkit::tape_law;

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    for (sizes, rate, unresolved) in
        [(vec![3], "1", 0.35), (vec![2, 3], "1", 0.2), (vec![2, 2, 2], "1/2", 0.08), (vec![2, 2], "1/2", 0.2)]
    {
        let (thin, cells) = (thin(&sizes, rate), sizes.iter().product());
        let tapes = tape_law(16, |tape| {
            let mut noise = vec![0; cells];
            thin.attempt(tape, &mut noise).unwrap().then_some(noise)
        });
        let weight = |table: &Vec<i64>, rate: &str| {
            Enclosure::exp_rational(&-(&rational(rate) * &Rational::integer(norm(table))), 128)
        };
        tapes.proportional_to(|table| weight(table, rate)).unwrap();
        assert!(tapes.unresolved_share() < unresolved, "{sizes:?}: {}", tapes.unresolved_share());
        if sizes.len() == 3 {
            for off in ["0.7", "0.3"] {
                assert!(tapes.proportional_to(|table| weight(table, off)).is_err(), "{sizes:?}");
            }
        }
    }
}
