//! The first rung: exact laws over every bit tape, against enumerated tables.

use crate::grids::{Grid, full, gaussian, geometric, grid};
use draw::{Divide, Ladder, NoiseLaw};
use exact::Enclosure;
use testkit::{TapeLaw, tape_law};

fn divide(grid: &Grid, law: &NoiseLaw, ladder: Ladder) -> Divide {
    Divide::new(grid.columns, &grid.positions, law, ladder).unwrap()
}

fn attempts(grid: &Grid, law: &NoiseLaw, ladder: Ladder, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let divide = divide(grid, law, ladder);
    tape_law(depth, |tape| {
        let mut noise = vec![0; grid.cells()];
        divide.attempt(tape, &mut noise).then_some(noise)
    })
}

#[test]
fn two_rows_are_the_conditional_law() {
    for law in [geometric("1"), gaussian("1")] {
        for (rows, columns, depth, unresolved) in [(2, 2, 16, 0.01), (2, 3, 17, 0.05), (3, 2, 17, 0.05)] {
            for ladder in [Ladder::Standard, Ladder::Coarse] {
                let grid = full(rows, columns);
                let divide = divide(&grid, &law, ladder);
                let drawn = tape_law(depth, |tape| {
                    let mut noise = vec![0; grid.cells()];
                    divide.draw(tape, &mut noise);
                    noise
                });
                let claimed = grid.law(&law, 12);
                drawn.agrees_with(|table| claimed[table].clone()).unwrap();
                assert!(drawn.unresolved_share() < unresolved, "{}", drawn.unresolved_share());
            }
        }
    }
}

#[test]
fn attempts_at_three_rows_are_proportional_to_the_law() {
    for law in [geometric("5/2"), gaussian("1/4")] {
        let grid = full(3, 3);
        let tapes = attempts(&grid, &law, Ladder::Coarse, 16);
        let claimed = grid.law(&law, 4);
        tapes.proportional_to(|table| claimed[table].clone()).unwrap();
        println!("{}", tapes.unresolved_share());
    }
}

#[test]
fn named_mutants_are_rejected() {
    let grid = grid(&[&[1, 1], &[1, 1]]);
    let tapes = attempts(&grid, &geometric("1"), Ladder::Standard, 16);
    let verdict = |tapes: &TapeLaw<Option<Vec<i64>>>, epsilon: &str| {
        let claimed = grid.law(&geometric(epsilon), 12);
        tapes.proportional_to(|table| claimed.get(table).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 128)))
    };
    verdict(&tapes, "1").unwrap();
    for wrong in ["1.05", "0.95"] {
        assert!(verdict(&tapes, wrong).is_err(), "ε = {wrong} goes unseen");
    }
}
