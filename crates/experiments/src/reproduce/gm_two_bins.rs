//! Gong and Meng's Table 2: two bins and their total, variances and attained losses by formula and
//! by simulation.

use super::Rehearsal;
use super::findings::{Findings, mean, number, variance};
use audit::measure::Summary;
use audit::two_bins::TwoBins;
use declare::Problem;
use draw::laplace;
use exact::{Seeded, Source};

/// Draws for every pair that is asked for.
const DRAWS: u64 = 1000;
const EPSILON: f64 = 1.0;
const BETAS: [f64; 4] = [0.5, 0.6, 0.8, 1.0];
/// Noise at which densities are compared, and how far apart.
const GRID: i32 = 4000;
const STEP: f64 = 0.01;

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let draws = DRAWS * run.pairs;
    let mut findings = run.findings(&[
            "Two bins whose total is kept, ε = 1 for a record that moves from one to the other; Laplace noise. Variances of a bin by formula and by \
             simulation, and the loss that is attained: the largest log ratio of densities of neighbouring tables on a grid. All are unbiased; the \
             printed mean (s̄, s̄) of the ℓ₂ projection is a slip.",
        ]);
    run.stage("gm-two-bins, draws", 2);
    let bins = TwoBins { epsilon: EPSILON };
    let mut bits = Seeded::new(41).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    // A record that moves is distance 2 for conditioning and for projections alike: rate ε/2 per
    // unit.
    let scale = 2.0 / EPSILON;
    let mut given = Summary::default();
    let mut projected: Vec<(f64, Summary)> = BETAS.iter().map(|beta| (*beta, Summary::default())).collect();
    for _ in 0..draws {
        given.push(laplace(&mut bits, scale, 2, true)[0]);
        let noise = laplace(&mut bits, scale, 2, false);
        projected
            .iter_mut()
            .for_each(|(beta, errors)| errors.push(project::two_bins(0.0, [noise[0], noise[1]], *beta)[0]));
    }
    run.done(1);
    let row = |findings: &mut Findings, what: &str, published: &str, formula: f64, errors: &Summary| {
        let (mean, variance) = (mean(errors), variance(errors));
        findings.row(
            format!("{what}: variance of a bin"),
            published,
            format!("formula {formula:.4}, simulated {variance} (bias {mean}; {} draws)", number(draws)),
        );
    };
    row(&mut findings, "conditioning", "2/ε²", bins.conditioning_variance(), &given);
    row(&mut findings, "ℓ₂ projection", "4/ε²", bins.l2_variance(), &projected[0].1);
    for (beta, errors) in &projected {
        let what = format!("ℓ₁ projection, β = {beta}");
        row(&mut findings, &what, "in [4/ε², 8/ε²]", bins.l1_variance(*beta), errors);
        let density = |noise: f64| bins.l1_log_density(*beta, noise);
        let attained = (-GRID..=GRID).map(|at| f64::from(at) * STEP).map(|at| (density(at) - density(at - 1.0)).abs());
        let attained = attained.fold(0.0, f64::max);
        findings.row(
            format!("{what}: attained loss"),
            "ε/(2 max(β, 1 − β))",
            format!("formula {:.4}, on the grid {attained:.4}", bins.l1_loss(*beta)),
        );
        let mass: f64 = (-GRID * 10..=GRID * 10).map(|at| bins.l1_density(*beta, f64::from(at) * STEP) * STEP).sum();
        findings.measured(format!("{what}: density (A.1) adds up to"), format!("{mass:.6}"));
    }
    run.done(1);
    Ok(findings)
}
