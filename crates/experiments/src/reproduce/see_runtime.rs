//! Seeman, case study 12: how long chains must run at worst, beside how long perfect draws do run.

use super::Rehearsal;
use super::findings::{Findings, number};
use declare::Problem;
use exact::{Rational, Seeded, Source, Stream};
use exponential::{Atom, Mean, Target, Uniform, draw};
use report::chart::{Axis, Chart, Series};

const RECORDS: u64 = 100;
const GRID: u64 = 10_000;
/// Perfect draws per place.
const DRAWS: u64 = 400;
/// Chains with an atom are run up to this dimension; beyond it their mean is computed.
const MOST_CHAINS: usize = 3;

/// β of (42) for uniform proposals at ε = 1: also the acceptance of plain rejection at the corner.
fn uniform_minorisation(d: usize) -> f64 {
    let rate = RECORDS as f64 / (2.0 * d as f64);
    ((1.0 - (-rate).exp()) / rate).powi(d as i32)
}

/// The mean weight over the grid: a product of one mean per coordinate.
fn acceptance(target: &Mean, d: usize, centre: i64) -> f64 {
    let mut point = vec![centre; d];
    let mut side = 0.0;
    for k in 0..=GRID as i64 {
        point[0] = k;
        side += target.bounds(&point).floor as f64 / 2f64.powi(64);
    }
    (side / (GRID + 1) as f64).powi(d as i32)
}

/// The second largest eigenvalue of the chain with Laplace proposals on [0, 1] at ε → 0, α = 1, by
/// power iteration on a grid.
fn laplace_eigenvalue() -> f64 {
    let size = 200;
    let at = |i: usize| (i as f64 + 0.5) / size as f64;
    let kernel = |i: usize, j: usize| 0.5 * (-(at(i) - at(j)).abs()).exp() / size as f64;
    let stays: Vec<f64> = (0..size).map(|i| 1.0 - (0..size).map(|j| kernel(i, j)).sum::<f64>()).collect();
    let mut vector: Vec<f64> = (0..size).map(|i| at(i) - 0.5).collect();
    let norm = |vector: &[f64]| vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let mut value = 0.0;
    for _ in 0..300 {
        let next: Vec<f64> = (0..size)
            .map(|i| stays[i] * vector[i] + (0..size).map(|j| kernel(i, j) * vector[j]).sum::<f64>())
            .collect();
        value = norm(&next) / norm(&vector);
        // The constant has eigenvalue 1: what roundings bring of it is taken out again.
        let mean = next.iter().sum::<f64>() / size as f64;
        let length = norm(&next);
        vector = next.iter().map(|entry| (entry - mean) / length).collect();
    }
    value
}

/// The mean number of tries of some draws.
fn tries(target: &Mean, stream: &mut Stream) -> f64 {
    (0..DRAWS).map(|_| draw(stream, &mut Uniform(target)).tries).sum::<u64>() as f64 / DRAWS as f64
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "The mean of 100 records in [0, 1]^d by the ℓ₁ loss, ε = 1, on the grid of 1/10,000. A chain must run until (1 − β)^m is small for the worst \
             table, and is then still not ε-differentially private; a perfect draw runs as long as its own table asks for.",
            "Verdict: the formula of (42) for uniform proposals is right, and 1/β is what plain rejection takes at the corner, where it is slowest; its formula \
             for Laplace proposals is no bound, because it exceeds the spectral gap; and the atom, with a uniform jump, takes at least 2(1 + R) steps where \
             rejection takes R tries, without any Bernoulli factory.",
        ]);
    let mut stream = Seeded::new(51).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    run.stage("see-runtime, dimensions", 5);
    let second = ["50", "625", "4,630", "24,414", "100,023"];
    let mut table = "d,beta,chain_steps_1e-6,chain_steps_2^-53,tries_corner,tries_middle\n".to_string();
    for (d, second_program) in (1..=5).zip(second) {
        let beta = uniform_minorisation(d);
        let steps = |distance: f64| (distance.ln() / (-beta).ln_1p()).ceil();
        let (first, second) = (steps(1e-6), steps(2f64.powi(-53)));
        let epsilon = Rational::integer(1);
        let corner = Mean::new(&vec![0; d], 1, RECORDS, GRID, &epsilon);
        let middle = Mean::new(&vec![RECORDS / 2; d], 1, RECORDS, GRID, &epsilon);
        let (at_corner, at_middle) = (acceptance(&corner, d, 0), acceptance(&middle, d, GRID as i64 / 2));
        let (slow, fast) = (tries(&corner, &mut stream), tries(&middle, &mut stream));
        findings.checked(
            format!("d = {d}: expected tries at the corner, 1/β"),
            format!("{:.0}", 1.0 / beta),
            second_program,
        );
        findings.measured(
            format!("d = {d}: tries of {DRAWS} perfect draws, corner / middle"),
            format!("{slow:.0} (expected {:.0}) / {fast:.0} (expected {:.0})", 1.0 / at_corner, 1.0 / at_middle),
        );
        findings.measured(
            format!("d = {d}: steps of a chain at worst, distance 10⁻⁶ / 64-bit line"),
            format!("{} / {}", number(first as u64), number(second as u64)),
        );
        let bound = 2.0 * (1.0 + 1.0 / at_middle);
        let chains = match d <= MOST_CHAINS {
            true => {
                let atom = Atom::new(&middle, Rational::integer(1), &Rational::integer(1));
                let steps: u64 = (0..DRAWS / 4).map(|_| atom.draw(&mut stream).steps).sum();
                format!(
                    "{:.0} in {} draws, expected 2(1 + R) = {bound:.0}",
                    steps as f64 / (DRAWS / 4) as f64,
                    DRAWS / 4
                )
            }
            false => format!("expected 2(1 + R) = {bound:.0}"),
        };
        findings.measured(format!("d = {d}: steps of the atom, middle"), chains);
        table += &format!("{d},{beta:.6e},{first},{second},{:.1},{:.1}\n", 1.0 / at_corner, 1.0 / at_middle);
        if d == 2 {
            findings.file(".svg", figure(beta, at_corner, at_middle));
        }
        run.done(1);
    }
    let printed = 2.0 * (-1f64).exp() * (1.0 - (-1f64).exp());
    findings.measured(
        "(42), Laplace proposals, ε → 0, d = 1, α = 1: β by the printed formula beside the spectral gap",
        format!(
            "β {printed:.4}, gap {:.4}: not a bound; (α/2)^d e^(−αd − εn/2) = {:.4} is",
            1.0 - laplace_eigenvalue(),
            0.5 * (-1f64).exp()
        ),
    );
    findings.file(".csv", table);
    Ok(findings)
}

/// How likely it is that a draw is not done, beside the distance of a chain at worst.
fn figure(beta: f64, corner: f64, middle: f64) -> String {
    let last = (1e-6f64.ln() / (-beta).ln_1p()).ceil();
    let line = |(name, rate): (&'static str, f64)| {
        let points = (0..=60).map(|part| last * f64::from(part) / 60.0);
        (name, points.map(|m| (m, ((-rate).ln_1p() * m).exp())).collect())
    };
    let lines = [("chain: distance, (42)", beta), ("corner: not done", corner), ("middle: not done", middle)];
    let chart = Chart {
        label: "Two dimensions: chains at worst, perfect draws as they are",
        size: (640.0, 300.0),
        across: Axis::linear("steps or tries", 0.0, last),
        up: Axis::logarithmic("distance, or probability", -6, 0),
        series: Series::lines(lines.map(line)),
    };
    chart.file()
}
