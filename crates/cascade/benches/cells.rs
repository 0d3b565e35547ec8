//! Nanoseconds a cell of cascades, beside independent noise in the same run:
//! `cargo bench -p congenial-cascade [-- most cells]`.
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

/// Nanoseconds of processor time that the process has taken, where the system tells it, in
/// hundredths of a second.
fn processor() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        status.rsplit(')').next().unwrap_or("").split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The state, a letter, is not among them.
    fields.get(10).copied().unwrap_or(0.0) * 1e7 + fields.get(11).copied().unwrap_or(0.0) * 1e7
}

/// Nanoseconds a cell: the least of some runs, and the processor time of all of them.
fn timed(cells: usize, threads: usize, mut work: impl FnMut(u64) + Send) -> (f64, f64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let runs = (3_000_000 / cells).clamp(3, 2000) as u64;
    pool.install(|| {
        let busy = processor();
        let mut least = f64::INFINITY;
        for run in 0..runs {
            let start = Instant::now();
            work(run);
            least = least.min(start.elapsed().as_nanos() as f64 / cells as f64);
        }
        (least, (processor() - busy) / (runs as usize * cells) as f64)
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

/// The most memory the process has had, in megabytes, where the system tells it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// A country: about 220,000 block groups in tracts, counties and 51 states, by 36 groups of sex and
/// age. State by group is exact, noise on counties, tracts and block groups, counts at least zero.
fn country() {
    let (attributes, mut state) = (36u32, 5u64);
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (mut states, mut counties, mut tracts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut county, mut tract) = (0u32, 0u32);
    for number in 0..51u32 {
        for _ in 0..20 + below(84) {
            for _ in 0..1 + below(53) {
                for _ in 0..1 + below(4) {
                    states.push(number);
                    counties.push(county);
                    tracts.push(tract);
                }
                tract += 1;
            }
            county += 1;
        }
    }
    let by = |places: &[u32]| -> Vec<u32> {
        places.iter().flat_map(|place| (0..attributes).map(move |group| place * attributes + group)).collect()
    };
    let (exact, county, tract) = (by(&states), by(&counties), by(&tracts));
    let table = counts(exact.len());
    let start = Instant::now();
    let cascade = cascade(exact.len(), &[&exact], &[&county, &tract], CellBounds::AtLeastZero);
    let ready = start.elapsed();
    let start = Instant::now();
    let release = cascade.draw(&table, &Seeded::new(1)).expect("a draw");
    let drawn = start.elapsed();
    assert!(cascade.keeps(&table, &release));
    println!("{} block groups, {} cells: ready in {ready:.1?}, drawn in {drawn:.1?}", states.len(), exact.len());
}

fn main() {
    let most: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000_000);
    let noise = DiscreteGaussian::new(&Rational::integer(VARIANCE));
    println!("ns a cell                  cells   independent     tree  tree >= 0  levels >= 0  two-way  two-way >= 0");
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
        let start = Instant::now();
        let cascades = [
            cascade(cells, &[&total], &[], free),
            cascade(cells, &[&total], &[], zero),
            cascade(cells, &[&total], &[&group], zero),
            cascade(square, &[&row, &column], &[], free),
            cascade(square, &[&row, &column], &[], zero),
        ];
        let ready = start.elapsed().as_nanos() as f64 / (5 * cells) as f64;
        println!("made ready: {ready:.0} ns a cell");
        for threads in [1, 2] {
            let alone = timed(cells, threads, |run| {
                std::hint::black_box(independent(&table[..cells], &noise, run));
            });
            let figures: Vec<(f64, f64)> = cascades
                .iter()
                .map(|cascade| {
                    let cells = cascade.cells();
                    timed(cells, threads, |run| {
                        std::hint::black_box(cascade.draw(&table[..cells], &Seeded::new(run)).expect("a draw"));
                    })
                })
                .collect();
            let [tree, bounded, levels, table, bounded_table] = figures[..] else { return };
            let line = |name: &str, of: fn((f64, f64)) -> f64| {
                println!(
                    "{threads} thread(s), {name:<9} {cells:>9} {:>12.1} {:>8.1} {:>10.1} {:>12.1} {:>8.1} {:>13.1}",
                    of(alone),
                    of(tree),
                    of(bounded),
                    of(levels),
                    of(table),
                    of(bounded_table)
                );
            };
            line("least", |(least, _)| least);
            line("processor", |(_, busy)| busy);
        }
        cells *= 10;
    }
    country();
    if let Some(megabytes) = peak() {
        println!("most memory: {megabytes} MB");
    }
}
