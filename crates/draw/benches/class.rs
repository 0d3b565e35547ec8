//! How long it takes to split the sum of a class:
//! `cargo bench -p congenial-draw --bench class [-- file of centres]`.
#![allow(clippy::print_stdout)]

use draw::{CellNoise, ClassLaw, Factor, Ladder};
use exact::{Rational, Seeded, Source};
use std::time::Instant;

fn measure(name: &str, noise: &CellNoise, centres: Vec<i64>, draws: u32) {
    let sum = centres.iter().sum();
    let mut cells = vec![0; centres.len()];
    let law = ClassLaw::new(noise.clone(), Some(0), None, centres, Ladder::Standard);
    let mut entropy = Seeded::new(1).stream(0).expect("seeded bits");
    let start = Instant::now();
    law.split(&mut entropy, sum, &mut cells);
    let first = start.elapsed();
    let start = Instant::now();
    for _ in 0..draws {
        law.split(&mut entropy, sum, &mut cells);
    }
    let later = start.elapsed() / draws;
    let start = Instant::now();
    let weights = law.message::<f64>(Ladder::Standard.level(0)).weights.len();
    println!("{name}, {} cells: message of {weights} weights {:.2?}", cells.len(), start.elapsed());
    println!("{name}, {} cells: first draw {first:.2?}, then {later:.2?} a draw", cells.len());
}

/// Cells weighted around public counts: the class of the issue has a hundred thousand.
fn measure_weighted(name: &str, noise: &CellNoise, centres: Vec<i64>, draws: u32) {
    let sum = centres.iter().sum();
    // Public counts a tenth away from the counts, alpha = 1/10, add = 1/2.
    let public = |(place, x): (usize, &i64)| x + (place as i64 * 7919 % 21 - 10) * x / 100;
    let shapes: Vec<i64> = centres.iter().enumerate().map(public).collect();
    let largest = shapes.iter().copied().max().unwrap_or(0);
    let factors: Vec<Factor> = (0..=largest).map(|x| Factor::Rising(Rational::new(2 * x + 1, 20u8))).collect();
    let cells: Vec<(i64, Option<u32>)> =
        centres.iter().zip(&shapes).map(|(x, shape)| (*x, Some(*shape as u32))).collect();
    let mut values = vec![0; cells.len()];
    let law = ClassLaw::weighted(noise.clone(), (Some(0), None), cells, factors.into(), Ladder::Standard);
    let mut entropy = Seeded::new(1).stream(0).expect("seeded bits");
    let start = Instant::now();
    law.split(&mut entropy, sum, &mut values);
    let first = start.elapsed();
    let start = Instant::now();
    for _ in 0..draws {
        law.split(&mut entropy, sum, &mut values);
    }
    let later = start.elapsed() / draws;
    println!("{name}, {} cells: first draw {first:.2?}, then {later:.2?} a draw", values.len());
}

fn main() {
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let given: Option<Vec<i64>> = file.map(|file| {
        let text = std::fs::read_to_string(file).expect("a readable file");
        text.lines().map(|line| line.parse().expect("a count per line")).collect()
    });
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    let populations: Vec<i64> = given
        .unwrap_or_else(|| (0..220_000).map(|_| if next() % 50 == 0 { next() % 30 } else { next() % 3_000 }).collect());
    let few: Vec<i64> = (0..1_000_000).map(|_| next() % 6).collect();
    let noise = CellNoise::Geometric { up: Rational::new(1, 5u8), down: Rational::new(1, 5u8) };
    let bell = CellNoise::Gaussian { variance: Rational::integer(50) };
    for (cells, draws) in
        [(46, 1000), (300, 300), (1_000, 30), (10_000, 10), (100_000, 3), (217_740, 3), (1_000_000, 1)]
    {
        let centres: Vec<i64> = populations.iter().copied().cycle().step_by(3).take(cells).collect();
        measure("populations, geometric", &noise, centres.clone(), draws);
        if cells <= 100_000 {
            measure("populations, Gaussian", &bell, centres, draws);
        }
        measure("0 to 5, geometric", &noise, few[..cells].to_vec(), draws);
        if cells <= 100_000 {
            let centres: Vec<i64> = populations.iter().copied().cycle().step_by(3).take(cells).collect();
            measure_weighted("populations, geometric, weighted", &noise, centres, draws);
            measure_weighted("0 to 5, geometric, weighted", &noise, few[..cells].to_vec(), draws);
        }
    }
}
