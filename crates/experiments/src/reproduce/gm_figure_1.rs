//! Gong and Meng's Figure 1: errors of raw noise, its projection and conditioning on 20 tables of
//! small counts.

use super::Rehearsal;
use super::findings::{Findings, mean, number};
use audit::measure::Summary;
use declare::{Declaration, Method, Problem, Strength};
use exact::{Entropy, Rational, Seeded, Source};
use prepare::Mechanism;
use project::{Norm, Projector};
use std::fmt::Write as _;

const SPEC: &str = include_str!("../../../../examples/sex-by-age/spec.toml");
const TABLES: u64 = 20;
const CELLS: f64 = 46.0;
/// The negative binomial law of a cell: failures before so many successes of this probability.
const SIZE: u32 = 100;
const SUCCESS: f64 = 0.95;
const NAMES: [&str; 4] = ["raw, ε = 1", "raw, ε = 1, then NNL2", "conditioned, ε₀ = 1/2", "raw, ε = 1/2"];
/// What the paper says of its box plots; it prints no figure.
const PUBLISHED: [&str; 4] = ["", "mostly on par with raw, ε = 1", "between the raw laws", ""];
/// The ε of raw noise, whose errors have a formula.
const RAW: [Option<f64>; 4] = [Some(1.0), None, None, Some(0.5)];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let releases = (run.pairs / 2).max(1);
    let mut findings = run.findings(&[
            "20 tables of 2×23 cells with negative binomial counts (size 100, success probability 0.95, mean 5.26); the total, the women and those of \
             18 years and over are exact and no count is negative. L1 and L2 errors of raw double geometric noise (ε per unit), of its nearest \
             real-valued table with these totals and no negative count (NNL2), and of conditioning at half the ε, which is what it pays for \
             inequalities by the plain factor 2.",
        ]);
    run.stage("gm-figure-1, releases", TABLES * releases);
    let declaration = Declaration::parse_alone(SPEC, "spec.toml")?;
    let mut errors: [[Summary; 2]; 4] = Default::default();
    let mut all: [[Vec<f64>; 2]; 4] = Default::default();
    for table in 0..TABLES {
        let counts = counts(table, declaration.domain()?.len())?;
        let raw = |epsilon: Rational| mechanism(&declaration, Method::Unconstrained, epsilon, &counts);
        let (strong, weak) = (raw(Rational::integer(1))?, raw(Rational::new(1, 2u8))?);
        let given = mechanism(&declaration, Method::Condition, Rational::new(1, 2u8), &counts)?;
        let projected = Projected::new(&given)?;
        let (strong_noise, weak_noise, given_noise) = (strong.noisy_sums()?, weak.noisy_sums()?, given.noisy_sums()?);
        let samplers = [strong.sampling(&strong_noise)?, weak.sampling(&weak_noise)?, given.sampling(&given_noise)?];
        for release in 0..releases {
            let seed = Seeded::draw(44, table * releases + release);
            let [strong, weak, given] = [0, 1, 2].map(|which: usize| {
                samplers[which]
                    .draw(&seed, &|_| {})
                    .map(|drawn| drawn.values().iter().map(|value| *value as f64).collect())
            });
            let (strong, weak, given): (Vec<f64>, Vec<f64>, Vec<f64>) = (strong?, weak?, given?);
            let nearest = projected.nearest(&strong)?;
            for (which, values) in [&strong, &nearest, &given, &weak].into_iter().enumerate() {
                let apart = || values.iter().zip(&counts).map(|(value, count)| (value - *count as f64).abs());
                let found = [apart().sum::<f64>(), apart().map(|apart| apart * apart).sum::<f64>().sqrt()];
                for (norm, found) in found.into_iter().enumerate() {
                    errors[which][norm].push(found);
                    all[which][norm].push(found);
                }
            }
            run.done(1);
        }
    }
    for (which, name) in NAMES.iter().enumerate() {
        let [one, two] = &errors[which];
        // E|u| of a cell is 1/sinh ε.
        let formula = RAW[which].map_or(String::new(), |epsilon| format!("; formula {:.2}", CELLS / epsilon.sinh()));
        findings.row(
            format!("{name}: mean L1"),
            PUBLISHED[which],
            format!("{} ({} releases){formula}", mean(one), number(one.count())),
        );
        findings.measured(format!("{name}: mean L2"), mean(two));
    }
    findings.file("-quartiles.csv", quartiles(&mut all));
    Ok(findings)
}

/// Failures before [`SIZE`] successes, cell by cell, from a seed.
fn counts(table: u64, cells: usize) -> Result<Vec<i64>, Problem> {
    let mut bits = Seeded::new(45).stream(table).map_err(|error| Problem::system(error.to_string()))?;
    let mut failures = || -> i64 {
        let mut failed = 0;
        let mut succeeded = 0;
        while succeeded < SIZE {
            let fails = (bits.bits(53) as f64) < (1.0 - SUCCESS) * (1u64 << 53) as f64;
            if fails { failed += 1 } else { succeeded += 1 }
        }
        failed
    };
    Ok((0..cells).map(|_| failures()).collect())
}

fn mechanism(
    declaration: &Declaration,
    method: Method,
    epsilon: Rational,
    counts: &[i64],
) -> Result<Mechanism, Problem> {
    let mut declaration = declaration.clone();
    declaration.mechanism.method = method;
    declaration.mechanism.sampler = None;
    declaration.mechanism.per = declare::Per::Unit;
    declaration.mechanism.strength = Strength::Epsilon(epsilon);
    Mechanism::new(declaration, counts.to_vec())
}

/// The nearest real-valued tables with the totals of a mechanism, block by block.
struct Projected {
    blocks: Vec<(Vec<u32>, Projector)>,
    fixed: Vec<(usize, i64)>,
}

impl Projected {
    fn new(mechanism: &Mechanism) -> Result<Projected, Problem> {
        let fibres = mechanism.fibres()?;
        let ready = |fibre: analyse::Fibre| Ok((fibre.cells.clone(), Projector::new(&fibre, &[], Norm::Nonnegative)?));
        let blocks = fibres.into_iter().map(ready).collect::<Result<_, Problem>>()?;
        Ok(Projected { blocks, fixed: mechanism.plan.fixed.clone() })
    }

    fn nearest(&self, noisy: &[f64]) -> Result<Vec<f64>, Problem> {
        let mut nearest = noisy.to_vec();
        self.fixed.iter().for_each(|(cell, value)| nearest[*cell] = *value as f64);
        for (cells, projector) in &self.blocks {
            let measured: Vec<f64> = cells.iter().map(|cell| noisy[*cell as usize]).collect();
            let found = projector.real(&measured)?;
            cells.iter().zip(found).for_each(|(cell, value)| nearest[*cell as usize] = value);
        }
        Ok(nearest)
    }
}

/// The five numbers of every box of the figure.
fn quartiles(all: &mut [[Vec<f64>; 2]; 4]) -> String {
    let mut csv = "method,norm,least,lower_quartile,median,upper_quartile,most\n".to_owned();
    for (name, errors) in NAMES.iter().zip(all) {
        for (norm, values) in ["L1", "L2"].iter().zip(errors) {
            values.sort_unstable_by(f64::total_cmp);
            let at = |quarter: usize| values[(values.len() - 1) * quarter / 4];
            // Writing to a String cannot fail.
            let _ = writeln!(csv, "\"{name}\",{norm},{:.3},{:.3},{:.3},{:.3},{:.3}", at(0), at(1), at(2), at(3), at(4));
        }
    }
    csv
}
