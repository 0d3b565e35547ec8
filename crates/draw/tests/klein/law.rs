//! Whole draws over every bit tape.

use super::attempts::{attempts, product, verdict, weight};
use super::lattices::{BITS, a2, a3, skewed, two_by_three};
use crate::tables::numbers::rational;
use exact::Enclosure;

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    for (lattice, unresolved) in [(a2(), 0.01), (two_by_three(), 0.01), (skewed(), 0.01), (a3(), 0.15)] {
        for variance in ["1/10", "3/10", "1", "8"] {
            let tapes = attempts(&lattice, variance, 18);
            verdict(&tapes, variance).unwrap();
            let share = tapes.unresolved_share();
            assert!(share < unresolved, "{} σ² = {variance}: {share}", lattice.name);
        }
    }
}

#[test]
fn every_table_of_every_tape_has_its_probability_and_the_rest_is_refused() {
    for lattice in [a2(), two_by_three(), skewed()] {
        for variance in ["1/10", "3/10", "1", "8"] {
            let whole = product(&lattice, variance);
            let tapes = attempts(&lattice, variance, 18);
            let mut accepted = Enclosure::from_integer(0, BITS);
            for weight in lattice.weights(&rational(variance), 160 * if variance == "8" { 6 } else { 1 }, 40).values() {
                accepted = &accepted + weight;
            }
            let acceptance = accepted.checked_div(&whole).unwrap();
            let claimed = |outcome: &Option<Vec<i64>>| match outcome {
                Some(table) => weight(table, variance).checked_div(&whole).unwrap(),
                None => &Enclosure::from_integer(1, BITS) - &acceptance,
            };
            tapes.agrees_with(claimed).unwrap();
        }
    }
}
