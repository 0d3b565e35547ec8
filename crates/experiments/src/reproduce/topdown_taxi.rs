//! The taxi hierarchy by TopDown and by exact conditioning: errors by level, bias and zeros.

use super::Rehearsal;
use super::findings::{Findings, number};
use crate::beside::counted;
use audit::measure::Summary;
use declare::{Declaration, Method, Part, Problem};
use exact::{Rational, Seeded};
use prepare::Mechanism;

const SPEC: &str = include_str!("../../../../examples/taxi/nonnegative.toml");
const ZONES: &str = include_str!("../../../../data/taxi_zone_lookup.csv");
const TRIPS: &str = include_str!("../../../../data/yellow_pickups_by_zone_2022_01.csv");
/// Draws for every pair that is asked for.
const DRAWS: u64 = 20;
const NODES: f64 = 270.0;
const LEVELS: [&str; 3] = ["city", "boroughs", "zones"];

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let draws = DRAWS * run.pairs;
    let mut findings = run.findings(&[
            "263 taxi zones, 6 boroughs and New York City, January 2022, double geometric noise on every node, no count below zero. TopDown: noise \
             of rate ε on every node, then from the root to the leaves the nearest counts that add up. Conditioning: noise given that everything \
             adds up and no count is negative, drawn exactly; its rate is lower, so that both are certified at the same loss per unit. Equalities alone: sums add up and counts may \
             be negative; the rate is ε, because equalities cost nothing, and the law is that of the exact figures of `liu-taxi`.",
            "Errors are means of Σ|error| of a level over 270 nodes. Small zones: those with fewer than 10 trips.",
        ]);
    for epsilon in ["1/2", "1", "2"] {
        run.stage(&format!("topdown-taxi, ε = {epsilon}"), 3 * draws);
        let rate: Rational = epsilon.parse().map_err(|error| Problem::bad(format!("{error}")))?;
        let (declaration, counts) = declaration()?;
        let projected = at(&declaration, Method::TopDown, &rate, &counts)?;
        let loss = projected.plan.loss.amount.size().clone();
        let conditioned = conditioned(&declaration, &rate, &loss, &counts)?;
        let mut free = declaration.clone();
        free.constraints.nonnegative = false;
        let free = at(&free, Method::Condition, &rate, &counts)?;
        for (name, mechanism) in
            [("conditioning, equalities alone", &free), ("conditioning", &conditioned), ("TopDown", &projected)]
        {
            let measured = measure(run, mechanism, draws)?;
            let [city, boroughs, zones] = &measured.levels;
            findings.measured(
                format!("ε = {epsilon}, {name}: {} / {} / {}", LEVELS[0], LEVELS[1], LEVELS[2]),
                format!(
                    "{:.5} / {:.5} / {:.5} (± {:.5}; {} draws)",
                    city.mean(),
                    boroughs.mean(),
                    zones.mean(),
                    zones.mean_error(),
                    number(draws)
                ),
            );
            findings.measured(
                format!("ε = {epsilon}, {name}: mean bias of small zones, zones made zero"),
                format!(
                    "{:.3} ± {:.3}, {:.2} of {} per draw",
                    measured.small.mean(),
                    measured.small.mean_error(),
                    measured.made_zero.mean(),
                    measured.above_zero
                ),
            );
        }
    }
    Ok(findings)
}

/// The taxi table and its declaration.
fn declaration() -> Result<(Declaration, Vec<i64>), Problem> {
    let spec = SPEC
        .replace("../../data/taxi_zone_lookup.csv", "zones.csv")
        .replace("../../data/yellow_pickups_by_zone_2022_01.csv", "trips.csv");
    counted(&spec, &[("zones.csv", ZONES), ("trips.csv", TRIPS)])
}

fn at(declaration: &Declaration, method: Method, rate: &Rational, counts: &[i64]) -> Result<Mechanism, Problem> {
    let mut declaration = declaration.clone();
    declaration.mechanism.method = method;
    for query in &mut declaration.mechanism.queries {
        query.part = Part::Epsilon(rate.clone());
    }
    let queries = Rational::integer(declaration.mechanism.queries.len() as u64);
    declaration.mechanism.strength = declare::Strength::Epsilon(rate * &queries);
    Mechanism::new(declaration, counts.to_vec())
}

/// Conditioning with the largest rate, to a thousandth of it, whose loss is at most this.
fn conditioned(
    declaration: &Declaration,
    most: &Rational,
    loss: &Rational,
    counts: &[i64],
) -> Result<Mechanism, Problem> {
    let (mut low, mut high) = (500u64, 1000u64);
    let rate = |thousandths: u64| most * &Rational::new(thousandths, 1000u32);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let found = at(declaration, Method::Condition, &rate(middle), counts)?.plan.loss.epsilon().cloned();
        if found.is_some_and(|found| found <= *loss) { low = middle } else { high = middle }
    }
    at(declaration, Method::Condition, &rate(low), counts)
}

/// What draws of a mechanism show.
struct Measured {
    levels: [Summary; 3],
    small: Summary,
    made_zero: Summary,
    above_zero: usize,
}

fn measure(run: &Rehearsal<'_>, mechanism: &Mechanism, draws: u64) -> Result<Measured, Problem> {
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    let counts = &mechanism.counts;
    let small: Vec<usize> = (0..counts.len()).filter(|cell| counts[*cell] < 10).collect();
    let above_zero = counts.iter().filter(|count| **count > 0).count();
    let mut measured =
        Measured { levels: Default::default(), small: Summary::default(), made_zero: Summary::default(), above_zero };
    let groupings: Vec<_> = mechanism.case.conditions.queries.iter().map(|query| &query.grouping).collect();
    for draw in 0..draws {
        let values = sampling.draw(&Seeded::draw(46, draw), &|_| {})?.into_values();
        let errors: Vec<i64> = values.iter().zip(counts).map(|(value, count)| value - count).collect();
        for (level, grouping) in measured.levels.iter_mut().zip(&groupings) {
            level.push(grouping.totals(&errors).iter().map(|sum| sum.unsigned_abs() as f64).sum::<f64>() / NODES);
        }
        measured.small.push(small.iter().map(|cell| errors[*cell] as f64).sum::<f64>() / small.len().max(1) as f64);
        let made_zero = values.iter().zip(counts).filter(|(value, count)| **value == 0 && **count > 0).count();
        measured.made_zero.push(made_zero as f64);
        run.done(1);
    }
    Ok(measured)
}
