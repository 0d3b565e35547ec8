//! Normalisers of larger tables by convolution: the suprema of the theorem are approached, never
//! passed.

use crate::enumerated::price;
use crate::enumerated::{grouping, mechanism, moves, nonnegative, rational};
use declare::{Conditions, NO_GROUP, Per};

/// The product of two power series, up to the same degree.
pub fn times(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; one.len()];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().take(one.len() - i).enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

/// The weights of the counts 0..=most of a cell with this centre.
pub fn cell(centre: usize, most: usize, rate: f64) -> Vec<f64> {
    (0..=most).map(|count| (-rate * count.abs_diff(centre) as f64).exp()).collect()
}

fn per_unit(conditions: &Conditions, table: &[i64], epsilon: &str) -> f64 {
    let priced = price(&moves(conditions, table).unwrap(), &mechanism(epsilon, Per::Unit), false).unwrap();
    priced.loss.epsilon().unwrap().to_f64()
}

/// One cell far from zero gives to many that are zero: the second cell of the step always lies on
/// the same side.
#[test]
fn one_class_approaches_its_supremum() {
    for epsilon in ["1/4", "1/2", "1"] {
        let rate = rational(epsilon).to_f64();
        let (zeros, total) = (120, 500);
        let zero = cell(0, total, rate);
        let others = (2..zeros).fold(zero.clone(), |product, _| times(&product, &zero));
        let normaliser = |moved: usize| {
            let pair = times(&cell(moved, total, rate), &cell(total - moved, total, rate));
            times(&others, &pair)[total]
        };
        let lost = 2.0 * rate + (normaliser(1) / normaliser(0)).ln().abs();
        let cells = zeros + 1;
        let conditions = nonnegative(cells, vec![grouping(1, vec![0; cells])]);
        let certified = 2.0 * per_unit(&conditions, &vec![1; cells], epsilon);
        let q = (-2.0 * rate).exp();
        let formula = 2.0 * rate + (2.0 - q - (1.0 - q).powi(cells as i32)).ln();
        assert!((certified - formula).abs() < 1e-11, "{certified} is not {formula}");
        assert!(lost <= certified && lost > certified - 1e-3, "ε' = {rate}: {lost} of {certified}");
    }
}

/// Four classes like the cells of two-way margins, one of them with many cells that draw all that
/// can be given.
#[test]
fn swaps_approach_their_supremum() {
    for epsilon in ["1/4", "1/2"] {
        let rate = rational(epsilon).to_f64();
        let (zeros, total) = (if rate < 0.3 { 100 } else { 400 }, 400);
        let zero = cell(0, total, rate);
        let others = (2..zeros).fold(zero.clone(), |product, _| times(&product, &zero));
        let normaliser = |moved: usize| {
            let gained = times(&others, &cell(moved, total, rate));
            let gives = cell(total - moved, total, rate);
            // The class of many gains what the two beside it give, and so does the one across.
            let across = |gain: usize| (-rate * gain.abs_diff(moved) as f64).exp();
            (0..=total).map(|gain| gained[gain] * gives[total - gain].powi(2) * across(gain)).sum::<f64>()
        };
        let lost = 4.0 * rate + (normaliser(1) / normaliser(0)).ln().abs();
        // One class of so many cells, and three cells beside and across it: two rows and two
        // columns of classes.
        let group = |with_last: u32| {
            let beside = [with_last, 1 - with_last, 1].into_iter();
            (0..zeros).map(|_| 0).chain(beside).collect::<Vec<u32>>()
        };
        let conditions = nonnegative(zeros + 3, vec![grouping(2, group(0)), grouping(2, group(1))]);
        let certified = 4.0 * per_unit(&conditions, &vec![1; zeros + 3], epsilon);
        let formula = 4.0 * rate + (1.0 + 2.0 * (2.0 * rate).sinh()).ln();
        assert!((certified - formula).abs() < 1e-11, "{certified} is not {formula}");
        assert!(lost <= certified && lost > certified - 1e-3, "ε' = {rate}: {lost} of {certified}");
    }
}

#[test]
fn a_free_cell_approaches_its_supremum() {
    let rate: f64 = 0.5;
    let normaliser = |centre: usize| cell(centre, 200, rate).iter().sum::<f64>();
    let largest = (0..60).map(|centre| rate + (normaliser(centre + 1) / normaliser(centre)).ln()).fold(0.0, f64::max);
    let certified = per_unit(&nonnegative(2, vec![grouping(1, vec![0, NO_GROUP])]), &[1, 1], "1/2");
    assert!(largest <= certified && largest > certified - 1e-3, "{largest} of {certified}");
}
