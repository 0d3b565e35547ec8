//! Attempts of `mixture` over every bit tape are proportional to the law.

use super::mixed::{mixture, weight};
use draw::Mixture;
use testkit::{TapeLaw, tape_law};

pub fn attempts(mixture: &Mixture, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    tape_law(depth, |tape| {
        let mut noise = vec![0; mixture.cells()];
        mixture.attempt(tape, &mut noise).unwrap().then_some(noise)
    })
}

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    // Rates above and below 0.27/√2: both grids.
    for (rows, columns, rate, unresolved) in
        [(1, 3, "1", 0.3), (2, 3, "1/2", 0.5), (1, 3, "3", 0.1), (1, 2, "1/8", 0.8), (1, 2, "2", 0.06)]
    {
        let tapes = attempts(&mixture(rows, columns, rate), 16);
        tapes.proportional_to(|table| weight(table, rate)).unwrap();
        let share = tapes.unresolved_share();
        assert!(share < unresolved, "{rows}×{columns} at {rate}: {share}");
        if rate == "2" {
            assert!(tapes.proportional_to(|table| weight(table, "2.5")).is_err(), "{rows}×{columns}");
        }
    }
}
