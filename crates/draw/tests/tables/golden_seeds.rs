//! One seeded draw of a whole block.

use draw::{BlockDraw, NoiseLaw, PlannedNoise, draw_table};
use exact::Seeded;

pub fn draw(law: &NoiseLaw, work: &PlannedNoise, cells: u32) -> Vec<i64> {
    let block: Vec<u32> = (0..cells).collect();
    let blocks = [BlockDraw { cells: &block, work }];
    let centre = vec![0; cells as usize];
    let drawn = draw_table(law, &blocks, &centre, &Seeded::new(2024), &|_| {}).unwrap();
    drawn.into_values()
}

pub fn geometric(epsilon: &str) -> NoiseLaw {
    NoiseLaw::double_geometric(epsilon.parse().unwrap())
}

pub fn gaussian(variance: &str) -> NoiseLaw {
    NoiseLaw::discrete_gaussian(variance.parse().unwrap())
}
