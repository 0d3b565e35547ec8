//! Whether a walk agrees with an exact operator: endpoints of independent chains against exact
//! draws.

use super::Rehearsal;
use super::curves::step_seconds;
use super::findings::{Findings, number};
use declare::{Declaration, Problem};
use exact::{Seeded, Source};
use prepare::Mechanism;
use rayon::prelude::*;
use std::path::Path;
use walk::{Kernel, Lagged, Walk};

/// Independent chains, and exact draws for each of them.
const CHAINS: u64 = 4000;
const EXACT: u64 = 5;
/// Fewer chains are made where all would take longer than so many seconds of one core; but not
/// fewer than these.
const SECONDS: f64 = 120.0;
const FEWEST: u64 = 600;
/// The count of every cell that exact noise is drawn for.
const COUNT: i64 = 100;
/// Cells are compared in so many intervals of values at most: an odd number, whose degrees of
/// freedom have a closed form.
const BINS: usize = 11;

/// What a comparison found: probabilities of differences at least as large, were both laws the
/// same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The largest difference of means of |noise| and of squares over all cells, in standard
    /// errors.
    pub largest: f64,
    /// Its probability, times the number of means.
    pub means: f64,
    /// The smallest probability of the chi-square statistics of all cells, times their number.
    pub cells: f64,
}

/// Exact noise that changes no total of a spec: the law of the noise is the same for every table.
/// Returns the name of the operator and the draws.
pub fn exact(spec: &str, draws: u64) -> Result<(&'static str, Vec<Vec<i64>>), Problem> {
    let declaration = Declaration::parse(spec, "spec.toml", Path::new("."))?;
    // Totals of zeros would give every count away, and so be refused.
    let counts = vec![COUNT; declaration.domain()?.len()];
    let (operator, mut drawn) = exact_around(&declaration, &counts, draws)?;
    drawn.iter_mut().flatten().for_each(|value| *value -= COUNT);
    Ok((operator, drawn))
}

/// Exact draws around a table. Returns the name of the operator and the draws.
pub fn exact_around(
    declaration: &Declaration,
    counts: &[i64],
    draws: u64,
) -> Result<(&'static str, Vec<Vec<i64>>), Problem> {
    let mechanism = Mechanism::new(declaration.clone(), counts.to_vec())?;
    let operator = mechanism.plan.blocks.first().map_or("none", |block| block.operator());
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    let draw = |number: u64| Ok(sampling.draw(&Seeded::draw(20, number), &|_| {})?.into_values());
    Ok((operator, (0..draws).map(draw).collect::<Result<_, Problem>>()?))
}

/// Where independent chains from no noise are after so many steps.
pub fn endpoints(walk: &Walk, steps: u64, chains: u64, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Vec<i64>>, Problem> {
    let ready = walk.ready();
    let start = vec![0; walk.cells().len()];
    let kernel = walk.kernel(&ready, start.clone(), &[]);
    let source = Seeded::new(21);
    let chain = |number: u64| {
        let mut bits = source.stream(number).map_err(|error| Problem::system(error.to_string()))?;
        let mut state = kernel.start(start.clone());
        (0..steps).for_each(|_| {
            kernel.step(&mut state, &mut bits);
        });
        done(1);
        Ok(kernel.values(&state).to_vec())
    };
    (0..chains).into_par_iter().map(chain).collect()
}

/// Compares draws of two laws, cell by cell.
pub fn compare(walked: &[Vec<i64>], exact: &[Vec<i64>]) -> Agreement {
    let cells = walked.first().map_or(0, Vec::len);
    let (mut largest, mut least) = (0f64, 1f64);
    for cell in 0..cells {
        let of = |draws: &[Vec<i64>]| draws.iter().map(|draw| draw[cell]).collect::<Vec<i64>>();
        let (one, two) = (of(walked), of(exact));
        for power in [1, 2] {
            largest = largest.max(difference(&one, &two, power).abs());
        }
        least = least.min(same_law(&one, &two));
    }
    Agreement {
        largest,
        means: (2.0 * cells as f64 * two_sided(largest)).min(1.0),
        cells: (cells as f64 * least).min(1.0),
    }
}

/// The difference of the means of |z|^power in standard errors.
fn difference(one: &[i64], two: &[i64], power: i32) -> f64 {
    let moments = |values: &[i64]| {
        let count = values.len() as f64;
        let of = |value: &i64| (value.abs() as f64).powi(power);
        let mean = values.iter().map(of).sum::<f64>() / count;
        (mean, values.iter().map(|value| (of(value) - mean).powi(2)).sum::<f64>() / (count - 1.0) / count)
    };
    let ((one, first), (two, second)) = (moments(one), moments(two));
    let error = (first + second).sqrt();
    if error > 0.0 { (one - two) / error } else { 0.0 }
}

/// The probability that a standard normal number is at least so far from zero: a continued fraction
/// in the tail, a series near zero.
fn two_sided(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        let (mut term, mut sum) = (z, z);
        for index in 1..60 {
            term *= z * z / f64::from(2 * index + 1);
            sum += term;
        }
        return 1.0 - 2.0 * density * sum;
    }
    let fraction = (1..80).rev().fold(z, |below, index| z + f64::from(index) / below);
    2.0 * density / fraction
}

/// The probability of the chi-square statistic that two samples have one law, in intervals that the
/// second fills evenly.
fn same_law(one: &[i64], two: &[i64]) -> f64 {
    let mut sorted = two.to_vec();
    sorted.sort_unstable();
    let mut ends: Vec<i64> = (1..BINS).map(|bin| sorted[sorted.len() * bin / BINS]).collect();
    ends.dedup();
    if ends.len() % 2 == 1 {
        ends.pop();
    }
    let count = |values: &[i64]| {
        let mut counts = vec![0f64; ends.len() + 1];
        values.iter().for_each(|value| counts[ends.partition_point(|end| end < value)] += 1.0);
        counts
    };
    let (first, second) = (count(one), count(two));
    let ratio = (two.len() as f64 / one.len() as f64).sqrt();
    let term = |(one, two): (&f64, &f64)| (ratio * one - two / ratio).powi(2) / (one + two).max(1.0);
    let statistic: f64 = first.iter().zip(&second).map(term).sum();
    // With an even number of degrees of freedom the tail is that of a Poisson law.
    let (mut weight, mut sum) = (1.0, 0.0);
    for index in 0..ends.len() / 2 {
        sum += weight;
        weight *= statistic / 2.0 / (index + 1) as f64;
    }
    if ends.is_empty() { 1.0 } else { sum * (-statistic / 2.0).exp() }
}

/// Runs the comparison for a walk with evidence, and adds a row.
pub fn check(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    title: &str,
    walk: &Walk,
    evidence: &Lagged,
    spec: &str,
) -> Result<(), Problem> {
    let steps = evidence.steps_for(1e-3);
    // Fewer pairs are asked for by those who want a quick look.
    let affordable = (SECONDS / (steps as f64 * step_seconds(walk)?)) as u64;
    let chains = CHAINS.min(run.pairs * 20).min(affordable.max(FEWEST));
    run.stage(&format!("{}, {title}, against exact draws", findings.name), chains);
    let walked = endpoints(walk, steps, chains, &|chains| run.done(chains))?;
    let (operator, drawn) = exact(spec, chains * EXACT)?;
    let agreement = compare(&walked, &drawn);
    findings.measured(
        format!("{title}: endpoints against `{operator}`"),
        format!(
            "{} chains of {} steps, {} exact draws: means of absolute and squared noise differ by at most {:.1} standard errors (p = {:.2}), \
             chi-square of every cell p = {:.2}, both for all cells together",
            number(chains),
            number(steps),
            number(chains * EXACT),
            agreement.largest,
            agreement.means,
            agreement.cells
        ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{same_law, two_sided};

    #[test]
    fn probabilities_are_those_of_tables() {
        for (z, expected) in
            [(0.0, 1.0), (1.0, 0.317_310_5), (1.959_964, 0.05), (2.999, 0.002_708_6), (4.0, 6.334_25e-5)]
        {
            assert!((two_sided(z) / expected - 1.0f64).abs() < 1e-4, "{z}: {}", two_sided(z));
        }
    }

    #[test]
    fn equal_samples_agree_and_others_do_not() {
        let one: Vec<i64> = (0..5000).map(|place| place % 23 - 11).collect();
        assert!(same_law(&one, &one) > 0.999);
        let wider: Vec<i64> = one.iter().map(|value| value * 6 / 5).collect();
        assert!(same_law(&one, &wider) < 1e-6);
    }
}
