//! Gong and Meng's Figure 2: how often the independence walk accepts, by the rate ε̃ of its
//! proposals.

use super::Rehearsal;
use super::agree::exact_around;
use super::findings::{Findings, number};
use super::spaces::nonnegative;
use analyse::Lattice;
use declare::{Declaration, Problem};
use draw::NoiseLaw;
use exact::Rational;
use std::fmt::Write as _;
use walk::{Steps, Walk};

const SPEC: &str = include_str!("../../../../examples/sex-by-age/spec.toml");
const DATA: &str = include_str!("../../../../data/gong_meng_table1.csv");
/// Exact draws that chains start from, and the steps of each chain, for every pair of chains that
/// is asked for.
const STARTS: u64 = 25;
const STEPS: u64 = 20;
/// Cells solved for from the others and the totals: the youngest and oldest women and the oldest
/// men, as published.
const SOLVED: [u32; 3] = [0, 22, 45];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "Sex by age (Gong and Meng, Table 1), 2×23 cells with the total, the women and those of 18 years and over exact, no count below zero, \
           ε' = 1/2. The independence walk proposes 43 cells with double geometric noise of rate ε̃ around the table and solves for three. Chains \
           start from exact draws, so that the walk has nothing to forget.",
        ]);
    let counts: Vec<i64> = DATA.lines().filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect();
    let starts = STARTS * run.pairs;
    run.stage("gm-acceptance, exact draws and chains", 1);
    let declaration = Declaration::parse_alone(SPEC, "spec.toml")?;
    let (_, tables) = exact_around(&declaration, &counts, starts)?;
    let cells = || 0..counts.len() as u32;
    let sets = [
        cells().collect(),
        cells().filter(|cell| *cell < 23).collect(),
        cells().filter(|cell| cell % 23 >= 4).collect(),
    ];
    let fibre = nonnegative(&counts, &sets);
    let law = NoiseLaw::double_geometric(Rational::new(1, 2u8));
    let lattice = Lattice::of_fibre(&fibre)?;
    let proposed: Vec<u32> = cells().filter(|cell| !SOLVED.contains(cell)).collect();
    let walk = Walk::new(Steps::Independence, fibre, lattice, &law, &[])
        .and_then(|walk| walk.with_index_set(&proposed))
        .map_err(Problem::refused)?;
    let rates: Vec<Rational> = (7..=20).map(|twentieths| Rational::new(twentieths, 20u8)).collect();
    let curve = walk.acceptance_curve(&counts, &tables, &rates, STEPS, 2020)?;
    run.done(1);
    let mut csv = "proposal_rate,acceptance,standard_error\n".to_owned();
    for (rate, acceptance) in &curve {
        // Steps of one chain depend on each other: at worst a chain is worth one of its steps.
        let error = (acceptance * (1.0 - acceptance) / starts as f64).sqrt();
        // Writing to a String cannot fail.
        let _ = writeln!(csv, "{:.2},{acceptance:.5},{error:.5}", rate.to_f64());
    }
    findings.file(".csv", csv);
    if let Some((rate, most)) = curve.iter().max_by(|one, two| one.1.total_cmp(&two.1)) {
        findings.row("ε̃ that accepts most often", "0.6", format!("{:.2}", rate.to_f64()));
        findings.row(
            "accepted there",
            "1.68 %",
            format!("{:.2} % ({} chains of {STEPS} steps)", 100.0 * most, number(starts)),
        );
    }
    Ok(findings)
}
