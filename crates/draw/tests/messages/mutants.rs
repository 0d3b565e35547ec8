//! Attempts of `messages` with a named fault are told apart.

use super::attempts::{Attempts, attempts};
use crate::tables::numbers::rational;

#[test]
fn named_mutants_are_rejected() {
    let variance = rational("1/2");
    for (cells, total) in [(2usize, 0i64), (2, 1), (3, 0), (3, -1)] {
        let tried: Attempts = attempts(&variance, cells, total);
        for factor in ["1.05", "0.95"] {
            let [whole, first] = tried.verdicts(&(&variance * &rational(factor)), cells, total);
            assert!(
                whole.is_err() && first.is_err(),
                "{cells} cells, total {total}: σ² off by five per cent goes unseen"
            );
        }
        // An off-by-one total.
        let [whole, first] = tried.verdicts(&variance, cells, total + 1);
        assert!(whole.is_err() && first.is_err(), "{cells} cells, total {total}");
    }
}
