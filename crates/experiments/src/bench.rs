//! The benchmarks behind the figures in the README: each against a named limit, measured in one
//! run.

mod lattices;

use crate::beside::counted;
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
            let what = format!("one total, closed form, ε' = {epsilon}");
            report(&sampled(&what, *cells, time, Some(("free double geometric", peer))).within(limit, time <= most));
        }
    }
    let illinois = per_cell(&mut entropy, &ClosedForm::new(&rational("0.192")?), 102);
    let illinois = sampled("Illinois: 102 counties, one total, ε' = 0.192", 102, illinois, None);
    let holds = illinois.per_draw < 100.0;
    report(&illinois.within("under 100 µs per draw", holds));
    let variance = rational("100")?;
    let peer = per_cell(&mut entropy, &Independent::discrete_gaussian(&variance), 1_000_000);
    let sampler = Messages::new(&variance);
    for cells in sizes.iter().filter(|cells| **cells <= 1_000_000) {
        let time = per_cell(&mut entropy, &sampler, *cells);
        let peer = Some(("free discrete Gaussian", peer));
        report(&sampled("one total, discrete Gaussian, σ² = 100", *cells, time, peer));
    }
    small_tables(report)?;
    lattices::lattices(report)?;
    bounded_total(sizes, report)
}

/// Two small tables with crossing totals.
fn small_tables(report: &mut dyn FnMut(&Measurement)) -> Result<(), Problem> {
    let spec = include_str!("../../../examples/sex-by-age/spec.toml");
    let times = path_of_file(spec, include_str!("../../../data/gong_meng_table1.csv"))?;
    let holds = times.plan + times.first < 10e-3 && times.later < 200e-6;
    let sex_by_age = row("sex by age, 2×23, three totals, non-negative, ε' = 1/2", times, None);
    report(&sex_by_age.within("first draw under 10 ms, later under 200 µs", holds));
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
        let measured = row("one total, non-negative, ε' = 0.2", times, Some(("free noise, non-negative", peer)));
        report(&match *cells {
            100_000 => measured.within("first draw under 20 s", whole < 20.0),
            1_000_000 => measured.within("first draw under 5 min", whole < 300.0),
            _ => measured,
        });
    }
    Ok(())
}

impl Measurement {
    /// With a limit, and whether it holds.
    fn within(self, limit: &'static str, holds: bool) -> Measurement {
        Measurement { limit: Some(limit), holds, ..self }
    }
}

/// A sampler on one core, by its nanoseconds per cell.
fn sampled(what: &str, cells: usize, per_cell: f64, peer: Option<(&'static str, f64)>) -> Measurement {
    let per_draw = per_cell * cells as f64 / 1e3;
    Measurement { what: what.to_string(), cells, per_cell, per_draw, first_draw: None, peer, limit: None, holds: true }
}

/// A whole path.
fn row(what: &str, times: Timed, peer: Option<(&'static str, f64)>) -> Measurement {
    let first_draw = Some((times.plan + times.first) * 1e6);
    Measurement { first_draw, ..sampled(what, times.cells, times.later * 1e9 / times.cells as f64, peer) }
}

/// Times the path of a spec whose data file has this text.
fn path_of_file(spec: &str, data: &str) -> Result<Timed, Problem> {
    let (declaration, counts) = counted(spec, &[("data.csv", data)])?;
    timed(&declaration, &counts)
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
