//! Liu's taxi hierarchy: errors by level of the hierarchy walk, beside the exact law and the
//! printed figures.

use super::Rehearsal;
use super::findings::{Findings, number};
use crate::beside::declared;
use analyse::{Demand, Fibre, FibreRow, Lattice};
use declare::Problem;
use draw::{NoiseLaw, TableNoise, quantities};
use exact::Rational;
use plan::PlannedBlock;
use prepare::{Mechanism, NoisySums};
use walk::{Steps, Walk};

const SPEC: &str = include_str!("../../../../examples/taxi/spec.toml");
const ZONES: &str = include_str!("../../../../data/taxi_zone_lookup.csv");
const NODES: f64 = 270.0;
const LEVELS: [&str; 3] = ["city", "boroughs", "zones"];
/// ε and the printed errors of M_MH, from the city to the zones.
const PRINTED: [(&str, [&str; 3]); 3] = [
    ("1/2", ["0.013352", "0.028890", "1.680823"]),
    ("1", ["0.018244", "0.057345", "1.534053"]),
    ("2", ["0.003445", "0.015032", "1.052862"]),
];
/// Steps of the walk for every pair of chains that is asked for.
const STEPS: u64 = 2000;

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let steps = STEPS * run.pairs;
    let mut findings = run.findings(&[
            "263 taxi zones, 6 boroughs and New York City, double geometric noise of rate ε on every node, consistent: mean of Σ|error| of a level over \
           270 nodes. The walk proposes all leaves and sums upward, as printed (M_MH). The exact law is that of `messages`. The printed figures \
           are for Laplace noise and disagree with the exact law of either noise.",
        ]);
    run.stage("liu-taxi, long walks", PRINTED.len() as u64);
    for (epsilon, printed) in PRINTED {
        let rate: Rational = epsilon.parse().map_err(|error| Problem::bad(format!("{error}")))?;
        let errors = walk(&rate)?.hierarchy_errors(&vec![0; zones().len()], steps / 4, steps, 2023)?;
        let exact = exact(epsilon)?;
        for level in 0..3 {
            findings.row(
                format!("ε = {epsilon}, {}: mean absolute error, over 270", LEVELS[level]),
                printed[level],
                format!("walk {:.5}, exact law {:.5}", errors.levels[level], exact[level]),
            );
        }
        findings.measured(
            format!("ε = {epsilon}: the walk"),
            format!("{} steps, {:.0} % accepted", number(steps), 100.0 * errors.acceptance),
        );
        run.done(1);
    }
    Ok(findings)
}

/// The borough of every zone.
fn zones() -> Vec<&'static str> {
    let zone = |line: &'static str| {
        let mut fields = line.split(',');
        let number: u32 = fields.next()?.parse().ok()?;
        fields.next().filter(|_| number <= 263)
    };
    ZONES.lines().filter_map(zone).collect()
}

fn walk(rate: &Rational) -> Result<Walk, Problem> {
    let zones = zones();
    let mut boroughs: Vec<&str> = zones.clone();
    boroughs.sort_unstable();
    boroughs.dedup();
    let cells = || 0..zones.len() as u32;
    let row = |query: u32, group: u32, inside: &dyn Fn(u32) -> bool| FibreRow {
        entries: cells().filter(|cell| inside(*cell)).map(|cell| (cell, 1)).collect(),
        demand: Demand::Noisy { query, group, fixed: 0 },
    };
    let mut rows = vec![row(0, 0, &|_| true)];
    rows.extend(
        (0u32..).zip(&boroughs).map(|(group, borough)| row(1, group, &|cell| zones[cell as usize] == *borough)),
    );
    rows.extend(cells().map(|zone| row(2, zone, &|cell| cell == zone)));
    let fibre =
        Fibre { cells: cells().collect(), bounds: vec![(None, None); zones.len()], rows, noise_on_cells: false };
    let lattice = Lattice::of_fibre(&fibre)?;
    let law = NoiseLaw::double_geometric(rate.clone());
    let rates = [rate.clone(), rate.clone(), rate.clone()];
    Walk::new(Steps::Hierarchy, fibre, lattice, &law, &rates).map_err(Problem::refused)
}

/// The errors of the exact law, from the city to the zones.
fn exact(epsilon: &str) -> Result<[f64; 3], Problem> {
    let spec = SPEC
        .replace("../../data/taxi_zone_lookup.csv", "zones.csv")
        .replace("epsilon = \"1/2\"", &format!("epsilon = \"{epsilon}\""));
    let (declaration, _folder) = declared(&spec, &[("zones.csv", ZONES)])?;
    let counts = vec![0; declaration.domain()?.len()];
    let mechanism = Mechanism::new(declaration, counts)?;
    let NoisySums { rates, sums } = &mechanism.noisy_sums()?;
    let blocks: Vec<_> = mechanism.plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    let found = quantities(TableNoise { law: &mechanism.plan.law, rates, sums }, &blocks, &mechanism.counts)?;
    let cell = |(_, law): &(u32, draw::Law)| law.mean_absolute(0);
    let sums = |query: u32| -> f64 {
        found.sums.iter().filter(|sum| sum.query == query).map(|sum| sum.law.mean_absolute(0)).sum()
    };
    // The airport is a borough of one zone: its sum is listed as its cell alone.
    let airport = zones().iter().position(|borough| *borough == "EWR");
    let single: f64 = found.cells.iter().filter(|(cell, _)| Some(*cell as usize) == airport).map(cell).sum();
    Ok([sums(0) / NODES, (sums(1) + single) / NODES, found.cells.iter().map(cell).sum::<f64>() / NODES])
}

#[cfg(test)]
mod tests {
    use super::{exact, walk, zones};
    use exact::Rational;

    #[test]
    fn the_exact_errors_are_those_computed_independently() {
        assert_eq!(zones().len(), 263);
        walk(&Rational::integer(1)).unwrap();
        for (found, expected) in exact("1").unwrap().into_iter().zip([0.00247, 0.01306, 0.80682]) {
            assert!((found - expected).abs() < 6e-6, "{found} instead of {expected}");
        }
    }
}
