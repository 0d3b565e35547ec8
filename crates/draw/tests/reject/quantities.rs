//! How many attempts are foreseen from totals alone.

use super::relaxed::{around, geometric, relaxed, two_way};
use draw::Reject;
use exact::{Seeded, Source};

#[test]
fn attempts_are_foreseen_from_totals_alone() {
    // Shares of tables that are kept, measured on counts from near − 8 to near + 8 (MATH 4.5a): the
    // foreseen ones are for tables as uneven as their totals let expect, which have more small
    // counts.
    for (rows, columns, near, known, foreseen) in [
        (4usize, 4usize, 400i64, 1.0, 0.97..1.0),
        (5, 20, 400, 1.0, 0.8..1.0),
        (5, 5, 8, 0.62, 0.05..0.6),
        (5, 20, 8, 0.17, 1e-5..0.1),
    ] {
        let (conditions, counts, law) = (two_way(rows, columns), around(near, rows * columns), geometric("1"));
        let (relaxed, _) = relaxed(&conditions, &counts, &law).unwrap();
        let share = (-relaxed.log_attempts(&law).unwrap()).exp();
        assert!(foreseen.contains(&share), "{rows}×{columns} near {near}: {share}");
        let sampler = Reject::new(&relaxed, &law).unwrap();
        let mut entropy = Seeded::new(43).stream(0).unwrap();
        let mut values = vec![0; counts.len()];
        let tried = if columns == 20 { 250 } else { 600 };
        let kept = (0..tried).filter(|_| sampler.attempt(&counts, &mut entropy, &mut values).unwrap()).count();
        let kept = kept as f64 / f64::from(tried);
        assert!((kept - known).abs() < 0.15, "{rows}×{columns} near {near}: {kept}");
        // Another interior with the same totals: the same prediction.
        let mut other = counts.clone();
        for (cell, change) in [(0, -1), (1, 1), (columns, 1), (columns + 1, -1)] {
            other[cell] += change * 3;
        }
        let other = self::relaxed(&conditions, &other, &law).unwrap().0.log_attempts(&law).unwrap();
        assert_eq!(other, relaxed.log_attempts(&law).unwrap());
    }
}

#[test]
fn rows_without_counts_are_settled() {
    let conditions = two_way(3, 3);
    let counts = [30, 40, 20, 0, 0, 0, 10, 50, 30];
    let law = geometric("1");
    let (relaxed, _) = relaxed(&conditions, &counts, &law).unwrap();
    let sampler = Reject::new(&relaxed, &law).unwrap();
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    let mut values = vec![0; 9];
    let tries = (0..200).filter(|_| sampler.attempt(&counts, &mut entropy, &mut values).unwrap()).count();
    assert!(tries > 190 && relaxed.log_attempts(&law).unwrap() < 0.5, "{tries}");
    sampler.draw(&counts, &mut entropy, &mut values).unwrap();
    assert_eq!(values[3..6], [0, 0, 0]);
}
