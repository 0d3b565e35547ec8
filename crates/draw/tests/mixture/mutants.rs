//! Attempts of `mixture` on one dimension, with 99.9 % of their mass resolved, against laws with a named fault.

use super::mixed::{mixture, weight};
use exact::{Enclosure, Rational};
use testkit::resolved_law;

/// A width, a coefficient and two coins leave more unresolved than one number.
const RESOLVED: f64 = 1.0 / (1 << 10) as f64;

#[test]
fn named_mutants_are_rejected() {
    for rate in ["2"] {
        let mixture = mixture(1, 2, rate);
        let tapes = resolved_law(RESOLVED, |tape| {
            let mut noise = vec![0; 2];
            mixture.attempt(tape, &mut noise).unwrap().then_some(noise)
        });
        assert!(tapes.unresolved_share() <= RESOLVED);
        tapes.proportional_to(|table| weight(table, rate)).unwrap();
        let number: f64 = rate.parse().unwrap();
        for factor in [1.05, 0.95] {
            let wrong = format!("{:.2}", number * factor);
            assert!(tapes.proportional_to(|table| weight(table, &wrong)).is_err(), "{rate} for {wrong}");
        }
        // Gaussian noise, as without the mixing; and tables that are twice too far apart.
        let gaussian = |table: &Vec<i64>| {
            let square = table.iter().map(|z| z * z).sum::<i64>();
            Enclosure::exp_rational(&-Rational::new(square, 2u8), 128)
        };
        assert!(tapes.proportional_to(gaussian).is_err());
        let apart = |table: &Vec<i64>| weight(&table.iter().map(|z| 2 * z).collect::<Vec<_>>(), rate);
        assert!(tapes.proportional_to(apart).is_err());
    }
}
