//! Normalisers and attempts are those stated.

use super::drawn::divide;
use super::grids::{full, gaussian, geometric, grid};
use exact::{Seeded, Source};

#[test]
fn the_normaliser_of_two_rows_is_that_of_the_enumeration() {
    for law in [geometric("1"), gaussian("1")] {
        for grid in [full(2, 2), full(2, 3), full(3, 2), grid(&[&[2, 1], &[1, 0]])] {
            let weight = |table: &Vec<i64>| (-table.iter().map(|z| law.energy(*z).to_f64()).sum::<f64>()).exp();
            let total: f64 = grid.tables(10).iter().map(weight).sum();
            let claimed = divide(&grid, &law).log_normaliser().unwrap();
            assert!((claimed - total.ln()).abs() < 1e-7, "{grid:?}: {claimed} and {}", total.ln());
        }
    }
    assert_eq!(divide(&full(3, 3), &geometric("1")).log_normaliser(), None);
}

#[test]
fn attempts_are_those_expected() {
    let mut entropy = Seeded::new(12).stream(0).unwrap();
    for (grid, law) in [(full(4, 4), gaussian("9")), (full(4, 4), geometric("1/2")), (full(5, 3), geometric("1"))] {
        let divide = divide(&grid, &law);
        let mut noise = vec![0; grid.cells()];
        let succeeded = (0..4000).filter(|_| divide.attempt(&mut entropy, &mut noise)).count();
        let found = 4000.0 / succeeded as f64;
        assert!((found / divide.expected_attempts()).ln().abs() < 0.25, "{found}, {}", divide.expected_attempts());
    }
    assert_eq!(divide(&full(2, 9), &geometric("1")).expected_attempts(), 1.0);
}
