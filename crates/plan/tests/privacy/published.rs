//! The examples of Gong and Meng (2020, sections 4 and 5.1): the true γ of each, beside what is
//! certified.

use crate::enumerated::price;
use crate::enumerated::{Laws, fibre, grouping, largest_part, mechanism, moves, noise, nonnegative};
use declare::{Conditions, Kind, Per};

/// All tables near a centre, and the law from every one of them, as far as a window shows it.
fn unbounded(conditions: &Conditions, centres: Vec<Vec<i64>>, radius: i64, rates: &[(declare::Grouping, f64)]) -> Laws {
    let cells = conditions.cells as u32;
    let side = 2 * radius + 1;
    let wanted: Vec<_> = conditions.invariants.iter().map(|grouping| grouping.totals(&centres[0])).collect();
    let fibre: Vec<Vec<i64>> = (0..side.pow(cells))
        .map(|number| (0..cells).map(|cell| number / side.pow(cell) % side - radius).collect::<Vec<i64>>())
        .filter(|y| conditions.invariants.iter().zip(&wanted).all(|(grouping, wanted)| grouping.totals(y) == *wanted))
        .collect();
    Laws::new(centres, &fibre, rates, |_| 1.0)
}

/// Example 5.1: invariants that impose nothing leave γ = 0, and the loss is reached.
#[test]
fn trivial_invariants_cost_nothing() {
    let conditions = Conditions::of_totals(2, Vec::new());
    let priced = price(&moves(&conditions, &[2, 1]).unwrap(), &mechanism("1/2", Per::Unit), false).unwrap();
    let loss = &priced.loss;
    assert_eq!((loss.gamma.to_f64(), loss.epsilon().unwrap().to_f64(), &loss.plain), (0.0, 0.5, &None));
    let centres = vec![vec![2, 1], vec![2, 2], vec![1, 0], vec![0, 2]];
    let laws = unbounded(&conditions, centres, 60, &noise(&conditions, &priced));
    let part = largest_part(&laws, loss, "trivial");
    assert!(part > 1.0 - 1e-9, "γ = 0 is the truth, not a bound: {part}");
}

/// Example 5.2: an invariant that is the query itself has γ = −1. The law is one point, nothing is
/// lost and nothing is protected: no certificate may say ε = 0 of it.
#[test]
fn secrecy_is_refused_and_not_called_epsilon_zero() {
    let singleton = vec![vec![5]];
    let total = Conditions::of_totals(1, vec![grouping(1, vec![0])]);
    let rates = [(grouping(1, vec![0]), 0.5)];
    let laws = Laws::new(vec![vec![5], vec![4]], &singleton, &rates, |_| 1.0);
    assert_eq!(laws.loss(0, 1), 0.0, "1 + γ = 0");
    let problem = moves(&total, &[5]).expect_err("one table");
    assert_eq!(problem.kind, Kind::Refused, "{problem}");
}

/// Example 4.1: two bins with a fixed total. At k = 2, the nearest pair that there is, the
/// unconstrained bound is 2ε for noise of scale 2/ε per bin, and the loss is ε: γ = −1/2, which is
/// exactly what the certificate states of that pair.
#[test]
fn two_bins_with_a_total_have_gamma_minus_one_half() {
    let conditions = Conditions::of_totals(2, vec![grouping(1, vec![0, 0])]);
    let epsilon = 1.0;
    let priced = price(&moves(&conditions, &[3, 2]).unwrap(), &mechanism("1/2", Per::Unit), false).unwrap();
    let centres = (0..=5).map(|first| vec![first, 5 - first]).collect();
    let laws = unbounded(&conditions, centres, 60, &noise(&conditions, &priced));
    let found = laws.loss(3, 2);
    let gamma = found / (2.0 * epsilon) - 1.0;
    assert!((gamma + 0.5).abs() < 1e-9, "{gamma}");
    let nearest = &priced.loss.nearest;
    assert_eq!((nearest.distance, nearest.amount.epsilon().unwrap().to_f64()), (2, epsilon));
    assert!(largest_part(&laws, &priced.loss, "two bins") > 1.0 - 1e-9);
}

/// With non-negative bins: now the normaliser moves, and the certified γ lies between the truth and
/// the factor 2.
#[test]
fn two_bins_that_are_not_negative_pay_for_it() {
    let conditions = nonnegative(2, vec![grouping(1, vec![0, 0])]);
    let priced = price(&moves(&conditions, &[20, 20]).unwrap(), &mechanism("1/2", Per::Unit), false).unwrap();
    let loss = &priced.loss;
    let tables = fibre(&conditions, &[20, 20], 40);
    let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &priced), |_| 1.0);
    let part = largest_part(&laws, loss, "non-negative bins");
    let (gamma, plain) = (loss.gamma.to_f64(), loss.plain.as_ref().unwrap().to_f64());
    assert!((0.209..0.210).contains(&gamma) && plain == 1.0, "γ = {gamma} beside the factor 2");
    // One line through the table itself: the bound is attained.
    assert!(part > 0.999_999, "{part}");
}
