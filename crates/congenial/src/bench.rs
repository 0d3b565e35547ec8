//! The benchmarks behind the figures in the README: each against a named limit, measured in one run.

use declare::Problem;
use draw::{ClosedForm, Independent, Messages, Sampler};
use exact::{Entropy, Rational, Source, SystemEntropy};
use std::time::Instant;

/// One measured figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Cells of one draw.
    pub cells: usize,
    /// Nanoseconds per cell on one core.
    pub per_cell: f64,
    /// Microseconds per draw.
    pub per_draw: f64,
    /// The named peer's nanoseconds per cell in the same run, if there is one: the same number of cells.
    pub peer: Option<(&'static str, f64)>,
    /// The limit it must stay under, in words.
    pub limit: Option<&'static str>,
    /// Whether it did.
    pub holds: bool,
}

/// Runs every benchmark on one core. `quick` leaves out the largest tables.
pub fn bench(quick: bool, report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    let mut entropy = SystemEntropy::new().stream(0).map_err(|error| Problem::system(error.to_string()))?;
    let sizes: &[usize] =
        if quick { &[1_000, 10_000, 100_000] } else { &[1_000, 10_000, 100_000, 1_000_000, 10_000_000] };
    for epsilon in ["0.192", "0.001"] {
        let law = rational(epsilon)?;
        let peer = per_cell(&mut entropy, &Independent::double_geometric(&law), 1_000_000);
        let sampler = ClosedForm::new(&law);
        for cells in sizes {
            let (limit, most) = match epsilon {
                "0.192" => ("at most 100 ns per cell", 100.0),
                _ => ("at most 1 µs per cell", 1000.0),
            };
            let time = per_cell(&mut entropy, &sampler, *cells);
            report(&Measurement {
                what: format!("one total, closed form, ε' = {epsilon}"),
                cells: *cells,
                per_cell: time,
                per_draw: time * *cells as f64 / 1e3,
                peer: Some(("free double geometric", peer)),
                limit: Some(limit),
                holds: time <= most,
            });
        }
    }
    let illinois = per_cell(&mut entropy, &ClosedForm::new(&rational("0.192")?), 102);
    report(&Measurement {
        what: "Illinois: 102 counties, one total, ε' = 0.192".to_string(),
        cells: 102,
        per_cell: illinois,
        per_draw: illinois * 102.0 / 1e3,
        peer: None,
        limit: Some("under 100 µs per draw"),
        holds: illinois * 102.0 / 1e3 < 100.0,
    });
    let variance = rational("100")?;
    let peer = per_cell(&mut entropy, &Independent::discrete_gaussian(&variance), 1_000_000);
    let sampler = Messages::new(&variance);
    for cells in sizes.iter().filter(|cells| **cells <= 1_000_000) {
        let time = per_cell(&mut entropy, &sampler, *cells);
        report(&Measurement {
            what: "one total, discrete Gaussian, σ² = 100".to_string(),
            cells: *cells,
            per_cell: time,
            per_draw: time * *cells as f64 / 1e3,
            peer: Some(("free discrete Gaussian", peer)),
            limit: None,
            holds: true,
        });
    }
    Ok(())
}

fn rational(text: &str) -> Result<Rational, Problem> {
    text.parse().map_err(|error| Problem::bad(format!("{error}")))
}

/// Nanoseconds per cell, the best of three passes of at least a quarter of a second, after one warm-up draw.
fn per_cell<E: Entropy>(entropy: &mut E, sampler: &impl Sampler, cells: usize) -> f64 {
    let mut table = vec![0i64; cells];
    sampler.draw_block(entropy, 0, &mut table);
    let pass = |entropy: &mut E, table: &mut [i64]| {
        let start = Instant::now();
        let mut draws = 0u32;
        while draws == 0 || start.elapsed().as_millis() < 250 {
            table.fill(0);
            sampler.draw_block(entropy, 0, table);
            draws += 1;
        }
        start.elapsed().as_nanos() as f64 / (f64::from(draws) * table.len() as f64)
    };
    (0..3).map(|_| pass(entropy, &mut table)).fold(f64::INFINITY, f64::min)
}
