//! Laws with a named fault, against tapes and draws of `mixture` on one dimension: (u, −u) with
//! weight e^{−ε'√2|u|}.

use super::law::attempts;
use super::mixed::{mixture, weight};
use exact::{Enclosure, Rational, Seeded, Source};
use testkit::{goodness_of_fit, level};

#[test]
fn faults_of_the_lattice_and_of_the_law_are_seen_by_tapes() {
    let tapes = attempts(&mixture(1, 2, "2"), 16);
    tapes.proportional_to(|table| weight(table, "2")).unwrap();
    // Gaussian noise, as without the mixing; tables that are twice too far apart; a rate that is
    // far off.
    let gaussian = |table: &Vec<i64>| {
        let square = table.iter().map(|z| z * z).sum::<i64>();
        Enclosure::exp_rational(&-Rational::new(square, 8u8), 128)
    };
    assert!(tapes.proportional_to(gaussian).is_err());
    let apart = |table: &Vec<i64>| weight(&table.iter().map(|z| 2 * z).collect::<Vec<_>>(), "2");
    assert!(tapes.proportional_to(apart).is_err());
    assert!(tapes.proportional_to(|table| weight(table, "1.5")).is_err());
}

#[test]
fn scales_off_by_five_percent_are_seen_by_draws() {
    let mixture = mixture(1, 2, "1/2");
    let mut entropy = Seeded::new(15).stream(0).unwrap();
    let draws = 60_000u64;
    let (mut counted, mut noise) = (vec![0u64; 81], vec![0; 2]);
    for _ in 0..draws {
        mixture.draw(&mut entropy, &mut noise).unwrap();
        counted[(noise[0] + 40).clamp(0, 80) as usize] += 1;
    }
    let fit = |rate: f64| {
        let weights: Vec<f64> = (-40..=40i32).map(|u| (-rate * 2f64.sqrt() * f64::from(u.abs())).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole * (1.0 - 1e-12)).collect();
        goodness_of_fit(&counted, &claimed, draws).p_value
    };
    assert!(fit(0.5) > level(1));
    assert!(fit(0.525) < 1e-6 && fit(0.475) < 1e-6, "{} {}", fit(0.525), fit(0.475));
}
