//! Ratios of circuits and acceptances against those known.

use super::thinned::thin;
use crate::tables::margins::margins_without;
use crate::tables::numbers::rational;
use analyse::Lattice;
use draw::Thin;
use exact::{Seeded, Source};
use testkit::deviations;

#[test]
fn the_smallest_ratio_is_that_of_the_shortest_circuit() {
    for (sizes, square) in
        [(vec![5], "2"), (vec![3, 4], "4"), (vec![2, 2, 2], "8"), (vec![2, 3, 3], "8"), (vec![4, 4], "4")]
    {
        assert_eq!(*thin(&sizes, "1").ratio_square(), rational(square), "{sizes:?}");
    }
    // A circuit with other entries than ±1: (1, 1, −2) has 16/6.
    let skewed = vec![vec![(0, 1), (1, 1), (2, -2)]];
    assert_eq!(*Thin::new(3, &skewed, &rational("1")).unwrap().ratio_square(), rational("8/3"));
}

#[test]
fn acceptances_approach_those_of_the_continuous_law() {
    for (sizes, known, within) in
        [(vec![3], 0.83, 0.03), (vec![3, 3], 0.39, 0.05), (vec![3, 3, 3], 0.039, 0.012), (vec![4, 4], 0.013, 0.006)]
    {
        let acceptance = thin(&sizes, "1/200").expected_acceptance();
        assert!((acceptance - known).abs() < within, "{sizes:?}: {acceptance}");
    }
}

/// Smoking, mental work, physical work, blood pressure, lipoproteins, family: six margins leave
/// four free dimensions.
#[test]
fn czech_autoworkers_are_accepted_as_often_as_known() {
    let summed_out = [vec![1], vec![2], vec![5], vec![0, 4], vec![3, 4], vec![0, 3]];
    let fibre = margins_without(&[2; 6], &summed_out);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    assert_eq!(lattice.dimension(), 4);
    for (rate, known) in [("1/4", 0.9997), ("1/32", 0.530)] {
        let thin = Thin::new(64, lattice.basis(), &rational(rate)).unwrap();
        let mut entropy = Seeded::new(21).stream(0).unwrap();
        let mut noise = vec![0; 64];
        let tries = 4000;
        let accepted = (0..tries).filter(|_| thin.attempt(&mut entropy, &mut noise).unwrap()).count();
        let share = accepted as f64 / f64::from(tries);
        let allowed = deviations(2);
        let deviation = (known * (1.0f64 - known) / f64::from(tries)).sqrt();
        // `mixture` accepts 99 % of its own attempts.
        assert!(share > known * 0.96 - allowed * deviation && share < known + allowed * deviation, "{rate}: {share}");
    }
}
