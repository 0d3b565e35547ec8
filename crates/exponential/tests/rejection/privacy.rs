//! A selection loses ε and no more.

use crate::tables::targets::{law, number};
use exact::Rational;
use exponential::Selection;

#[test]
fn selection_loses_epsilon_and_no_more() {
    // Losses of three candidates are counts: a record moves each by at most one.
    let epsilon = number("1");
    let laws: Vec<(Vec<i64>, Vec<f64>)> = (0..27)
        .map(|code: i64| {
            let losses = vec![code % 3, code / 3 % 3, code / 9];
            let rational: Vec<Rational> = losses.iter().map(|loss| Rational::integer(*loss)).collect();
            let selection = Selection::new(&rational, &epsilon, &number("1"));
            (losses, law(selection.law()).into_iter().map(|(_, share)| share).collect())
        })
        .collect();
    let mut worst: f64 = 0.0;
    for (losses, one) in &laws {
        for (others, other) in &laws {
            if losses.iter().zip(others).all(|(a, b)| (a - b).abs() <= 1) {
                let loss = one.iter().zip(other).map(|(p, q)| (p / q).ln().abs()).fold(0.0, f64::max);
                worst = worst.max(loss);
            }
        }
    }
    assert!(worst <= 1.0 && worst > 0.7, "{worst}");
}
