//! One seeded draw of a grid.

use super::grids::Grid;
use draw::{Divide, Ladder, NoiseLaw};
use exact::{Seeded, Source};

pub fn divide(grid: &Grid, law: &NoiseLaw) -> Divide {
    Divide::new(grid.columns, &grid.positions, law, Ladder::Standard).unwrap()
}

pub fn drawn(grid: &Grid, law: &NoiseLaw, seed: u64) -> Vec<i64> {
    let mut noise = vec![99; grid.cells()];
    divide(grid, law).draw(&mut Seeded::new(seed).stream(0).unwrap(), &mut noise);
    noise
}
