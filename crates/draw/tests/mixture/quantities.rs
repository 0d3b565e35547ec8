//! Acceptances are those predicted.

use super::mixed::mixture;
use exact::{Seeded, Source};

#[test]
fn acceptances_are_those_predicted() {
    for (rows, columns, rate) in [(1, 3, "1"), (2, 3, "1/2"), (3, 3, "1/16"), (1, 20, "1/20")] {
        let mixture = mixture(rows, columns, rate);
        let mut entropy = Seeded::new(6).stream(0).unwrap();
        let mut noise = vec![0; rows * columns];
        let accepted = (0..4000).filter(|_| mixture.attempt(&mut entropy, &mut noise).unwrap()).count() as f64 / 4000.0;
        assert!((accepted - mixture.expected_acceptance()).abs() < 0.04, "{rows}×{columns}: {accepted}");
        assert!(accepted > 0.9, "{rows}×{columns} at {rate}: {accepted}");
    }
}
