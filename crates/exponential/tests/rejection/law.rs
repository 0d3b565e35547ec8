//! One attempt over all tapes is proportional to the weights, however they are held.

use crate::tables::targets::{law, number, truncated};
use exact::{Rational, Seeded, Source};
use exponential::{Attempt, Enumerate, Listed, Target, Uniform};
use testkit::tape_law;

#[test]
fn one_attempt_is_proportional_to_the_weights_over_all_tapes() {
    for target in [truncated(3, 0, "1/2"), truncated(8, 5, "1/4"), truncated(12, 3, "1/10")] {
        let tapes = tape_law(16, |tape| {
            let mut point = Vec::new();
            Uniform(&target).attempt(tape, &mut point).then_some(point)
        });
        tapes.proportional_to(|point| target.relative(point, 80)).unwrap();
        // A scale that is 5 % off is another law.
        let mutant = Listed::new(target.exponents().iter().map(|exponent| exponent * &number("0.5")).collect());
        assert!(tapes.proportional_to(|point| mutant.relative(point, 80)).is_err());
    }
}

#[test]
fn enumeration_has_the_law_over_all_tapes() {
    let target = truncated(6, 2, "1/3");
    let listed = Enumerate::new(&target).unwrap();
    let expected = law(&target);
    let tapes = tape_law(18, |tape| listed.draw(tape).to_vec());
    assert!(tapes.unresolved_share() < 1e-3);
    tapes
        .agrees_with(|point| {
            let probability = expected[point[0] as usize].1;
            exact::Enclosure::from_rational(&Rational::new((probability * 1e15) as i64, 1_000_000_000_000_000u64), 60)
        })
        .unwrap();
}

#[test]
fn weights_that_machine_numbers_cannot_hold_do_not_disturb_the_others() {
    let exponents = ["0", "1", "800", "100000"].map(number).to_vec();
    let target = Listed::new(exponents);
    let listed = Enumerate::new(&target).unwrap();
    let mut counts = [0u64; 4];
    for seed in 0..4000 {
        let mut stream = Seeded::new(seed).stream(0).unwrap();
        counts[listed.draw(&mut stream)[0] as usize] += 1;
    }
    assert_eq!(&counts[2..], [0, 0]);
    let expected = 4000.0 / (1.0 + (-1f64).exp());
    assert!((counts[0] as f64 - expected).abs() < 120.0, "{counts:?}");
}
