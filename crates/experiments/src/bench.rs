//! The benchmarks behind the figures in the README: each against a named limit, measured in one
//! run.

mod lattices;

use crate::timed::{Timed, timed};
use declare::{Declaration, Problem};
use draw::{ClosedForm, Independent, Messages, Sampler};
use exact::{Entropy, FreshEntropy, Rational, Source};
use std::path::Path;
use std::time::Instant;

/// One measured figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Cells of one draw.
    pub cells: usize,
    /// Nanoseconds per cell: on one core, or in later draws of the whole path on all cores.
    pub per_cell: f64,
    /// Microseconds per draw.
    pub per_draw: f64,
    /// Microseconds from the declaration and its counts through analysis and plan to the first
    /// draw, where measured.
    pub first_draw: Option<f64>,
    /// The named peer's nanoseconds per cell in the same run, if there is one: the same number of
    /// cells.
    pub peer: Option<(&'static str, f64)>,
    /// The limit it must stay under, in words.
    pub limit: Option<&'static str>,
    /// Whether it did.
    pub holds: bool,
}

/// Runs every benchmark: samplers on one core, then whole paths. `quick` leaves out the largest
/// tables.
pub fn bench(quick: bool, report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    let mut entropy = FreshEntropy.stream(0).map_err(|error| Problem::system(error.to_string()))?;
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
                first_draw: None,
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
        first_draw: None,
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
            first_draw: None,
            peer: Some(("free discrete Gaussian", peer)),
            limit: None,
            holds: true,
        });
    }
    small_tables(report)?;
    lattices::lattices(report)?;
    bounded_total(sizes, report)
}

/// Two small tables with crossing totals.
fn small_tables(report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    let spec = include_str!("../../../examples/sex-by-age/spec.toml");
    let times = path_of_file(spec, include_str!("../../../data/gong_meng_table1.csv"))?;
    report(&Measurement {
        limit: Some("first draw under 10 ms, later under 200 µs"),
        holds: times.plan + times.first < 10e-3 && times.later < 200e-6,
        ..row("sex by age, 2×23, three totals, non-negative, ε' = 1/2", times, None)
    });
    let spec = include_str!("../../../examples/delinquent-children/margins.toml");
    let times = path_of_file(spec, include_str!("../../../data/fcsm_wp22_delinquent_children.csv"))?;
    report(&row("4×4, both margins, divide, ε' = 1/4", times, None));
    Ok(())
}

/// One total over cells that are not negative.
fn bounded_total(sizes: &[usize], report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    let total = include_str!("../benches/specs/cells.toml");
    let free = total.replace("[[invariant]]\nby = []\n", "");
    let peer = synthetic_path(&free, 100_000)?.later * 1e9 / 1e5;
    for cells in sizes.iter().filter(|cells| **cells <= 1_000_000) {
        let times = synthetic_path(total, *cells)?;
        let whole = times.plan + times.first;
        let (limit, holds) = match *cells {
            100_000 => (Some("first draw under 20 s"), whole < 20.0),
            1_000_000 => (Some("first draw under 5 min"), whole < 300.0),
            _ => (None, true),
        };
        let peer = Some(("free noise, non-negative", peer));
        report(&Measurement { limit, holds, ..row("one total, non-negative, ε' = 0.2", times, peer) });
    }
    Ok(())
}

fn row(what: &str, times: Timed, peer: Option<(&'static str, f64)>) -> Measurement {
    Measurement {
        what: what.to_string(),
        cells: times.cells,
        per_cell: times.later * 1e9 / times.cells as f64,
        per_draw: times.later * 1e6,
        first_draw: Some((times.plan + times.first) * 1e6),
        peer,
        limit: None,
        holds: true,
    }
}

/// Times the path of a spec whose data file has this text.
fn path_of_file(spec: &str, data: &str) -> Result<Timed, Problem> {
    let mut declaration = Declaration::parse_alone(spec, "spec.toml")?;
    declaration.data.path = "data.csv".to_string();
    let domain = declaration.domain()?;
    let system = |error: std::io::Error| Problem::system(error.to_string());
    let folder = publish::private_folder("congenial-", &std::env::temp_dir())?;
    std::fs::write(folder.path().join(&declaration.data.path), data).map_err(system)?;
    let tabulated = tabulate::tabulate(&declaration, &domain, folder.path(), &mut |_| {})?;
    timed(&declaration, tabulated.table.counts())
}

fn synthetic_path(spec: &str, cells: usize) -> Result<Timed, Problem> {
    let declaration = Declaration::parse(&spec.replace("CELLS", &cells.to_string()), "spec.toml", Path::new("."))?;
    timed(&declaration, &synthetic_populations(cells))
}

/// Counts that spread like the populations of block groups: most between 0 and 3,000, some nearly
/// empty.
pub fn synthetic_populations(cells: usize) -> Vec<i64> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    (0..cells).map(|_| if next() % 50 == 0 { next() % 30 } else { next() % 3_000 }).collect()
}

fn rational(text: &str) -> Result<Rational, Problem> {
    text.parse().map_err(|error| Problem::bad(format!("{error}")))
}

/// Nanoseconds per cell, the best of three passes of at least a quarter of a second, after one
/// warm-up draw.
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
