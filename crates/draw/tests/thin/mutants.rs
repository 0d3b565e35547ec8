//! Laws with a named fault, against tapes and draws of `thin` on one dimension: (u, −u; −u, u) with
//! weight e^{−4ε'|u|}.

use super::thinned::{norm, thin};
use crate::tables::numbers::rational;
use exact::{Enclosure, Rational, Seeded, Source};
use testkit::{goodness_of_fit, level, tape_law};

#[test]
fn faults_of_the_lattice_are_seen_by_tapes() {
    let thin = thin(&[2, 2], "1/2");
    let tapes = tape_law(18, |tape| {
        let mut noise = vec![0; 4];
        thin.attempt(tape, &mut noise).unwrap().then_some(noise)
    });
    let weight = |norm: i64| Enclosure::exp_rational(&-(&rational("1/2") * &Rational::integer(norm)), 128);
    tapes.proportional_to(|table| weight(norm(table))).unwrap();
    // Tables that are twice too far apart, and the norm of half of the cells.
    assert!(tapes.proportional_to(|table| weight(2 * norm(table))).is_err());
    assert!(tapes.proportional_to(|table| weight(norm(table) / 2)).is_err());
}

#[test]
fn scales_off_by_five_percent_are_seen_by_draws() {
    let thin = thin(&[2, 2], "1/8");
    let mut entropy = Seeded::new(19).stream(0).unwrap();
    let draws = 60_000u64;
    let (mut counted, mut noise) = (vec![0u64; 81], vec![0; 4]);
    for _ in 0..draws {
        thin.draw(&mut entropy, &mut noise).unwrap();
        counted[(noise[0] + 40).clamp(0, 80) as usize] += 1;
    }
    let fit = |rate: f64| {
        let weights: Vec<f64> = (-40..=40i32).map(|u| (-4.0 * rate * f64::from(u.abs())).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect();
        goodness_of_fit(&counted, &claimed, draws).p_value
    };
    assert!(fit(0.125) > level(1));
    assert!(fit(0.125 * 1.05) < 1e-6 && fit(0.125 * 0.95) < 1e-6, "{} {}", fit(0.13125), fit(0.11875));
}
