//! Kernels of large margin matrices: `cargo bench --workspace --bench kernel [-- CASE…]`.
//!
//! Cells are sampled from all combinations, so that the tables have structural zeros and are no
//! products. Times are of one run on one core and include the verification.
#![allow(clippy::print_stdout)]

use analyse::{Demand, Fibre, FibreRow, Lattice};
use std::time::Instant;

/// A name, the shape of the table, its margins, how many cells it has, and how many sums take cells
/// up to eight times.
type Case = (&'static str, &'static [u32], &'static [&'static [usize]], usize, usize);

const TWO: &[&[usize]] = &[&[0], &[1]];
const THREE: &[&[usize]] = &[&[0, 1], &[0, 2], &[1, 2]];

const CASES: [Case; 9] = [
    ("two-way, 2 % of cells", &[1000, 1000], TWO, 20_000, 0),
    ("two-way, 2 %, 20 weighted sums", &[1000, 1000], TWO, 20_000, 20),
    ("three-way, 91 % of cells", &[28, 28, 28], THREE, 20_000, 0),
    ("three-way, 91 %, 20 weighted", &[28, 28, 28], THREE, 20_000, 20),
    ("three-way, full", &[28, 28, 26], THREE, 20_384, 0),
    ("two-way, full", &[100, 200], TWO, 20_000, 0),
    ("three-way, 50 % of cells", &[18, 18, 18], THREE, 2_916, 0),
    ("three-way, 90 % of 8 × 8 × 8", &[8, 8, 8], THREE, 460, 0),
    ("two-way, 65 % of 25 × 25", &[25, 25], TWO, 348, 2),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    println!(
        "{:<32}{:>7}{:>8}{:>11}{:>12}{:>11}{:>12}{:>12}",
        "case", "rows", "cells", "dimension", "kernel s", "entries", "short s", "entries"
    );
    for (name, shape, margins, cells, sums) in CASES {
        if !asked.is_empty() && !asked.iter().any(|asked| name.starts_with(asked.as_str())) {
            continue;
        }
        let cells = sampled(shape, cells);
        let mut rows = rows(shape, margins, &cells);
        rows.extend((0..sums as u64).map(|sum| weighted(cells.len(), sum)));
        let slices: Vec<&[(u32, i64)]> = rows.iter().map(Vec::as_slice).collect();
        let start = Instant::now();
        let kernel = Lattice::kernel(cells.len(), &slices).expect("a kernel");
        let seconds = start.elapsed().as_secs_f64();
        let fibre = Fibre {
            cells: (0..cells.len() as u32).collect(),
            bounds: vec![(Some(0), None); cells.len()],
            rows: rows.iter().map(|row| FibreRow { entries: row.clone(), demand: Demand::Equal(0) }).collect(),
            noise_on_cells: true,
        };
        let start = Instant::now();
        let short = Lattice::of_fibre(&fibre).expect("a basis");
        let short_seconds = start.elapsed().as_secs_f64();
        println!(
            "{name:<32}{:>7}{:>8}{:>11}{seconds:>12.2}{:>11}{short_seconds:>12.2}{:>12}",
            rows.len(),
            cells.len(),
            kernel.dimension(),
            entries(&kernel),
            entries(&short)
        );
    }
}

fn entries(lattice: &Lattice) -> usize {
    lattice.basis().iter().map(Vec::len).sum()
}

/// So many of all combinations, in order, the same in every run.
fn sampled(shape: &[u32], count: usize) -> Vec<u32> {
    let all: u32 = shape.iter().product();
    let mut state = 7u64;
    let mut chosen = Vec::with_capacity(count);
    for combination in 0..all {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (wanted, left) = (count - chosen.len(), u64::from(all - combination));
        if (state >> 33) % left < wanted as u64 {
            chosen.push(combination);
        }
    }
    chosen
}

/// The margins of these cells, empty rows included.
fn rows(shape: &[u32], margins: &[&[usize]], cells: &[u32]) -> Vec<Vec<(u32, i64)>> {
    let code = |cell: u32, axis: usize| cell / shape[axis + 1..].iter().product::<u32>() % shape[axis];
    let mut rows = Vec::new();
    for axes in margins {
        let groups: u32 = axes.iter().map(|axis| shape[*axis]).product();
        let mut margin = vec![Vec::new(); groups as usize];
        for (place, cell) in cells.iter().enumerate() {
            let group = axes.iter().fold(0, |group, axis| group * shape[*axis] + code(*cell, *axis));
            margin[group as usize].push((place as u32, 1));
        }
        rows.extend(margin);
    }
    rows
}

/// A sum that takes every cell between two and eight times.
fn weighted(cells: usize, sum: u64) -> Vec<(u32, i64)> {
    let mixed = |cell: u64| (cell * 31 + sum * 17 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..cells as u32).map(|cell| (cell, 2 + (mixed(u64::from(cell)) % 7) as i64)).collect()
}
