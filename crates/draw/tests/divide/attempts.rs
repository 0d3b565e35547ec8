//! Attempts of `divide` over every bit tape, and what they are held against.

use super::grids::Grid;
use draw::{Divide, Ladder, NoiseLaw};
use exact::Enclosure;
use testkit::{TapeLaw, tape_law};

pub fn divide(grid: &Grid, law: &NoiseLaw, ladder: Ladder) -> Divide {
    Divide::new(grid.columns, &grid.positions, law, ladder).unwrap()
}

pub fn attempts(grid: &Grid, law: &NoiseLaw, ladder: Ladder, depth: u32) -> TapeLaw<Option<Vec<i64>>> {
    let divide = divide(grid, law, ladder);
    tape_law(depth, |tape| {
        let mut noise = vec![0; grid.cells()];
        divide.attempt(tape, &mut noise).then_some(noise)
    })
}

pub fn verdict(tapes: &TapeLaw<Option<Vec<i64>>>, grid: &Grid, law: &NoiseLaw) -> Result<(), String> {
    let claimed = grid.law(law, if grid.cells() > 4 { 4 } else { 12 });
    tapes.proportional_to(|table| claimed.get(table).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 128)))
}
