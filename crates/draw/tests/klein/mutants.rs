//! Klein's sampler with a named fault is rejected.

use super::attempts::{attempts, product, unit, verdict, weight};
use super::lattices::{BITS, Lattice, a2, skewed, two_by_three};
use crate::tables::numbers::rational;
use exact::shifted::{Near, Rate, attempt};
use exact::{Enclosure, Entropy, Integer, Rational};
use testkit::tape_law;

/// Klein's sampler on two dimensions as a test knows it, with a fault.
fn with_fault<E: Entropy>(lattice: &Lattice, variance: f64, fault: &str, entropy: &mut E) -> Option<Vec<i64>> {
    let (one, other) = (lattice.table(&unit(0)), lattice.table(&unit(1)));
    let inner = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
    let (first, cross, second) = (inner(&one, &one), inner(&one, &other), inner(&other, &other));
    let first_rate = first as f64 / (2.0 * variance);
    let second_rate = (second as f64 - (cross * cross) as f64 / first as f64) / (2.0 * variance);
    let exact = |rate: f64, centre: Rational| move || (rational(&format!("{rate:.12}")), centre.clone());
    let mut draw = |rate: f64, centre: Rational| loop {
        let near = Near { fraction: centre.to_f64(), error: 1e-15 };
        let value = attempt(entropy, &Rate::near(rate), near, exact(rate, centre.clone()));
        // Acceptance left out, or θ(t, 0) in the place of θ(t, c): every coefficient is accepted.
        if value.is_some() || fault != "no acceptance" {
            break value;
        }
    };
    let v = draw(second_rate, Rational::integer(0))?;
    let centre = &Rational::integer(-cross * v) / &Rational::integer(first);
    let nearest = (&centre + &Rational::new(1, 2u8)).floor();
    let u = draw(first_rate, &centre - &Rational::integer(nearest.clone()))? + i64::try_from(nearest).unwrap();
    Some(lattice.table(&[u, v]))
}

#[test]
fn named_mutants_are_rejected() {
    for (lattice, variance) in [(two_by_three(), "3/10"), (a2(), "3/10"), (skewed(), "8")] {
        let number = rational(variance).to_f64();
        let law = |fault: &str| tape_law(18, |tape| with_fault(&lattice, number, fault, tape));
        verdict(&law("none"), variance).unwrap();
        assert!(verdict(&law("no acceptance"), variance).is_err(), "{}", lattice.name);
        // A sublattice of index two has the right weights, but not all tables.
        let whole = product(&lattice, variance);
        let claimed = |outcome: &Option<Vec<i64>>| match outcome {
            Some(table) => weight(table, variance).checked_div(&whole).unwrap(),
            None => Enclosure::from_bounds(Integer::ZERO, Integer::ONE << BITS, BITS),
        };
        attempts(&lattice, variance, 18).agrees_with(claimed).unwrap();
        let mut sublattice = lattice.clone();
        sublattice.basis[0].iter_mut().for_each(|(_, value)| *value *= 2);
        assert!(attempts(&sublattice, variance, 18).agrees_with(claimed).is_err(), "{}", lattice.name);
    }
    for (lattice, variance, off) in [(a2(), "1", ["1.05", "0.95"]), (two_by_three(), "1", ["1.05", "0.95"])] {
        let tapes = attempts(&lattice, variance, 18);
        off.iter().for_each(|off| assert!(verdict(&tapes, off).is_err(), "{off}"));
    }
}
