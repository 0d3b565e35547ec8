//! Algorithms 4, 5 and 6 of Seeman (2023), set right, on tables that can all be listed: baselines
//! and oracles.
//!
//! - 4, rejection: parameters and table from what was believed before the release, given the public
//!   totals; accepted with probability π(Y|x)/sup_x π(Y|x). The inequality is printed the wrong way
//!   round, and its supremum over releases would cancel Z(x).
//! - 5, importance: parameters from another law g, the table given them and the totals, weighted by
//!   π(Y|x)·π(θ|Z)/g(θ). It is printed with draws from π and weights for g.
//! - 6, constrained: parameters from their prior under the constraints of the model, a table given
//!   them alone; constraints of the data are on the noise, so a table with other totals has noise
//!   of density zero.
//!
//! Proof: `proofs/augmentation.md`.

use super::chains::CHAINS;
use super::chance::{log_gamma_number, positive};
use super::rates::log_rate;
use super::{Asking, Chains, Figure, Fitted, Model, Sampler, Wished, estimate};
use crate::belief::{FEWEST_EFFECTIVE, effective_of};
use crate::bounded::Normalisers;
use crate::energy::{energy, log_base_of_table, log_of_sum};
use crate::knowledge::log_gamma;
use crate::pick::{stream, uniform};
use crate::several::Sources;
use analyse::ListLimits;
use declare::Problem;
use exact::Stream;
use rayon::prelude::*;
use std::collections::HashMap;

/// Tables that are listed, at most.
const MOST_TABLES: usize = 20_000;
const LIMITS: ListLimits = ListLimits { cells: 64, tables: MOST_TABLES, values: 1 << 20, work: 40_000_000 };
/// Tries of rejection, for every draw that is asked for, at most.
const MOST_TRIES: u64 = 20_000;

/// All tables that are possible, with what the release and the model say of each.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) tables: Vec<Vec<i64>>,
    /// ln π(Y|x), up to a constant.
    pub(crate) likelihoods: Vec<f64>,
    /// ln π(x|Z) with rates integrated out, up to a constant.
    pub(crate) priors: Vec<f64>,
}

/// Gamma rates of groups.
#[derive(Debug, Clone)]
pub(crate) struct Gammas {
    shape: f64,
    rate: f64,
    group_of: Vec<u32>,
    exposures: Vec<f64>,
    /// The exposures of groups.
    of_groups: Vec<f64>,
    /// Whether counts are multinomial: rates tell shares alone.
    shares: bool,
}

impl Gammas {
    fn of(asking: &Asking) -> Result<Gammas, Problem> {
        let (shape, rate, shares) = match asking.model {
            Model::PoissonGamma { shape, rate } => (shape, rate, false),
            Model::MultinomialDirichlet { shape } => (shape, 0.0, true),
            _ => {
                return Err(Problem::bad(format!(
                    "rejection and importance are baselines for gamma rates and Dirichlet shares, not for `{}`",
                    asking.model.name()
                ))
                .hint("leave out --sampler"));
            }
        };
        let of_groups = asking.of_groups();
        let (group_of, exposures) = (asking.group_of.clone(), asking.exposures.clone());
        Ok(Gammas { shape, rate, group_of, exposures, of_groups, shares })
    }

    fn sums(&self, table: &[i64]) -> Vec<i64> {
        let mut sums = vec![0; self.of_groups.len()];
        table.iter().zip(&self.group_of).for_each(|(count, group)| sums[*group as usize] += count);
        sums
    }

    /// ln Π exposure^x/x!.
    fn of_counts(&self, table: &[i64]) -> f64 {
        let one = |(count, exposure): (&i64, &f64)| *count as f64 * exposure.ln() - log_gamma(*count as f64 + 1.0);
        table.iter().zip(&self.exposures).map(one).sum()
    }

    fn log_prior(&self, table: &[i64]) -> f64 {
        let of_group = |(sum, exposure): (i64, &f64)| {
            let shape = self.shape + sum as f64;
            log_gamma(shape) - shape * (self.rate + exposure).ln()
        };
        self.of_counts(table) + self.sums(table).into_iter().zip(&self.of_groups).map(of_group).sum::<f64>()
    }

    /// Logarithms of rates given a table.
    fn given(&self, table: &[i64], bits: &mut Stream) -> Vec<f64> {
        let one = |(sum, exposure): (i64, &f64)| log_rate(self.shape + sum as f64, self.rate + exposure, bits);
        self.sums(table).into_iter().zip(&self.of_groups).map(one).collect()
    }
}

/// A place in proportion to weights, by their running sums.
fn pick(upto: &[f64], bits: &mut Stream) -> usize {
    let wanted = uniform(bits) * upto[upto.len() - 1];
    upto.partition_point(|sum| *sum <= wanted).min(upto.len() - 1)
}

fn running(logs: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    let add = |log: f64| {
        sum += (log - largest).exp();
        sum
    };
    logs.map(add).collect()
}

fn largest(logs: &[f64]) -> f64 {
    logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Algorithm 4: the table of one draw, and how many were tried; `None` where more than so many
/// would be.
pub(crate) fn rejected(listed: &Listed, upto: &[f64], most: u64, bits: &mut Stream) -> Option<(usize, u64)> {
    let top = largest(&listed.likelihoods);
    (1..=most).find_map(|tries| {
        let place = pick(upto, bits);
        (positive(bits).ln() <= listed.likelihoods[place] - top).then_some((place, tries))
    })
}

/// Rates, their weight's logarithm.
type Weighed = (Vec<f64>, f64);

/// The law g of Algorithm 5 for one group: half the prior's shape over a wide range, half around
/// what was released.
struct Proposal {
    parts: [(f64, f64); 2],
}

impl Proposal {
    fn new(gammas: &Gammas, group: usize, released: i64) -> Proposal {
        let exposure = gammas.rate + gammas.of_groups[group];
        let seen = released.max(0) as f64;
        let wide = gammas.shape / (seen + gammas.shape + 4.0 * (seen + 1.0).sqrt());
        Proposal { parts: [(gammas.shape, exposure * wide), ((seen + gammas.shape) / 2.0, exposure / 2.0)] }
    }

    fn draw(&self, bits: &mut Stream) -> f64 {
        let (shape, rate) = self.parts[usize::from(uniform(bits) < 0.5)];
        log_rate(shape, rate, bits)
    }

    /// ln of its density at e^log.
    fn log_density(&self, log: f64) -> f64 {
        let [one, two] = self.parts.map(|(shape, rate)| gamma_density(shape, rate, log));
        let top = one.max(two);
        top + (0.5 * (one - top).exp() + 0.5 * (two - top).exp()).ln()
    }
}

fn gamma_density(shape: f64, rate: f64, log: f64) -> f64 {
    shape * rate.ln() - log_gamma(shape) + (shape - 1.0) * log - rate * log.exp()
}

/// Algorithm 5: one draw of rates with the logarithm of its weight.
fn weighed(listed: &Listed, gammas: &Gammas, proposals: &[Proposal], counts: &[f64], bits: &mut Stream) -> Weighed {
    let logs: Vec<f64> = proposals.iter().map(|proposal| proposal.draw(bits)).collect();
    let of_table = |table: &Vec<i64>| -> f64 {
        table.iter().zip(&gammas.group_of).map(|(count, group)| *count as f64 * logs[*group as usize]).sum()
    };
    let weights: Vec<f64> = listed.tables.iter().zip(counts).map(|(table, own)| own + of_table(table)).collect();
    let upto = running(weights.iter().copied());
    // π(θ|Z) ∝ π(θ)·P(Z|θ), and P(Z|θ) = e^{−Σθ·exposure}·Σ over tables of Π(θ·exposure)^x/x!.
    let expected: f64 = logs.iter().zip(&gammas.of_groups).map(|(log, exposure)| log.exp() * exposure).sum();
    let public = largest(&weights) + upto[upto.len() - 1].ln() - expected;
    let place = pick(&upto, bits);
    let prior: f64 = logs.iter().map(|log| (gammas.shape - 1.0) * log - gammas.rate * log.exp()).sum();
    let own: f64 = logs.iter().zip(proposals).map(|(log, proposal)| proposal.log_density(*log)).sum();
    (logs, listed.likelihoods[place] + prior + public - own)
}

/// A Poisson number.
fn poisson(mut mean: f64, bits: &mut Stream) -> i64 {
    let mut count = 0;
    // Large means in parts, so that no product leaves machine numbers.
    while mean > 0.0 {
        let part = mean.min(16.0);
        mean -= part;
        let (limit, mut left) = ((-part).exp(), 1.0);
        loop {
            left *= positive(bits);
            if left <= limit {
                break;
            }
            count += 1;
        }
    }
    count
}

/// Algorithm 6: rates of one draw and how many were tried; `allowed` are the constraints of the
/// model.
fn constrained(
    listed: &Listed,
    places: &HashMap<&[i64], usize>,
    gammas: &Gammas,
    allowed: &dyn Fn(&[f64]) -> bool,
    most: u64,
    bits: &mut Stream,
) -> Option<(Vec<f64>, u64)> {
    let top = largest(&listed.likelihoods);
    let whole: i64 = listed.tables[0].iter().sum();
    let draw = |tries: u64| {
        let rate = if gammas.shares { 1.0 } else { gammas.rate };
        let logs: Vec<f64> =
            gammas.of_groups.iter().map(|_| log_gamma_number(gammas.shape, bits) - rate.ln()).collect();
        if !allowed(&logs) {
            return None;
        }
        let mean = |(group, exposure): (&u32, &f64)| exposure * logs[*group as usize].exp();
        let means = gammas.group_of.iter().zip(&gammas.exposures).map(mean);
        let table: Vec<i64> = match gammas.shares {
            false => means.map(|mean| poisson(mean, bits)).collect(),
            true => {
                let upto = running(means.map(|mean| mean.ln()));
                let mut table = vec![0; upto.len()];
                (0..whole).for_each(|_| table[pick(&upto, bits)] += 1);
                table
            }
        };
        let place = *places.get(table.as_slice())?;
        (positive(bits).ln() <= listed.likelihoods[place] - top).then_some((logs, tries))
    };
    (1..=most).find_map(draw)
}

/// Lists all tables, with likelihoods and priors.
fn listed(sources: &Sources<'_>, normalisers: &Normalisers<'_>, gammas: &Gammas) -> Result<Listed, Problem> {
    let too_many = || {
        Problem::refused(format!("rejection and importance are for tables of which at most {MOST_TABLES} are possible"))
            .hint("leave out --sampler: tables and parameters in turn need no list")
    };
    let mut base = sources.releases[0].values.clone();
    sources.fixed.iter().for_each(|(cell, value)| base[*cell] = *value);
    let mut tables = vec![base];
    for block in 0..sources.blocks.len() {
        let found = sources.fibre(block)?.listed(&LIMITS).map_err(|_| too_many())?;
        let cells = &sources.blocks[block].cells;
        if tables.len().saturating_mul(found.tables().count()) > MOST_TABLES {
            return Err(too_many());
        }
        let with = |table: &Vec<i64>| {
            let put = |values: &[i64]| {
                let mut table = table.clone();
                cells.iter().zip(values).for_each(|(cell, value)| table[*cell as usize] = *value);
                table
            };
            found.tables().map(put).collect::<Vec<_>>()
        };
        tables = tables.iter().flat_map(with).collect();
    }
    if tables.is_empty() {
        return Err(Problem::new(declare::Kind::Infeasible, "no table has these totals, bounds and rules"));
    }
    let inside = normalisers.inside(&(0..tables[0].len() as u32).collect());
    let own = match sources.releases {
        [release] if sources.asks_as(release) && !inside.is_empty() => Some(release),
        _ => None,
    };
    if own.is_none() && !normalisers.are_computed(&inside) {
        return Err(Problem::refused("the normaliser Z(x) of the release is not computed for listed tables")
            .hint("leave out --sampler: Z cancels in the exchange step"));
    }
    let likelihood = |table: &Vec<i64>| {
        let log = match own {
            // All releases of a table are the tables of the same list.
            Some(release) if release.plan.law.base().is_some() => {
                let of = |other: &Vec<i64>| log_base_of_table(release, other) - energy(release, other, table);
                -log_of_sum(&tables.iter().map(of).collect::<Vec<f64>>())
            }
            Some(release) => -tables.iter().map(|other| (-energy(release, other, table)).exp()).sum::<f64>().ln(),
            None => normalisers.log_inverse(&inside, table, 0, 0)?,
        };
        Ok(sources.log_weight(table) + log)
    };
    let likelihoods = tables.par_iter().map(likelihood).collect::<Result<Vec<f64>, Problem>>()?;
    let priors = tables.iter().map(|table| gammas.log_prior(table)).collect();
    Ok(Listed { tables, likelihoods, priors })
}

/// What the posterior says by one of the three algorithms.
///
/// # Errors
/// Refused when too many tables are possible, or draws are accepted too seldom.
pub(super) fn fit(
    sources: &Sources<'_>,
    normalisers: &Normalisers<'_>,
    asking: &Asking,
    wished: &Wished,
) -> Result<Fitted, Problem> {
    let gammas = Gammas::of(asking)?;
    let proper = gammas.rate > 0.0 || gammas.shares;
    if wished.sampler == Sampler::Constrained && !proper {
        return Err(Problem::bad("parameters are drawn from their prior, and a prior of rate 0 is none to draw from")
            .hint("give it a rate above zero: --prior-rate"));
    }
    let listed = listed(sources, normalisers, &gammas)?;
    let upto = running(listed.priors.iter().copied());
    let released = gammas.sums(&sources.releases[0].values);
    let proposals: Vec<Proposal> =
        released.iter().enumerate().map(|(group, sum)| Proposal::new(&gammas, group, *sum)).collect();
    let counts: Vec<f64> = listed.tables.iter().map(|table| gammas.of_counts(table)).collect();
    let places: HashMap<&[i64], usize> =
        listed.tables.iter().enumerate().map(|(place, table)| (table.as_slice(), place)).collect();
    let each = (wished.draws / CHAINS).max(4);
    let draw = |number: u64| {
        let mut bits = stream(wished.seed ^ 0x5ee, number)?;
        let seldom = || {
            Problem::refused(format!("of {MOST_TRIES} draws from before the release none is accepted"))
                .hint("leave out --sampler, or use --sampler importance")
        };
        match wished.sampler {
            Sampler::Importance => {
                let (logs, weight) = weighed(&listed, &gammas, &proposals, &counts, &mut bits);
                Ok((logs, weight, 1))
            }
            Sampler::Constrained => {
                let (logs, tries) =
                    constrained(&listed, &places, &gammas, &|_| true, MOST_TRIES, &mut bits).ok_or_else(seldom)?;
                Ok((logs, 0.0, tries))
            }
            Sampler::Rejection | Sampler::Gibbs => {
                let (place, tries) = rejected(&listed, &upto, MOST_TRIES, &mut bits).ok_or_else(seldom)?;
                Ok((gammas.given(&listed.tables[place], &mut bits), 0.0, tries))
            }
        }
    };
    let drawn: Vec<(Vec<f64>, f64, u64)> =
        (0..each * CHAINS).into_par_iter().map(draw).collect::<Result<_, Problem>>()?;
    let top = drawn.iter().map(|(_, weight, _)| *weight).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = drawn.iter().map(|(_, weight, _)| (weight - top).exp()).collect();
    let effective = effective_of(weights.iter().copied());
    if effective < FEWEST_EFFECTIVE {
        return Err(Problem::refused(format!(
            "{} draws have weights so unequal that they tell as much as {effective:.0} independent draws, and at least \
             {FEWEST_EFFECTIVE:.0} are needed",
            weights.len()
        ))
        .hint("ask for more: --draws N, or leave out --sampler"));
    }
    let tries: u64 = drawn.iter().map(|(_, _, tries)| tries).sum();
    let rates: Vec<Vec<f64>> = drawn.into_iter().map(|(logs, ..)| logs.into_iter().map(f64::exp).collect()).collect();
    let figures = asking.figures(&[]);
    let told = |figure: &Figure| {
        let values = rates.iter().zip(&weights).map(|(rates, weight)| (figure.value(rates, &[]), *weight)).collect();
        estimate(figure.name.clone(), values, wished.level, wished.against, (1.0, effective))
    };
    let accepted = (wished.sampler != Sampler::Importance).then(|| weights.len() as f64 / tries as f64);
    let chains = Chains {
        chains: 1,
        draws: each * CHAINS,
        between: 1,
        independent: true,
        r_hat: 1.0,
        r_hat_of: String::new(),
        effective,
        effective_of: String::new(),
        accepted,
    };
    Ok(Fitted { rates: figures.iter().map(told).collect(), parameters: Vec::new(), chains, distance: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use exact::{Seeded, Source};

    /// Twelve people in three cells, ε' = ½ per unit, bounds in the release, which is (0, 5, 7);
    /// all tables alike before.
    fn twelve() -> Listed {
        let mut tables = Vec::new();
        for one in 0..=12i64 {
            (0..=12 - one).for_each(|two| tables.push(vec![one, two, 12 - one - two]));
        }
        let energy = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<i64>() as f64 / 2.0;
        let z = |x: &Vec<i64>| tables.iter().map(|y| (-energy(x, y)).exp()).sum::<f64>().ln();
        let likelihoods = tables.iter().map(|x| -energy(x, &[0, 5, 7]) - z(x)).collect();
        Listed { likelihoods, priors: vec![0.0; tables.len()], tables }
    }

    fn law(weights: impl Iterator<Item = f64>) -> Vec<f64> {
        let weights: Vec<f64> = weights.collect();
        let whole: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / whole).collect()
    }

    fn apart(one: &[f64], two: &[f64]) -> f64 {
        one.iter().zip(two).map(|(one, two)| (one - two).abs()).sum::<f64>() / 2.0
    }

    #[test]
    fn rejection_has_the_posterior_and_its_mutants_do_not() {
        let listed = twelve();
        let right = law(listed.likelihoods.iter().map(|log| log.exp()));
        let top = largest(&listed.likelihoods);
        // The printed inequality: accepted where the quotient is below the uniform number.
        let printed = law(listed.likelihoods.iter().map(|log| 1.0 - (log - top).exp()));
        assert!((apart(&right, &printed) - 0.71).abs() < 0.005, "{}", apart(&right, &printed));
        // A supremum over releases: each table's likelihood over its largest, at the table itself,
        // is w(y − x).
        let weight =
            |x: &Vec<i64>| (-x.iter().zip([0, 5, 7]).map(|(a, b)| (a - b).abs()).sum::<i64>() as f64 / 2.0).exp();
        let over_releases = law(listed.tables.iter().map(weight));
        assert!((apart(&right, &over_releases) - 0.0691).abs() < 1e-4);
        let upto = running(listed.priors.iter().copied());
        let mut bits = Seeded::new(4).stream(0).unwrap();
        let draws = 200_000;
        let mut counts = vec![0.0; right.len()];
        (0..draws).for_each(|_| counts[rejected(&listed, &upto, 100_000, &mut bits).unwrap().0] += 1.0);
        let found = law(counts.into_iter());
        // The distance of so many draws from their own law is about Σ√(p/2πn); both mutants are
        // farther by far.
        let own: f64 = right.iter().map(|p| (p / (2.0 * std::f64::consts::PI * f64::from(draws))).sqrt()).sum();
        assert!(apart(&found, &right) < 2.0 * own, "{} {own}", apart(&found, &right));
        assert!(apart(&found, &over_releases) > 5.0 * own && apart(&found, &printed) > 0.6);
    }

    fn three_rates() -> Gammas {
        Gammas {
            shape: 1.5,
            rate: 0.5,
            group_of: vec![0, 1, 2],
            exposures: vec![1.0, 2.0, 1.5],
            of_groups: vec![1.0, 2.0, 1.5],
            shares: false,
        }
    }

    /// The posterior mean of the rate of a group, by enumeration.
    fn mean_rate(listed: &Listed, gammas: &Gammas, group: usize) -> f64 {
        let weights: Vec<f64> =
            listed.likelihoods.iter().zip(&listed.priors).map(|(one, two)| (one + two).exp()).collect();
        let rate = |table: &Vec<i64>| {
            (gammas.shape + gammas.sums(table)[group] as f64) / (gammas.rate + gammas.of_groups[group])
        };
        let whole: f64 = weights.iter().sum();
        listed.tables.iter().zip(&weights).map(|(table, weight)| weight * rate(table)).sum::<f64>() / whole
    }

    fn twelve_with(gammas: &Gammas) -> Listed {
        let listed = twelve();
        let priors = listed.tables.iter().map(|table| gammas.log_prior(table)).collect();
        Listed { priors, ..listed }
    }

    #[test]
    fn importance_has_the_posterior_and_its_mutant_does_not() {
        let gammas = three_rates();
        let listed = twelve_with(&gammas);
        let proposals: Vec<Proposal> =
            [0, 5, 7].iter().enumerate().map(|(g, y)| Proposal::new(&gammas, g, *y)).collect();
        let counts: Vec<f64> = listed.tables.iter().map(|table| gammas.of_counts(table)).collect();
        let upto = running(listed.priors.iter().copied());
        let mut bits = Seeded::new(6).stream(0).unwrap();
        let draws = 60_000;
        // Sums of weights and of weighted rates; the mutant weighs draws from π(θ|Z) by π/g.
        let (mut right, mut mutant) = ([0.0; 4], [0.0; 4]);
        for _ in 0..draws {
            let (logs, weight) = weighed(&listed, &gammas, &proposals, &counts, &mut bits);
            right[3] += weight.exp();
            (0..3).for_each(|group| right[group] += weight.exp() * logs[group].exp());
            let place = pick(&upto, &mut bits);
            let logs = gammas.given(&listed.tables[place], &mut bits);
            let prior: f64 = logs.iter().map(|log| gamma_density(gammas.shape, gammas.rate, *log)).sum();
            let own: f64 = logs.iter().zip(&proposals).map(|(log, proposal)| proposal.log_density(*log)).sum();
            let weight = (listed.likelihoods[place] + prior - own).exp();
            mutant[3] += weight;
            (0..3).for_each(|group| mutant[group] += weight * logs[group].exp());
        }
        let mut wrong = Vec::new();
        for group in 0..3 {
            let expected = mean_rate(&listed, &gammas, group);
            let found = right[group] / right[3];
            assert!((found / expected - 1.0).abs() < 0.02, "{group}: {found} {expected}");
            wrong.push((mutant[group] / mutant[3] / expected - 1.0).abs());
        }
        assert!(wrong.iter().any(|apart| *apart > 0.05), "{wrong:?}");
    }

    #[test]
    fn constrained_draws_have_the_posterior_and_keep_constraints_of_the_model() {
        let gammas = three_rates();
        let listed = twelve_with(&gammas);
        let places: HashMap<&[i64], usize> =
            listed.tables.iter().enumerate().map(|(place, table)| (table.as_slice(), place)).collect();
        let upto = running(listed.priors.iter().copied());
        let mut bits = Seeded::new(9).stream(0).unwrap();
        let ordered = |logs: &[f64]| logs[1] <= logs[2];
        let (mut free, mut kept, mut filtered) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..4000 {
            free.push(constrained(&listed, &places, &gammas, &|_| true, 1_000_000, &mut bits).unwrap().0);
            let (logs, _) = constrained(&listed, &places, &gammas, &ordered, 1_000_000, &mut bits).unwrap();
            assert!(ordered(&logs));
            kept.push(logs);
            // Algorithm 4 with the same constraint checked afterwards.
            let (place, _) = rejected(&listed, &upto, 100_000, &mut bits).unwrap();
            let logs = gammas.given(&listed.tables[place], &mut bits);
            filtered.extend(ordered(&logs).then_some(logs));
        }
        let mean = |all: &[Vec<f64>], group: usize| {
            let values: Vec<f64> = all.iter().map(|logs| logs[group].exp()).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
            (mean, (variance / values.len() as f64).sqrt())
        };
        for group in 0..3 {
            let (found, error) = mean(&free, group);
            assert!((found - mean_rate(&listed, &gammas, group)).abs() < testkit::deviations(3) * error, "{group}");
            let ((one, first), (two, second)) = (mean(&kept, group), mean(&filtered, group));
            assert!((one - two).abs() < testkit::deviations(3) * first.hypot(second), "{group}: {one} {two}");
        }
    }
}
