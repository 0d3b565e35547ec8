//! Times projections: `cargo bench -p congenial-project --bench nearest`, with a part of a name to
//! run some of them.
//!
//! Non-negative least squares on 100,000 cells with 1,000 totals that do not separate (a partition
//! and a margin across it), and TopDown on the shape of the American counties (3,143 in 51 states)
//! and tracts (74,002 in counties), with made-up counts.

#![allow(clippy::print_stdout)]

use analyse::{Demand, Fibre, FibreRow};
use project::{Norm, Projector, TopDown};
use std::time::Instant;

/// A linear congruential generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Noise with two-sided tails.
    fn noise(&mut self) -> i64 {
        (0..4).map(|_| self.below(11) as i64 - 5).sum()
    }
}

fn totals(counts: &[i64], groups: &[u32]) -> Vec<FibreRow> {
    let count = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut rows: Vec<(Vec<(u32, i64)>, i64)> = vec![(Vec::new(), 0); count];
    for (place, group) in groups.iter().enumerate() {
        rows[*group as usize].0.push((place as u32, 1));
        rows[*group as usize].1 += counts[place];
    }
    rows.into_iter().map(|(entries, total)| FibreRow { entries, demand: Demand::Equal(total) }).collect()
}

fn fibre(counts: &[i64], groupings: &[&[u32]]) -> Fibre {
    Fibre {
        cells: (0..counts.len() as u32).collect(),
        bounds: vec![(Some(0), None); counts.len()],
        rows: groupings.iter().flat_map(|groups| totals(counts, groups)).collect(),
        noise_on_cells: true,
    }
}

fn line(name: &str, cells: usize, rows: usize, ready: f64, seconds: f64, zeros: usize) {
    println!("{name:<44}{cells:>9}{rows:>8}{ready:>10.2}{seconds:>12.2}{zeros:>10}");
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|asked| name.contains(asked.as_str()));
    println!("{:<44}{:>9}{:>8}{:>10}{:>12}{:>10}", "projection", "cells", "totals", "ready s", "project s", "zeros");
    let mut numbers = Numbers(7);
    for (cells, parts, margin) in [(10_000usize, 90u32, 10u32), (100_000, 980, 20)] {
        let counts: Vec<i64> = (0..cells).map(|_| numbers.below(12) as i64).collect();
        let part: Vec<u32> = (0..cells as u32).map(|cell| cell * parts / cells as u32).collect();
        let across: Vec<u32> = (0..cells).map(|_| numbers.below(u64::from(margin)) as u32).collect();
        let fibre = fibre(&counts, &[&part, &across]);
        let noisy: Vec<i64> = counts.iter().map(|count| count + numbers.noise()).collect();
        for norm in Norm::ALL {
            let name = format!("{}, partition and margin", norm.name());
            if !is_asked(&name) {
                continue;
            }
            let start = Instant::now();
            let projector = Projector::new(&fibre, &[], norm).expect("a projector");
            let ready = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let table = projector.integer(&noisy).expect("a table");
            let seconds = start.elapsed().as_secs_f64();
            let zeros = table.iter().filter(|value| **value == 0).count();
            line(&name, cells, fibre.rows.len(), ready, seconds, zeros);
        }
    }
    for (name, cells, counties) in
        [("topdown, counties in states", 3_143usize, None), ("topdown, tracts in counties", 74_002, Some(3_143))]
    {
        if !is_asked(name) {
            continue;
        }
        let counts: Vec<i64> =
            (0..cells).map(|_| 100 + (numbers.below(1_000) * numbers.below(1_000)) as i64 / 100).collect();
        let group = |count: usize| (0..cells).map(|cell| (cell * count / cells) as u32).collect::<Vec<u32>>();
        let county = counties.map(group);
        let state: Vec<u32> = match &county {
            Some(county) => county.iter().map(|county| county * 51 / 3_143).collect(),
            None => group(51),
        };
        let mut levels = vec![vec![0u32; cells], state.clone()];
        levels.extend(county);
        let fibre = fibre(&counts, &[&vec![0; cells], &state]);
        let noisy: Vec<i64> = counts.iter().map(|count| count + 20 * numbers.noise()).collect();
        let start = Instant::now();
        let topdown = TopDown::new(&fibre, &[], &levels).expect("levels");
        let ready = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let table = topdown.integer(&noisy).expect("a table");
        let seconds = start.elapsed().as_secs_f64();
        line(name, cells, fibre.rows.len(), ready, seconds, table.iter().filter(|value| **value == 0).count());
    }
}
