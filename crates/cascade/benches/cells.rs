//! Nanoseconds a cell of cascades, beside independent noise in the same run: `cargo bench -p congenial-cascade [-- most cells]`.
#![allow(clippy::print_stdout)]

use cascade::{Cascade, CellBounds, Noise, Outline};
use exact::{DiscreteGaussian, Rational, Seeded, Source};
use rayon::prelude::*;
use std::time::Instant;

const VARIANCE: i64 = 50;

/// Counts as tables of persons have them: many zeros and ones, some large.
fn counts(cells: usize) -> Vec<i64> {
    let mut state = 9u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    (0..cells).map(|_| if next() % 4 == 0 { next() % 400 } else { next() % 6 }).collect()
}

/// Nanoseconds a cell, the least of some runs.
fn timed(cells: usize, threads: usize, mut work: impl FnMut(u64) + Send) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let runs = (2_000_000 / cells).clamp(3, 200) as u64;
    pool.install(|| {
        (0..runs)
            .map(|run| {
                let start = Instant::now();
                work(run);
                start.elapsed().as_nanos() as f64 / cells as f64
            })
            .fold(f64::INFINITY, f64::min)
    })
}

fn independent(counts: &[i64], noise: &DiscreteGaussian, seed: u64) -> Vec<i64> {
    let source = Seeded::new(seed);
    let mut out = counts.to_vec();
    out.par_chunks_mut(1 << 13).enumerate().for_each(|(task, chunk)| {
        let mut entropy = source.stream(task as u64).expect("seeded bits");
        chunk.iter_mut().for_each(|value| *value += noise.draw(&mut entropy));
    });
    out
}

fn cascade(cells: usize, exact: &[&[u32]], levels: &[&[u32]], bounds: CellBounds<'_>) -> Cascade {
    let mut noise = vec![Noise { group_of: None, variance: Rational::integer(VARIANCE) }];
    noise.extend(levels.iter().map(|labels| Noise { group_of: Some(labels), variance: Rational::integer(VARIANCE) }));
    let outline = Outline { cells, exact: exact.to_vec(), noise, bounds, ..Outline::default() };
    Cascade::new(&outline).expect("a structure that is drawn")
}

fn main() {
    let most: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000_000);
    let noise = DiscreteGaussian::new(&Rational::integer(VARIANCE));
    println!("ns a cell            cells   independent  tree  tree >= 0  levels >= 0  two-way  two-way >= 0");
    let mut cells = 1000;
    while cells <= most {
        let side = (cells as f64).sqrt().round() as usize;
        let (rows, square) = (side, side * side);
        let table = counts(cells.max(square));
        let total = vec![0u32; cells];
        let group: Vec<u32> = (0..cells as u32).map(|cell| cell / 40).collect();
        let (row, column): (Vec<u32>, Vec<u32>) =
            (0..square as u32).map(|cell| (cell / rows as u32, cell % rows as u32)).unzip();
        let free = CellBounds::None;
        let zero = CellBounds::AtLeastZero;
        let cascades = [
            cascade(cells, &[&total], &[], free),
            cascade(cells, &[&total], &[], zero),
            cascade(cells, &[&total], &[&group], zero),
            cascade(square, &[&row, &column], &[], free),
            cascade(square, &[&row, &column], &[], zero),
        ];
        for threads in [1, 2] {
            let alone = timed(cells, threads, |run| {
                std::hint::black_box(independent(&table[..cells], &noise, run));
            });
            let figures: Vec<f64> = cascades
                .iter()
                .map(|cascade| {
                    let cells = cascade.cells();
                    timed(cells, threads, |run| {
                        std::hint::black_box(cascade.draw(&table[..cells], &Seeded::new(run)).expect("a draw"));
                    })
                })
                .collect();
            println!(
                "{threads} thread(s) {cells:>14} {alone:>13.1} {:>5.1} {:>10.1} {:>12.1} {:>8.1} {:>13.1}",
                figures[0], figures[1], figures[2], figures[3], figures[4]
            );
        }
        cells *= 10;
    }
}
