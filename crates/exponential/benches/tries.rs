//! How long tries take: uniform points of a 5-dimensional grid, and whole draws of a ridge
//! regression of 28,155 records.

use exact::{Rational, Seeded, Source};
use exponential::{Attempt, Moments, Ridge, RidgeSettings, Uniform};
use std::time::Instant;

/// A regression of `predictors` columns around known coefficients, with made-up records.
fn regression(records: u64, predictors: usize) -> Ridge {
    let resolution = 10_000;
    let settings = RidgeSettings {
        epsilon: Rational::integer(1),
        radius: Rational::integer(1),
        penalty: Rational::integer(1),
        grid: 1000,
        resolution,
        records,
        predictors,
        is_padded: false,
    };
    let mut moments = Moments::new(predictors, resolution);
    let mut state = 1u64;
    let mut next = |range: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i64) % (2 * range + 1) - range
    };
    for _ in 0..records {
        let x: Vec<i64> = (0..predictors).map(|_| next(resolution)).collect();
        let z = x.iter().zip([10, 20, -30, 0, 5]).map(|(x, share)| x * share / 100).sum::<i64>() + next(2000);
        moments.add(&x, z);
    }
    Ridge::new(settings, &moments).expect("settings that hold")
}

fn main() {
    let target = regression(100, 5);
    let mut stream = Seeded::new(1).stream(0).expect("seeded bits");
    let (begin, mut accepted, mut point) = (Instant::now(), 0u32, Vec::new());
    for _ in 0..100_000 {
        accepted += u32::from(Uniform(&target).attempt(&mut stream, &mut point));
    }
    let seconds = begin.elapsed().as_secs_f64();
    report(&format!("100,000 uniform tries, 5 dimensions: {seconds:.3} s, {accepted} accepted"));
    let target = regression(28_155, 4);
    let begin = Instant::now();
    let tries: Vec<u64> = (0..20).map(|_| target.draw_with(&mut stream).tries).collect();
    let seconds = begin.elapsed().as_secs_f64() / 20.0;
    report(&format!("one ridge draw, 28,155 records, 4 predictors: {seconds:.3} s, tries {tries:?}"));
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}
