//! Acceptances against those computed by hand and those predicted.

use super::attempts::{klein, product};
use super::lattices::{a2, skewed, total, two_by_three};
use super::margins::of_margins;
use crate::tables::numbers::rational;
use exact::{Seeded, Source};
use testkit::deviations;

#[test]
fn acceptances_are_those_computed_by_hand() {
    let known = [
        (a2(), "1/10", 0.999_076),
        (a2(), "3/10", 0.973_539),
        (a2(), "1", 0.999_904),
        (a2(), "8", 1.0),
        (skewed(), "8", 0.886_621),
        (two_by_three(), "1", 0.991_279),
    ];
    for (lattice, variance, known) in known {
        let weights = lattice.weights(&rational(variance), 160 * if variance == "8" { 6 } else { 1 }, 40);
        let acceptance = total(&weights).checked_div(&product(&lattice, variance)).unwrap().to_f64();
        assert!((acceptance - known).abs() < 6e-7, "{} σ² = {variance}: {acceptance}", lattice.name);
        // Predictions are proved bounds or estimates.
        let predicted = klein(&lattice, variance).expected_acceptance();
        assert!((predicted - acceptance).abs() < 0.01, "{} σ² = {variance}: {predicted}", lattice.name);
        let mut noise = vec![0; lattice.cells];
        let mut entropy = Seeded::new(3).stream(0).unwrap();
        let sampler = klein(&lattice, variance);
        let accepted = (0..20_000).filter(|_| sampler.attempt(&mut entropy, &mut noise).unwrap()).count() as f64;
        let deviation = (acceptance * (1.0 - acceptance) * 20_000.0).sqrt() + 1.0;
        assert!((accepted - acceptance * 20_000.0).abs() < deviations(6) * deviation, "{} {accepted}", lattice.name);
    }
}

#[test]
fn acceptances_of_a_three_way_table_are_those_predicted() {
    let (_, wide) = of_margins(&[12, 12, 6], "8");
    let missing = 1.0 - wide.expected_acceptance();
    assert!((5e-9..7e-9).contains(&missing), "{missing}");
    let (_, middle) = of_margins(&[12, 12, 6], "2");
    assert!((middle.expected_acceptance() - 0.964).abs() < 0.002, "{}", middle.expected_acceptance());
    let (_, narrow) = of_margins(&[12, 12, 6], "1");
    assert!((narrow.expected_acceptance() - 0.17).abs() < 0.02, "{}", narrow.expected_acceptance());
}
