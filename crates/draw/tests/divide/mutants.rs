//! `divide` with a named fault is rejected.

use super::attempts::{attempts, verdict};
use super::grids::{full, gaussian, geometric};
use draw::Ladder;
use testkit::TapeLaw;

#[test]
fn named_mutants_are_rejected() {
    let grid = full(2, 2);
    for (law, off) in [
        (geometric("1"), [geometric("1.05"), geometric("0.95")]),
        (gaussian("1"), [gaussian("1.05"), gaussian("0.95")]),
    ] {
        let tapes = attempts(&grid, &law, Ladder::Standard, 16);
        verdict(&tapes, &grid, &law).unwrap();
        for wrong in off {
            assert!(verdict(&tapes, &grid, &wrong).is_err(), "{wrong:?} goes unseen");
        }
        // An index-2 sublattice, and an off-by-one.
        let mapped = |change: fn(&Vec<i64>) -> Vec<i64>| {
            let finished = tapes.finished.iter();
            let finished = finished.map(|(table, mass)| (table.as_ref().map(change), *mass)).collect();
            verdict(&TapeLaw { finished, ..tapes.clone() }, &grid, &law)
        };
        assert!(mapped(|table| table.iter().map(|z| 2 * z).collect()).is_err());
        assert!(mapped(|table| vec![table[0] + 1, table[1] - 1, table[2] - 1, table[3] + 1]).is_err());
    }
}
