//! Least squares against exact arithmetic, optimality and closed formulas.

use super::small::{Small, any_small};
use analyse::{Demand, Fibre, FibreRow};
use exact::Rational;
use project::{Norm, Projector, two_bins};
use proptest::prelude::*;

fn whole(value: i64) -> Rational {
    Rational::integer(value)
}

/// Solves a square or redundant system by elimination; free unknowns are zero.
fn solve(mut rows: Vec<Vec<Rational>>, unknowns: usize) -> Vec<Rational> {
    let mut pivots = Vec::new();
    for column in 0..unknowns {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|row| !rows[*row][column].is_zero()) else { continue };
        rows.swap(at, found);
        for row in 0..rows.len() {
            if row != at && !rows[row][column].is_zero() {
                let factor = &rows[row][column] / &rows[at][column];
                let pivot = rows[at].clone();
                rows[row].iter_mut().zip(&pivot).for_each(|(value, pivot)| *value = &*value - &(&factor * pivot));
            }
        }
        pivots.push(column);
    }
    let mut solution = vec![whole(0); unknowns];
    for (row, column) in pivots.iter().enumerate() {
        solution[*column] = &rows[row][unknowns] / &rows[row][*column];
    }
    solution
}

/// The least squares of the equalities alone: `H·y + Aᵀλ = b`, `A·y = a`; y is unique because every
/// cell is measured.
fn least_squares(small: &Small, measured: &[i64]) -> Vec<f64> {
    let cells = small.table.len();
    let equalities: Vec<(&[(u32, i64)], i64)> = small.fibre.equalities().collect();
    let unknowns = cells + equalities.len();
    let mut rows = vec![vec![whole(0); unknowns + 1]; unknowns];
    let add = |value: &mut Rational, more: i64| *value = &*value + &whole(more);
    for ((entries, weight, fixed), measured) in small.terms().iter().zip(measured) {
        let weight = *weight as i64;
        for (one, times) in entries {
            for (other, also) in entries {
                add(&mut rows[*one as usize][*other as usize], weight * times * also);
            }
            add(&mut rows[*one as usize][unknowns], weight * times * (measured - fixed));
        }
    }
    for (number, (entries, value)) in equalities.iter().enumerate() {
        for (cell, times) in *entries {
            add(&mut rows[*cell as usize][cells + number], *times);
            add(&mut rows[cells + number][*cell as usize], *times);
        }
        rows[cells + number][unknowns] = whole(*value);
    }
    solve(rows, unknowns)[..cells].iter().map(Rational::to_f64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn least_squares_are_those_of_exact_arithmetic(small in any_small(), noise in prop::collection::vec(-30i64..=30, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        let projector = Projector::new(&small.fibre, &small.weights, Norm::L2).unwrap();
        let real = projector.real(&measured.iter().map(|m| *m as f64).collect::<Vec<_>>()).unwrap();
        for (found, exact) in real.iter().zip(least_squares(&small, &measured)) {
            prop_assert!((found - exact).abs() < 1e-9, "{real:?}");
        }
    }

    /// At the optimum no direction to another table of the fibre leads downhill, and bounds, rules
    /// and totals hold.
    #[test]
    fn nonnegative_least_squares_are_an_optimum(small in any_small(), noise in prop::collection::vec(-6i64..=6, 16)) {
        let measured: Vec<i64> = small.measure(&small.table).iter().zip(&noise).map(|(x, z)| x + z).collect();
        let projector = Projector::new(&small.fibre, &small.weights, Norm::Nonnegative).unwrap();
        let real = projector.real(&measured.iter().map(|m| *m as f64).collect::<Vec<_>>()).unwrap();
        for (value, (low, high)) in real.iter().zip(&small.fibre.bounds) {
            prop_assert!(low.is_none_or(|low| *value >= low as f64) && high.is_none_or(|high| *value <= high as f64));
        }
        let sum = |entries: &[(u32, i64)]| entries.iter().map(|(c, t)| real[*c as usize] * *t as f64).sum::<f64>();
        for row in &small.fibre.rows {
            match row.demand {
                Demand::Equal(value) => prop_assert!((sum(&row.entries) - value as f64).abs() < 1e-9),
                Demand::AtLeast(value) => prop_assert!(sum(&row.entries) > value as f64 - 1e-7),
                Demand::AtMost(value) => prop_assert!(sum(&row.entries) < value as f64 + 1e-7),
                Demand::Noisy { .. } => {}
            }
        }
        let mut gradient = vec![0.0; real.len()];
        for ((entries, weight, fixed), measured) in small.terms().iter().zip(&measured) {
            let off = weight * (sum(entries) + *fixed as f64 - *measured as f64);
            entries.iter().for_each(|(cell, times)| gradient[*cell as usize] += off * *times as f64);
        }
        for table in small.tables(|_| (-4, 7)) {
            let slope: f64 = gradient.iter().zip(table.iter().zip(&real)).map(|(g, (t, y))| g * (*t as f64 - y)).sum();
            prop_assert!(slope > -1e-5, "{slope} towards {table:?} from {real:?}");
        }
    }

    #[test]
    fn the_two_bin_family_is_as_near_as_can_be(total in -50i64..50, noisy in [-50i64..50, -50i64..50], beta in 0.0f64..=1.0) {
        let (total, noisy) = (total as f64, noisy.map(|value| value as f64));
        let found = two_bins(total, noisy, beta);
        prop_assert!((found[0] + found[1] - total).abs() < 1e-9);
        let apart = (found[0] - noisy[0]).abs() + (found[1] - noisy[1]).abs();
        prop_assert!((apart - (noisy[0] + noisy[1] - total).abs()).abs() < 1e-9);
    }
}

fn one_total(cells: u32, total: i64, low: Option<i64>) -> Fibre {
    Fibre {
        cells: (0..cells).collect(),
        bounds: vec![(low, None); cells as usize],
        rows: vec![FibreRow { entries: (0..cells).map(|cell| (cell, 1)).collect(), demand: Demand::Equal(total) }],
        noise_on_cells: true,
    }
}

#[test]
fn one_total_takes_the_same_from_every_cell_that_stays_positive() {
    let fibre = one_total(4, 10, Some(0));
    let projector = Projector::new(&fibre, &[], Norm::Nonnegative).unwrap();
    assert_eq!(projector.real(&[9.0, 5.0, 1.0, -7.0]).unwrap(), [7.0, 3.0, 0.0, 0.0]);
    assert_eq!(projector.integer(&[9, 6, 1, -7]).unwrap(), [7, 3, 0, 0]);
    let projector = Projector::new(&fibre, &[], Norm::L2).unwrap();
    assert_eq!(projector.real(&[9.0, 5.0, 1.0, -7.0]).unwrap(), [9.5, 5.5, 1.5, -6.5]);
    let projector = Projector::new(&fibre, &[], Norm::L1).unwrap();
    assert_eq!(projector.integer(&[9, 5, 1, -7]).unwrap(), [7, 3, 0, 0]);
}

#[test]
fn half_of_the_two_bin_family_is_least_squares() {
    let projector = Projector::new(&one_total(2, 10, None), &[], Norm::L2).unwrap();
    let (noisy, beta) = ([9.0, 4.0], 0.5);
    assert_eq!(projector.real(&noisy).unwrap(), two_bins(10.0, noisy, beta));
}

#[test]
fn cells_that_nothing_measures_share_evenly() {
    // Two noisy sums over two cells each; within a sum nothing tells the cells apart.
    let noisy = |first: u32, group: u32| FibreRow {
        entries: vec![(first, 1), (first + 1, 1)],
        demand: Demand::Noisy { query: 0, group, fixed: 0 },
    };
    let total = FibreRow { entries: (0..4).map(|cell| (cell, 1)).collect(), demand: Demand::Equal(20) };
    let fibre = Fibre {
        cells: (0..4).collect(),
        bounds: vec![(Some(0), None); 4],
        rows: vec![total, noisy(0, 0), noisy(2, 1)],
        noise_on_cells: false,
    };
    for norm in [Norm::L2, Norm::Nonnegative] {
        let real = Projector::new(&fibre, &[1.0], norm).unwrap().real(&[15.0, 7.0]).unwrap();
        for (found, wanted) in real.iter().zip([7.0, 7.0, 3.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-6, "{norm:?}: {real:?}");
        }
    }
}
