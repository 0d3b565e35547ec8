//! What a draw needs is made block by block: the tables are those of blocks that stay ready, and
//! the memory that is told follows the largest block.

use crate::small::{Small, epsilon, list, small};
use declare::{Noise, Per, Problem};
use draw::{BlockDraw, TableNoise, TableSampler};
use exact::Seeded;
use plan::PlannedBlock;

/// So many areas of so many cells, one exact total each, counts of at least zero.
fn areas(areas: usize, cells: usize) -> (Small, Vec<i64>) {
    let labels = |count: usize| (0..count).map(|value| format!("v{value}")).collect::<Vec<_>>();
    let (first, second) = (labels(areas), labels(cells));
    let texts = |labels: &'_ [String]| list(&labels.iter().map(String::as_str).collect::<Vec<_>>());
    let counts: Vec<i64> = (0..areas * cells).map(|cell| (cell * 7919 % 23) as i64 / 3).collect();
    let mut small = small("Areas", vec![("area", texts(&first)), ("kind", texts(&second))])
        .keep("area", &counts, |_| true)
        .mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1/5"), Per::Record);
    small.declaration.constraints.nonnegative = true;
    (small, counts)
}

#[test]
fn blocks_that_are_made_ready_in_every_draw_draw_the_same_tables() -> Result<(), Problem> {
    for (number, cells) in [(12, 5), (3, 40)] {
        let (small, counts) = areas(number, cells);
        let plan = small.plan()?;
        assert!(plan.blocks.iter().all(|block| block.work.prospect().draw_bytes > 0.0));
        let noise = TableNoise::from(&plan.law);
        let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
        let kept = TableSampler::new(noise, &blocks, &counts)?;
        let again = TableSampler::once(noise, &blocks, &counts)?;
        for seed in 0..5 {
            let draw = |sampler: &TableSampler<'_>| sampler.draw(&Seeded::new(seed), &|_| {});
            let (one, two) = (draw(&kept)?, draw(&again)?);
            assert_eq!((one.values(), one.exactness()), (two.values(), two.exactness()));
        }
    }
    Ok(())
}

#[test]
fn the_memory_that_is_told_follows_the_largest_block() -> Result<(), Problem> {
    let bytes = |number: usize, cells: usize| areas(number, cells).0.plan().map(|plan| plan.bytes());
    let (one, few, many) = (bytes(1, 300)?, bytes(20, 300)?, bytes(100, 300)?);
    // 300 cells need some 12 MB of weights; 100 such areas took 58 MB with the program.
    assert!((30e6..45e6).contains(&one), "{one}");
    assert!((60e6..90e6).contains(&few), "{few}");
    assert!(many - few < 10e6, "{few} {many}");
    Ok(())
}
