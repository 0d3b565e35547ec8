//! Attempts of `thin` on one dimension, with 99.6 % of their mass resolved, against laws with a named fault.

use super::thinned::{norm, thin};
use crate::tables::numbers::rational;
use exact::{Enclosure, Rational};
use testkit::resolved_law;

/// An attempt of `mixture` and one more coin leave more unresolved than one number.
const RESOLVED: f64 = 1.0 / (1 << 8) as f64;

#[test]
fn named_mutants_are_rejected() {
    for (sizes, rate) in [(vec![2, 2], "1/2"), (vec![2], "1")] {
        let (thin, cells) = (thin(&sizes, rate), sizes.iter().product());
        let tapes = resolved_law(RESOLVED, |tape| {
            let mut noise = vec![0; cells];
            thin.attempt(tape, &mut noise).unwrap().then_some(noise)
        });
        assert!(tapes.unresolved_share() <= RESOLVED);
        let weight =
            |table: &[i64], rate: &Rational| Enclosure::exp_rational(&-(rate * &Rational::integer(norm(table))), 128);
        let rate = rational(rate);
        tapes.proportional_to(|table| weight(table, &rate)).unwrap();
        for factor in ["1.05", "0.95"] {
            let wrong = &rate * &rational(factor);
            assert!(tapes.proportional_to(|table| weight(table, &wrong)).is_err(), "{sizes:?} {factor}");
        }
        // Tables that are twice too far apart.
        let apart = |table: &Vec<i64>| weight(&table.iter().map(|z| 2 * z).collect::<Vec<_>>(), &rate);
        assert!(tapes.proportional_to(apart).is_err(), "{sizes:?}");
    }
}
