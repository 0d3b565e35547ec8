//! How long the ranges of all cells take:
//! `cargo bench --workspace --bench disclosure [-- PART OF A NAME]`.
//!
//! Two-way tables with and without holes, a hierarchy, three-way tables with all two-way margins.
#![allow(clippy::print_stdout)]

use declare::{Conditions, Grouping};
use disclose::{Known, Ranges};
use std::time::Instant;

/// Sums over all dimensions but the kept ones of the live cells.
fn margin(sizes: &[usize], kept: &[usize], live: &[usize]) -> Grouping {
    let group = |cell: usize| {
        let mut codes = vec![0; sizes.len()];
        let mut rest = cell;
        for (code, size) in codes.iter_mut().zip(sizes).rev() {
            *code = rest % size;
            rest /= size;
        }
        kept.iter().fold(0, |group, dimension| group * sizes[*dimension] + codes[*dimension]) as u32
    };
    let groups: usize = kept.iter().map(|dimension| sizes[*dimension]).product();
    Grouping {
        label: format!("by {kept:?}"),
        names: (0..groups).map(|group| group.to_string()).collect(),
        group_of: live.iter().map(|cell| group(*cell)).collect(),
        times: None,
    }
}

fn run(name: &str, sizes: &[usize], margins: &[&[usize]], is_live: impl Fn(usize) -> bool, most: u64) {
    if std::env::args().skip(1).any(|only| !only.starts_with('-') && !name.contains(&only)) {
        return;
    }
    let live: Vec<usize> = (0..sizes.iter().product()).filter(|cell| is_live(*cell)).collect();
    let mut state = 7u64;
    let mut count = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % most) as i64
    };
    let table: Vec<i64> = live.iter().map(|_| count()).collect();
    let conditions = Conditions::of_totals(live.len(), margins.iter().map(|kept| margin(sizes, kept, &live)).collect());
    let Ok(totals) = conditions.totals(&table) else { return };
    let start = Instant::now();
    match Known::counts(&conditions, &totals).ranges(&[], &|_| {}) {
        Ok(ranges) => println!("{name}: {:.2} s, {}", start.elapsed().as_secs_f64(), in_words(&ranges)),
        Err(problem) => println!("{name}: {problem}"),
    }
}

fn in_words(ranges: &Ranges) -> String {
    let widths = ranges.summary(0).cells;
    format!("{} cells, {} disclosed, {} not proved", widths.total, widths.disclosed, widths.unproved)
}

fn main() {
    run("100 × 1000, both margins", &[100, 1000], &[&[0], &[1]], |_| true, 20);
    run("316 × 316, both margins", &[316, 316], &[&[0], &[1]], |_| true, 20);
    run("316 × 316, both margins, every seventh cell a hole", &[316, 316], &[&[0], &[1]], |cell| cell % 7 != 3, 20);
    run("50 × 40 × 50, two levels of totals", &[50, 40, 50], &[&[0], &[0, 1]], |_| true, 20);
    run("10 × 10 × 10, all two-way margins, counts below 20", &[10; 3], &[&[0, 1], &[0, 2], &[1, 2]], |_| true, 20);
    run("10 × 10 × 10, all two-way margins, counts below 3", &[10; 3], &[&[0, 1], &[0, 2], &[1, 2]], |_| true, 3);
    run("10 × 10 × 10, all two-way margins, counts below 1000", &[10; 3], &[&[0, 1], &[0, 2], &[1, 2]], |_| true, 1000);
}
